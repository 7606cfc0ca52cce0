"""Everything that this project uses of strawberry beside what its documentation offers.

``tests/execution/test_internals.py`` fails where a version of strawberry has it no more, and where another module goes
past this one. pyproject.toml allows the one minor version that it was tested with.
"""

from collections.abc import Mapping
from typing import Any, cast

import strawberry
from graphql import GraphQLField, GraphQLSchema
from strawberry.execution import optimized_is_awaitable
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.arguments import StrawberryArgument, convert_arguments
from strawberry.types.base import StrawberryOptional
from strawberry.types.enum import StrawberryEnumDefinition
from strawberry.types.field import StrawberryField

__all__ = [
    "GraphQLCoreConverter",
    "StrawberryArgument",
    "StrawberryGraphQLCoreExecutionContext",
    "StrawberryOptional",
    "core_schema",
    "enum_definition",
    "has_default_resolver",
    "optimized_is_awaitable",
    "python_arguments",
    "resolve_info",
]


def core_schema(schema: strawberry.Schema) -> GraphQLSchema:
    """Return the schema of graphql-core that a schema of strawberry is."""
    return schema._schema  # noqa: SLF001 - strawberry has no other way to it


def enum_definition(kind: type) -> StrawberryEnumDefinition:
    """Return what ``strawberry.enum`` declared of an enumeration."""
    return cast("StrawberryEnumDefinition", vars(kind)["__strawberry_definition__"])


def has_default_resolver(field: GraphQLField) -> bool:
    """Return whether strawberry resolves a field by its default, without extensions or permissions."""
    return bool(getattr(field.resolve, "_is_default", False))


def resolve_info(info: strawberry.Info[Any, Any]) -> Any:
    """Return what graphql-core told the resolver of a field."""
    return info._raw_info  # noqa: SLF001 - strawberry has no other way to it


def python_arguments(
    schema: strawberry.Schema, field: StrawberryField | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return coerced arguments as strawberry gives them to a resolver."""
    arguments = field.arguments if field is not None else []
    return convert_arguments(dict(given), arguments, schema.schema_converter.scalar_registry, schema.config)
