"""The main row of an execution, and its configuration row."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from graph.errors import MalformedValue
from graph.tables import catalogue, deciding, decode, keys, states
from graph.tables.rows import ObjectRow, Row, decides, key_part, stored

DELETION_BEGUN = "graphDeletionStartDate"
"""The attribute of an execution of which rows were deleted: who may not delete it does not see it any more."""


def duration_ms(started_at: object, stopped_at: object) -> int | None:
    """Return milliseconds between two instants, never negative; None while either is missing or malformed."""
    if not isinstance(started_at, datetime) or not isinstance(stopped_at, datetime):
        return None
    return max(0, round((stopped_at - started_at).total_seconds() * 1000))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExecutionRow(ObjectRow):
    """One run of a workflow."""

    table: ClassVar = catalogue.EXECUTIONS
    kind: ClassVar = "Execution"

    execution_id: str = key_part("workflowExecutionId")
    workflow_key: str = key_part("workflowDatabaseId:workflowId")
    start_date: str = key_part("executionStartDate")

    status: states.ExecutionStatus = stored("executionStatus", states.execution_status, always=True)
    status_checked_at: datetime | None = stored("lastSfnSyncCheckDate", decode.instant)
    started_at: datetime | None = stored("executionStartDate", decode.instant, always=True)
    started_at_is_estimated: bool = stored("startDateEstimated", decode.flag)
    stopped_at: datetime | None = stored("executionStopDate", decode.instant)
    trigger_type: states.TriggerType = stored("triggerType", states.trigger_type, always=True)
    triggered_by: str = stored("triggeredByUserId", decode.text, always=True)
    group_id: str | None = stored("executionGroupId", decode.optional_text, always=True)
    error_text: str | None = stored("executionError", decode.optional_text)
    log_text: str | None = stored("executionLog", decode.optional_text)
    log_group_arn: str = stored("executionLogGroupArn", decode.text)
    arn: str = stored("workflow_execution_arn", decode.text)
    deletion_begun: str = stored(DELETION_BEGUN, decode.text, always=True)

    @property
    def workflow_database_id(self) -> str:
        """The database of the workflow."""
        return self.workflow_key.partition(":")[0]

    @property
    def workflow_id(self) -> str:
        """The workflow within its database."""
        return self.workflow_key.partition(":")[2]

    @property
    def is_being_deleted(self) -> bool:
        """Whether rows of it may be gone."""
        return self.deletion_begun != ""

    @property
    def is_migrated(self) -> bool:
        """Whether the run was carried over: dashed ids, estimated and missing start dates occur on such runs alone."""
        return keys.is_migrated_id(self.execution_id) or self.started_at_is_estimated or not self.start_date


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ConfigurationRow(Row):
    """What a run was launched with: its metadata, its planned steps, its output target."""

    table: ClassVar = catalogue.CONFIGURATIONS

    execution_id: str = key_part("workflowExecutionId")
    record_type: str = key_part("recordType")
    start_date: str = key_part("executionStartDate")

    location_type: states.OutputLocationType = stored("outputLocationType", states.output_location_type)
    database_id: str | MalformedValue | None = decides("outputDatabaseId", deciding.optional_id, always=True)
    asset_id: str | MalformedValue | None = decides("outputAssetId", deciding.optional_id, always=True)
    path_extension: str = stored("outputFileBaseExecutionPathExtension", decode.text)
    metadata_text: str = stored("inputMetadata", decode.text)
    metadata_is_truncated: bool = stored("inputMetadataTruncated", decode.flag)
    metadata_file_key: str | None = stored("inputMetadataFileS3Key", decode.optional_text)
    pipelines: Sequence[dict[str, Any]] = stored("specifiedPipelinesSnapshot", decode.mappings)
    pipelines_are_truncated: bool = stored("specifiedPipelinesSnapshotTruncated", decode.flag)
    named_database_id: str | MalformedValue | None = decides("inputMetadataDatabaseId", deciding.optional_id)
    source_assets: Sequence[tuple[str, str]] | MalformedValue = decides("metadataSourceAssets", deciding.asset_ids)
    source_assets_are_truncated: bool | MalformedValue = decides("metadataSourceAssetsTruncated", deciding.flag)
    source_databases: Sequence[str] | MalformedValue = decides("metadataSourceDatabases", deciding.ids)
    source_databases_are_truncated: bool | MalformedValue = decides("metadataSourceDatabasesTruncated", deciding.flag)
    is_migrated: bool = stored("migratedRecord", decode.flag)

    @property
    def output_asset(self) -> tuple[str, str] | None:
        """The database and the id of the asset that the run writes to; None where it writes to none.

        Raises:
            MalformedValue: when the row does not say which.
        """
        database_id, asset_id = decode.sound(self.database_id), decode.sound(self.asset_id)
        return (database_id, asset_id) if database_id and asset_id else None

    @property
    def base_path(self) -> str:
        """The folder that the run's outputs are put below in the output asset; a slash is its root."""
        return self.path_extension or keys.WHOLE
