from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.resolvers.filters import ExecutionFilter
from graph.tables.queries import Between
from graph.tables.states import ExecutionStatus, TriggerType
from tests.harness import Graph

INSTANTS = st.datetimes(timezones=st.just(UTC))


@given(INSTANTS, INSTANTS, st.datetimes().map(lambda instant: instant.replace(microsecond=0)))
def test_the_key_range_holds_what_started_between_two_instants(low: datetime, high: datetime, start: datetime) -> None:
    between = ExecutionFilter(started_from=low, started_to=high).key_range
    assert isinstance(between, Between)
    assert between.low is not None
    assert between.high is not None
    is_within = low <= start.replace(tzinfo=UTC) <= high
    assert (between.low <= start.isoformat() + "Z" <= between.high) == is_within or is_last_second(low)


def is_last_second(instant: datetime) -> bool:
    return instant.microsecond > 0 and instant >= datetime.max.replace(microsecond=0, tzinfo=UTC)


@pytest.mark.parametrize("instant", [datetime.min, datetime(999, 1, 1), datetime.max])
def test_every_instant_of_the_calendar_is_a_bound(instant: datetime) -> None:
    instant = instant.replace(tzinfo=UTC)
    assert ExecutionFilter(started_from=instant, started_to=instant).key_range == Between(
        instant.replace(tzinfo=None).isoformat(timespec="seconds"),
        instant.replace(tzinfo=None).isoformat(timespec="seconds") + "Z",
    )


def test_a_range_within_one_second_is_never_asked_for() -> None:
    half_past = datetime(2026, 7, 14, 9, 30, 0, 500_000, tzinfo=UTC)
    assert not ExecutionFilter(started_from=half_past, started_to=half_past + timedelta(milliseconds=1)).is_possible
    whole = half_past.replace(microsecond=0)
    assert ExecutionFilter(started_from=whole, started_to=whole).is_possible


def test_every_member_together_is_no_condition() -> None:
    everything = ExecutionFilter(statuses=frozenset(ExecutionStatus), trigger_types=frozenset(TriggerType))
    assert everything.is_possible
    assert everything.conditions() == ()


async def test_every_status_together_lists_every_execution(graph: Graph) -> None:
    document = "query ($filter: ExecutionFilter) { executions(filter: $filter) { nodes { id } } }"
    statuses = [status.name for status in ExecutionStatus]
    assert await graph.data(document, filter={"status": statuses}) == await graph.data(document)
