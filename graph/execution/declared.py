"""What declarations add to the schema for the executor: resolvers of fields, and record classes of types."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graphql import FieldNode, FragmentDefinitionNode, GraphQLObjectType

ANSWERED = "answered"
"""The key of :class:`Answered` in the metadata of a strawberry field."""

Bound = Callable[[Any, Any], Awaitable[Any]]
"""Resolves a field for a record, within the context of an operation."""


class FieldRequest(Protocol):
    """The selection of a field in an operation; graphql-core's resolve info is one."""

    @property
    def field_name(self) -> str:
        """The name of the field."""

    @property
    def field_nodes(self) -> Sequence[FieldNode]:
        """The nodes that select it."""

    @property
    def parent_type(self) -> GraphQLObjectType:
        """The type whose field it is."""

    @property
    def fragments(self) -> Mapping[str, FragmentDefinitionNode]:
        """The fragments of the document."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The resolver of a field that is no attribute of its record.

    ``bind`` takes the selection of the field, then its arguments, and returns the function that resolves records.
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
