"""What is inside a run, as the graph shows it: records of stages and visits."""

from dataclasses import dataclass
from datetime import datetime

from graph import history as pure
from graph.context import Context
from graph.engines.run_detail import RunDetail
from graph.execution_warnings import without_arns
from graph.history import (
    Iteration,
    IterationCounts,
    StageScope,
    StageStatus,
    StageTransitionKind,
    Transition,
    Try,
    Visit,
)
from graph.logs.redaction import redact
from graph.tables import ids
from graph.tables.records.executions import duration_ms

_LONGEST_REASON = 256  # characters of an error or a cause, as VAMS shows them


@dataclass(frozen=True, slots=True)
class StageOwner:
    """What leads to a run: an execution alone, or the registered entry of one of its steps.

    ``child`` names what a Map run within that run started; empty for the run itself.
    """

    execution_id: str
    step_id: str | None = None
    digest: str = ""
    child: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What cursors are bound to."""
        key = self.step_id or self.execution_id, self.digest
        return (*key, self.child) if self.child else key

    @property
    def child_part(self) -> str:
        """The child as a part of an id that is not the last."""
        return self.child.replace(":", "/")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the detail of a run."""

    owner: StageOwner
    reference: str
    detail: RunDetail

    @property
    def execution_id(self) -> str:
        """The execution that it is of, whose permissions guard it."""
        return self.owner.execution_id


@dataclass(frozen=True, slots=True)
class BatchJob:
    """A job of AWS Batch; its stream is None where it has to be asked for, or has none."""

    job_id: str
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class Stage(Part):
    """A state of a run and what became of it."""

    stage: pure.StageSummary

    @property
    def id(self) -> str:
        """The global id."""
        of, child = self.owner, (self.owner.child_part,) if self.owner.child else ()
        if of.step_id is None:
            return ids.encode("RunChildStage" if child else "RunStage", of.execution_id, *child, self.name)
        return ids.encode("ChildStage" if child else "Stage", of.step_id, of.digest, *child, self.name)

    @property
    def name(self) -> str:
        """The state."""
        return self.stage.name

    @property
    def type(self) -> str:
        """Its type."""
        return self.stage.state_type

    @property
    def path(self) -> tuple[str, ...]:
        """The containers around it and itself."""
        return self.stage.path

    @property
    def depth(self) -> int:
        """How many containers are around it."""
        return self.stage.depth

    @property
    def next(self) -> tuple["StageTransition", ...] | None:
        """Ways on from it."""
        ways = self.stage.transitions
        if ways is None:
            return None
        is_known = self.detail.is_complete
        return tuple(StageTransition(way, self.stage.taken_count(way) if is_known else None) for way in ways)

    @property
    def is_start(self) -> bool | None:
        """Whether its machine, branch or Map begins with it."""
        return self.stage.state.is_start if self.stage.state is not None else None

    @property
    def branch(self) -> int | None:
        """The branch of the Parallel right around it."""
        place = self.stage.state.place if self.stage.state is not None else None
        return place.branch if place is not None else None

    @property
    def status(self) -> StageStatus:
        """What became of it."""
        return self.stage.status

    @property
    def started_at(self) -> datetime | None:
        """Its first entry."""
        return self.stage.started_at

    @property
    def stopped_at(self) -> datetime | None:
        """Its last stop."""
        return self.stage.stopped_at

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds from the first entry to the last stop."""
        return self.stage.duration_ms

    @property
    def attempts(self) -> int:
        """The most over one visit."""
        return self.stage.attempts

    @property
    def visit_count(self) -> int | None:
        """How often it was entered; None unless the history was read whole."""
        return len(self.stage.visits) if self.detail.is_complete else None

    @property
    def redrive_count(self) -> int:
        """The most over one visit."""
        return self.stage.redrives

    @property
    def error(self) -> str | None:
        """The name of its error."""
        return brief(self.stage.error)

    @property
    def cause(self) -> str | None:
        """Why it failed."""
        return brief(self.stage.cause)

    @property
    def is_distributed(self) -> bool:
        """Whether its items are executions of their own."""
        return self.stage.is_distributed

    @property
    def iterations(self) -> IterationCounts | None:
        """Of the current attempt."""
        return self.stage.iterations

    @property
    def batch(self) -> BatchJob | None:
        """The last job that it ran."""
        return batch_of(self.stage)


@dataclass(frozen=True, slots=True)
class StageTransition:
    """A way on from a state, and how often it was taken where that is known."""

    way: Transition
    taken_count: int | None

    @property
    def to(self) -> str:
        """The state that it leads to."""
        return self.way.to

    @property
    def kind(self) -> StageTransitionKind:
        """When it is taken."""
        return self.way.kind

    @property
    def label(self) -> str | None:
        """Its rule or its errors, as they may be shown."""
        return brief(without_arns(self.way.label)) if self.way.label else None


@dataclass(frozen=True, slots=True)
class StageTry:
    """One try of a visit."""

    held: Try

    @property
    def started_at(self) -> datetime | None:
        """When it began."""
        return self.held.started_at

    @property
    def stopped_at(self) -> datetime | None:
        """When it ended."""
        return self.held.stopped_at

    @property
    def error(self) -> str | None:
        """The name of its error."""
        return brief(self.held.error)

    @property
    def cause(self) -> str | None:
        """Why it failed."""
        return brief(self.held.cause)

    @property
    def redrive_index(self) -> int | None:
        """The run that it is of."""
        return self.held.redrive_index


@dataclass(frozen=True, slots=True)
class IterationRun(Part):
    """One iteration of a Map."""

    iteration: Iteration

    @property
    def index(self) -> int | None:
        """Its index."""
        return self.iteration.index

    @property
    def status(self) -> StageStatus:
        """What became of it."""
        return self.iteration.status

    @property
    def started_at(self) -> datetime | None:
        """When it began."""
        return self.iteration.started_at

    @property
    def stopped_at(self) -> datetime | None:
        """When it ended."""
        return self.iteration.stopped_at

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds between the two."""
        return duration_ms(self.started_at, self.stopped_at)

    @property
    def error(self) -> str | None:
        """The name of the error that failed it."""
        return brief(self.iteration.failed.error) if self.iteration.failed is not None else None


@dataclass(frozen=True, slots=True)
class StageVisit(Part):
    """One entry into a state."""

    visit: Visit
    place: int

    @property
    def name(self) -> str:
        """The state."""
        return self.visit.name or ""

    @property
    def scope(self) -> tuple[StageScope, ...] | None:
        """The branches and iterations around it."""
        return self.visit.scope.path()

    @property
    def status(self) -> StageStatus:
        """What became of it."""
        return self.visit.status

    @property
    def entered_event_id(self) -> int | None:
        """The event that opened it."""
        return self.visit.entered_event_id

    @property
    def exited_event_id(self) -> int | None:
        """The event that closed it."""
        return self.visit.exited_event_id

    @property
    def started_at(self) -> datetime | None:
        """When it was entered."""
        return self.visit.started_at

    @property
    def stopped_at(self) -> datetime | None:
        """When it ended."""
        return self.visit.stopped_at

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds between the two."""
        return self.visit.duration_ms

    @property
    def attempts(self) -> int:
        """Over all runs."""
        return self.visit.attempts

    @property
    def tries(self) -> "tuple[StageTry, ...]":
        """Its tries, the newest ones."""
        return tuple(map(StageTry, self.visit.tries or ()))

    @property
    def error(self) -> str | None:
        """The name of its error."""
        return brief(self.visit.error)

    @property
    def cause(self) -> str | None:
        """Why it failed."""
        return brief(self.visit.cause)


def brief(text: str | None) -> str | None:
    """Return an error or a cause as it may be shown: redacted, then cut."""
    return redact(text)[:_LONGEST_REASON] if text else None


def stage_in(of: Part, name: str | None) -> Stage | None:
    """Return the stage of a name inside the run that something is of."""
    found = of.detail.stage(name) if name is not None else None
    return Stage(of.owner, of.reference, of.detail, found) if found is not None else None


async def stage_of(part: Part, context: Context, name: str | None) -> Stage | None:
    """Return the stage of a name, as the whole reading of the run tells it, whatever its part is told from."""
    whole = await context.engines.detail(part.reference)
    return stage_in(Part(part.owner, part.reference, whole), name)


def batch_of(stage: pure.StageSummary) -> BatchJob | None:
    """Return the last job of AWS Batch that a stage ran."""
    for visit in reversed(stage.visits):
        if job := pure.batch_job(visit):
            return BatchJob(job.job_id, job.log_stream_name)
    return None
