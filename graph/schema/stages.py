"""The detail of a run: stages, their visits, and the events of the history."""

from datetime import datetime

from graph.context import Context
from graph.history import IterationCounts as Counts
from graph.history import StageScope as Scope
from graph.history import StageStatus, StageTransitionKind
from graph.history import UnreadRange as Unread
from graph.resolvers import history_events, map_runs, run_detail, stages
from graph.resolvers.engine_executions import EngineExecution as EngineExecutionRecord
from graph.resolvers.engine_executions import of_stage
from graph.resolvers.gate import require_logs
from graph.resolvers.history_events import LONGEST_PAGE
from graph.resolvers.paging import Page, PageRequest
from graph.schema.connections import BoundedWarningConnection, FilteredWarningConnection, WarningConnection
from graph.schema.costs import TEXT_COST, HistoryRows
from graph.schema.execution_warning import ExecutionWarning
from graph.schema.fields import answer, attribute, object_type, page
from graph.schema.lazy import LazyEngineExecution
from graph.schema.node import Node
from graph.schema.scalars import JSON, BigInt
from graph.tables.states import ExecutionStatus


async def visit(stage: run_detail.Stage, context: Context, entered_event_id: BigInt) -> run_detail.StageVisit | None:
    """Return the visit that an event opened."""
    return await stages.visit(stage, context, entered_event_id)


async def map_run_executions(
    run: map_runs.MapRun, context: Context, request: PageRequest, status: list[ExecutionStatus] | None = None
) -> Page[EngineExecutionRecord]:
    """Return the executions that a Map run started."""
    return await map_runs.executions(run, context, request, status)


async def iteration_runs(
    stage: run_detail.Stage,
    context: Context,
    request: PageRequest,
    entered_event_id: BigInt | None = None,
    status: list[StageStatus] | None = None,
) -> Page[run_detail.IterationRun]:
    """Return iterations of a Map."""
    return await stages.iteration_runs(stage, context, request, entered_event_id, status)


@object_type(run_detail.BatchJob, description="A job of AWS Batch.")
class BatchJob:
    """A job of AWS Batch."""

    job_id: str = attribute("The id of the job.", reads=())
    log_stream_name: str | None = answer(
        stages.log_stream_name, "The stream that it logs to: from the history, else asked of AWS Batch."
    )
    log_stream_warning: ExecutionWarning | None = answer(stages.log_stream_warning, "Why its stream is not known.")


@object_type(
    Counts, description="Iterations of a Map by what became of them, null where the history was not read whole."
)
class IterationCounts:
    """Iterations of a Map."""

    total: int | None = attribute(
        "How many there are to be; null where the event that tells it was not read.", reads=()
    )
    started: int | None = attribute("How many started.", reads=())
    succeeded: int | None = attribute("How many succeeded.", reads=())
    failed: int | None = attribute("How many failed.", reads=())
    aborted: int | None = attribute("How many were aborted.", reads=())
    running: int | None = attribute("How many run.", reads=())
    pending: int | None = attribute("How many have not started; of a Map run alone.", reads=())
    timed_out: int | None = attribute("How many took too long; of a Map run alone.", reads=())


@object_type(Unread, description="A stretch of a history that was not read.")
class UnreadRange:
    """A stretch of a history that was not read."""

    after_event_id: BigInt = attribute("The last event before it; 0 where it begins with the history.", reads=())
    before_event_id: BigInt | None = attribute(
        "The first event behind it; null where it goes on to the end of the history.", reads=()
    )
    from_: datetime | None = attribute("When the event before it happened.", reads=(), name="from")
    to: datetime | None = attribute("When the event behind it happened.", reads=())


@object_type(map_runs.MapRun, description="The run of a distributed Map, whose items are executions of their own.")
class MapRun(Node):
    """The run of a distributed Map."""

    stage: "Stage | None" = answer(map_runs.stage, "The Map that it is a run of; null where no event names it.")
    arn: str | None = answer(map_runs.arn, "The ARN. Needs the logs permission.", guard=require_logs)
    redrive_count: int | None = attribute("How often it was redriven.", reads=())
    status: ExecutionStatus | None = answer(
        map_runs.status, "How far it has come; UNKNOWN where the engine does not say."
    )
    status_warning: ExecutionWarning | None = answer(
        map_runs.status_warning, "Why it is not known what became of it, and counts is null."
    )
    started_at: datetime | None = answer(map_runs.started_at, "When it started.")
    stopped_at: datetime | None = answer(map_runs.stopped_at, "When it ended; null until then.")
    counts: IterationCounts | None = answer(map_runs.counts, "Its executions by what became of them.")
    execution: LazyEngineExecution | None = answer(
        map_runs.execution, "The execution of a name; null where it is none of this Map run."
    )
    executions: BoundedWarningConnection[LazyEngineExecution] | None = page(
        map_run_executions,
        "What it started, newest first. Cursors hold tokens of the engine and end after a day, with INVALID_CURSOR.",
        longest=map_runs.LONGEST_PAGE,
        is_forward_only=True,
    )


@object_type(run_detail.StageTransition, description="A way on from a state.")
class StageTransition:
    """A way on from a state."""

    label: str | None = attribute(
        "The rule of a CHOICE, the errors of a CATCH; redacted, without ARNs, at most 256 characters.", reads=()
    )
    taken_count: int | None = attribute(
        "How often it was taken; null where the history was not read whole, and where another way of its kind leads to "
        "the same state.",
        reads=(),
    )

    to: str = attribute("The state that it leads to.", reads=())
    kind: StageTransitionKind = attribute("When it is taken.", reads=())


@object_type(Scope, description="A Parallel branch or a Map iteration around a visit.")
class StageScope:
    """A branch or an iteration."""

    stage_name: str = attribute("The Parallel or the Map.", reads=())
    branch: int | None = attribute("Place in the definition; null without it, or in a Map.", reads=())
    branch_name: str | None = attribute(
        "First state of the branch, which names it even without a definition.", reads=()
    )
    iteration: int | None = attribute(
        "Index of the iteration; null in a Parallel, and where it was not read.", reads=()
    )
    attempt: int | None = attribute("0-based attempt of the container within its visit.", reads=())


@object_type(run_detail.Stage, description="A state of the definition and what became of it over all its visits.")
class Stage(Node):
    """A state."""

    name: str = attribute("The name of the state.", reads=())
    type: str = attribute("Its type: Task, Choice, Parallel, Map and so on.", reads=())
    path: list[str] = attribute("Names of the containers around it, outermost first, then its own.", reads=())
    depth: int = attribute("How many containers are around it.", reads=())
    parent: "Stage | None" = answer(stages.parent, "The container around it.")
    engine_execution: LazyEngineExecution | None = answer(of_stage, "The run that it is a state of.")
    resource: str | None = answer(stages.resource, "What a Task calls. Needs the logs permission.", guard=require_logs)
    next: list[StageTransition] | None = attribute(
        "Ways on, by the names of states, to draw the graph; null where only the history names the state.", reads=()
    )
    status: StageStatus = attribute("What became of it.", reads=())
    started_at: datetime | None = attribute("When it was entered first.", reads=())
    stopped_at: datetime | None = attribute("When it ended last; null while it runs.", reads=())
    duration_ms: BigInt | None = attribute("Milliseconds between the two, any wait for a redrive included.", reads=())
    attempts: int = attribute("The most over one visit; a lower bound when the history is incomplete.", reads=())
    visit_count: int | None = attribute(
        "How often it was entered; null where the history was not read whole.", reads=()
    )
    redrive_count: int = attribute("How many redrives a visit lived through.", reads=())
    error: str | None = attribute("The name of the last error, redacted, unless it recovered.", reads=())
    cause: str | None = attribute("Why it failed, redacted, at most 256 characters.", reads=())
    is_distributed: bool = attribute("Whether it is a Map whose items are executions of their own.", reads=())
    map_run: MapRun | None = answer(
        map_runs.of_stage, "The run of a distributed Map; null where no event that was read names it.", cost=1
    )
    iterations: IterationCounts | None = attribute("Iterations of the current attempt of a Map.", reads=())
    batch: BatchJob | None = attribute("The last job of AWS Batch that it ran.", reads=())
    is_start: bool | None = attribute(
        "Whether its machine, branch or Map begins with it; null where only the history names the state.", reads=()
    )
    branch: int | None = attribute(
        "The 0-based branch of the Parallel right around it; null elsewhere and without a definition.", reads=()
    )
    visits: WarningConnection["StageVisit"] | None = page(
        stages.visits,
        "Its visits, in the order of entry; those of some statuses, of an iteration and a branch of the innermost Map "
        "and Parallel around them.",
        longest=LONGEST_PAGE,
        history_rows=HistoryRows.VISIT,
    )
    visit: "StageVisit | None" = answer(
        visit, "The visit that an event opened; null where it opened none of this state, or was not read."
    )
    iteration_runs: WarningConnection["IterationRun"] | None = page(
        iteration_runs,
        "Iterations of the last attempt of a visit of a Map: of the one that enteredEventId opened, else of the last. "
        "Empty for other states and distributed Maps.",
        longest=LONGEST_PAGE,
        history_rows=HistoryRows.VISIT,
    )


@object_type(run_detail.IterationRun, description="One iteration of a Map.")
class IterationRun:
    """One iteration of a Map."""

    index: int | None = attribute("Its index; null where the engine does not tell it.", reads=())
    status: StageStatus = attribute("What became of it.", reads=())
    started_at: datetime | None = attribute("When it began.", reads=())
    stopped_at: datetime | None = attribute("When it ended; null until then.", reads=())
    duration_ms: BigInt | None = attribute("Milliseconds between the two.", reads=())
    error: str | None = attribute("The name of the error that failed it, redacted.", reads=())
    failed_stage: Stage | None = answer(stages.failed_stage, "The state that failed it.")


@object_type(run_detail.StageTry, description="One try of a Task, or one attempt of a Parallel or Map.")
class StageTry:
    """One try."""

    started_at: datetime | None = attribute("When it began.", reads=())
    stopped_at: datetime | None = attribute("When it ended; null until then.", reads=())
    error: str | None = attribute("The name of its error, redacted.", reads=())
    cause: str | None = attribute("Why it failed, redacted, at most 256 characters.", reads=())
    redrive_index: int | None = attribute("0 in the first run, 1 after the first redrive; null when unread.", reads=())


@object_type(
    run_detail.StageVisit,
    description="One entry into a state: in one branch, one iteration, one turn of a loop.",
)
class StageVisit:
    """One entry into a state."""

    name: str = attribute("The name of the state.", reads=())
    stage: Stage | None = answer(stages.stage_of_visit, "The state.")
    scope: list[StageScope] | None = attribute(
        "Where it ran, outermost first; empty at the root, null where that was not read.", reads=()
    )
    history: FilteredWarningConnection["HistoryEvent"] | None = page(
        history_events.visit_history, "Its events, oldest first.", longest=LONGEST_PAGE
    )
    status: StageStatus = attribute("What became of it.", reads=())
    entered_event_id: BigInt | None = attribute("The event that opened it.", reads=())
    exited_event_id: BigInt | None = attribute("The event that closed it.", reads=())
    started_at: datetime | None = attribute("When it was entered.", reads=())
    stopped_at: datetime | None = attribute("When it ended.", reads=())
    duration_ms: BigInt | None = attribute("Milliseconds between the two, any wait for a redrive included.", reads=())
    attempts: int = attribute("Tries of a Task, or starts of a Parallel or Map, over all runs.", reads=())
    tries: list[StageTry] | None = attribute(
        "Those tries in their order, the newest 100; as many as attempts where all were read.", reads=()
    )
    error: str | None = attribute("The name of the last error, redacted, unless it recovered.", reads=())
    cause: str | None = attribute("Why it failed, redacted, at most 256 characters.", reads=())


@object_type(history_events.HistoryEvent, description="An event of a history, and where it belongs.")
class HistoryEvent:
    """An event."""

    event_id: BigInt = attribute("Its place in the history, from 1.", reads=())
    previous_event_id: BigInt | None = attribute("The event that caused it; null for none.", reads=())
    type: str = attribute("The engine's word for it.", reads=())
    time: datetime = attribute("When it happened.", reads=())
    step_name: str | None = attribute(
        "The state or step that it belongs to; null for events of the execution itself.", reads=()
    )
    is_attributed: bool = attribute(
        "False where the event that names the state was not read; stepName, scope and stage are then null for that "
        "reason alone.",
        reads=(),
    )
    scope: list[StageScope] | None = attribute(
        "The branches and iterations around it, outermost first; null where they were not read.", reads=()
    )
    stage: Stage | None = answer(history_events.stage_of_event, "The state.")
    redrive_index: int | None = attribute("0 for the first run, 1 after the first redrive; null when unread.", reads=())
    event_detail: JSON | None = answer(
        history_events.event_detail,
        "The event's own details, redacted. Needs the logs permission.",
        guard=require_logs,
        cost=TEXT_COST,
    )
