from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.tables import decode
from graph.tables.builders.dates import optional_date, stored_date

INSTANTS = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("instant", "stored"),
    [
        (datetime(2026, 7, 14, 9, 30, tzinfo=UTC), "2026-07-14T09:30:00Z"),
        (datetime(2026, 7, 14, 9, 30, 1, 999_999, tzinfo=UTC), "2026-07-14T09:30:01Z"),
        (datetime(2026, 7, 14, 1, 30, tzinfo=timezone(timedelta(hours=-8))), "2026-07-14T09:30:00Z"),
        (datetime(7, 1, 2, tzinfo=UTC), "0007-01-02T00:00:00Z"),
    ],
)
def test_a_date_is_stored_in_utc_to_the_second(instant: datetime, stored: str) -> None:
    assert stored_date(instant) == optional_date(instant) == stored


@given(INSTANTS)
def test_a_date_is_read_as_it_was_stored(instant: datetime) -> None:
    assert decode.instant({"S": stored_date(instant)}, "a") == instant.replace(microsecond=0)


@given(INSTANTS, INSTANTS)
def test_dates_sort_as_their_instants(one: datetime, other: datetime) -> None:
    assert (stored_date(one) < stored_date(other)) == (one.replace(microsecond=0) < other.replace(microsecond=0))


def test_an_instant_that_has_not_come_is_the_empty_text() -> None:
    assert optional_date(None) == ""


def test_a_date_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a time zone"):
        stored_date(datetime(2026, 7, 14))
