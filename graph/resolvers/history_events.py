"""The events of a run's history, each where it belongs."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.context import Context
from graph.errors import MalformedValue
from graph.history import AttributedEvent, StageScope
from graph.logs.redaction import redact_json
from graph.resolvers.paging import Entry, Filled, Page, PageRequest, Window, paginate
from graph.resolvers.stages import Part, Stage, StageOwner, StageVisit, stage_in

LONGEST_PAGE = 1000


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
) -> Page[HistoryEvent]:
    """The events of a run, oldest first; those of a state, of some types."""
    inside = await context.engines.inside(reference)
    wanted = frozenset(types) if types is not None else None

    def chosen() -> Sequence[AttributedEvent]:
        return [
            event
            for event in inside.events
            if (step_name is None or event.step_name == step_name) and (wanted is None or event.event.type in wanted)
        ]

    bound = (*owner.key, step_name, sorted(wanted) if wanted is not None else None)
    return await _page(Part(owner, reference, inside), context, request, bound, chosen)


async def visit_history(visit: StageVisit, context: Context, request: PageRequest) -> Page[HistoryEvent]:
    """The events of a visit, oldest first."""
    bound = (*visit.owner.key, visit.name, visit.entered_event_id, visit.place)
    return await _page(visit, context, request, bound, lambda: visit.inside.events_of(visit.visit))


async def stage_of_event(event: HistoryEvent, _context: Context) -> Stage | None:
    """The stage that an event belongs to."""
    return stage_in(event, event.step_name)


async def event_detail(event: HistoryEvent, context: Context) -> Any:
    """The engine's own details of an event."""
    detail = dict(event.attributed.event.detail)
    return await context.engines.off_loop(lambda: redact_json(detail)) if detail else None


async def _page(
    of: Part,
    context: Context,
    request: PageRequest,
    bound_to: Sequence[object],
    choose: Callable[[], Sequence[AttributedEvent]],
) -> Page[HistoryEvent]:
    """A page of some events. A position is an event's id, which outlives every token of the engine."""

    def event_id(event: AttributedEvent) -> int:
        return event.event.id

    async def read(window: Window) -> Filled[HistoryEvent]:
        events = await context.engines.off_loop(choose)
        after, before = (window.start, window.stop) if window.forward else (window.stop, window.start)
        low = bisect_right(events, int(after[0]), key=event_id) if after else 0
        high = bisect_left(events, int(before[0]), key=event_id) if before else len(events)
        size = window.count + 1
        shown = events[low:high][:size] if window.forward else events[low:high][-size:][::-1]
        return Filled([Entry(HistoryEvent(of.owner, of.reference, of.inside, one), (one.event.id,)) for one in shown])

    async def count() -> int:
        return len(await context.engines.off_loop(choose))

    return await paginate(context, request, bound_to, read, count)
