"""A document, and a document as one request sent it."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLInputType,
    OperationDefinitionNode,
    Source,
)

from graph.documents import strings
from graph.errors import OperationUnresolved

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Document:
    """A parsed document. A valid one is cached, with everything that was computed from it.

    Texts that differ in their strings alone share one: ``node`` has variables in the places of ``strings``, which are
    their types by name. No client can write these names.
    """

    source: str
    node: DocumentNode
    strings: Mapping[str, GraphQLInputType] = field(default_factory=dict)
    is_valid: bool = False
    _made: dict[Callable[["Document"], Any], Any] = field(default_factory=dict)

    def once(self, make: Callable[["Document"], T]) -> T:
        """Return ``make(self)``, computed once for the document; ``make`` must depend on nothing else."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @cached_property
    def hash(self) -> str:
        """The id of the document in the log: the start of the SHA-256 of its text, with numbers for strings."""
        text = strings.number_strings(self.source)[0] if self.strings else self.source
        return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]

    @cached_property
    def fragments(self) -> dict[str, FragmentDefinitionNode]:
        """The fragments by name."""
        return {
            definition.name.value: definition
            for definition in self.node.definitions
            if isinstance(definition, FragmentDefinitionNode)
        }

    @cached_property
    def operations(self) -> list[OperationDefinitionNode]:
        """The operations, in their order."""
        return [definition for definition in self.node.definitions if isinstance(definition, OperationDefinitionNode)]

    def operation(self, name: str | None) -> OperationDefinitionNode:
        """Return the operation of a name, or the only one.

        Raises:
            OperationUnresolved: when there is none, or several and no name.
        """
        named = [one for one in self.operations if name is None or (one.name and one.name.value == name)]
        if not self.operations:
            raise OperationUnresolved("The document has no operation.")
        if not named:
            raise OperationUnresolved("The document has no operation of this name.")
        if name is None and len(named) > 1:
            raise OperationUnresolved("The document has several operations: 'operationName' must choose one.")
        return named[0]


@dataclass(frozen=True, slots=True)
class BoundDocument:
    """A document as one request sent it: the text, and the strings that stand in it for the document's variables."""

    source: str
    document: Document
    strings: tuple[str, ...] = ()

    def variables(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the variables that the document runs with: the given ones, and its strings."""
        return {**(given or {}), **dict(zip(self.document.strings, self.strings, strict=True))}

    def relocated(self, error: GraphQLError) -> GraphQLError:
        """Return an error of the document, with its locations in the text that was sent."""
        if not self.strings or not error.positions or self.source == self.document.source:
            return error
        positions = [strings.relocate(position, self.document.source, self.source) for position in error.positions]
        return GraphQLError(
            error.message,
            error.nodes,
            Source(self.source),
            positions,
            error.path,
            error.original_error,
            error.extensions,
        )
