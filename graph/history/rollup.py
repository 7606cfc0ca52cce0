"""Stages: each state of the definition, and what became of it over all its visits."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from graph.history.attribution import Attribution
from graph.history.definition import StageTransitionKind, State, Transition
from graph.history.event import StageStatus
from graph.history.frames import Frame
from graph.history.visit import IterationCounts, MapRunState, Scope, Visit

# Of several visits that count, the first of these that one of them has. Where one may have failed unread, nothing that
# comes after can be said of all.
_PRECEDENCE = (
    StageStatus.RUNNING,
    StageStatus.FAILED,
    StageStatus.UNKNOWN,
    StageStatus.ABORTED,
    StageStatus.TIMED_OUT,
    StageStatus.CAUGHT,
    StageStatus.SUCCEEDED,
)


@dataclass(frozen=True, slots=True)
class StageSummary:
    """A state and what became of it.

    Attributes:
        name: The state.
        state_type: ``Task``, ``Map`` ...
        path: Names of the containers around it, outermost first, then its own.
        state: What the definition says; None for a state that only the history names.
        status: Of the visits that count: the last one in each scope that no retry or later loop turn has replaced.
        started_at: First entry.
        stopped_at: Last stop; None while it runs, and where that was not read.
        attempts: The most over one visit.
        redrives: The most over one visit.
        error: Of the last visit with the stage's status.
        cause: Of the same visit.
        is_caught: A Catch took over from one of its visits.
        iterations: Of the current attempts of an inline Map.
        map_run: Of a distributed Map, last visit.
        visits: In the order of entry.
        taken: How often each state followed it, by that state and whether a Catch led there.
    """

    name: str
    state_type: str
    path: tuple[str, ...]
    state: State | None
    status: StageStatus
    started_at: datetime | None
    stopped_at: datetime | None
    attempts: int
    redrives: int
    error: str | None
    cause: str | None
    is_caught: bool
    iterations: IterationCounts | None
    map_run: MapRunState | None
    visits: tuple[Visit, ...]
    taken: Mapping[tuple[str, bool], int] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """Containers around it."""
        return len(self.path) - 1

    @property
    def parent(self) -> str | None:
        """The container around it."""
        return self.path[-2] if len(self.path) > 1 else None

    @property
    def resource(self) -> str | None:
        """Resource of a Task."""
        return self.state.resource if self.state is not None else None

    @property
    def transitions(self) -> tuple[Transition, ...] | None:
        """Ways on from here; None where only the history names the state."""
        return self.state.transitions if self.state is not None else None

    def taken_count(self, transition: Transition) -> int | None:
        """Return how often a transition was taken; None where another of its kind leads to the same state.

        A lower bound where not every event was read.
        """
        way = transition.to, transition.kind is StageTransitionKind.CATCH
        alike = [one for one in self.transitions or () if (one.to, one.kind is StageTransitionKind.CATCH) == way]
        return self.taken.get(way, 0) if len(alike) == 1 else None

    @property
    def is_distributed(self) -> bool:
        """It is a Map whose items are executions of their own."""
        return self.map_run is not None or (self.state is not None and self.state.is_distributed)

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds from the first entry to the last stop, any wait for a redrive included."""
        if self.started_at is None or self.stopped_at is None:
            return None
        return max(0, (self.stopped_at - self.started_at) // timedelta(milliseconds=1))


def roll_up(frame: Frame | None, attribution: Attribution) -> tuple[StageSummary, ...]:
    """Fold the visits of a history into stages: the frame's in its order, then those that only the history names.

    A stage without a visit is NOT_STARTED only if every event was read. Otherwise, and where an unread visit may have
    changed the answer, it is UNKNOWN.
    """
    visits: dict[str, list[Visit]] = {}
    for visit in attribution.visits:
        if visit.name is not None:
            visits.setdefault(visit.name, []).append(visit)
    counting, taken = _counting(attribution.visits), _taken(attribution.visits)
    stages: dict[str, StageSummary] = {}
    for state in frame.states if frame is not None else ():
        unseen = StageStatus.NOT_STARTED if attribution.is_complete else StageStatus.UNKNOWN
        if state.is_elsewhere:  # its events are in the histories of the map run's executions
            around = next(stages[name] for name in state.path if stages[name].is_distributed)
            unseen = StageStatus.NOT_STARTED if around.status is StageStatus.NOT_STARTED else StageStatus.UNKNOWN
        found = visits.pop(state.name, [])
        stages[state.name] = _stage(state.name, state, found, counting, attribution, unseen, taken)
    for name, found in visits.items():
        stages[name] = _stage(name, None, found, counting, attribution, StageStatus.UNKNOWN, taken)
    return tuple(stages.values())


def _taken(visits: Iterable[Visit]) -> dict[str, Counter[tuple[str, bool]]]:
    """Count which state followed which: within a scope, one state follows another."""
    taken: dict[str, Counter[tuple[str, bool]]] = {}
    last: dict[Scope, Visit] = {}
    for visit in visits:
        before = last.get(visit.scope)
        if before is not None and before.exited_event_id is not None and before.name and visit.name:
            way = visit.name, before.status is StageStatus.CAUGHT
            taken.setdefault(before.name, Counter())[way] += 1
        last[visit.scope] = visit
    return taken


def _counting(visits: Iterable[Visit]) -> set[Visit]:
    """Return the visits that no later one has replaced: the last of its state in its scope, and so its containers."""
    latest: dict[tuple[Scope, str | None], Visit] = {}
    for visit in visits:
        latest[visit.scope, visit.name] = visit
    replaced: dict[Scope, bool] = {}

    def is_replaced(scope: Scope) -> bool:  # climbs scopes, of which attribution nests a bounded number
        if scope not in replaced:
            owner = scope.owner
            replaced[scope] = owner is not None and (
                owner.attempt is not scope.attempt
                or latest.get((owner.scope, owner.name)) is not owner
                or is_replaced(owner.scope)
            )
        return replaced[scope]

    return {visit for (scope, _), visit in latest.items() if not is_replaced(scope)}


def _stage(
    name: str,
    state: State | None,
    visits: Sequence[Visit],
    counting: set[Visit],
    attribution: Attribution,
    unseen: StageStatus,
    taken: Mapping[str, Mapping[tuple[str, bool], int]],
) -> StageSummary:
    last = visits[-1] if visits else None
    current = [visit for visit in visits if visit in counting] or list(visits[-1:])
    if state is not None and not state.is_in_map:  # one visit follows another
        current = current[-1:]
    status = _status(state, current, attribution) if current else unseen
    told = next((visit for visit in reversed(current) if visit.status is status and visit.error is not None), None)
    stops = [visit.stopped_at for visit in visits if visit.stopped_at is not None]
    return StageSummary(
        name=name,
        state_type=state.state_type
        if state is not None
        else (last.state_type if last is not None else None) or "Unknown",
        path=state.path if state is not None else (*_containers(visits), name),
        state=state,
        status=status,
        started_at=min((visit.started_at for visit in visits if visit.started_at is not None), default=None),
        stopped_at=None if status in (StageStatus.RUNNING, StageStatus.UNKNOWN) else max(stops, default=None),
        attempts=max((visit.attempts for visit in visits), default=0),
        redrives=max((visit.redrives for visit in visits), default=0),
        error=told.error if told is not None else None,
        cause=told.cause if told is not None else None,
        is_caught=any(visit.status is StageStatus.CAUGHT for visit in visits),
        iterations=_iterations(state, current, attribution),
        map_run=last.map_run if last is not None else None,
        visits=tuple(visits),
        taken=taken.get(name, {}),
    )


def _status(state: State | None, current: Sequence[Visit], attribution: Attribution) -> StageStatus:
    found = {visit.status for visit in current}
    status = next(status for status in _PRECEDENCE if status in found)
    if attribution.is_complete or (state is not None and not state.can_repeat):
        return status
    # Another visit may be among the events that were not read.
    if not attribution.read_to_end or max(visit.position for visit in current) < attribution.unbroken_from:
        return StageStatus.UNKNOWN
    is_last_word = status in (StageStatus.RUNNING, StageStatus.FAILED) or (state is not None and not state.is_in_map)
    return status if is_last_word else StageStatus.UNKNOWN


def _iterations(state: State | None, visits: Iterable[Visit], attribution: Attribution) -> IterationCounts | None:
    counts = [
        visit.attempt.iterations()
        for visit in visits
        if visit.state_type == "Map" and visit.map_run is None and visit.attempt is not None
    ]
    if not counts:
        return None
    total, *by_outcome = map(_sum, zip(*counts, strict=True))
    if attribution.is_complete:
        return IterationCounts(total, *by_outcome)
    # Iterations may be among the events that were not read, and so may another visit unless the state has but one.
    return IterationCounts(total if state is not None and not state.can_repeat else None)


def _sum(numbers: Iterable[int | None]) -> int | None:
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _containers(visits: Sequence[Visit]) -> tuple[str, ...]:
    for visit in visits:
        path = visit.scope.path()
        if path is not None:
            return tuple(around.stage_name for around in path)
    return ()
