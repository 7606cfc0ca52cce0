"""What a run reads: its input files, and the metadata that each step is given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from graph.tables import catalogue, keys
from graph.tables.builders.budgets import TEXT_BUDGET, fit_collections
from graph.tables.builders.dates import stored_date
from graph.tables.builders.record import InvalidRecord, Record, require_whole, word
from graph.tables.states import MetadataScope


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRecord(Record):
    """A file, folder or whole asset that a run is started with.

    ``path`` is relative to the asset, whose files lie below ``root`` in ``bucket``. Only a file has a version.
    """

    table: ClassVar = catalogue.INPUTS

    execution_id: str
    workflow_database_id: str
    workflow_id: str
    started_at: datetime
    database_id: str
    asset_id: str
    path: str
    bucket: str
    root: str
    version_id: str = ""

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        path = keys.normalize(self.path)
        if self.version_id and keys.selection(path) is not keys.FileSelection.FILE:
            raise InvalidRecord("Only a file has a version; give none for a folder or a whole asset.")
        key = keys.bucket_key(path, self.root)
        return {
            "workflowExecutionId": self.execution_id,
            "databaseId:assetId:inputAssetFileKey": keys.file_key(self.database_id, self.asset_id, key),
            "databaseId:assetId": keys.asset_key(self.database_id, self.asset_id),
            "databaseId": self.database_id,
            "assetId": self.asset_id,
            "inputAssetFileKey": key,
            "s3Bucket": self.bucket,
            "assetRootS3Key": self.root,
            "versionId": self.version_id,
            "executionStartDate": stored_date(self.started_at),
            "workflowDatabaseId": self.workflow_database_id,
            "workflowId": self.workflow_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepInputFileRecord(Record):
    """A file that a step reads, by its bucket key. Only migrations write such records."""

    table: ClassVar = catalogue.STEP_INPUT_FILES

    pipeline_execution_id: str
    execution_id: str
    database_id: str
    asset_id: str
    key: str

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "databaseId:assetId:inputAssetFileKey": keys.file_key(self.database_id, self.asset_id, self.key),
            "databaseId:assetId": keys.asset_key(self.database_id, self.asset_id),
            "databaseId": self.database_id,
            "assetId": self.asset_id,
            "inputAssetFileKey": keys.normalize(self.key),
            "workflowExecutionId": self.execution_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class InputMetadataRecord(Record):
    """Metadata of one file, asset or database that a step is given; a database has no ``asset_id``.

    Metadata and attributes share the budget. ``source_file_key`` is where the whole of both is in the run's bucket.
    """

    table: ClassVar = catalogue.INPUT_METADATA

    pipeline_execution_id: str
    database_id: str
    source_file_key: str
    asset_id: str | None = None
    path: str = keys.WHOLE
    metadata: Mapping[str, Any] = field(default_factory=dict)
    file_attributes: Mapping[str, Any] = field(default_factory=dict)

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        metadata, of_file = fit_collections(TEXT_BUDGET, self.metadata, self.file_attributes)
        is_truncated = metadata.is_truncated or of_file.is_truncated
        require_whole("metadata", self.source_file_key, is_truncated=is_truncated)
        asset_id = self.asset_id or ""
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "databaseId:assetId:filePath": keys.file_key(self.database_id, asset_id, self.path),
            "databaseId": self.database_id,
            "assetId": asset_id,
            "filePath": keys.normalize(self.path),
            "scope": word(MetadataScope.ASSET if asset_id else MetadataScope.DATABASE),
            "metadata": metadata.value,
            "metadataTruncated": metadata.is_truncated,
            "attributes": of_file.value,
            "attributesTruncated": of_file.is_truncated,
            "sourceInputMetadataFileS3Key": self.source_file_key,
        }
