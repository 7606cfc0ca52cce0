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
from graph.documents.fair_queue import FairQueue
from graph.documents.strings import StringPlace, StringPlaces, number_strings, with_variables
from graph.errors import PayloadTooLarge
from graph.execution.graphql_internals import limit_overlap_checks
from graph.settings import Settings

# Comparing overlapping fields is quadratic; this many steps take some 30 ms.
limit_overlap_checks(30_000)

_MOST_ERRORS = 5  # each may print the whole value that it is about
_KEPT_CHARACTERS = 256 * 1024


class ValidationFailed(Exception):
    """The errors of a document that is not valid."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__(errors)
        self.errors = errors


class Documents:
    """Parses and validates against one schema, and caches valid documents, the latest up to some characters.

    New texts are parsed in a thread, one at a time, so that the event loop stays free. Users take turns; of each user
    the shortest text is first.

    Args:
        schema: What documents are validated against.
        settings: The limits of documents.
        expected: Characters of trusted texts, for which the cache has room beside all others.
    """

    def __init__(self, schema: GraphQLSchema, settings: Settings, expected: int = 0) -> None:
        self._schema = schema
        self._settings = settings
        self._rules = [*specified_rules, *recommended_rules]
        if not settings.is_development:
            self._rules.append(NoSchemaIntrospectionCustomRule)
        self._queue = FairQueue(settings.wait_seconds)
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
        """Parse a text that a user sent, unless its document is cached. The document may not be valid yet.

        Raises:
            PayloadTooLarge: for a text that is too long.
            GraphQLSyntaxError: for a text that is no document, or one of too many tokens.
            Overloaded: when too many other texts are waiting to be read.
        """
        if known := self.known(source):
            return known
        async with self._queue.admit(user, len(source)):
            return self._known(source) or BoundDocument(source, await asyncio.to_thread(self.parse, source))

    async def valid(self, bound: BoundDocument, user: str) -> BoundDocument:
        """Validate a document, unless it is known to be valid, and cache it.

        Raises:
            ValidationFailed: for a document that is not.
            Overloaded: when too many others are waiting to be validated.
        """
        if bound.document.is_valid:
            return bound
        async with self._queue.admit(user, len(bound.source)):
            return self._known(bound.source) or self._keep(await asyncio.to_thread(self.validate, bound.document))

    def add(self, source: str) -> None:
        """Parse and validate a text at once, and cache it. Raise as :meth:`read` and :meth:`valid` do."""
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
        """Return a parsed document as it is cached: valid, with variables for its strings.

        Raises:
            ValidationFailed: for a document that is not.
        """
        places: list[StringPlace] = []
        errors = validate(
            self._schema,
            document.node,
            [*self._rules, partial(StringPlaces, places)],  # type: ignore[list-item]
            max_errors=_MOST_ERRORS,
            hide_suggestions=not self._settings.is_development,
        )
        if errors:
            raise ValidationFailed(errors)
        strings = number_strings(document.source)[1]
        if not strings or len(places) < len(strings):
            return Document(document.source, document.node, is_valid=True)
        return Document(document.source, *with_variables(document.node, places), is_valid=True)

    def _check_length(self, source: str) -> None:
        if len(source) > self._settings.max_document_characters:
            raise PayloadTooLarge("document", self._settings.max_document_characters, "characters")

    def _known(self, source: str) -> BoundDocument | None:
        for text, strings in (number_strings(source), (source, ())):
            document = self._kept.get(text)
            if document is not None and _admits(document, strings):
                self._kept.move_to_end(text)
                return BoundDocument(source, document, strings)
        return None

    def _keep(self, document: Document) -> BoundDocument:
        text, strings = number_strings(document.source) if document.strings else (document.source, ())
        self._characters += 0 if text in self._kept else len(text)
        self._kept[text] = document
        while self._characters > self._most_characters:
            oldest, _ = self._kept.popitem(last=False)
            self._characters -= len(oldest)
        return BoundDocument(document.source, document, strings)


def _admits(document: Document, strings: tuple[str, ...]) -> bool:
    """Return whether a document has a place for each string, of the string's type."""
    return len(document.strings) == len(strings) and all(
        _is_of(kind, string) for kind, string in zip(document.strings.values(), strings, strict=True)
    )


def _is_of(kind: GraphQLInputType, string: str) -> bool:
    scalar = get_named_type(kind)
    try:
        return is_scalar_type(scalar) and scalar.parse_value(string) is not Undefined
    except Exception:  # whatever a scalar raises, it does not take the string
        return False
