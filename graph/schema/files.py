"""Links to files."""

from datetime import datetime

from graph.files import store
from graph.schema.fields import attribute, object_type
from graph.schema.scalars import BigInt
from graph.tables.records.definitions import AssetRow
from graph.tables.records.executions import ConfigurationRow
from graph.tables.records.steps import StepRow

DOWNLOAD = (
    "A link to it: a GET of the version that was read or written, for the seconds given, 30 to 3,600, and at most as "
    "many as the server allows. Null for a folder, a whole asset, and what is archived or gone. Needs what a download "
    "in VAMS needs: POST of the asset's download, and GET of the asset, which must be distributable; where the run "
    "writes to no asset, the details of the run. Null with FORBIDDEN otherwise."
)
VIEWER_CAN_DOWNLOAD = "Whether download would give a link, as far as can be told without asking S3."

OF_ASSET = AssetRow.fields("is_distributable", "bucket_id", "place")
OF_TARGET = OF_ASSET + StepRow.fields("bucket") + ConfigurationRow.fields("location_type", "path_extension")


@object_type(
    store.FileDownload,
    description="A link that works without credentials until it expires. It is made when it is selected, at most 100 "
    "an operation, and is neither kept nor logged.",
)
class FileDownload:
    """A link to a file."""

    url: str = attribute("The link. Whoever has it can read the file.", reads=())
    expires_at: datetime = attribute("When it ends.", reads=())
    file_name: str = attribute("The name under which a browser keeps the file.", reads=())
    content_type: str | None = attribute("The media type, as S3 tells it, else by the name.", reads=())
    size: BigInt | None = attribute("The size in bytes.", reads=())
