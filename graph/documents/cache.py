"""Documents parsed under limits, validated off the event loop, and kept for the next request."""

import asyncio
from collections import OrderedDict
from functools import partial

from graphql import (
    GraphQLError,
    GraphQLInputType,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    Undefined,
    get_named_type,
    is_scalar_type,
    parse,
    recommended_rules,
    specified_rules,
    validate,
)

from graph.documents.document import BoundDocument, Document
from graph.documents.strings import Place, StringPlaces, numbered, with_variables
from graph.documents.turns import FairTurns
from graph.errors import PayloadTooLarge
from graph.execution.graphql_internals import limit_overlap_checks
from graph.settings import Settings

# What comparing fields that overlap may cost. It is quadratic by nature; this much takes some 30 ms.
limit_overlap_checks(30_000)

_MOST_ERRORS = 5  # each may print the whole value that it is about
_KEPT_CHARACTERS = 256 * 1024


class NotValid(Exception):
    """What is wrong with a document."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__(errors)
        self.errors = errors


class Documents:
    """Parses and validates against one schema. Documents that were valid are kept, the latest up to some characters.

    What is new is read in a thread, one text at a time, so that others are answered meanwhile. Users take turns; of
    each user the shortest text is first.

    Args:
        schema: What documents are validated against.
        settings: The limits of documents.
        expected: Characters of texts that are known to come, and for which there is room beside all others.
    """

    def __init__(self, schema: GraphQLSchema, settings: Settings, expected: int = 0) -> None:
        self._schema = schema
        self._settings = settings
        self._rules = [*specified_rules, *recommended_rules]
        if not settings.is_development:
            self._rules.append(NoSchemaIntrospectionCustomRule)
        self._turns = FairTurns(settings.wait_seconds)
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._characters = 0
        self._most_characters = _KEPT_CHARACTERS + expected

    def known(self, source: str) -> BoundDocument | None:
        """Return the document of a text if it is kept, without a wait; None for a new text.

        Raises:
            PayloadTooLarge: for a text that is too long.
        """
        self._check_length(source)
        return self._known(source)

    async def read(self, source: str, user: str) -> BoundDocument:
        """Return the document of a text that a user sent; it may not be valid yet.

        Raises:
            PayloadTooLarge: for a text that is too long.
            GraphQLSyntaxError: for a text that is no document, or one of too many tokens.
            Overloaded: when too many other texts are waiting to be read.
        """
        if known := self.known(source):
            return known
        async with self._turns.admit(user, len(source)):
            return self._known(source) or BoundDocument(source, await asyncio.to_thread(self.parse, source))

    async def valid(self, sent: BoundDocument, user: str) -> BoundDocument:
        """Return the same with a document that is valid, and kept.

        Raises:
            NotValid: for a document that is not.
            Overloaded: when too many others are waiting to be validated.
        """
        if sent.document.is_valid:
            return sent
        async with self._turns.admit(user, len(sent.source)):
            return self._known(sent.source) or self._keep(await asyncio.to_thread(self.validate, sent.document))

    def add(self, source: str) -> None:
        """Read a text at once, and keeps it. Raises as :meth:`read` and :meth:`valid` do."""
        self._check_length(source)
        if self._known(source) is None:
            self._keep(self.validate(self.parse(source)))

    def parse(self, source: str) -> Document:
        """Return the document of a text.

        Raises:
            GraphQLSyntaxError: for a text that is no document, or one of too many tokens.
        """
        tokens = self._settings.max_tokens
        return Document(source, parse(source, max_lexical_tokens=tokens, max_comments=tokens))

    def validate(self, document: Document) -> Document:
        """Return the valid document that is to be kept for one that was parsed.

        Raises:
            NotValid: for a document that is not.
        """
        places: list[Place] = []
        errors = validate(
            self._schema,
            document.node,
            [*self._rules, partial(StringPlaces, places)],  # type: ignore[list-item]
            max_errors=_MOST_ERRORS,
            hide_suggestions=not self._settings.is_development,
        )
        if errors:
            raise NotValid(errors)
        strings = numbered(document.source)[1]
        if not strings or len(places) < len(strings):
            return Document(document.source, document.node, is_valid=True)
        return Document(document.source, *with_variables(document.node, places), is_valid=True)

    def _check_length(self, source: str) -> None:
        if len(source) > self._settings.max_document_characters:
            raise PayloadTooLarge("document", self._settings.max_document_characters, "characters")

    def _known(self, source: str) -> BoundDocument | None:
        for text, strings in (numbered(source), (source, ())):
            document = self._kept.get(text)
            if document is not None and _admits(document, strings):
                self._kept.move_to_end(text)
                return BoundDocument(source, document, strings)
        return None

    def _keep(self, document: Document) -> BoundDocument:
        text, strings = numbered(document.source) if document.strings else (document.source, ())
        self._characters += 0 if text in self._kept else len(text)
        self._kept[text] = document
        while self._characters > self._most_characters:
            oldest, _ = self._kept.popitem(last=False)
            self._characters -= len(oldest)
        return BoundDocument(document.source, document, strings)


def _admits(document: Document, strings: tuple[str, ...]) -> bool:
    """Return whether a document has places for just as many strings, and each is of the type of its place."""
    return len(document.strings) == len(strings) and all(
        _is_of(kind, string) for kind, string in zip(document.strings.values(), strings, strict=True)
    )


def _is_of(kind: GraphQLInputType, string: str) -> bool:
    scalar = get_named_type(kind)
    try:
        return is_scalar_type(scalar) and scalar.parse_value(string) is not Undefined
    except Exception:  # whatever a scalar raises, it does not take the string
        return False
