"""Dates as VAMS stores them: ISO 8601 in UTC, whole seconds, ``Z``. Their order as texts is their order in time."""

from datetime import UTC, datetime


def stored_date(instant: datetime) -> str:
    """Return the stored form of an instant; what is less than a second is dropped.

    Raises:
        ValueError: the instant has no time zone, so that it could be any.
    """
    if instant.tzinfo is None:
        raise ValueError("A stored date needs a time zone; give an aware datetime.")
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def optional_date(instant: datetime | None) -> str:
    """Return the stored form of an instant that may not have come yet: the empty text, as VAMS writes it."""
    return "" if instant is None else stored_date(instant)
