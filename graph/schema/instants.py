"""Instants that are given as arguments."""

from datetime import datetime

from graph.errors import BadUserInput
from graph.schema.scalars import RefusedInstant


def instant(name: str, value: datetime | RefusedInstant | None) -> datetime | None:
    """Return an argument's instant.

    Raises:
        BadUserInput: for what is none.
    """
    if isinstance(value, RefusedInstant):
        raise BadUserInput(
            f"'{name}' must be an RFC 3339 instant with three digits of milliseconds and an offset, such as "
            "2026-07-14T09:30:00.000Z."
        )
    return value
