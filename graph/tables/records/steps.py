"""The rows of a step: the pipeline execution itself, its configuration, its logs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from graph.tables import catalogue, decode, keys, states
from graph.tables.records.executions import duration_ms
from graph.tables.rows import ObjectRow, Row, key_part, stored


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StepRow(ObjectRow):
    """One pipeline's run within an execution."""

    table: ClassVar = catalogue.STEPS
    kind: ClassVar = "PipelineExecution"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    execution_id: str = key_part("workflowExecutionId")
    pipeline_key: str = key_part("pipelineDatabaseId:pipelineId")
    predecessor_id: str = key_part("from_pipeline_execution_id")
    end_state: str = key_part("endStatePipeline")

    status: states.ExecutionStatus = stored("executionStatus", states.execution_status)
    started_at: datetime | None = stored("executionStartDate", decode.instant)
    stopped_at: datetime | None = stored("executionStopDate", decode.instant)
    execution_type: states.PipelineExecutionType = stored("pipelineExecutionType", states.pipeline_execution_type)
    execution_type_text: str = stored("pipelineExecutionType", decode.text)
    waits_for_callback: bool | None = stored("waitForCallback", decode.enabled)
    resource_arn: str | None = stored("pipelineResourceArn", decode.optional_text)
    bucket: str | None = stored("S3AssetPipelineBucket", decode.optional_text)
    logs: Sequence[dict[str, Any]] = stored("registeredLogs", decode.mappings)
    unreadable_logs: int = stored("registeredLogs", decode.others_than_mappings)
    sub_executions: Sequence[dict[str, Any]] = stored("registeredSubExecutions", decode.mappings)
    unreadable_sub_executions: int = stored("registeredSubExecutions", decode.others_than_mappings)

    @property
    def pipeline_database_id(self) -> str:
        """The database of the pipeline."""
        return self.pipeline_key.partition(":")[0]

    @property
    def pipeline_id(self) -> str:
        """The pipeline within its database."""
        return self.pipeline_key.partition(":")[2]

    @property
    def is_end_state(self) -> bool:
        """Whether the step ends the chain."""
        return self.end_state == keys.END_STATE

    @property
    def duration_ms(self) -> int | None:
        """Milliseconds from start to stop."""
        return duration_ms(self.started_at, self.stopped_at)


@dataclass(frozen=True, slots=True)
class TemplateTag:
    """A value that was put into a configuration template; it may be any JSON."""

    key: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InputConfigurationRow(Row):
    """The configuration that a step was given."""

    table: ClassVar = catalogue.INPUT_CONFIGURATIONS

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    record_type: str = key_part("recordType")

    body: str = stored("inputConfiguration", decode.text)
    body_is_truncated: bool = stored("inputConfigurationTruncated", decode.flag)
    file_key: str | None = stored("inputConfigurationFileS3Key", decode.optional_text)
    template_id: str | None = stored("templateId", decode.optional_text)
    template_schema_version: str | None = stored("templateSchemaVersion", decode.optional_text)
    tag_schema_version: str | None = stored("tagSchemaVersion", decode.optional_text)
    tags: Sequence[dict[str, Any]] = stored("templateTags", decode.mappings)
    template_tags_truncated: bool = stored("templateTagsTruncated", decode.flag)
    custom_template_override_used: bool = stored("customTemplateOverrideUsed", decode.flag)
    override: str | None = stored("customTemplateOverride", decode.optional_text)
    override_is_truncated: bool = stored("customTemplateOverrideTruncated", decode.flag)
    config_format: str | None = stored("configFormat", decode.optional_text)
    effective_system_config: dict[str, Any] = stored("effectiveSystemConfig", decode.mapping)
    effective_system_config_truncated: bool = stored("effectiveSystemConfigTruncated", decode.flag)
    template_overrides: dict[str, Any] = stored("templateOverrides", decode.mapping)
    template_overrides_truncated: bool = stored("templateOverridesTruncated", decode.flag)

    @property
    def template_tags(self) -> list[TemplateTag]:
        """The tags that have a name."""
        return [TemplateTag(tag["key"], tag.get("value")) for tag in self.tags if isinstance(tag.get("key"), str)]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StepLogRow(Row):
    """The stored log texts of a step. Only the last step of a success and the open steps of a failure have one."""

    table: ClassVar = catalogue.STEP_LOGS

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    log_type: str = key_part("logType")

    result_log: str | None = stored("resultLog", decode.optional_text)
    result_log_is_truncated: bool = stored("resultLogTruncated", decode.flag)
    error_log: str | None = stored("errorLog", decode.optional_text)
    error_log_is_truncated: bool = stored("errorLogTruncated", decode.flag)
