"""The main row of an execution, its configuration row, and what an execution gets when it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from graph.tables import catalogue, keys
from graph.tables.builders.budgets import COLLECTION_BUDGET, LOG_BUDGET, TEXT_BUDGET, fit_collections, fit_texts
from graph.tables.builders.dates import optional_date, stored_date
from graph.tables.builders.record import InvalidRecord, Record, require_whole, word
from graph.tables.states import TERMINAL, ExecutionStatus, OutputLocationType, TriggerType


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionRecord(Record):
    """One run of a workflow. Error and log share a budget; what they lose is in the logs of the engine."""

    table: ClassVar = catalogue.EXECUTIONS

    execution_id: str
    workflow_database_id: str
    workflow_id: str
    workflow_arn: str
    arn: str
    started_at: datetime
    triggered_by: str
    trigger_type: TriggerType
    status: ExecutionStatus = ExecutionStatus.RUNNING
    stopped_at: datetime | None = None
    status_checked_at: datetime | None = None
    log_group_arn: str = ""
    group_id: str | None = None
    error_text: str = ""
    log_text: str = ""

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        error, log = fit_texts(LOG_BUDGET, self.error_text, self.log_text)
        return {
            "workflowExecutionId": self.execution_id,
            "workflowDatabaseId:workflowId": keys.workflow_key(self.workflow_database_id, self.workflow_id),
            "workflowDatabaseId": self.workflow_database_id,
            "workflowId": self.workflow_id,
            "workflow_arn": self.workflow_arn,
            "workflow_execution_arn": self.arn,
            "allListPartition": keys.ALL_EXECUTIONS,
            "executionGroupId": self.group_id or None,
            "executionStartDate": stored_date(self.started_at),
            "executionStopDate": optional_date(self.stopped_at),
            "executionStatus": word(self.status),
            "lastSfnSyncCheckDate": optional_date(self.status_checked_at),
            "triggeredByUserId": self.triggered_by,
            "triggerType": word(self.trigger_type),
            "executionLogGroupArn": self.log_group_arn,
            "executionError": error.text,
            "executionLog": log.text,
        }


def status_check(checked_at: datetime) -> dict[str, str]:
    """Return what an execution's row gets when its status was compared with the engine's."""
    return {"lastSfnSyncCheckDate": stored_date(checked_at)}


def execution_end(
    status: ExecutionStatus, stopped_at: datetime, error_text: str = "", log_text: str = ""
) -> dict[str, str]:
    """Return what an execution's row gets when the run ends, within its budget. Empty texts overwrite nothing.

    Raises:
        ValueError: the status is not of a run that ended.
    """
    if status not in TERMINAL:
        raise ValueError(f"{status.value} ends no execution; give one of {_ENDS}.")
    error, log = fit_texts(LOG_BUDGET, error_text, log_text)
    texts = {"executionError": error.text, "executionLog": log.text}
    ended = {"executionStatus": word(status), "executionStopDate": stored_date(stopped_at)}
    return ended | {name: text for name, text in texts.items() if text}


_ENDS = ", ".join(sorted(status.value for status in TERMINAL))


class AssetKey(NamedTuple):
    """An asset by its ids."""

    database_id: str
    asset_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPipeline:
    """A step that is planned: a pipeline's place in a workflow."""

    database_id: str
    pipeline_id: str
    job_name: str
    default_template_id: str = ""

    def entry(self) -> dict[str, str]:
        """Return the entry of a list of steps, which a workflow's definition and each run's snapshot of it hold."""
        return {
            "pipelineDatabaseId": self.database_id,
            "pipelineId": self.pipeline_id,
            "pipelineDatabaseId:pipelineId": keys.pipeline_key(self.database_id, self.pipeline_id),
            "jobName": self.job_name,
            "defaultTemplateId": self.default_template_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationRecord(Record):
    """What a run is launched with.

    The lists of metadata sources, which decide who may see the run, are fitted first, then the snapshot of the steps;
    the metadata text has what they leave. ``metadata_file_key`` is where the whole of it is in the run's bucket.
    """

    table: ClassVar = catalogue.CONFIGURATIONS

    execution_id: str
    started_at: datetime
    metadata_text: str
    metadata_file_key: str
    pipelines: Sequence[PlannedPipeline]
    output: AssetKey | None = None
    path_extension: str = keys.WHOLE
    named_database_id: str = ""
    source_assets: Sequence[AssetKey] = ()
    source_databases: Sequence[str] = ()

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes. A run without an output asset is in no index of outputs."""
        assets, databases = fit_collections(
            COLLECTION_BUDGET,
            [{"databaseId": asset.database_id, "assetId": asset.asset_id} for asset in self.source_assets],
            self.source_databases,
        )
        sources = assets.size + databases.size
        [snapshot] = fit_collections(COLLECTION_BUDGET - sources, [one.entry() for one in self.pipelines])
        [metadata] = fit_texts(TEXT_BUDGET - sources - snapshot.size, self.metadata_text)
        require_whole("inputMetadata", self.metadata_file_key, is_truncated=metadata.is_truncated)
        return {
            "workflowExecutionId": self.execution_id,
            "recordType": keys.CONFIGURATION,
            "executionStartDate": stored_date(self.started_at),
            "inputMetadata": metadata.text,
            "inputMetadataTruncated": metadata.is_truncated,
            "inputMetadataFileS3Key": self.metadata_file_key,
            "specifiedPipelinesSnapshot": snapshot.value,
            "specifiedPipelinesSnapshotTruncated": snapshot.is_truncated,
            **self._output(),
            "outputFileBaseExecutionPathExtension": self.path_extension,
            "inputMetadataDatabaseId": self.named_database_id,
            "metadataSourceAssets": assets.value,
            "metadataSourceAssetsTruncated": assets.is_truncated,
            "metadataSourceDatabases": databases.value,
            "metadataSourceDatabasesTruncated": databases.is_truncated,
        }

    def _output(self) -> Mapping[str, str]:
        if self.output is None:
            return {"outputLocationType": word(OutputLocationType.NONE), "outputDatabaseId": "", "outputAssetId": ""}
        if not all(self.output):
            raise InvalidRecord("An output asset needs both ids; give None for a run that leaves results only.")
        return {
            "outputLocationType": word(OutputLocationType.ASSET),
            "outputDatabaseId": self.output.database_id,
            "outputAssetId": self.output.asset_id,
            "outputDatabaseId:outputAssetId": keys.asset_key(*self.output),
        }
