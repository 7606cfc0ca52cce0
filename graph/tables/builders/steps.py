"""The rows of a step: the pipeline execution itself, its configuration, its logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from graph.tables import catalogue, keys
from graph.tables.builders.budgets import COLLECTION_BUDGET, LOG_BUDGET, TEXT_BUDGET, fit_collections, fit_texts
from graph.tables.builders.dates import optional_date, stored_date
from graph.tables.builders.record import InvalidRecord, Record, require_whole, word
from graph.tables.states import TERMINAL, ExecutionStatus, PipelineExecutionType

MOST_REGISTERED = 50
"""How many logs, and how many sub-executions, one step may have registered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlaces:
    """Where a step reads and writes. ``bucket`` is the run's; all steps of a run share the prefixes of its outputs."""

    bucket: str
    configuration_key: str
    files_prefix: str
    metadata_prefix: str
    previews_prefix: str
    results_prefix: str
    auxiliary_bucket: str
    auxiliary_prefix: str

    def attributes(self) -> Mapping[str, str]:
        """Return the attributes of a step's row; the prefixes that today's runs do not use are empty."""
        return {
            "S3AssetPipelineBucket": self.bucket,
            "S3AssetPipelineBucketInputMetadataFilePrefix": "",
            "S3AssetPipelineBucketInputConfigurationFilePrefix": self.configuration_key,
            "S3AssetPipelineBucketOutputFilesPrefix": self.files_prefix,
            "S3AssetPipelineBucketOutputMetadataPrefix": self.metadata_prefix,
            "S3AssetPipelineBucketOutputPreviewPrefix": self.previews_prefix,
            "S3AssetPipelineBucketOutputResultsPrefix": self.results_prefix,
            "S3AssetAuxPipelineBucket": self.auxiliary_bucket,
            "S3AssetAuxPipelineBucketPrefixTemp": self.auxiliary_prefix,
            "S3AssetAuxPipelineBucketPrefixPreview": "",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord(Record):
    """One pipeline's run within an execution.

    The first step has no ``predecessor_id``, and a migrated one no ``places``. ``event_prefix`` is that of the bus
    on which steps register what they start; it is empty where there is none.
    """

    table: ClassVar = catalogue.STEPS

    pipeline_execution_id: str
    execution_id: str
    pipeline_database_id: str
    pipeline_id: str
    predecessor_id: str | None
    is_end_state: bool
    execution_type: PipelineExecutionType
    waits_for_callback: bool
    places: StepPlaces | None
    resource_arn: str = ""
    event_prefix: str = ""
    status: ExecutionStatus = ExecutionStatus.NEW
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    sub_executions: Sequence[Mapping[str, str]] = ()
    logs: Sequence[Mapping[str, str]] = ()

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        if max(len(self.sub_executions), len(self.logs)) > MOST_REGISTERED:
            raise InvalidRecord(f"A step holds at most {MOST_REGISTERED} registered logs and sub-executions of each.")
        ids = self.execution_id, self.pipeline_execution_id
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "workflowExecutionId": self.execution_id,
            "pipelineDatabaseId:pipelineId": keys.pipeline_key(self.pipeline_database_id, self.pipeline_id),
            "pipelineDatabaseId": self.pipeline_database_id,
            "pipelineId": self.pipeline_id,
            "from_pipeline_execution_id": self.predecessor_id or None,
            "endStatePipeline": keys.END_STATE if self.is_end_state else keys.OTHER_STATE,
            **({} if self.places is None else self.places.attributes()),
            "executionStartDate": optional_date(self.started_at),
            "executionStopDate": optional_date(self.stopped_at),
            "executionStatus": word(self.status),
            "pipelineExecutionType": word(self.execution_type),
            "waitForCallback": "Enabled" if self.waits_for_callback else "Disabled",
            "pipelineResourceArn": self.resource_arn,
            "orchestrationBusEventPrefix": keys.event_source(self.event_prefix, *ids) if self.event_prefix else "",
            "registeredSubExecutions": [dict(entry) for entry in self.sub_executions],
            "registeredLogs": [dict(entry) for entry in self.logs],
            # Reserved for credentials of containers; nothing fills them.
            "vendedRoleArn": "",
            "s3ReadOnlyScopes": [],
            "s3ReadWriteScopes": [],
            "credentialVendingState": "notVended",
        }


def step_end(status: ExecutionStatus, stopped_at: datetime) -> dict[str, str]:
    """Return what a step's row gets when the step ends.

    Raises:
        ValueError: the status is not of a step that ended.
    """
    if status not in TERMINAL:
        raise ValueError(f"{status.value} ends no step.")
    return {"executionStatus": word(status), "executionStopDate": stored_date(stopped_at)}


def registered_log(
    group_arn: str = "",
    group_name: str = "",
    *,
    stream: str = "",
    prefix: str = "",
    stage: str = "",
    label: str = "",
    source_type: str = "",
) -> dict[str, str]:
    """Return an entry of ``registeredLogs``; what was not given is the empty text."""
    return {
        "logGroupArn": group_arn,
        "logGroupName": group_name,
        "logStreamName": stream,
        "logStreamPrefix": prefix,
        "stageName": stage,
        "label": label,
        "sourceType": source_type,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class InputConfigurationRecord(Record):
    """The configuration that a step is given.

    Tags and maps are fitted first; the body and the override share what they leave. ``file_key`` is where the whole
    body is in the run's bucket. ``override`` is the body that stood in for a template; None where none did.
    """

    table: ClassVar = catalogue.INPUT_CONFIGURATIONS

    pipeline_execution_id: str
    body: str
    file_key: str
    template_id: str = ""
    template_schema_version: str = ""
    tag_schema_version: str = ""
    tags: Sequence[tuple[str, Any]] = ()
    override: str | None = None
    config_format: str = ""
    effective_system_config: Mapping[str, Any] = field(default_factory=dict)
    template_overrides: Mapping[str, Any] = field(default_factory=dict)

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        tags, config, overrides = fit_collections(
            COLLECTION_BUDGET,
            [{"key": key, "value": value} for key, value in self.tags],
            self.effective_system_config,
            self.template_overrides,
        )
        left = TEXT_BUDGET - tags.size - config.size - overrides.size
        body, override = fit_texts(left, self.body, self.override or "")
        require_whole("inputConfiguration", self.file_key, is_truncated=body.is_truncated)
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "recordType": keys.CONFIGURATION,
            "inputConfiguration": body.text,
            "inputConfigurationTruncated": body.is_truncated,
            "inputConfigurationFileS3Key": self.file_key,
            "templateId": self.template_id,
            "templateSchemaVersion": self.template_schema_version,
            "tagSchemaVersion": self.tag_schema_version,
            "templateTags": tags.value,
            "templateTagsTruncated": tags.is_truncated,
            "customTemplateOverrideUsed": self.override is not None,
            "customTemplateOverride": override.text,
            "customTemplateOverrideTruncated": override.is_truncated,
            "configFormat": self.config_format,
            "effectiveSystemConfig": config.value,
            "effectiveSystemConfigTruncated": config.is_truncated,
            "templateOverrides": overrides.value,
            "templateOverridesTruncated": overrides.is_truncated,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLogRecord(Record):
    """The log texts of a step, which share a budget; the whole of them is in the log group."""

    table: ClassVar = catalogue.STEP_LOGS

    pipeline_execution_id: str
    result_log: str = ""
    error_log: str = ""
    log_group_arn: str = ""

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        result, error = fit_texts(LOG_BUDGET, self.result_log, self.error_log)
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "logType": keys.SUMMARY,
            "resultLog": result.text,
            "resultLogTruncated": result.is_truncated,
            "errorLog": error.text,
            "errorLogTruncated": error.is_truncated,
            "logGroupArn": self.log_group_arn,
            "logStreamName": "",
        }
