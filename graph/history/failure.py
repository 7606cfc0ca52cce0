"""Failures: which event, of which visit, ended a run other than well.

The rule: begin at the event that ended the last run and follow what caused it inwards, for as long as that is a failure
too that nothing recovered from.

- A run that was stopped, or ran out of its own time, was ended by that alone: no state failed.
- ExecutionFailed was caused by the state that its cause names, else by the one that it links to.
- A Parallel or a Map failed by the branch or iteration that its event links to. Where that was only aborted, as in
  the dialect that links to whatever came last, it failed by the last open failure inside it, first of all one of an
  iteration that is recorded as failed, or one that gives the container's own reason.
- A container that fails twice in one attempt failed by itself the second time: its Catch did. So does one that
  fails at its own expression, and a distributed Map: its children have histories of their own.

What was caught has an exit, what was retried is of an older attempt, and what was redriven is of an older run: none of
these is looked at. Neither is what was aborted because of the failure.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from graph.history.attribution import Attribution
from graph.history.event import Event, EventKind
from graph.history.place import visit_of
from graph.history.visit import Scope, Visit

_ENDED_FROM_OUTSIDE = frozenset({EventKind.EXECUTION_ABORTED, EventKind.EXECUTION_TIMED_OUT})
_OWN_FAILURES = frozenset({EventKind.WORK_FAILED, EventKind.EVALUATION_FAILED, EventKind.MAP_RUN_FAILED})
_FAILURES = _OWN_FAILURES | {EventKind.CONTAINER_FAILED}


@dataclass(frozen=True, slots=True)
class RunFailure:
    """What ended a run other than well.

    Attributes:
        event: The innermost event that recorded it: of the state that failed where it has one, else of what is around.
        visit: To the state that failed; None where none did, and where its name was not read.
        error: Of the innermost event that gives a reason.
        cause: Of the same event.
        is_certain: Every event that led there was read. If false, the state that failed may be one inside ``visit``.
    """

    event: Event
    visit: Visit | None
    error: str | None
    cause: str | None
    is_certain: bool


def find_failure(attribution: Attribution) -> RunFailure | None:
    """Return what ended the last run; None of one that goes on or succeeded, or whose end was not read. O(events)."""
    if attribution.ended_at is None:
        return None
    end = attribution.events[attribution.ended_at]
    if end.kind in _ENDED_FROM_OUTSIDE:
        return RunFailure(end, None, end.text("error"), end.text("cause"), is_certain=True)
    return _Search(attribution, attribution.ended_at).result() if end.kind is EventKind.EXECUTION_FAILED else None


class _Search:
    """The way from the end of a run to what caused it."""

    def __init__(self, attribution: Attribution, end: int) -> None:
        self._events, self._places = attribution.events, attribution.places
        self._run_began = attribution.redriven_at
        self._way = [end]
        self._visit = attribution.failing
        self._is_certain = attribution.failing is not None

    def result(self) -> RunFailure:
        if self._visit is not None:
            position = self._last_failure_of(self._visit, self._way[0])
            while position is not None:
                self._way.append(position)
                position = self._inside(position)
        visit = self._visit if self._visit is not None and self._visit.name is not None else None
        told = next(
            (event for event in map(self._event, reversed(self._way)) if event.text("error") or event.text("cause")),
            self._event(self._way[-1]),
        )
        is_certain = self._is_certain and visit is not None
        return RunFailure(self._event(self._way[-1]), visit, told.text("error"), told.text("cause"), is_certain)

    def _inside(self, position: int) -> int | None:
        """Return the failure inside a container that failed it; None where there is none that was recorded."""
        if self._event(position).kind is not EventKind.CONTAINER_FAILED:
            return None
        container = self._visit
        if container is None or self._failed_by_itself(container, position):
            return None
        culprit, linked = self._linked(container, position)
        if culprit is None:
            linked = self._last_inside(container, position)
            culprit = self._visit_at(linked) if linked is not None else None
        if culprit is not None:
            self._visit = culprit
        return linked

    def _failed_by_itself(self, container: Visit, position: int) -> bool:
        """Return whether a container had failed before in its attempt, or had an expression that failed."""
        since = container.attempt.position if container.attempt is not None else 0
        return any(
            self._places[earlier] is container
            and self._event(earlier).kind in (EventKind.CONTAINER_FAILED, EventKind.EVALUATION_FAILED)
            for earlier in self._back(position, since)
        )

    def _linked(self, container: Visit, position: int) -> tuple[Visit | None, int | None]:
        """Follow the link of a container's failure to the open visit inside it that failed, and to its failure.

        There is none where the link leads to what was aborted. A visit without a failure of its own is one that
        could not even begin: a Choice without a match.
        """
        event = self._event(position)
        while True:
            linked = self._position(event.previous_id)
            if linked is None:
                self._is_certain = False
                return None, None
            event = self._event(linked)
            if event.kind is not EventKind.ITERATION_FAILED:
                break
        visit = self._visit_at(linked)
        if visit is container and event.kind in _OWN_FAILURES:  # the container's own
            return visit, linked
        if visit is None or visit is container or visit.exited_event_id is not None:
            return None, None
        if _has_failed(event):
            return visit, linked if linked >= self._run_began else None
        return (visit, None) if event.kind is EventKind.STATE_ENTERED else (None, None)

    def _last_inside(self, container: Visit, position: int) -> int | None:
        """Return the last open failure right inside a container, before it failed; first of all as the events say."""
        attempt = container.attempt
        if attempt is None:
            return None
        reason = self._event(position)
        wanted = reason.text("error"), reason.text("cause")
        inside = [
            earlier
            for earlier in self._back(position, attempt.position)
            if (visit := self._visit_at(earlier)) is not None
            and visit.scope.attempt is attempt
            and visit.exited_event_id is None
            and _has_failed(self._event(earlier))
        ]

        def rank(earlier: int) -> tuple[bool, bool, int]:
            event, visit = self._event(earlier), self._visit_at(earlier)
            is_told = visit is not None and _is_recorded_as_failed(visit.scope, self._run_began)
            return is_told, (event.text("error"), event.text("cause")) == wanted, earlier

        return max(inside, key=rank, default=None)

    def _last_failure_of(self, visit: Visit, before: int) -> int | None:
        for position in self._back(before, 0):
            if self._places[position] is visit and _has_failed(self._event(position)):
                return position
        return None

    def _back(self, before: int, since: int) -> Iterator[int]:
        """Yield positions of the last run, newest first."""
        return iter(range(before - 1, max(since, self._run_began) - 1, -1))

    def _event(self, position: int) -> Event:
        return self._events[position]

    def _visit_at(self, position: int) -> Visit | None:
        place = self._places[position]
        return visit_of(place) if place is not None else None

    def _position(self, event_id: int) -> int | None:
        """Return where an event stands; None where it was not read."""
        position = bisect_left(self._events, event_id, key=attrgetter("id"))
        is_read = position < len(self._events) and self._events[position].id == event_id
        return position if is_read else None


def _has_failed(event: Event) -> bool:
    return event.kind in _FAILURES or (event.kind is EventKind.STATE_ENTERED and event.state_type == "Fail")


def _is_recorded_as_failed(scope: Scope, since: int) -> bool:
    return scope.iteration is not None and scope.failed_at >= since
