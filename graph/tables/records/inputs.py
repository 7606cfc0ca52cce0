"""What a run read: its input files, and the metadata that each step was given."""

from dataclasses import dataclass
from typing import Any, ClassVar

from graph.errors import MalformedValue
from graph.tables import catalogue, deciding, decode, keys, states
from graph.tables.rows import ObjectRow, Row, decides, key_part, stored


@dataclass(frozen=True, slots=True)
class S3Location:
    """A place in S3; the key has no leading slash."""

    bucket: str
    key: str
    version_id: str | None = None


def location(bucket: str | None, key: str | None, version_id: str | None = None) -> S3Location | None:
    """Return a place in S3, or None where the row does not say it whole."""
    return S3Location(bucket, key.lstrip("/"), version_id) if bucket and key and key.strip("/") else None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InputRow(ObjectRow):
    """A file, folder or whole asset that a run was started with."""

    table: ClassVar = catalogue.INPUTS
    kind: ClassVar = "InputFile"

    execution_id: str = key_part("workflowExecutionId")
    file_key: str = key_part("databaseId:assetId:inputAssetFileKey")
    asset_key: str = key_part("databaseId:assetId")
    start_date: str = key_part("executionStartDate")

    database_id: str = stored("databaseId", decode.text, always=True)
    asset_id: str = stored("assetId", decode.text, always=True)
    workflow_id: str = stored("workflowId", decode.text, always=True)
    workflow_database_id: str = stored("workflowDatabaseId", decode.text, always=True)
    key: str = stored("inputAssetFileKey", decode.text)
    bucket: str | None = stored("s3Bucket", decode.optional_text)
    root: str = stored("assetRootS3Key", decode.text)
    version_id: str | None = stored("versionId", decode.optional_text)

    @property
    def path(self) -> str:
        """The key relative to the asset's root."""
        return keys.relative(self.key, self.root)

    @property
    def selection(self) -> keys.FileSelection:
        """Whether it is a file, a folder, or the whole asset."""
        return keys.selection(self.path)

    @property
    def location(self) -> S3Location | None:
        """Where the file or folder lies."""
        return location(self.bucket, self.key, self.version_id)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InputAssetRow(Row):
    """The asset of an input, and nothing else of the input."""

    table: ClassVar = catalogue.INPUTS

    execution_id: str = key_part("workflowExecutionId")
    file_key: str = key_part("databaseId:assetId:inputAssetFileKey")

    database_id: str | MalformedValue = decides("databaseId", deciding.required_id)
    asset_id: str | MalformedValue = decides("assetId", deciding.required_id)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StepInputFileRow(ObjectRow):
    """A file that a step of a migrated run read. Nothing writes such rows at run time, and they hold no place in S3."""

    table: ClassVar = catalogue.STEP_INPUT_FILES
    kind: ClassVar = "MigratedInputFile"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    file_key: str = key_part("databaseId:assetId:inputAssetFileKey")
    asset_key: str = key_part("databaseId:assetId")

    execution_id: str = stored("workflowExecutionId", decode.text, always=True)
    database_id: str = stored("databaseId", decode.text, always=True)
    asset_id: str = stored("assetId", decode.text, always=True)
    key: str = stored("inputAssetFileKey", decode.text)

    version_id: ClassVar = None
    location: ClassVar = None

    @property
    def path(self) -> str:
        """The bucket key: the row does not say its asset's root, so it cannot be taken off."""
        return self.key

    @property
    def selection(self) -> keys.FileSelection:
        """Whether it is a file, a folder, or the whole asset."""
        return keys.selection(self.path)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InputMetadataRow(ObjectRow):
    """Metadata of one file, asset or database that a step was given."""

    table: ClassVar = catalogue.INPUT_METADATA
    kind: ClassVar = "InputMetadata"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    entity_key: str = key_part("databaseId:assetId:filePath")

    database_id: str = stored("databaseId", decode.text, always=True)
    asset_id: str | None = stored("assetId", decode.optional_text, always=True)
    stored_path: str = stored("filePath", decode.text)
    scope: states.MetadataScope = stored("scope", states.metadata_scope, always=True)
    metadata: dict[str, Any] = stored("metadata", decode.mapping)
    metadata_truncated: bool = stored("metadataTruncated", decode.flag)
    attributes: dict[str, Any] = stored("attributes", decode.mapping)
    attributes_truncated: bool = stored("attributesTruncated", decode.flag)
    source_file_key: str | None = stored("sourceInputMetadataFileS3Key", decode.optional_text)

    @property
    def path(self) -> str:
        """The path relative to the asset; a slash is the asset or the database itself."""
        return keys.normalize(self.stored_path)
