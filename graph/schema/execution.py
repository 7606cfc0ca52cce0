"""An execution, the group that it belongs to, and what it was launched with."""

from datetime import datetime
from functools import partial

from graph.auth.execution_scope import SCOPE_FIELDS
from graph.context import Context
from graph.resolvers import engine_executions, executions, failures, inputs, launch, outputs, references, statuses
from graph.resolvers.gate import require_details, require_logs, require_metadata
from graph.resolvers.log_events import LONGEST_PAGE
from graph.resolvers.paging import Page, PageRequest
from graph.schema.asset import Asset, Database
from graph.schema.connections import BoundedConnection, CountedConnection, FilteredConnection
from graph.schema.costs import LIST_COST, TEXT_COST
from graph.schema.definitions import Pipeline, Workflow
from graph.schema.engine import EngineExecution
from graph.schema.failures import ExecutionFailure
from graph.schema.fields import answer, attribute, object_type, page
from graph.schema.filters import AssetRef, ExecutionFilter, to_filter
from graph.schema.inputs import InputFile, InputMetadata
from graph.schema.lazy import LazyExecution
from graph.schema.logs import RUN_TIMES, LogEventConnection, execution_events
from graph.schema.node import Node
from graph.schema.outputs import OutputFile, OutputMetadata, OutputResult
from graph.schema.scalars import BigInt
from graph.schema.step import CHAIN, FAILED_STEP, PipelineExecution
from graph.schema.texts import StoredText
from graph.tables import states
from graph.tables.records.definitions import AssetRow, DatabaseRow, PipelineRow
from graph.tables.records.executions import ConfigurationRow as Configuration
from graph.tables.records.executions import ExecutionRow as Row
from graph.tables.records.inputs import InputRow
from graph.tables.records.steps import StepRow


async def input_files(
    execution: Row, context: Context, request: PageRequest, asset: AssetRef | None = None
) -> Page[InputRow]:
    """Return the files that a run was started with."""
    return await inputs.input_files(execution, context, request, asset.to_reference() if asset else None)


async def executions_of_group(
    group: executions.ExecutionGroup, context: Context, request: PageRequest, filter: ExecutionFilter | None = None
) -> Page[Row]:
    """Return the executions of a group."""
    return await executions.executions_of_group(group, context, request, to_filter(filter))


async def asset_of_reference(reference: references.AssetReference, context: Context) -> AssetRow | None:
    """Return the asset that is named."""
    return await references.asset(context, reference.database_id, reference.asset_id)


async def database_of_reference(reference: references.DatabaseReference, context: Context) -> DatabaseRow | None:
    """Return the database that is named."""
    return await references.database(context, reference.database_id)


async def pipeline_of_plan(planned: references.SpecifiedPipeline, context: Context) -> PipelineRow | None:
    """Return the pipeline that is planned."""
    return await references.pipeline(context, planned.pipeline_database_id, planned.pipeline_id)


ENGINE_RUN = Row.fields("arn")
STATUS = Row.fields("status", "started_at", "stopped_at", "status_checked_at", "arn", "log_group_arn")

# Beyond the row of a list, an execution's fields need the permission to read its details.
detail = partial(answer, guard=require_details)
details = partial(page, guard=require_details)


@object_type(references.AssetReference, description="Names an asset even where it may not be read or is gone.")
class AssetReference:
    """Names an asset."""

    database_id: str = attribute("The database of the asset.", reads=())
    asset_id: str = attribute("The asset within its database.", reads=())
    asset: Asset | None = answer(asset_of_reference, "The asset itself.")


@object_type(references.DatabaseReference, description="Names a database even where it may not be read or is gone.")
class DatabaseReference:
    """Names a database."""

    database_id: str = attribute("The id of the database.", reads=())
    database: Database | None = answer(database_of_reference, "The database itself.")


@object_type(references.SpecifiedPipeline, description="A step as its workflow planned it at launch.")
class SpecifiedPipeline:
    """A planned step."""

    pipeline_database_id: str = attribute("The database of the pipeline, or GLOBAL.", reads=())
    pipeline_id: str = attribute("The pipeline within its database.", reads=())
    job_name: str = attribute("The name of the step's job.", reads=())
    default_template_id: str | None = attribute("The template that the workflow sets for the step.", reads=())
    pipeline: Pipeline | None = answer(pipeline_of_plan, "The pipeline as it is defined now.")


@object_type(Configuration, description="Where an execution writes to.")
class OutputTarget:
    """Where a run writes to."""

    location_type: states.OutputLocationType = attribute("Whether it writes to an asset.")
    database_id: str | None = attribute("The database of the asset.")
    asset_id: str | None = attribute("The asset within its database.")
    asset: Asset | None = answer(launch.target_asset, "The asset itself.")
    base_path: str = attribute(
        "The folder that outputs are put below; / is the root.", reads=Configuration.fields("path_extension")
    )


@object_type(Row, description="One run of a workflow.")
class Execution(Node):
    """One run of a workflow."""

    execution_id: str = attribute("The id of the run: 32 hexadecimal digits, or a dashed UUID on migrated runs.")
    workflow_id: str = attribute("The workflow within its database.", reads=())
    workflow_database_id: str = attribute("The database of the workflow, or GLOBAL.", reads=())
    workflow: Workflow | None = detail(
        executions.workflow, "The workflow as it is defined now. Null when it was deleted or may not be read."
    )
    status: states.ExecutionStatus = answer(
        statuses.of_execution,
        "How far the run has come; the stored status when the engine cannot be asked.",
        reads=STATUS,
    )
    status_source: states.StatusSource = answer(
        statuses.source_of_execution, "Where the status comes from.", reads=STATUS
    )
    status_checked_at: datetime | None = attribute(
        "When the stored status was last compared with the engine, as the row says; a LIVE status is newer."
    )
    started_at: datetime | None = attribute("When the run started. Null only on migrated rows that never had it.")
    started_at_is_estimated: bool = attribute("Whether the start was derived, which happens on migrated rows only.")
    stopped_at: datetime | None = answer(
        statuses.stop_of_execution, "When the run ended; null while it is running.", reads=STATUS
    )
    duration_ms: BigInt | None = answer(
        statuses.duration_of_execution,
        "Milliseconds from start to stop; null while running.",
        reads=STATUS,
    )
    trigger_type: states.TriggerType = attribute("What started the run.")
    triggered_by: str = attribute("The user who started the run; SYSTEM_USER for a trigger.")
    group_id: str | None = attribute("The group that the run was launched under.")
    group: "ExecutionGroup | None" = detail(executions.own_group, "The group itself.", reads=Row.fields("group_id"))
    error: str | None = detail(
        statuses.error_of_execution,
        "The failure message, redacted. Null unless the run ended other than SUCCEEDED.",
        reads=STATUS + Row.fields("error_text"),
        cost=TEXT_COST,
    )
    failure: ExecutionFailure | None = detail(
        failures.of_execution,
        "What ended the run, followed into the run of a state machine that the failed step registered; null unless it "
        "ended other than SUCCEEDED.",
        reads=STATUS + Row.fields("error_text") + FAILED_STEP,
        begins=StepRow,
        cost=LIST_COST,
    )
    log: StoredText | None = answer(
        executions.log,
        "The log text that was captured at the end, redacted. Needs the logs permission.",
        reads=Row.fields("log_text"),
        guard=require_logs,
    )
    is_migrated: bool = attribute(
        "Whether the run was carried over from an earlier VAMS.", reads=Row.fields("started_at_is_estimated")
    )
    step_count: int | None = detail(
        launch.step_count,
        "Steps as the workflow planned them at launch, without reading the steps; null on migrated or truncated rows.",
        reads=Configuration.fields("pipelines", "pipelines_are_truncated", "is_migrated"),
        begins=Configuration,
    )
    pipeline_executions: CountedConnection[PipelineExecution] | None = details(
        executions.steps, "The steps, in chain order.", reads=CHAIN, begins=StepRow
    )
    end_pipeline_execution: PipelineExecution | None = detail(executions.end_step, "The step that ends the chain.")
    input_files: CountedConnection[InputFile] | None = details(
        input_files, "The files that the run was started with; with asset, those of it."
    )
    input_metadata: FilteredConnection[InputMetadata] | None = page(
        inputs.input_metadata,
        "The metadata that the steps were given, in chain order; with scope, that of it.",
        guard=require_metadata,
        reads=CHAIN,
        begins=StepRow,
    )
    output_files: CountedConnection[OutputFile] | None = details(
        outputs.output_files,
        "The files that the steps wrote, in chain order; with fileType, those of it.",
        reads=CHAIN,
        begins=StepRow,
    )
    output_metadata: CountedConnection[OutputMetadata] | None = page(
        outputs.output_metadata,
        "The metadata that the run wrote, in chain order.",
        guard=require_metadata,
        reads=CHAIN,
        begins=StepRow,
    )
    output_results: CountedConnection[OutputResult] | None = details(
        outputs.output_results, "The result texts of the run, in chain order.", reads=CHAIN, begins=StepRow
    )
    output_target: OutputTarget | None = detail(launch.output_target, "Where the run writes to.", begins=Configuration)
    metadata_source_assets: CountedConnection[AssetReference] | None = details(
        launch.source_assets,
        "Assets that were read for their metadata alone.",
        reads=Configuration.fields("source_assets"),
        begins=Configuration,
    )
    metadata_source_databases: list[DatabaseReference] | None = detail(
        launch.source_databases,
        "Every database that metadata was captured from.",
        reads=Configuration.fields("source_databases"),
        begins=Configuration,
    )
    metadata_sources_truncated: bool | None = detail(
        launch.sources_are_truncated,
        "Whether the row could not hold the whole list of metadata sources.",
        reads=Configuration.fields("source_assets_are_truncated", "source_databases_are_truncated"),
        begins=Configuration,
    )
    named_metadata_source: DatabaseReference | None = detail(
        launch.named_source,
        "The database that the caller named as metadata source.",
        reads=Configuration.fields("named_database_id"),
        begins=Configuration,
    )
    metadata_envelope: StoredText | None = answer(
        launch.metadata_envelope,
        "The metadata envelope that the run was given, as JSON text.",
        guard=require_metadata,
        reads=CHAIN
        + Configuration.fields("metadata_text", "metadata_is_truncated", "metadata_file_key")
        + StepRow.fields("bucket"),
        begins=Configuration,
    )
    specified_pipelines: list[SpecifiedPipeline] | None = detail(
        launch.pipelines,
        "The steps as the workflow planned them at launch.",
        reads=Configuration.fields("pipelines"),
        begins=Configuration,
    )
    specified_pipelines_truncated: bool | None = detail(
        launch.pipelines_are_truncated,
        "Whether the row could not hold all planned steps.",
        reads=Configuration.fields("pipelines_are_truncated"),
        begins=Configuration,
    )
    engine_execution: EngineExecution | None = detail(
        engine_executions.of_execution, "The run of the workflow's own state machine.", reads=ENGINE_RUN
    )
    viewer_can_abort: bool | None = answer(
        executions.may_abort,
        "Whether the viewer may abort the run: by rights alone, whatever its status.",
        reads=SCOPE_FIELDS,
    )
    viewer_can_delete: bool | None = answer(
        executions.may_delete,
        "Whether the viewer may delete the run: by rights and by the settings of the server, whatever its status.",
        reads=SCOPE_FIELDS,
    )
    viewer_can_read_logs: bool = answer(
        executions.may_read_logs, "Whether the viewer may read log text of the run: by policy alone, without a read."
    )
    viewer_can_read_details: bool = answer(
        executions.may_read_details, "Whether the viewer may read the details of the run: by policy alone."
    )
    viewer_can_read_metadata: bool = answer(
        executions.may_read_metadata, "Whether the viewer may read the metadata of the run: by policy alone."
    )
    log_events: LogEventConnection | None = page(
        execution_events,
        "The lines of the run in the log group that all executions share, or else its history as lines. Needs the "
        "permission to read logs: null with FORBIDDEN otherwise.",
        reads=RUN_TIMES + ENGINE_RUN,
        guard=require_logs,
        longest=LONGEST_PAGE,
    )


@object_type(
    executions.ExecutionGroup,
    description="The executions that were launched under one group id. A group has no row of its own.",
)
class ExecutionGroup(Node):
    """Executions that were launched together."""

    group_id: str = attribute("The id that the caller chose.", reads=())
    viewer_can_abort: bool | None = answer(
        executions.may_abort_newest,
        "Whether the viewer may abort the newest run of the group that the viewer sees: by rights alone.",
        reads=SCOPE_FIELDS,
    )
    executions: BoundedConnection[LazyExecution] | None = page(
        executions_of_group, "The executions of the group, newest first, as the filter allows.", cost=LIST_COST
    )
