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
"""What is the id of nothing, in the place of one that may not be looked up."""

_LONGEST_USER_ID = 256
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
    """Whether a text can be the id of an execution or of a step: 32 lower-case hex digits, or a dashed UUID."""
    return _EXECUTION_ID.fullmatch(value) is not None


def is_migrated_id(value: str) -> bool:
    """Whether an execution id is of the dashed form, which only migrated runs have."""
    return "-" in value


def is_id(value: str) -> bool:
    """Whether a text can be the id of a database, workflow, pipeline or group."""
    return _ID.fullmatch(value) is not None


def is_asset_id(value: str) -> bool:
    """Whether a text can be the id of an asset: a file name of at most 256 characters."""
    return _ASSET_ID.fullmatch(value) is not None


def is_user_id(value: str) -> bool:
    """Whether a text can be a user id: at most 256 characters, and none that cannot be stored."""
    return len(value) <= _LONGEST_USER_ID and is_text(value)


def is_sort_key(value: str) -> bool:
    """Whether a text is short enough to be a sort key: DynamoDB takes 1,024 bytes, and refuses to ask for more."""
    return len(value.encode()) <= _LONGEST_SORT_KEY


def join(*parts: str) -> str:
    """A composite key of its parts."""
    return ":".join(parts)


def split(composite: str, count: int) -> tuple[str, ...]:
    """The parts of a composite key of a known number of parts, of which only the last may hold a colon.

    Raises:
        ValueError: when there are fewer parts.
    """
    parts = tuple(composite.split(":", count - 1))
    if len(parts) != count:
        raise ValueError(f"expected {count} parts")
    return parts


def normalize(key: str | None) -> str:
    """A file key with exactly one leading slash; the whole asset where there is none. A trailing slash means folder."""
    return "/" + key.lstrip("/") if key else WHOLE


def relative(key: str, root: str) -> str:
    """The key of a file relative to its asset, from its bucket key and the asset's root prefix in that bucket.

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


def selection(path: str) -> FileSelection:
    """What an asset-relative path selects."""
    if path == WHOLE:
        return FileSelection.WHOLE_ASSET
    return FileSelection.FOLDER if path.endswith("/") else FileSelection.FILE


def asset_prefix(database_id: str, asset_id: str) -> str:
    """The prefix that the sort keys of one asset's file rows share; the slash keeps neighbours out."""
    return f"{database_id}:{asset_id}:/"


def asset_paths(path: str, extension: str) -> tuple[str, ...]:
    """Where an output of a run may stand in its output asset: as recorded, and below the output path extension.

    The last step's rows hold the extension already; those of the steps before it do not.
    """
    plain = normalize(path)
    folder = extension.strip("/")
    return (plain, f"/{folder}{plain}") if folder else (plain,)


def archived(database_id: str) -> str:
    """The partition that the archived assets of a database are moved to."""
    return database_id + ARCHIVED


def is_text(value: str) -> bool:
    """Whether a text can be stored at all: lone surrogates, which JSON can spell, cannot."""
    return _SURROGATE.search(value) is None
