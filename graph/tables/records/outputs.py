"""What a step wrote: files, metadata, results."""

from dataclasses import dataclass
from typing import ClassVar

from graph.tables import catalogue, decode, states
from graph.tables.records.inputs import S3Location, location
from graph.tables.rows import ObjectRow, key_part, stored


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OutputFileRow(ObjectRow):
    """A file or preview that a step produced."""

    table: ClassVar = catalogue.OUTPUT_FILES
    kind: ClassVar = "OutputFile"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    file_key: str = key_part("fileType:relativeFilePath")

    file_type: states.OutputFileType = stored("fileType", states.output_file_type, always=True)
    relative_path: str = stored("relativeFilePath", decode.text)
    size: int | None = stored("fileSize", decode.integer)
    content_type: str | None = stored("contentType", decode.optional_text)
    bucket: str | None = stored("s3Bucket", decode.optional_text)
    s3_key: str | None = stored("s3Key", decode.optional_text)
    s3_version_id: str | None = stored("s3VersionId", decode.optional_text)

    @property
    def location(self) -> S3Location | None:
        """Where the run put the file."""
        return location(self.bucket, self.s3_key, self.s3_version_id)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OutputMetadataRow(ObjectRow):
    """A metadata value that a run wrote. VAMS records all of a run's under its last step, attributes of files too."""

    table: ClassVar = catalogue.OUTPUT_METADATA
    kind: ClassVar = "OutputMetadata"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    entry_key: str = key_part("targetFilePath:metadataKey")

    target_path: str = stored("targetFilePath", decode.text)
    key: str = stored("metadataKey", decode.text)
    value: str = stored("metadataValue", decode.text)
    source_key: str | None = stored("sourceMetadataFileRelativePath", decode.optional_text)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OutputResultRow(ObjectRow):
    """A result text of a run. VAMS records all of a run's under its last step."""

    table: ClassVar = catalogue.OUTPUT_RESULTS
    kind: ClassVar = "OutputResult"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    relative_path: str = key_part("relativeFilePath")

    body: str = stored("resultsContent", decode.text)
    body_is_truncated: bool = stored("resultsContentTruncated", decode.flag)
    s3_key: str | None = stored("s3Key", decode.optional_text)
