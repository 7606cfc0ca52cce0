"""What a step writes: files, metadata, results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from graph.tables import catalogue, keys
from graph.tables.builders.budgets import TEXT_BUDGET, fit_texts
from graph.tables.builders.record import Record, require_whole, word
from graph.tables.states import OutputFileType

_UNVERSIONED = "null"  # S3's own name of the one version in a bucket without versions


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFileRecord(Record):
    """A file or preview that a step produced; ``size`` is in bytes.

    ``relative_path`` has no leading slash. Of the last step it lies below the output path extension, of the others
    below the folder that the steps share.
    """

    table: ClassVar = catalogue.OUTPUT_FILES

    pipeline_execution_id: str
    file_type: OutputFileType
    relative_path: str
    size: int
    bucket: str
    s3_key: str
    s3_version_id: str = ""
    content_type: str = ""

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        file_type = word(self.file_type)
        path = self.relative_path.lstrip("/")
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "fileType:relativeFilePath": keys.output_file_key(file_type, path),
            "fileType": file_type,
            "relativeFilePath": path,
            "s3Bucket": self.bucket,
            "s3Key": self.s3_key,
            "fileSize": self.size,
            "contentType": self.content_type,
            "s3VersionId": "" if self.s3_version_id == _UNVERSIONED else self.s3_version_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputMetadataRecord(Record):
    """A metadata value that a run wrote to the asset (``/``) or to one of its files.

    ``source_key`` is the S3 key of the file that the value comes from. The table has no flag for a truncated value, so
    a value beyond the budget needs that file.
    """

    table: ClassVar = catalogue.OUTPUT_METADATA

    pipeline_execution_id: str
    target_path: str
    key: str
    value: str
    source_key: str

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        [value] = fit_texts(TEXT_BUDGET, self.value)
        require_whole("metadataValue", self.source_key, is_truncated=value.is_truncated)
        target = keys.normalize(self.target_path)
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "targetFilePath:metadataKey": keys.output_metadata_key(target, self.key),
            "targetFilePath": target,
            "metadataKey": self.key,
            "metadataValue": value.text,
            "sourceMetadataFileRelativePath": self.source_key,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputResultRecord(Record):
    """A result text of a run. ``s3_key`` is where the whole of it is in the run's bucket."""

    table: ClassVar = catalogue.OUTPUT_RESULTS

    pipeline_execution_id: str
    relative_path: str
    body: str
    s3_key: str

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes."""
        [body] = fit_texts(TEXT_BUDGET, self.body)
        require_whole("resultsContent", self.s3_key, is_truncated=body.is_truncated)
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "relativeFilePath": keys.normalize(self.relative_path),
            "resultsContent": body.text,
            "resultsContentTruncated": body.is_truncated,
            "s3Key": self.s3_key,
        }
