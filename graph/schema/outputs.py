"""What runs and steps wrote."""

from graph.resolvers import downloads, outputs
from graph.schema.asset import Asset
from graph.schema.costs import TEXT_COST
from graph.schema.fields import answer, attribute, object_type
from graph.schema.files import DOWNLOAD, OF_TARGET, VIEWER_CAN_DOWNLOAD, FileDownload
from graph.schema.lazy import LazyPipelineExecution
from graph.schema.node import Node
from graph.schema.scalars import BigInt
from graph.schema.texts import S3Location, StoredText
from graph.tables import states
from graph.tables.records.executions import ConfigurationRow
from graph.tables.records.outputs import OutputFileRow, OutputMetadataRow, OutputResultRow
from graph.tables.records.steps import StepRow

_VERSION = OutputFileRow.fields("relative_path") + ConfigurationRow.fields("path_extension")
_DOWNLOAD = _VERSION + OF_TARGET + OutputFileRow.fields("content_type", "bucket", "s3_key", "s3_version_id")
_RESULT_DOWNLOAD = OF_TARGET + OutputResultRow.fields("s3_key")


@object_type(OutputFileRow, description="A file or a preview that a step wrote.")
class OutputFile(Node):
    """A file that a step wrote."""

    file_type: states.OutputFileType = attribute("Whether it is a file or a preview.")
    relative_path: str = attribute(
        "The path as recorded: of the last step's files in the output asset, of others' in the run's output folder."
    )
    size: BigInt | None = attribute("The size in bytes.")
    content_type: str | None = attribute("The media type, recorded for the last step's files only.")
    location: S3Location | None = attribute(
        "Where the run put it.", reads=OutputFileRow.fields("bucket", "s3_key", "s3_version_id")
    )
    asset: Asset | None = answer(
        outputs.asset_of, "The asset the run wrote to; null for a results-only run or where it may not be read."
    )
    asset_path: str | None = answer(
        outputs.asset_path, "The path in the output asset, where the version history has it.", reads=_VERSION
    )
    asset_file_version_id: str | None = answer(
        outputs.asset_file_version_id, "The version of the asset's file that this output became.", reads=_VERSION
    )
    pipeline_execution: LazyPipelineExecution | None = answer(outputs.step_of, "The step that wrote it.")
    download: FileDownload | None = answer(
        downloads.of_output, DOWNLOAD, reads=_DOWNLOAD, begins=ConfigurationRow, cost=TEXT_COST
    )
    viewer_can_download: bool | None = answer(
        downloads.may_download_output, VIEWER_CAN_DOWNLOAD, reads=_DOWNLOAD, begins=ConfigurationRow
    )


@object_type(OutputMetadataRow, description="A metadata value that a run wrote.")
class OutputMetadata(Node):
    """A metadata value that a run wrote."""

    target_path: str = attribute("The file that it is for; / is the asset itself.")
    key: str = attribute("The name of the value.")
    value: str = attribute("The value.", cost=TEXT_COST)
    source_key: str | None = attribute("The file that the value was read from.")
    pipeline_execution: LazyPipelineExecution | None = answer(outputs.step_of, "The step that it is recorded under.")


@object_type(OutputResultRow, description="A result text of a run.")
class OutputResult(Node):
    """A result text of a run."""

    relative_path: str = attribute("The path of the result, with a leading slash.")
    content: StoredText = answer(
        outputs.result_content,
        "The text.",
        reads=OutputResultRow.fields("body", "body_is_truncated", "s3_key") + StepRow.fields("bucket"),
    )
    pipeline_execution: LazyPipelineExecution | None = answer(outputs.step_of, "The step that it is recorded under.")
    download: FileDownload | None = answer(
        downloads.of_result, DOWNLOAD, reads=_RESULT_DOWNLOAD, begins=ConfigurationRow, cost=TEXT_COST
    )
    viewer_can_download: bool | None = answer(
        downloads.may_download_result, VIEWER_CAN_DOWNLOAD, reads=_RESULT_DOWNLOAD, begins=ConfigurationRow
    )
