"""What a step started elsewhere, and the runs of state machines."""

from datetime import datetime

from graph.context import Context
from graph.engines.engine import EngineName, RedriveStatus
from graph.engines.run_detail import StageSource
from graph.resolvers import engine_executions as runs
from graph.resolvers import failures, map_runs, registered
from graph.resolvers import sub_executions as subs
from graph.resolvers.gate import require_logs
from graph.resolvers.history_events import LONGEST_PAGE
from graph.resolvers.history_events import HistoryEvent as HistoryRecord
from graph.resolvers.paging import Page, PageRequest
from graph.schema.connections import FilteredWarningConnection, WarningConnection
from graph.schema.costs import LIST_COST, TEXT_COST, HistoryRows
from graph.schema.execution_warning import ExecutionWarning
from graph.schema.failures import ExecutionFailure
from graph.schema.fields import answer, attribute, object_type, page
from graph.schema.lazy import LazyExecution, LazyPipelineExecution
from graph.schema.node import Node
from graph.schema.scalars import JSON, BigInt
from graph.schema.stages import BatchJob, HistoryEvent, MapRun, Stage, UnreadRange
from graph.tables.states import ExecutionStatus

_STATUS_WARNING = (
    "Why the status is UNKNOWN, and why error and cause are null then; null where the service said how far it has come."
)
_DURATION = "Milliseconds from start to stop, any wait for a redrive included; null while running."

DEFAULT_STAGES = 50


async def history(
    run: runs.EngineExecution,
    context: Context,
    request: PageRequest,
    step_name: str | None = None,
    types: list[str] | None = None,
    around: BigInt | None = None,
) -> Page[HistoryRecord]:
    """Return the events of a run."""
    return await runs.history(run, context, request, step_name, types, around)


@object_type(registered.DeadlineCloudJob, description="A job of AWS Deadline Cloud.")
class DeadlineCloudJob:
    """A job of AWS Deadline Cloud."""

    farm_id: str | None = attribute("The farm.", reads=())
    queue_id: str | None = attribute("The queue.", reads=())
    job_id: str = attribute("The job.", reads=())


@object_type(
    runs.EngineExecution,
    description="One run of a state machine (AWS Step Functions) or of a flow (Alibaba Cloud Serverless Workflow).",
)
class EngineExecution(Node):
    """One run of a state machine or flow."""

    engine: EngineName = attribute("The service that ran it.", reads=())
    name: str = attribute("Its name, unique within the flow.", reads=())
    flow_name: str = attribute("The name of the state machine or flow.", reads=())
    execution: LazyExecution | None = answer(runs.execution, "The execution that it is of.")
    sub_execution: "SubExecution | None" = answer(
        subs.of_run, "The registered entry that it is of; null for the run of the workflow's own state machine."
    )
    execution_arn: str | None = answer(
        runs.execution_arn, "The ARN of the run. Needs the logs permission.", guard=require_logs
    )
    state_machine_arn: str | None = answer(
        runs.state_machine_arn, "The ARN of the state machine. Needs the logs permission.", guard=require_logs
    )
    status: ExecutionStatus | None = answer(runs.status, "How far it has come; UNKNOWN where the engine does not say.")
    status_warning: ExecutionWarning | None = answer(runs.status_warning, _STATUS_WARNING)
    input: JSON | None = answer(
        runs.given, "The JSON given at start, redacted. Needs the logs permission.", guard=require_logs, cost=TEXT_COST
    )
    output: JSON | None = answer(
        runs.returned,
        "The JSON returned at the end, redacted. Needs the logs permission.",
        guard=require_logs,
        cost=TEXT_COST,
    )
    flow_definition: str | None = answer(
        runs.definition,
        "The definition as it stood when the run started. Needs the logs permission: it holds ARNs.",
        guard=require_logs,
        cost=TEXT_COST,
    )
    started_at: datetime | None = answer(runs.fact("started_at"), "When it started.")
    stopped_at: datetime | None = answer(runs.fact("stopped_at"), "When it ended; null until then.")
    duration_ms: BigInt | None = answer(runs.duration_ms, _DURATION)
    error: str | None = answer(runs.error, "The name of the error that ended it, redacted.")
    cause: str | None = answer(runs.cause, "Why it ended so, redacted, at most 256 characters.")
    redrive_count: int | None = answer(runs.fact("redrive_count"), "How often it was redriven.")
    redrive_status: RedriveStatus | None = answer(runs.fact("redrive_status"), "Whether it can be redriven.")
    redrive_status_reason: str | None = answer(runs.fact("redrive_status_reason"), "Why it cannot be redriven.")
    last_redriven_at: datetime | None = answer(runs.fact("last_redriven_at"), "When it was redriven last.")
    failure: ExecutionFailure | None = answer(
        failures.of_run,
        "What ended it, told from one page of its newest events; null unless it ended other than SUCCEEDED.",
        cost=LIST_COST,
    )
    parent_map_run: MapRun | None = answer(
        map_runs.of_child,
        "The Map run that started it; execution and subExecution are those of the machine that holds the Map then.",
    )
    stage_source: StageSource | None = answer(runs.stage_source, "What its stages are known from.")
    stages: WarningConnection[Stage] | None = page(
        runs.stages,
        "Its states, in the order of the definition, a container before what is inside it.",
        default=DEFAULT_STAGES,
        history_rows=HistoryRows.RUN,
    )
    history: FilteredWarningConnection[HistoryEvent] | None = page(
        history,
        "Its events, oldest first, each at its state, branch and iteration; with stepName those of a state, with types "
        "those of some types. With around, which goes with no cursor and not with last, a page of first events with "
        "that one, or its nearest of those asked for, in the middle. Leads through what unread names as well, on short "
        "pages where that takes long.",
        longest=LONGEST_PAGE,
    )
    history_is_complete: bool | None = answer(
        runs.history_is_complete,
        "False where a read bound was met: stages not seen are then UNKNOWN, never NOT_STARTED.",
    )
    last_event_id: BigInt | None = answer(
        runs.last_event_id,
        "Its newest event, from one page of one event, which tells whether anything moved. Null where the engine does "
        "not say.",
    )
    unread: list[UnreadRange] | None = answer(
        runs.unread,
        "What was not read of its history; empty when it was read whole. Of the reading that stages and visits are "
        "told from, whatever else is selected.",
    )


@object_type(registered.SubExecution, description="What a step started elsewhere, as it registered it.")
class SubExecution(Node):
    """What a step started elsewhere."""

    resource_type: str = attribute(
        "As registered: stepFunctionsExecution, batchJob, deadlineCloudJob, or any other text.", reads=()
    )
    resource_name: str | None = answer(subs.resource_name, "The name of the state machine, or the id of the job.")
    label: str | None = attribute("What the step calls it.", reads=())
    stage_name: str | None = attribute("The state that it belongs to.", reads=())
    pipeline_execution: LazyPipelineExecution | None = answer(subs.step_of, "The step that registered it.")
    execution_arn: str | None = answer(
        subs.locator("executionArn"), "As registered. Needs the logs permission.", guard=require_logs
    )
    state_machine_arn: str | None = answer(
        subs.locator("stateMachineArn"), "As registered. Needs the logs permission.", guard=require_logs
    )
    job_arn: str | None = answer(
        subs.locator("jobArn"), "As registered. Needs the logs permission.", guard=require_logs
    )
    task_arn: str | None = answer(
        subs.locator("taskArn"), "As registered. Needs the logs permission.", guard=require_logs
    )
    cluster_arn: str | None = answer(
        subs.locator("clusterArn"), "As registered. Needs the logs permission.", guard=require_logs
    )
    arn: str | None = answer(subs.locator("arn"), "As registered. Needs the logs permission.", guard=require_logs)
    job_id: str | None = answer(subs.locator("jobId"), "As registered. Needs the logs permission.", guard=require_logs)
    status: ExecutionStatus = answer(subs.status, "How far it has come; UNKNOWN where its service does not say.")
    status_warning: ExecutionWarning | None = answer(subs.status_warning, _STATUS_WARNING)
    started_at: datetime | None = answer(subs.started_at, "When it started.")
    stopped_at: datetime | None = answer(subs.stopped_at, "When it ended; null until then.")
    duration_ms: BigInt | None = answer(subs.duration_ms, _DURATION)
    error: str | None = answer(subs.error, "The name of the error that ended it, redacted.")
    cause: str | None = answer(subs.cause, "Why it ended so, redacted, at most 256 characters.")
    batch: BatchJob | None = attribute("The job of AWS Batch that it is.", reads=())
    deadline: DeadlineCloudJob | None = attribute("The job of AWS Deadline Cloud that it is.", reads=())
    stage_source: StageSource | None = answer(subs.stage_source, "What its stages are known from.")
    stages: WarningConnection[Stage] | None = page(
        subs.stages,
        "The states of the state machine that it is a run of; none for what is no state machine.",
        default=DEFAULT_STAGES,
        history_rows=HistoryRows.RUN,
    )
    engine_execution: EngineExecution | None = answer(
        subs.engine_execution, "The run itself; null for what is no state machine or flow."
    )
