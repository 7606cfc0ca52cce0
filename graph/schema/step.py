"""A step of an execution, and the configuration that it was given."""

from datetime import datetime

from graph.resolvers import failures, inputs, logs, outputs, statuses, steps, sub_executions
from graph.resolvers.gate import require_logs, require_metadata
from graph.resolvers.log_events import LONGEST_PAGE
from graph.schema.connections import CountedConnection, FilteredConnection, WarningConnection
from graph.schema.costs import LIST_COST, PAGE_COST, TEXT_COST
from graph.schema.definitions import Pipeline
from graph.schema.engine import SubExecution
from graph.schema.failures import ExecutionFailure
from graph.schema.fields import answer, attribute, object_type, page
from graph.schema.inputs import InputFile, InputMetadata
from graph.schema.lazy import LazyExecution
from graph.schema.logs import LOG_SOURCES, RUN_TIMES, LogEventConnection, RegisteredLog, step_events
from graph.schema.node import Node
from graph.schema.outputs import OutputFile, OutputMetadata, OutputResult
from graph.schema.scalars import JSON, BigInt
from graph.schema.stages import Stage
from graph.schema.texts import StoredText
from graph.tables import states
from graph.tables.records.definitions import PipelineRow
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.steps import InputConfigurationRow as Configuration
from graph.tables.records.steps import StepLogRow as Logs
from graph.tables.records.steps import StepRow as Row
from graph.tables.records.steps import TemplateTag as Tag

STATUS = Row.fields("status") + ExecutionRow.fields("status", "stopped_at", "status_checked_at", "arn", "log_group_arn")
# What the order of the steps may need, since it follows the plan where the steps' own links are broken.
CHAIN = ConfigurationRow.fields("pipelines")
# What tells which step failed, and by which run that it registered.
FAILED_STEP = CHAIN + Row.fields("status", "started_at", "stopped_at", "sub_executions") + ExecutionRow.fields("arn")


@object_type(Tag, description="A value that was put into a configuration template.")
class TemplateTag:
    """A tag and its value."""

    key: str = attribute("The name of the tag.", reads=())
    value: JSON | None = attribute("Its value.", reads=(), cost=TEXT_COST)


@object_type(Configuration, description="The configuration that a step was given.")
class InputConfiguration:
    """A step's configuration."""

    rendered: StoredText = answer(
        steps.rendered,
        "The configuration after tag substitution.",
        reads=Configuration.fields("body", "body_is_truncated", "file_key") + Row.fields("bucket"),
    )
    template_id: str | None = attribute("The template that it was made from.")
    template_schema_version: str | None = attribute("The version of the template's schema.")
    tag_schema_version: str | None = attribute("The version of the schema of the tags.")
    template_tags: list[TemplateTag] = attribute(
        "The values that were put into the template.", reads=Configuration.fields("tags")
    )
    template_tags_truncated: bool = attribute("Whether the row could not hold all tags.")
    custom_template_override_used: bool = attribute("Whether the caller's own body took the place of the template's.")
    custom_template_override: StoredText | None = answer(
        steps.override,
        "The caller's own body.",
        reads=Configuration.fields("override", "override_is_truncated"),
    )
    config_format: str | None = attribute("The format of the configuration, as a label.")
    effective_system_config: JSON = attribute(
        "The pipeline's system configuration with the template's overrides applied.", cost=TEXT_COST
    )
    effective_system_config_truncated: bool = attribute("Whether the row could not hold all of it.")
    template_overrides: JSON = attribute("What the template overrode in the system configuration.", cost=TEXT_COST)
    template_overrides_truncated: bool = attribute("Whether the row could not hold all of it.")


@object_type(Row, description="A step of an execution: the run of one pipeline.")
class PipelineExecution(Node):
    """A step of an execution."""

    pipeline_execution_id: str = attribute("The id of the step.")
    execution_id: str = attribute("The id of the execution that it belongs to.")
    execution: LazyExecution | None = answer(steps.execution, "The execution that it belongs to.")
    pipeline_id: str = attribute("The pipeline within its database.", reads=())
    pipeline_database_id: str = attribute("The database of the pipeline, or GLOBAL.", reads=())
    pipeline: Pipeline | None = answer(steps.pipeline, "The pipeline as it is defined now.")
    name: str = answer(
        steps.name,
        "The name of the pipeline where it can be read and may be seen, else its id; never an error.",
        reads=PipelineRow.fields("name"),
    )
    position: int | None = answer(steps.position, "The 0-based place in the chain.", reads=CHAIN)
    previous: "PipelineExecution | None" = answer(steps.previous, "The step before; null on the first.", reads=CHAIN)
    next: "PipelineExecution | None" = answer(steps.following, "The step after; null on the last.", reads=CHAIN)
    is_end_state: bool = attribute("Whether the step ends the chain.", reads=())
    status: states.ExecutionStatus = answer(
        statuses.of_step,
        "How far the step has come. What had not ended when its run did ended as the run did.",
        reads=STATUS,
    )
    status_source: states.StatusSource = answer(statuses.source_of_step, "Where the status comes from.", reads=STATUS)
    started_at: datetime | None = attribute("When the step started; null while it is queued.")
    stopped_at: datetime | None = attribute("When the step ended; null until then.")
    duration_ms: BigInt | None = attribute(
        "Milliseconds from start to stop; null while running.", reads=Row.fields("started_at", "stopped_at")
    )
    execution_type: states.PipelineExecutionType = attribute("The service that runs the pipeline.")
    waits_for_callback: bool | None = attribute("Whether the step ends only when the pipeline reports back.")
    resource_arn: str | None = answer(
        steps.resource_arn,
        "The function, queue or bus that runs the pipeline. Needs the logs permission.",
        reads=Row.fields("resource_arn"),
        guard=require_logs,
    )
    failure: ExecutionFailure | None = answer(
        failures.of_step_row,
        "What ended the step, followed into the run of a state machine that it registered; null unless it ended other "
        "than SUCCEEDED.",
        reads=STATUS + FAILED_STEP,
        cost=LIST_COST,
    )
    job_name: str | None = answer(
        steps.job_name, "The name of the step's job, as the workflow planned it at launch.", reads=CHAIN
    )
    stage: Stage | None = answer(
        steps.stage,
        "The state of the run's own state machine that ran the step.",
        reads=CHAIN + ExecutionRow.fields("arn"),
        cost=PAGE_COST,
    )
    input_configuration: InputConfiguration | None = answer(
        steps.input_configuration, "The configuration that the step was given."
    )
    migrated_input_files: CountedConnection[InputFile] | None = page(
        inputs.migrated_input_files, "Filled for migrated executions only; see inputFiles of the execution."
    )
    input_metadata: FilteredConnection[InputMetadata] | None = page(
        inputs.step_input_metadata,
        "The metadata that the step was given; with scope, that of it.",
        guard=require_metadata,
    )
    output_files: CountedConnection[OutputFile] | None = page(
        outputs.step_output_files, "The files that the step wrote; with fileType, those of it."
    )
    output_metadata: CountedConnection[OutputMetadata] | None = page(
        outputs.step_output_metadata,
        "The metadata recorded under the step: all of the run's, under its last step.",
        guard=require_metadata,
    )
    output_results: CountedConnection[OutputResult] | None = page(
        outputs.step_output_results, "The result texts recorded under the step: all of the run's, under its last step."
    )
    sub_executions: WarningConnection[SubExecution] | None = page(
        sub_executions.page,
        "What the step started elsewhere and registered: state machines, jobs and others, each entry once.",
        reads=Row.fields("sub_executions", "unreadable_sub_executions"),
    )
    registered_logs: WarningConnection[RegisteredLog] | None = page(
        logs.registered_logs, "The log sources that the step itself registered.", reads=LOG_SOURCES
    )
    available_logs: WarningConnection[RegisteredLog] | None = page(
        logs.available_logs,
        "The registered log sources together with those that the step's row implies, each location once.",
        reads=LOG_SOURCES,
    )
    registered_log: RegisteredLog | None = answer(
        logs.registered_log, "The log source of a log id; null for another step's.", reads=LOG_SOURCES
    )
    result_log: StoredText | None = answer(
        logs.result_log,
        "The stored summary of how the step ended. Needs the logs permission.",
        guard=require_logs,
        reads=Logs.fields("result_log", "result_log_is_truncated"),
    )
    error_log: StoredText | None = answer(
        logs.error_log,
        "The stored log text, redacted. VAMS keeps the text of the run's end here, also when it ended well. Needs the "
        "logs permission.",
        guard=require_logs,
        reads=Logs.fields("error_log", "error_log_is_truncated"),
    )
    log_events: LogEventConnection | None = page(
        step_events,
        "The run's log group searched for this step, merged by time with every available log; with stageName, the logs "
        "of that stage alone. Needs the permission to read logs: null with FORBIDDEN otherwise.",
        reads=LOG_SOURCES + RUN_TIMES,
        guard=require_logs,
        longest=LONGEST_PAGE,
    )
