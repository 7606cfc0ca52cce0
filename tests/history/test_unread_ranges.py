"""What a reading left out, as ranges between the events that were read."""

from datetime import UTC, datetime, timedelta

import pytest

from graph.history import Event, EventKind, UnreadRange, attribute

START = datetime(2026, 7, 14, tzinfo=UTC)


def at(event_id: int) -> datetime:
    return START + timedelta(seconds=event_id)


def unread(*ids: int, read_to_end: bool = True) -> list[tuple[int, int | None]]:
    events = [Event(number, number - 1, "PassStateEntered", EventKind.STATE_ENTERED, at(number)) for number in ids]
    ranges = attribute(events, read_to_end=read_to_end).unread()
    for one in ranges:
        assert one.from_ == (at(one.after_event_id) if one.after_event_id else None)
        assert one.to == (at(one.before_event_id) if one.before_event_id else None)
    return [(one.after_event_id, one.before_event_id) for one in ranges]


@pytest.mark.parametrize(
    ("ids", "read_to_end", "ranges"),
    [
        ((1, 2, 3), True, []),
        ((1, 2, 3), False, [(3, None)]),
        ((1, 2, 7, 8), True, [(2, 7)]),
        ((5, 6), True, [(0, 5)]),
        ((2, 4, 9), False, [(0, 2), (2, 4), (4, 9), (9, None)]),
        ((), False, [(0, None)]),
    ],
)
def test_each_range_lies_between_events_that_were_read(
    ids: tuple[int, ...], read_to_end: bool, ranges: list[tuple[int, int | None]]
) -> None:
    assert unread(*ids, read_to_end=read_to_end) == ranges


def test_a_range_is_not_timed_by_an_event_without_a_time() -> None:
    events = [Event(number, 0, "Odd", EventKind.OTHER) for number in (1, 5)]
    assert attribute(events).unread() == (UnreadRange(1, 5, None, None),)
