import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.aws.calls import CallFailed
from graph.engines.engine import HistoryPage, NoHistory
from graph.engines.reading import HistoryReading, Pages, read_history
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode
from graph.history import Event, EventKind


class History:
    """A history of some events in pages of some size, which may grow by some with each page that is read."""

    def __init__(self, length: int, size: int, grows: int = 0) -> None:
        self.length, self.size, self.grows = length, size, grows
        self.asked: list[tuple[str | None, bool]] = []

    async def __call__(self, token: str | None, *, newest_first: bool) -> HistoryPage:
        self.asked.append((token, newest_first))
        if newest_first:
            last = self.length if token is None else int(token)
            ids: Sequence[int] = range(last, max(0, last - self.size), -1)
            following = last - self.size if last > self.size else 0
        else:
            first = 1 if token is None else int(token)
            ids = range(first, min(self.length, first + self.size - 1) + 1)
            following = first + self.size if first + self.size <= self.length else 0
        self.length += self.grows
        events = [Event(number, number - 1, "PassStateEntered", EventKind.STATE_ENTERED) for number in ids]
        return HistoryPage(events, str(following) if following else None)


async def read(history: History, most: int = 5, operation: int = 20, *, backwards: bool = True) -> HistoryReading:
    return await read_history(history, most, Pages(operation), backwards=backwards)


def cut(code: str, events: int) -> ExecutionWarning:
    text = f"Only {events} events of the history were read."
    return ExecutionWarning(ExecutionWarningCode[code], text)


def ids(reading: HistoryReading) -> set[int]:
    return {event.id for event in reading.events}


async def test_a_short_history_takes_one_page() -> None:
    history = History(9, 10)
    reading = await read(history)
    assert (ids(reading), reading.read_to_end, reading.warning) == (set(range(1, 10)), True, None)
    assert history.asked == [(None, False)]


async def test_the_first_page_is_read_forward_and_the_rest_from_the_end_until_they_meet() -> None:
    history = History(25, 10)
    reading = await read(history)
    assert (ids(reading), reading.read_to_end, reading.warning) == (set(range(1, 26)), True, None)
    assert [newest_first for _, newest_first in history.asked] == [False, True, True]


async def test_what_lies_between_stays_unread_where_the_pages_are_used_up() -> None:
    reading = await read(History(100, 10))
    assert ids(reading) == {*range(1, 11), *range(61, 101)}
    assert reading.read_to_end
    assert reading.warning == cut("HISTORY_CUT", 50)


async def test_an_operation_has_no_more_pages_than_its_own() -> None:
    operation = Pages(3)
    first = await read_history(History(100, 10), 5, operation, backwards=True)
    second = await read_history(History(100, 10), 5, operation, backwards=True)
    assert (len(first.events), len(second.events), operation.left) == (30, 0, 0)
    assert (second.read_to_end, second.warning) == (False, cut("OPERATION_BUDGET", 0))


async def test_an_engine_that_reads_forward_alone_tells_no_end() -> None:
    reading = await read(History(100, 10), backwards=False)
    assert (ids(reading), reading.read_to_end) == (set(range(1, 51)), False)


@pytest.mark.parametrize(("failing", "length", "read_to_end"), [(1, 0, False), (2, 10, False), (3, 20, True)])
async def test_a_failure_keeps_what_was_read_before(failing: int, length: int, read_to_end: bool) -> None:
    class Failing(History):
        async def __call__(self, token: str | None, *, newest_first: bool) -> HistoryPage:
            if len(self.asked) + 1 == failing:
                raise CallFailed("ThrottlingException")
            return await super().__call__(token, newest_first=newest_first)

    reading = await read(Failing(100, 10))
    assert (len(reading.events), reading.read_to_end) == (length, read_to_end)
    text = "The history could not be read whole: ThrottlingException."
    assert reading.warning == ExecutionWarning(ExecutionWarningCode.HISTORY_UNAVAILABLE, text)


async def test_a_run_without_a_history_says_so() -> None:
    class Without(History):
        async def __call__(self, token: str | None, *, newest_first: bool) -> HistoryPage:
            raise NoHistory("There is none")

    warning = ExecutionWarning(ExecutionWarningCode.HISTORY_NOT_KEPT, "There is none.")
    assert await read(Without(1, 1)) == HistoryReading((), read_to_end=False, warning=warning)


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 8), st.integers(0, 3))
def test_both_ends_are_read_and_no_more_than_may_be(length: int, size: int, most: int, grows: int) -> None:
    history = History(length, size, grows)
    reading = asyncio.run(read(history, most))
    assert len(history.asked) <= most
    found = ids(reading)
    assert set(range(1, min(size, length) + 1)) <= found
    if reading.warning is None:
        assert found == set(range(1, max(found) + 1))
        assert max(found) >= length
    if reading.read_to_end:
        assert max(found) >= length
