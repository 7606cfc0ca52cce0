"""Scalars: instants, JSON, and integers beyond 32 bits."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, NewType

import strawberry
from strawberry.types.scalar import ScalarDefinition

from graph.errors import MalformedValue

JSON = NewType("JSON", object)
BigInt = NewType("BigInt", int)

_GREATEST = 2**53 - 1
_DATE_TIME = re.compile(
    r"(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:)([0-5]\d|60)(\.\d{3})(Z|(?!-00:00)[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


class RefusedInstant:
    """A value that is no instant. It is refused by the field that takes it, so that the rest of the answer stands."""


def parse_instant(text: Any) -> datetime | RefusedInstant:
    """Return an instant in UTC, with milliseconds; a leap second is the one after it."""
    if isinstance(text, str) and (match := _DATE_TIME.fullmatch(text.upper())):
        minute, second, fraction, offset = match.groups()
        is_leap = second == "60"
        try:
            instant = datetime.fromisoformat(f"{minute}{'59' if is_leap else second}{fraction}{offset}").astimezone(UTC)
            return _after_leap_second(instant) if is_leap else instant
        except (ValueError, OverflowError):
            pass
    return RefusedInstant()


def _after_leap_second(last: datetime) -> datetime:
    """Return the second after the last one of a month in UTC, where alone leap seconds are (RFC 3339, section 5.7).

    Raises:
        ValueError: when it is another second.
    """
    after = last + timedelta(seconds=1)
    if (after.day, after.hour, after.minute) != (1, 0, 0):
        raise ValueError("no leap second")
    return after


def print_instant(instant: datetime) -> str:
    """Return an instant in UTC with three digits of milliseconds and a trailing Z."""
    in_utc = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    return in_utc.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


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
        description="An RFC 3339 instant with milliseconds, such as 2026-07-14T09:30:00.000Z. Answers are in UTC.",
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
