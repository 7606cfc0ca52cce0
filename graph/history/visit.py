"""What attribution finds: visits to states, the scopes they ran in and the attempts that opened those scopes.

These objects refer to each other and are filled in while events are read; afterwards they are for reading only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from graph.history.event import Event, StageStatus

# Scopes below this many containers are treated as if what is around them was not read. It bounds every climb; a
# definition that AWS accepts nests a few levels.
MAX_NESTING = 128


class StageScope(NamedTuple):
    """A Parallel branch or a Map iteration around a visit.

    Attributes:
        stage_name: The Parallel or Map.
        branch: Index in its Branches; None without the definition, and in a Map.
        branch_name: First state of the branch; None in a Map.
        iteration: Index of the Map iteration; None in a Parallel, and where it was not read.
        attempt: 0-based attempt of the container within its visit; None where its beginning was not read.
    """

    stage_name: str
    branch: int | None
    branch_name: str | None
    iteration: int | None
    attempt: int | None


class IterationCounts(NamedTuple):
    """Iterations of a Map; None where what was read does not tell how many.

    ``pending`` and ``timed_out`` are of Map runs alone, whose iterations are executions.
    """

    total: int | None
    started: int | None = None
    succeeded: int | None = None
    failed: int | None = None
    aborted: int | None = None
    running: int | None = None
    pending: int | None = None
    timed_out: int | None = None


class MapRunState(NamedTuple):
    """The run of a distributed Map, whose items are executions of their own; ``arn`` is None where it was not read."""

    arn: str | None
    redrive_count: int | None


MAX_TRIES = 100
"""Tries of one visit that are kept, the newest."""


@dataclass(slots=True)
class Try:
    """One try of a Task, or one attempt of a Parallel or Map.

    Attributes:
        started_at: When it was scheduled, or began.
        redrive_index: As in `AttributedEvent`.
        stopped_at: When it ended; None while it runs, and where nothing of it says so.
        error: Why it failed, if it did.
        cause: The same.
    """

    started_at: datetime | None
    redrive_index: int | None
    stopped_at: datetime | None = None
    error: str | None = None
    cause: str | None = None


class Ending(NamedTuple):
    """An event that ended everything still open below it.

    Attributes:
        position: Place of the event among the events read.
        time: When it happened.
        status: What it made of the visits that were open.
        spares_failures: A visit whose last work had failed is FAILED rather than ``status``.
    """

    position: int
    time: datetime | None
    status: StageStatus
    spares_failures: bool


@dataclass(slots=True, eq=False)
class Scope:
    """One thread of a history, in which one state follows another: the root, a branch or an iteration.

    Attributes:
        attempt: The container's attempt that opened it; None for the root, and where that was not read.
        branch: As in `StageScope`.
        branch_name: As in `StageScope`.
        iteration: As in `StageScope`.
        depth: How many containers are around it.
        is_known: False where what is around it was not read.
        status: Of an iteration: RUNNING, SUCCEEDED, FAILED, ABORTED or UNKNOWN.
        current: The visit that was entered last and has no exit.
        started_at: When an iteration began; None where that was not read.
        stopped_at: When it ended; None while it runs, and where that was not read.
    """

    attempt: "Attempt | None" = None
    branch: int | None = None
    branch_name: str | None = None
    iteration: int | None = None
    depth: int = 0
    is_known: bool = True
    status: StageStatus = StageStatus.RUNNING
    current: "Visit | None" = field(default=None, repr=False)
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    ending: Ending | None = field(default=None, repr=False)
    failed_at: int = field(default=-1, repr=False)

    @property
    def owner(self) -> "Visit | None":
        """The visit to the Parallel or Map around; None at the root and where it was not read."""
        return self.attempt.visit if self.attempt else None

    def path(self) -> tuple[StageScope, ...] | None:
        """Return the containers around, outermost first; None where they were not read."""
        path: list[StageScope] = []
        scope = self
        while scope.attempt is not None:
            owner = scope.attempt.visit
            if owner.name is None:
                return None
            number = scope.attempt.number
            path.append(StageScope(owner.name, scope.branch, scope.branch_name, scope.iteration, number))
            scope = owner.scope
        return tuple(reversed(path)) if scope.is_known else None


@dataclass(slots=True, eq=False)
class Attempt:
    """One attempt of a Parallel or Map: the scopes that it opened.

    Attributes:
        visit: The visit to the container.
        number: From 0; None where its beginning was not read.
        position: Of the event that began it, or of the first one read.
        length: Items of a Map.
        scopes: By branch index or first state, or by iteration index.
        branches: By each state entered in a branch: names are unique in a machine, so a state names its branch.
    """

    visit: "Visit"
    number: int | None
    position: int
    length: int | None = None
    scopes: dict[object, Scope] = field(default_factory=dict, repr=False)
    branches: dict[str, Scope] = field(default_factory=dict, repr=False)

    def succeed(self) -> None:
        """Note that all scopes succeeded: a container succeeds only if they do."""
        for scope in self.scopes.values():
            scope.status = StageStatus.SUCCEEDED

    def iterations(self) -> IterationCounts:
        """Count the iterations of a Map that were read, by what became of them."""
        counts = dict.fromkeys(StageStatus, 0)
        scopes = [scope for scope in self.scopes.values() if scope.iteration is not None]
        for scope in scopes:
            counts[scope.status] += 1
        return IterationCounts(
            self.length,
            len(scopes),
            counts[StageStatus.SUCCEEDED],
            counts[StageStatus.FAILED],
            counts[StageStatus.ABORTED],
            counts[StageStatus.RUNNING],
        )


@dataclass(slots=True, eq=False)
class Visit:
    """One entry into a state: in one branch, one iteration, one turn of a loop.

    A redrive continues a visit, it does not begin another.

    Attributes:
        name: The state; None only inside attribution, until an event names it.
        state_type: ``Task``, ``Map`` ...; None where no event told it.
        scope: Where it ran.
        status: RUNNING, SUCCEEDED, FAILED, CAUGHT, ABORTED, TIMED_OUT or UNKNOWN.
        entered_event_id: Its StateEntered; None where that was not read.
        exited_event_id: Its StateExited; None where it has none.
        started_at: Time of its entry.
        stopped_at: Time of its exit, or of the event that ended it.
        attempts: Scheduled events of a Task, Started events of a Parallel or Map, over all runs; 0 for the rest.
        redrives: How many redrives it lived through.
        error: Of its last failure, unless it recovered.
        cause: Of the same failure.
        submission: The event that handed its work to another service, last attempt.
        outcome: The event that ended its last attempt.
        attempt: The current attempt of a Parallel or Map.
        map_run: Of a distributed Map.
        tries: The newest :data:`MAX_TRIES`, in their order; None before the first.
    """

    name: str | None
    state_type: str | None
    scope: Scope
    status: StageStatus = StageStatus.RUNNING
    entered_event_id: int | None = None
    exited_event_id: int | None = None
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    attempts: int = 0
    redrives: int = 0
    error: str | None = None
    cause: str | None = None
    submission: Event | None = None
    outcome: Event | None = None
    attempt: Attempt | None = None
    map_run: MapRunState | None = None
    tries: list[Try] | None = field(default=None, repr=False)
    # Working notes of attribution: positions of events and numbers of runs.
    position: int = field(default=0, repr=False)
    entered_run: int = field(default=0, repr=False)
    failed_at: int = field(default=-1, repr=False)
    is_reentered: bool = field(default=False, repr=False)
    ending: Ending | None = field(default=None, repr=False)
    inner_ending: Ending | None = field(default=None, repr=False)
    culprit: "Visit | None" = field(default=None, repr=False)

    def fail(self, position: int, error: str | None, cause: str | None) -> None:
        """Note a failure, which a retry, a Catch or a redrive may yet undo; without a reason the last one stays."""
        self.failed_at = position
        if error is not None or cause is not None:
            self.error, self.cause = error, cause

    def begin_try(self, started_at: datetime | None, redrive_index: int | None) -> None:
        """Note that another try begins."""
        self.attempts += 1
        if self.tries is None:
            self.tries = []
        self.tries.append(Try(started_at, redrive_index))
        if len(self.tries) > MAX_TRIES:
            del self.tries[0]

    def end_try(self, stopped_at: datetime | None, error: str | None = None, cause: str | None = None) -> None:
        """Note how the last try ended; what ended it first stays."""
        if self.tries and self.tries[-1].stopped_at is None:
            last = self.tries[-1]
            last.stopped_at, last.error, last.cause = stopped_at, error, cause

    def recover(self) -> None:
        """Forget a failure."""
        self.failed_at = -1
        self.error = self.cause = None

    @property
    def iteration(self) -> int | None:
        """Index of the iteration of the innermost Map around it; None without one, and where that was not read."""
        return next((scope.iteration for scope in self._scopes() if scope.branch_name is None and scope.attempt), None)

    @property
    def branch(self) -> int | None:
        """Index of the branch of the innermost Parallel around it; None as above, and without the definition."""
        return next((scope.branch for scope in self._scopes() if scope.branch_name is not None), None)

    def _scopes(self) -> Iterator[Scope]:
        for visit in self.ancestry():
            yield visit.scope

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds from its entry to its end, any wait for a redrive included."""
        if self.started_at is None or self.stopped_at is None:
            return None
        return max(0, (self.stopped_at - self.started_at) // timedelta(milliseconds=1))

    def ancestry(self) -> Iterator["Visit"]:
        """Yield this visit and the containers around it, innermost first."""
        visit: Visit | None = self
        while visit is not None:
            yield visit
            visit = visit.scope.owner
