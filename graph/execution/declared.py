"""What declarations tell the executor beside the schema: how a field is answered, and how an object shows its type."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graphql import FieldNode, FragmentDefinitionNode, GraphQLObjectType

ANSWERED = "answered"
"""Where the metadata of a strawberry field holds its :class:`Answered`."""

Bound = Callable[[Any, Any], Awaitable[Any]]
"""Answers a field for a record, within the context of an operation."""


class FieldRequest(Protocol):
    """A field as an operation asks for it. What graphql-core tells resolvers is one."""

    @property
    def field_name(self) -> str:
        """The name of the field."""

    @property
    def field_nodes(self) -> Sequence[FieldNode]:
        """Where it is selected."""

    @property
    def parent_type(self) -> GraphQLObjectType:
        """The type whose field it is."""

    @property
    def fragments(self) -> Mapping[str, FragmentDefinitionNode]:
        """The fragments of the document."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How a field is answered that is no attribute of its record.

    ``bind`` makes the function that answers it: first of where it is asked, then of its arguments, for all records.
    """

    bind: Callable[[FieldRequest], Callable[[Mapping[str, Any]], Bound]]


class InstanceOf:
    """An ``is_type_of`` by class alone."""

    def __init__(self, *classes: type) -> None:
        self.classes = frozenset(classes)
        self._classes = classes

    def __call__(self, value: object, _info: object) -> bool:
        """Return whether a value is of one of the classes."""
        return isinstance(value, self._classes)
