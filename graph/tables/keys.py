"""Composite keys and file keys, as VAMS writes them.

Database and asset ids hold no colon, so ``database:asset:rest`` is taken apart at the first two; ``rest`` may hold
more. File keys are plain text: nothing in them is percent-encoded, folded or resolved.
"""

import re
from enum import Enum

CONFIGURATION = "configuration"
SUMMARY = "summary"
ALL_EXECUTIONS = "execution"
ARCHIVED = "#deleted"
WHOLE = "/"
NO_ID = "#"
"""An id that nothing has. It is read instead of one that may not be, so that both cost the same."""
END_STATE = "true"
OTHER_STATE = "false"

_LONGEST_USER_ID = 256
_LONGEST_PARTITION_KEY = 2048
_LONGEST_SORT_KEY = 1024

_EXECUTION_ID = re.compile(r"[0-9a-f]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ID = re.compile(r"[-_a-zA-Z0-9]{3,63}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ASSET_ID = re.compile(r'[^<>:"/\\|?*\x00-\x1f\ud800-\udfff]{1,256}(?<![.\s])')


class FileSelection(Enum):
    """What a file key selects."""

    FILE = "FILE"
    FOLDER = "FOLDER"
    WHOLE_ASSET = "WHOLE_ASSET"


def is_execution_id(value: str) -> bool:
    """Return whether a text can be the id of an execution or of a step: 32 lower-case hex digits, or a dashed UUID."""
    return _EXECUTION_ID.fullmatch(value) is not None


def is_migrated_id(value: str) -> bool:
    """Return whether an execution id is of the dashed form, which only migrated runs have."""
    return "-" in value


def is_id(value: str) -> bool:
    """Return whether a text can be the id of a database, workflow, pipeline or group."""
    return _ID.fullmatch(value) is not None


def is_asset_id(value: str) -> bool:
    """Return whether a text can be the id of an asset: a file name of at most 256 characters."""
    return _ASSET_ID.fullmatch(value) is not None


def is_user_id(value: str) -> bool:
    """Return whether a text can be a user id: at most 256 characters, and none that cannot be stored."""
    return len(value) <= _LONGEST_USER_ID and is_text(value)


def is_sort_key(value: str) -> bool:
    """Return whether a text is short enough for a sort key: DynamoDB rejects more than 1,024 bytes."""
    return len(value.encode()) <= _LONGEST_SORT_KEY


def is_partition_key(value: str) -> bool:
    """Return whether a text is short enough to be a partition key: DynamoDB takes 2,048 bytes."""
    return len(value.encode()) <= _LONGEST_PARTITION_KEY


def join(*parts: str) -> str:
    """Return a composite key of its parts."""
    return ":".join(parts)


def workflow_key(database_id: str, workflow_id: str) -> str:
    """Return the key ``workflowDatabaseId:workflowId``."""
    return join(database_id, workflow_id)


def pipeline_key(database_id: str, pipeline_id: str) -> str:
    """Return the key ``pipelineDatabaseId:pipelineId``."""
    return join(database_id, pipeline_id)


def asset_key(database_id: str, asset_id: str) -> str:
    """Return the key ``databaseId:assetId``, of inputs and of outputs."""
    return join(database_id, asset_id)


def file_key(database_id: str, asset_id: str, path: str) -> str:
    """Return the key of an asset's file by its bucket key or its path in the asset; a database has no asset id."""
    return join(database_id, asset_id, normalize(path))


def output_file_key(file_type: str, path: str) -> str:
    """Return the key ``fileType:relativeFilePath``."""
    return join(file_type, path)


def output_metadata_key(target_path: str, key: str) -> str:
    """Return the key ``targetFilePath:metadataKey``, which cannot be split: both parts may hold colons."""
    return join(target_path, key)


def event_source(prefix: str, execution_id: str, pipeline_execution_id: str) -> str:
    """Return the source of the events that a step sends, by which they are told from those of other steps."""
    return f"{prefix}.execution.{execution_id}.pipeline.{pipeline_execution_id}"


def lock_key(workflow_key: str, asset_key: str, file_key: str, version_id: str | None) -> str:
    """Return the key of a run's lock on a version of an input file, whose own key is as in the input's row."""
    return f"{workflow_key}|{join(asset_key, file_key)}|{version_id or ''}"


def split(composite: str, count: int) -> tuple[str, ...]:
    """Return the parts of a composite key of a known number of parts, of which only the last may hold a colon.

    Raises:
        ValueError: when there are fewer parts.
    """
    parts = tuple(composite.split(":", count - 1))
    if len(parts) != count:
        raise ValueError(f"expected {count} parts")
    return parts


def normalize(key: str | None) -> str:
    """Return a file key with exactly one leading slash, alone for the whole asset. A trailing slash means folder."""
    return "/" + key.lstrip("/") if key else WHOLE


def relative(key: str, root: str) -> str:
    """Return the key of a file relative to its asset, from its bucket key and the asset's root prefix in that bucket.

    A key outside the root, or a root that is not known, leaves the key as it is.
    """
    root, body = root.strip("/"), key.lstrip("/")
    if not root:
        return key
    if body in (root, root + "/"):
        return WHOLE
    if body.startswith(root + "/"):
        return body.removeprefix(root)
    return key


def bucket_key(path: str, root: str) -> str:
    """Return the bucket key of a path in an asset, with one leading slash: what :func:`relative` takes apart."""
    root = root.strip("/")
    return f"/{root}{normalize(path)}" if root else normalize(path)


def selection(path: str) -> FileSelection:
    """Return what an asset-relative path selects."""
    if path == WHOLE:
        return FileSelection.WHOLE_ASSET
    return FileSelection.FOLDER if path.endswith("/") else FileSelection.FILE


def asset_prefix(database_id: str, asset_id: str) -> str:
    """Return the prefix that the sort keys of one asset's file rows share; the slash keeps neighbours out."""
    return file_key(database_id, asset_id, WHOLE)


def asset_paths(path: str, extension: str) -> tuple[str, ...]:
    """Return where an output of a run may stand in its output asset: as recorded, and below the output path extension.

    The last step's rows hold the extension already; those of the steps before it do not.
    """
    plain = normalize(path)
    folder = extension.strip("/")
    return (plain, f"/{folder}{plain}") if folder else (plain,)


def archived(database_id: str) -> str:
    """Return the partition that the archived assets of a database are moved to."""
    return database_id + ARCHIVED


def is_text(value: str) -> bool:
    """Return whether a text can be stored at all: lone surrogates, which JSON can spell, cannot."""
    return _SURROGATE.search(value) is None
