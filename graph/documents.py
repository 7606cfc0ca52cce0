"""Documents: parsed under limits, validated, and kept for the next request that sends the same text."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    parse,
    recommended_rules,
    specified_rules,
    validate,
)
from graphql.validation.rules import overlapping_fields_can_be_merged

from graph.errors import OperationUnresolved, PayloadTooLarge
from graph.settings import Settings

# What comparing fields that overlap may cost. It is quadratic by nature; this much takes some 30 ms.
overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = 30_000

_MOST_ERRORS = 5  # each may print the whole value that it is about
_KEPT_CHARACTERS = 256 * 1024

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Document:
    """A parsed document, valid or not. One that is valid is kept, and with it all that was worked out from it."""

    source: str
    node: DocumentNode
    _made: dict[Callable[["Document"], Any], Any] = field(default_factory=dict)

    def once(self, make: Callable[["Document"], T]) -> T:
        """What a function makes of the document. It is called once, so it must not depend on anything else."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @cached_property
    def hash(self) -> str:
        """What the log calls the document: the start of its SHA-256."""
        return hashlib.sha256(self.source.encode(errors="replace")).hexdigest()[:16]

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
        """The operation of a name, or the only one.

        Raises:
            OperationUnresolved: when there is none, or several and no name.
        """
        named = [one for one in self.operations if name is None or (one.name and one.name.value == name)]
        if not self.operations:
            raise OperationUnresolved("The document has no operation.")
        if not named:
            raise OperationUnresolved("The document has no operation of the name that was asked for.")
        if name is None and len(named) > 1:
            raise OperationUnresolved("The document has several operations: 'operationName' must choose one.")
        return named[0]


class Documents:
    """Parses and validates against one schema. The texts that were valid are kept, the latest 256 Ki characters."""

    def __init__(self, schema: GraphQLSchema, settings: Settings) -> None:
        self._schema = schema
        self._settings = settings
        self._rules = [*specified_rules, *recommended_rules]
        if not settings.is_development:
            self._rules.append(NoSchemaIntrospectionCustomRule)
        self._valid: OrderedDict[str, Document] = OrderedDict()
        self._kept = 0

    def parse(self, source: str) -> Document:
        """The document of a text.

        Raises:
            PayloadTooLarge: for a text that is too long.
            GraphQLSyntaxError: for a text that is no document, or one of too many tokens.
        """
        known = self._valid.get(source)
        if known is not None:
            self._valid.move_to_end(source)
            return known
        if len(source) > self._settings.max_document_characters:
            raise PayloadTooLarge("document", self._settings.max_document_characters, "characters")
        tokens = self._settings.max_tokens
        return Document(source, parse(source, max_lexical_tokens=tokens, max_comments=tokens))

    def validate(self, document: Document) -> list[GraphQLError]:
        """What is wrong with a document."""
        if document.source in self._valid:
            return []
        errors = validate(
            self._schema,
            document.node,
            self._rules,
            max_errors=_MOST_ERRORS,
            hide_suggestions=not self._settings.is_development,
        )
        if not errors:
            self._keep(document)
        return errors

    def _keep(self, document: Document) -> None:
        self._valid[document.source] = document
        self._kept += len(document.source)
        while self._kept > _KEPT_CHARACTERS:
            source, _ = self._valid.popitem(last=False)
            self._kept -= len(source)
