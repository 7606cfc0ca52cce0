"""What runs and steps read."""

from graph.resolvers import downloads, inputs
from graph.schema.asset import Asset, Database
from graph.schema.costs import TEXT_COST
from graph.schema.fields import answer, attribute, object_type
from graph.schema.files import DOWNLOAD, OF_ASSET, VIEWER_CAN_DOWNLOAD, FileDownload
from graph.schema.lazy import LazyExecution, LazyPipelineExecution
from graph.schema.node import Node
from graph.schema.scalars import JSON
from graph.schema.texts import S3Location
from graph.tables import keys, states
from graph.tables.records.inputs import InputMetadataRow, InputRow, StepInputFileRow
from graph.tables.records.steps import StepRow

_KEYS = InputRow.fields("key") + StepInputFileRow.fields("key")
_PATH = _KEYS + InputRow.fields("root")
_DOWNLOAD = OF_ASSET + _PATH + InputRow.fields("bucket", "version_id")


@object_type(InputRow, StepInputFileRow, description="A file, a folder or a whole asset that an execution read.")
class InputFile(Node):
    """What a run read."""

    database_id: str = attribute("The database of the asset.")
    asset_id: str = attribute("The asset within its database.")
    asset: Asset | None = answer(inputs.asset_of, "The asset itself.")
    key: str = attribute("The bucket key with one leading slash, as stored.", reads=_KEYS)
    path: str = attribute(
        "The same relative to the root of the asset; / is the whole asset. The bucket key where the root is not known.",
        reads=_PATH,
    )
    selection: keys.FileSelection = attribute("Whether it is a file, a folder or the whole asset.", reads=_PATH)
    version_id: str | None = attribute(
        "The S3 version that was read; null for a folder, a whole asset or a migrated row.",
        reads=InputRow.fields("version_id"),
    )
    location: S3Location | None = attribute(
        "Where it lies in S3.", reads=InputRow.fields("bucket", "key", "version_id")
    )
    execution: LazyExecution | None = answer(inputs.execution_of, "The execution that read it.")
    download: FileDownload | None = answer(downloads.of_input, DOWNLOAD, reads=_DOWNLOAD, cost=TEXT_COST)
    viewer_can_download: bool | None = answer(downloads.may_download_input, VIEWER_CAN_DOWNLOAD, reads=_DOWNLOAD)


@object_type(InputMetadataRow, description="Metadata of one file, asset or database that a step was given.")
class InputMetadata(Node):
    """Metadata that a step was given."""

    scope: states.MetadataScope = attribute("Whether it is of an asset or of a database.")
    database_id: str = attribute("The database.")
    asset_id: str | None = attribute("The asset within its database; null for metadata of the database.")
    asset: Asset | None = answer(inputs.asset_of, "The asset itself.")
    database: Database | None = answer(inputs.database_of, "The database itself.")
    path: str = attribute(
        "The path relative to the asset; / is the asset or the database itself.",
        reads=InputMetadataRow.fields("stored_path"),
    )
    metadata: JSON = attribute("The metadata, by key.", cost=TEXT_COST)
    metadata_truncated: bool = attribute("Whether the row could not hold all of it.")
    attributes: JSON = attribute("The attributes of the file, by key.", cost=TEXT_COST)
    attributes_truncated: bool = attribute("Whether the row could not hold all of them.")
    full_location: S3Location | None = answer(
        inputs.envelope_location,
        "The whole envelope that the step was given.",
        reads=InputMetadataRow.fields("source_file_key") + StepRow.fields("bucket"),
    )
    pipeline_execution: LazyPipelineExecution | None = answer(inputs.step_of, "The step that was given it.")
