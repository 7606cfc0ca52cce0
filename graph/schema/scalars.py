"""Scalars: instants, JSON, and integers beyond 32 bits."""

import re
from datetime import UTC, datetime
from typing import Any, NewType

import strawberry
from strawberry.types.scalar import ScalarDefinition

from graph.errors import MalformedValue

JSON = NewType("JSON", object)
BigInt = NewType("BigInt", int)

_GREATEST = 2**53 - 1
_RFC_3339 = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


class RefusedInstant:
    """A value that is no instant. It is refused by the field that takes it, so that the rest of the answer stands."""


def parse_instant(text: Any) -> datetime | RefusedInstant:
    """An RFC 3339 instant in UTC; what lacks a zone is refused, not guessed."""
    if isinstance(text, str) and (match := _RFC_3339.fullmatch(text)):
        day, seconds, fraction, zone = match.groups()
        try:
            return datetime.fromisoformat(f"{day}T{seconds}{(fraction or '')[:7]}{zone.upper()}").astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    return RefusedInstant()


def print_instant(instant: datetime) -> str:
    """An instant in UTC with a trailing Z; milliseconds only where it has any."""
    in_utc = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    return in_utc.isoformat(timespec="milliseconds" if instant.microsecond else "seconds").removesuffix("+00:00") + "Z"


def _parse_big(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _GREATEST:
        raise ValueError("BigInt must be an integer up to 2^53 - 1 either way.")
    return value


def _print_big(value: int) -> int:
    if abs(value) > _GREATEST:
        raise MalformedValue("number")
    return value


SCALARS: dict[object, ScalarDefinition] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description="An RFC 3339 instant in UTC with a trailing Z. An instant without a zone is refused.",
        specified_by_url="https://scalars.graphql.org/andimarek/date-time",
        serialize=print_instant,
        parse_value=parse_instant,
    ),
    JSON: strawberry.scalar(
        name="JSON",
        description="Any JSON value, already redacted where it can hold secrets.",
        serialize=lambda value: value,
        parse_value=lambda value: value,
    ),
    BigInt: strawberry.scalar(
        name="BigInt",
        description="An integer beyond 32 bits, up to 2^53 - 1 either way, as a JSON number.",
        serialize=_print_big,
        parse_value=_parse_big,
    ),
}
