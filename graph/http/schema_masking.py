"""Mask schema names that the client's document did not use."""

import re
from collections.abc import Iterator

from graphql import (
    GraphQLEnumType,
    GraphQLFormattedError,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
)

_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_LINES = re.compile(r"\r\n|[\n\r]")
_LONGEST_NAME = 80


class SchemaMask:
    """Replaces messages that hold a name of the schema which the document does not hold itself."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._names = frozenset(_names(schema))

    def mask(self, error: GraphQLFormattedError, source: str) -> GraphQLFormattedError:
        """Return an error of graphql-core's without names of the schema that the document did not use."""
        foreign = self._names.intersection(_NAME.findall(error["message"]))
        if not foreign or foreign <= set(_NAME.findall(source)):
            return error
        name = _name_at(error, source)
        return {**error, "message": f"'{name}' is not valid here." if name else "This is not valid."}


def _name_at(error: GraphQLFormattedError, source: str) -> str | None:
    """Return the name that the document has where the error is."""
    for place in error.get("locations", [])[:1]:
        line = _LINES.split(source)[place["line"] - 1]
        if match := _NAME.search(line, place["column"] - 1):
            return match[0][:_LONGEST_NAME]
    return None


def _names(schema: GraphQLSchema) -> Iterator[str]:
    for kind in schema.type_map.values():
        yield kind.name
        if isinstance(kind, GraphQLEnumType):
            yield from kind.values
        elif isinstance(kind, GraphQLInputObjectType):
            yield from kind.fields
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for name, field in kind.fields.items():
                yield name
                yield from field.args
    for directive in schema.directives:
        yield directive.name
        yield from directive.args
