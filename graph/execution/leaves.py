"""Leaves: code that takes a value as it is if it has the expected class, and coerces it otherwise."""

from collections.abc import Callable
from inspect import isawaitable
from math import isfinite
from typing import Any

from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    GraphQLEnumType,
    GraphQLLeafType,
    Undefined,
    is_specified_scalar_type,
)

Coerce = Callable[[Any], Any]


class FallbackRequired(Exception):
    """An unexpected value, which graphql-core completes instead, or reports what is wrong with it."""


class PlainTypes(set[type]):
    """The classes whose instances are known to be plain values."""

    def admit(self, value: object) -> None:
        """Remember the class of a plain value.

        Raises:
            FallbackRequired: for null, an error or an awaitable.
        """
        if value is None or value is Undefined or isinstance(value, BaseException) or isawaitable(value):
            raise FallbackRequired
        if hasattr(value, "__aiter__"):
            raise FallbackRequired
        self.add(value.__class__)


def converter(leaf: GraphQLLeafType, plain: PlainTypes, *, is_nullable: bool) -> Coerce:
    """Return a function that coerces any value to a leaf, as graphql-core does."""
    coerce = leaf.coerce_output_value

    def convert(value: Any) -> Any:
        if value is None and is_nullable:
            return None
        if value.__class__ not in plain:
            plain.admit(value)
        coerced = coerce(value)
        if coerced is None or coerced is Undefined:
            raise FallbackRequired
        return coerced

    return convert


def test(leaf: GraphQLLeafType, name: str) -> str | None:
    """Return as code the condition under which a value is a leaf as it is; None when there is no such condition."""
    if not is_specified_scalar_type(leaf):
        return None
    match leaf.name:
        case "String" | "ID":
            return f"{name}.__class__ is str"
        case "Boolean":
            return f"{name} is True or {name} is False"
        case "Int":
            return f"{name}.__class__ is int and {GRAPHQL_MIN_INT} <= {name} <= {GRAPHQL_MAX_INT}"
        case "Float":
            return f"{name}.__class__ is float and isfinite({name})"
    return None


def members(leaf: GraphQLLeafType) -> tuple[type, dict[Any, str]] | None:
    """Return the class of an enumeration's members, and their names by value; None for what is no such enumeration."""
    enum = getattr(leaf, "wrapped_cls", None)
    if not isinstance(leaf, GraphQLEnumType) or enum is None:
        return None
    return enum, {member.value: leaf.coerce_output_value(member) for member in enum}


NAMES: dict[str, Any] = {"isfinite": isfinite, "str": str, "int": int, "float": float}
"""The names that the code of conditions uses."""
