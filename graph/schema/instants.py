"""Instants that are given as arguments."""

from datetime import datetime

from graph.errors import BadUserInput
from graph.schema.scalars import RefusedInstant


def instant(name: str, value: datetime | RefusedInstant | None) -> datetime | None:
    """An argument's instant.

    Raises:
        BadUserInput: for what is no instant in a zone.
    """
    if isinstance(value, RefusedInstant):
        raise BadUserInput(f"'{name}' must be an RFC 3339 instant with a zone, such as 2026-07-14T09:30:00Z.")
    return value
