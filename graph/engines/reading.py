"""Reading a history within a budget of pages.

The first page is read from the start, because it tells where everything began; then pages are read from the end
backwards, because they tell how it ended, until both meet. What lies between, where they do not, stays unread.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol

from graph.aws.calls import CallFailed
from graph.engines.engine import HistoryPage, NoHistory
from graph.history import Event


@dataclass(slots=True)
class Pages:
    """Pages that may still be read, by one operation or of one history."""

    left: int


@dataclass(frozen=True, slots=True)
class HistoryReading:
    """The events that were read, in no order; whether the newest is among them, and in words what was not read."""

    events: Sequence[Event]
    read_to_end: bool
    warning: str | None = None


class ReadPage(Protocol):
    """Reads a page of one history, as an engine does."""

    def __call__(self, token: str | None, *, newest_first: bool) -> Awaitable[HistoryPage]:
        """The first page from either end, or the one that a token leads to."""


async def read_history(read: ReadPage, most_pages: int, operation: Pages, *, backwards: bool) -> HistoryReading:
    """Reads a history, at most so many pages of it, as long as the operation has pages left.

    ``backwards`` says whether it can be read from its end.
    """
    reading = _Reading(read, Pages(most_pages), operation)
    try:
        is_whole = await reading.forward(one_page=backwards) or (backwards and await reading.backward())
    except NoHistory as reason:
        operation.left += 1  # nothing was asked for
        return HistoryReading((), read_to_end=False, warning=f"{reason}.")
    except CallFailed as failure:
        return reading.result(f"The history could not be read whole: {failure.code}.")
    return reading.result(None if is_whole else f"Only {len(reading.events)} events of the history were read.")


class _Reading:
    def __init__(self, read: ReadPage, own: Pages, operation: Pages) -> None:
        self.events: list[Event] = []
        self._read, self._own, self._operation = read, own, operation
        self._read_to_end = False

    def result(self, warning: str | None) -> HistoryReading:
        return HistoryReading(self.events, self._read_to_end, warning)

    async def forward(self, *, one_page: bool) -> bool:
        """Reads from the start; whether the end was reached."""
        token = None
        while self._may_read():
            page = await self._read(token, newest_first=False)
            self.events += page.events
            token = page.token
            if token is None:
                self._read_to_end = True
                return True
            if one_page:
                return False
        return False

    async def backward(self) -> bool:
        """Reads from the end; whether that reached what was read from the start."""
        head, token = max((event.id for event in self.events), default=0), None
        while self._may_read():
            page = await self._read(token, newest_first=True)
            self.events += page.events
            self._read_to_end = True
            token = page.token
            if token is None or min((event.id for event in page.events), default=head + 2) <= head + 1:
                return True
        return False

    def _may_read(self) -> bool:
        """Takes a page off both budgets, where both have one."""
        if self._own.left <= 0 or self._operation.left <= 0:
            return False
        self._own.left -= 1
        self._operation.left -= 1
        return True
