"""The events of a run's history, each where it belongs."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from graph.aws.calls import TIME_IS_UP, CallFailed
from graph.context import Context
from graph.engines.reading import Gap, GapReader, history_failed
from graph.errors import BadUserInput, MalformedValue
from graph.history import AttributedEvent, Event, StageScope
from graph.logs.redaction import redact_json
from graph.resolvers.paging import (
    Entry,
    Filled,
    Page,
    PageRequest,
    ShortPageReason,
    Window,
    page_size,
    paginate,
    paginate_around,
)
from graph.resolvers.run_detail import Part, Stage, StageOwner, StageVisit, stage_of
from graph.tables.cursors import Position

LONGEST_PAGE = 1000

_END = 2**53  # more than any event's id

Choose: TypeAlias = Callable[[Sequence[AttributedEvent]], Sequence[AttributedEvent]]


@dataclass(frozen=True, slots=True)
class HistoryEvent(Part):
    """An event and where it belongs."""

    attributed: AttributedEvent

    @property
    def event_id(self) -> int:
        """Its place in the history."""
        return self.attributed.event.id

    @property
    def previous_event_id(self) -> int | None:
        """The event that caused it."""
        return self.attributed.event.previous_id or None

    @property
    def type(self) -> str:
        """The engine's word for it."""
        return self.attributed.event.type

    @property
    def time(self) -> datetime | MalformedValue:
        """When it happened."""
        return self.attributed.event.time or MalformedValue("timestamp")

    @property
    def step_name(self) -> str | None:
        """The state that it belongs to."""
        return self.attributed.step_name

    @property
    def is_attributed(self) -> bool:
        """Whether what was read tells whose it is."""
        return self.attributed.is_attributed

    @property
    def scope(self) -> tuple[StageScope, ...] | None:
        """The branches and iterations around it."""
        return self.attributed.scope

    @property
    def redrive_index(self) -> int | None:
        """The run that it is of."""
        return self.attributed.redrive_index


async def history_page(
    owner: StageOwner,
    reference: str,
    context: Context,
    request: PageRequest,
    step_name: str | None,
    types: Sequence[str] | None,
    around: int | None = None,
) -> Page[HistoryEvent]:
    """Return the events of a run, oldest first; those of a state, of some types; with ``around`` those around an event.

    The total is None unless the history was read whole.

    Raises:
        BadUserInput: for ``around`` beside a cursor or ``last``.
    """
    if around is not None and (request.after, request.before, request.last) != (None, None, None):
        raise BadUserInput("'around' takes 'first' alone, without 'after', 'before' and 'last'.")
    detail = await context.engines.detail(reference)
    wanted = frozenset(types) if types is not None else None

    def chosen(events: Sequence[AttributedEvent]) -> Sequence[AttributedEvent]:
        return [
            event
            for event in events
            if (step_name is None or event.step_name == step_name) and (wanted is None or event.event.type in wanted)
        ]

    async def read(window: Window) -> Filled[HistoryEvent]:
        walk = _Walk(Part(owner, reference, detail), window, context)
        filled = await walk.read(chosen, takes_all=step_name is None and wanted is None)
        return replace(filled, warnings=[*detail.history_warnings, *filled.warnings])

    async def count() -> int | None:
        return len(await context.engines.off_loop(lambda: chosen(detail.events))) if detail.is_complete else None

    bound = (*owner.key, step_name, sorted(wanted) if wanted is not None else None)
    if around is None:
        return await paginate(context, request, bound, read, count)
    size, middle = page_size(request), max(0, min(around, _END - 1))
    before, behind = await context.scope.gather(
        read(Window(size + 1, forward=False, start=(middle + 1,), stop=None)),
        read(Window(size + 1, forward=True, start=(middle,), stop=None)),
    )
    return paginate_around(context, request, bound, before, behind, _nearest(before, behind, middle), count)


def _nearest(before: Filled[HistoryEvent], behind: Filled[HistoryEvent], event_id: int) -> int:
    """Return the place of the event, or of the nearest, among those up to it and those behind it."""
    last = before.entries[0].node.event_id if before.entries else None
    first = behind.entries[0].node.event_id if behind.entries else None
    is_behind = last is None or (first is not None and first - event_id < event_id - last)
    return len(before.entries) if is_behind else len(before.entries) - 1


async def visit_history(visit: StageVisit, context: Context, request: PageRequest) -> Page[HistoryEvent]:
    """Return the events of a visit, oldest first."""
    bound = (*visit.owner.key, visit.name, visit.entered_event_id, visit.place)

    async def read(window: Window) -> Filled[HistoryEvent]:
        events = await context.engines.off_loop(lambda: visit.detail.events_of(visit.visit))
        entries = [_entry(visit, event) for event in _between(events, window)[: window.count + 1]]
        return Filled(entries, warnings=visit.detail.history_warnings)

    async def count() -> int | None:
        events = await context.engines.off_loop(lambda: visit.detail.events_of(visit.visit))
        return len(events) if visit.detail.is_complete else None

    return await paginate(context, request, bound, read, count)


async def stage_of_event(event: HistoryEvent, context: Context) -> Stage | None:
    """Return the stage that an event belongs to, as the whole reading of its run tells it."""
    return await stage_of(event, context, event.step_name)


async def event_detail(event: HistoryEvent, context: Context) -> Any:
    """Return the engine's own details of an event."""
    detail = dict(event.attributed.event.detail)
    return await context.engines.off_loop(lambda: redact_json(detail)) if detail else None


class _Walk:
    """A page of a history, which reads on into the gap that the reading of the run left.

    A position is an event's id, which outlives every token of the engine. A position within the gap also has the token
    that leads there, which saves reading the gap from its side again.
    """

    def __init__(self, of: Part, window: Window, context: Context) -> None:
        self._of, self._window, self._context = of, window, context
        self._start = _id(window.start)
        self._reader = self._read_on()

    async def read(self, choose: Choose, *, takes_all: bool) -> Filled[HistoryEvent]:
        """Fill the window with chosen events; ``takes_all`` says that all of them are."""
        reader, window = self._reader, self._window
        # Whether more than a full page follows need not be read when every event is chosen: the gap holds some.
        enough = window.count if takes_all else window.count + 1
        reason: ShortPageReason | None = None
        while True:
            more = tuple(reader.events) if reader is not None else ()
            found = await self._context.engines.off_loop(partial(self._reachable, choose, more))
            if reader is None or reader.is_closed or len(found) >= enough or self._has_passed_stop(reader):
                break
            try:
                if not await reader.more():
                    reason = ShortPageReason.READ_BUDGET
                    break
            except CallFailed as failure:
                reason = ShortPageReason.TIME_BUDGET if failure.code == TIME_IS_UP else None
                return replace(
                    self._filled(found, reader, is_short=True, reason=reason), warnings=[history_failed(failure)]
                )
        return self._filled(found, reader, is_short=reason is not None, reason=reason)

    def _read_on(self) -> GapReader | None:
        """Return a reader of the gap; None when the window does not reach one."""
        gap, start, forward = self._of.detail.gap, self._start, self._window.forward
        if gap is None or (start is not None and _is_beyond(gap, start, forward=forward)):
            return None
        reader = self._context.engines.read_on(self._of.reference, gap, newest_first=not forward)
        match self._window.start:
            case (int(reached), str(direction), str(token)) if direction == _direction(forward=forward):
                reader.resume(reached, token)
        return reader

    def _reachable(self, choose: Choose, more: Sequence[Event]) -> Sequence[AttributedEvent]:
        """Return the chosen events of the window, in its direction, up to the first that is not read."""
        reader, detail = self._reader, self._of.detail
        found, gap = _between(choose(detail.events_with(more)), self._window), detail.gap
        if reader is None or reader.is_closed or gap is None:
            return found
        if self._window.forward:
            return [event for event in found if gap.before is None or event.event.id < gap.before]
        return [event for event in found if event.event.id > gap.after]

    def _has_passed_stop(self, reader: GapReader) -> bool:
        stop = _id(self._window.stop)
        if stop is None or reader.reached is None:
            return False
        return reader.reached >= stop - 1 if self._window.forward else reader.reached <= stop + 1

    def _filled(
        self,
        found: Sequence[AttributedEvent],
        reader: GapReader | None,
        *,
        is_short: bool,
        reason: ShortPageReason | None,
    ) -> Filled[HistoryEvent]:
        entries = [_entry(self._of, event) for event in found[: self._window.count + 1]]
        if reader is None:
            return Filled(entries)
        if is_short:
            reached = reader.reached if reader.reached is not None else _END
            ends = [reached] if self._start is None else [reached, self._start]
            return Filled(entries, reason, self._mark(max(ends) if self._window.forward else min(ends), reader.token))
        shown = entries[: self._window.count]
        if not shown:
            return Filled(entries, stopped_at=None if reader.is_closed else self._window.start)
        last = shown[-1].node.event_id
        if not self._is_read_up(reader, last):
            mark = self._mark(last, reader.page_token)
        else:
            mark = self._mark(last, None if reader.is_closed else reader.token)
        shown[-1] = Entry(shown[-1].node, mark)
        return Filled([*shown, *entries[len(shown) :]], stopped_at=None if reader.is_closed else mark)

    def _is_read_up(self, reader: GapReader, last: int) -> bool:
        """Return whether nothing was read beyond an event."""
        if reader.reached is None:
            return False
        return last >= reader.reached if self._window.forward else last <= reader.reached

    def _mark(self, event_id: int, token: str | None) -> Position:
        return (event_id,) if token is None else (event_id, _direction(forward=self._window.forward), token)


def _direction(*, forward: bool) -> str:
    return "after" if forward else "before"


def _is_beyond(gap: Gap, start: int, *, forward: bool) -> bool:
    """Return whether an event lies beyond a gap, in the direction of reading."""
    return gap.before is not None and start >= gap.before - 1 if forward else start <= gap.after + 1


def _id(position: Position | None) -> int | None:
    return int(position[0]) if position else None


def _between(events: Sequence[AttributedEvent], window: Window) -> Sequence[AttributedEvent]:
    """Return the events of a window, in its direction."""
    after, before = (window.start, window.stop) if window.forward else (window.stop, window.start)
    low = bisect_right(events, int(after[0]), key=_event_id) if after else 0
    high = bisect_left(events, int(before[0]), key=_event_id) if before else len(events)
    return events[low:high] if window.forward else events[low:high][::-1]


def _event_id(event: AttributedEvent) -> int:
    return event.event.id


def _entry(of: Part, event: AttributedEvent) -> Entry[HistoryEvent]:
    return Entry(HistoryEvent(of.owner, of.reference, of.detail, event), (event.event.id,))
