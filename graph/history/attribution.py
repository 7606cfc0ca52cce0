"""Attribution: which visit, branch and iteration every event of a history belongs to."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from graph.history.definition import Definition
from graph.history.event import Event
from graph.history.place import Place, scope_of, visit_of
from graph.history.rules import RULES
from graph.history.trace import Run, Trace
from graph.history.visit import Scope, StageScope, Visit

__all__ = ["AttributedEvent", "Attribution", "UnreadRange", "attribute"]


class AttributedEvent(NamedTuple):
    """An event and where it belongs.

    Attributes:
        event: The event.
        step_name: Its state; None for events of the execution itself, and where ``is_attributed`` is false.
        scope: Branches and iterations around it, outermost first; None where they were not read.
        is_attributed: False where no event that was read tells whose it is.
        redrive_index: 0 for the first run, 1 after the first redrive; None where that was not read.
        visit: The visit it belongs to, if any.
    """

    event: Event
    step_name: str | None
    scope: tuple[StageScope, ...] | None
    is_attributed: bool
    redrive_index: int | None
    visit: Visit | None


class UnreadRange(NamedTuple):
    """A range of a history that was not read, between the events read around it.

    Attributes:
        after_event_id: 0 where it begins with the history.
        before_event_id: None where it goes on to the end.
        from_: When the event before it happened.
        to: When the event behind it happened.
    """

    after_event_id: int
    before_event_id: int | None
    from_: datetime | None
    to: datetime | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """A history that was read, event by event and visit by visit.

    Attributes:
        events: In the order of their ids, each once.
        visits: In the order of entry.
        gaps: First and last id of each range that was not read, before and between the events.
        read_to_end: No newer event exists.
        unbroken_from: Position of the first event after the last gap: from there on, nothing can have happened unread.
        places: The place of each event, in the same order; None if no event that was read tells it.
        runs: Consecutive events between redrives and gaps.
        redriven_at: Position of the last redrive; 0 without one.
        ended_at: Position of the event that ended the last run; None where none was read.
        failing: The visit that failed the last run, or a container around it; None where nothing read tells it.
    """

    events: Sequence[Event]
    visits: Sequence[Visit]
    gaps: tuple[tuple[int, int], ...]
    read_to_end: bool
    unbroken_from: int
    places: Sequence[Place | None]
    runs: Sequence[Run]
    redriven_at: int = 0
    ended_at: int | None = None
    failing: Visit | None = None

    @property
    def is_complete(self) -> bool:
        """Every event was read, from the first to the newest."""
        return self.read_to_end and not self.gaps

    def unread(self) -> tuple[UnreadRange, ...]:
        """Return what was not read, oldest first; nothing of a history that was read whole."""
        ranges = [self._unread(first - 1, last + 1) for first, last in self.gaps]
        if not self.read_to_end:
            ranges.append(self._unread(self.events[-1].id if self.events else 0, None))
        return tuple(ranges)

    def _unread(self, after: int, before: int | None) -> UnreadRange:
        return UnreadRange(after, before, self._time(after), self._time(before) if before is not None else None)

    def _time(self, event_id: int) -> datetime | None:
        position = bisect_left(self.events, event_id, key=attrgetter("id"))
        is_read = position < len(self.events) and self.events[position].id == event_id
        return self.events[position].time if is_read else None

    def __getitem__(self, position: int) -> AttributedEvent:
        """Attribute the event at a position of ``events``."""
        event, place = self.events[position], self.places[position]
        run = self.runs[bisect_right(self.runs, position, key=lambda run: run.position) - 1]
        visit = visit_of(place) if place is not None else None
        named = (visit.name if visit is not None else None) or event.step_name
        is_attributed = named is not None or (isinstance(place, Scope) and place.is_known)
        scope = scope_of(place).path() if place is not None and is_attributed else None
        return AttributedEvent(event, named, scope, is_attributed, run.redrive_index, visit)

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self.events)

    def __iter__(self) -> Iterator[AttributedEvent]:
        """Attribute every event, oldest first."""
        return (self[position] for position in range(len(self.events)))


def attribute(
    events: Iterable[Event], definition: Definition | None = None, *, read_to_end: bool = True
) -> Attribution:
    """Attribute the events of one execution to visits, in one pass of O(n) time and memory.

    Args:
        events: In any order; an id that comes again is dropped.
        definition: Names the index of a branch, and the static place of a state whose entry was not read.
        read_to_end: No newer event exists. If false, whatever the unread rest may change is UNKNOWN: each visit without
            an exit, because even what failed may be redriven, except a Fail state's.
    """
    trace = Trace(definition)
    read: list[Event] = []
    for event in sorted(events, key=attrgetter("id")):  # pages are sorted runs, which this sort merges in linear time
        if read and event.id == read[-1].id:
            continue
        read.append(event)
        link = trace.link(event)
        trace.put(event, RULES[event.kind](trace, event, link), link)
    trace.finish(read_to_end=read_to_end)
    return Attribution(
        events=read,
        visits=[visit for visit in trace.visits if visit.name is not None],
        gaps=tuple(trace.gaps),
        read_to_end=read_to_end,
        unbroken_from=trace.unbroken_from,
        places=trace.places,
        runs=trace.runs,
        redriven_at=trace.redriven_at,
        ended_at=trace.end.position if trace.end is not None else None,
        failing=trace.failing,
    )
