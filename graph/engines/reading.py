"""Read a history within a budget of pages.

The first page is read from the start, where everything began; then pages are read backwards from the end, which shows
how it ended, until both meet. If they do not meet, what lies between is a gap, and a walk over the events can read on
into it from either side.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from graph.aws.calls import CallFailed
from graph.engines.engine import HistoryPage, NoHistory, StaleToken
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed
from graph.history import Event


@dataclass(slots=True)
class Pages:
    """How many pages may still be read, by one operation or of one history."""

    left: int

    def take(self, count: int = 1) -> bool:
        """Take pages; return False, and take none, if fewer are left."""
        if self.left < count:
            return False
        self.left -= count
        return True


class Gap(NamedTuple):
    """The range of events that a reading left out: the ids around it, and the tokens that lead into it.

    Attributes:
        after: The last event before it; 0 where it begins with the history.
        before: The first event behind it; None where it goes on to the end.
        forward: Leads to the page behind ``after``; None for the first page of all.
        backward: Leads to the page before ``before``; None for the page at the end.
    """

    after: int
    before: int | None
    forward: str | None
    backward: str | None


@dataclass(frozen=True, slots=True)
class HistoryReading:
    """The events that were read, unsorted; whether the newest is among them, and a warning of what was not read.

    ``gap`` can still be read; None if nothing is left, or nothing can be read at all.
    """

    events: Sequence[Event]
    read_to_end: bool
    warning: ExecutionWarning | None = None
    gap: Gap | None = None


class ReadPage(Protocol):
    """Reads a page of one history, as an engine does."""

    def __call__(self, token: str | None, *, newest_first: bool) -> Awaitable[HistoryPage]:
        """Return the first page from either end, or the one that a token leads to."""


async def read_history(read: ReadPage, most_pages: int, operation: Pages, *, backwards: bool) -> HistoryReading:
    """Read a history, at most so many pages of it, as long as the operation has pages left.

    ``backwards`` says whether it can be read from its end.
    """
    reading = _Reading(read, Pages(most_pages), operation)
    try:
        is_whole = await reading.forward(one_page=backwards) or (backwards and await reading.backward())
    except NoHistory as reason:
        operation.left += 1  # nothing was asked for
        warning = ExecutionWarning(ExecutionWarningCode.HISTORY_NOT_KEPT, f"{reason}.")
        return HistoryReading((), read_to_end=False, warning=warning)
    except CallFailed as failure:
        return reading.result(history_failed(failure), can_go_on=bool(reading.events))
    return reading.result(None if is_whole else reading.cut, can_go_on=not is_whole)


def history_failed(failure: CallFailed) -> ExecutionWarning:
    """Warn of a page of a history that could not be read."""
    code = ExecutionWarningCode.HISTORY_UNAVAILABLE
    return call_failed("The history could not be read whole", failure.code, otherwise=code)


class _Reading:
    def __init__(self, read: ReadPage, own: Pages, operation: Pages) -> None:
        self.events: list[Event] = []
        self._read, self._own, self._operation = read, own, operation
        self._read_to_end = False
        self._gap = Gap(0, None, None, None)

    @property
    def cut(self) -> ExecutionWarning:
        """The warning of the bound that ended reading."""
        is_own = self._own.left <= 0
        code = ExecutionWarningCode.HISTORY_CUT if is_own else ExecutionWarningCode.OPERATION_BUDGET
        return ExecutionWarning(code, f"Only {len(self.events)} events of the history were read.")

    def result(self, warning: ExecutionWarning | None, *, can_go_on: bool) -> HistoryReading:
        return HistoryReading(self.events, self._read_to_end, warning, self._gap if can_go_on else None)

    async def forward(self, *, one_page: bool) -> bool:
        """Read from the start; return whether that reached the end."""
        while self._may_read():
            page = await self._read(self._gap.forward, newest_first=False)
            self.events += page.events
            if page.token is None:
                self._read_to_end = True
                return True
            last = max((event.id for event in page.events), default=self._gap.after)
            self._gap = self._gap._replace(after=last, forward=page.token)
            if one_page:
                return False
        return False

    async def backward(self) -> bool:
        """Read from the end; return whether that reached what was read from the start."""
        while self._may_read():
            page = await self._read(self._gap.backward, newest_first=True)
            self.events += page.events
            self._read_to_end = True
            first = min((event.id for event in page.events), default=self._gap.before)
            if page.token is None or (first is not None and first <= self._gap.after + 1):
                return True
            self._gap = self._gap._replace(before=first, backward=page.token)
        return False

    def _may_read(self) -> bool:
        """Take a page off both budgets; return False if either has none."""
        if self._own.left <= 0 or not self._operation.take():
            return False
        return self._own.take()


class GapReader:
    """Reads into a gap from one side, page by page, until it meets the other.

    Attributes:
        events: The events read of it, unsorted.
        reached: The last id up to which everything was read from that side; None for the end of the history.
        token: Leads to the next page.
        page_token: Led to the page that was read last; None before.
        is_closed: The other side was met.
    """

    def __init__(self, read: ReadPage, gap: Gap, pages: Pages, *, newest_first: bool) -> None:
        self.events: list[Event] = []
        self.is_closed = False
        self.page_token: str | None = None
        self.reached: int | None
        self.token: str | None
        self._read, self._gap, self._newest_first = read, gap, newest_first
        self._pages = pages
        self._begin()

    def resume(self, reached: int, token: str) -> None:
        """Go on where an earlier walk stopped: a token that was not used yet leads to what is beyond an id."""
        self.reached, self.token, self._is_resumed = reached, token, True

    async def more(self) -> bool:
        """Read one more page; return False, with nothing read, where no page may be read any more.

        Raises:
            CallFailed: when it cannot be read; what was read before stays.
        """
        if not self._pages.take():
            return False
        try:
            page = await self._read(self.token, newest_first=self._newest_first)
        except StaleToken:
            if not self._is_resumed:
                raise
            self._begin()  # ids outlive tokens: what was passed before is passed again, and left out by its ids
            return await self.more()
        self.events += page.events
        self.page_token, self.token = self.token, page.token
        ids = [event.id for event in page.events]
        if self._newest_first:
            self.reached = min([*ids, *([] if self.reached is None else [self.reached])], default=None)
            is_met = self.reached is not None and self.reached <= self._gap.after + 1
        else:
            self.reached = max([*ids, self.reached or 0])
            is_met = self._gap.before is not None and self.reached >= self._gap.before - 1
        self.is_closed = is_met or page.token is None
        return True

    def _begin(self) -> None:
        gap = self._gap
        self.reached = gap.before if self._newest_first else gap.after
        self.token = gap.backward if self._newest_first else gap.forward
        self._is_resumed = False
