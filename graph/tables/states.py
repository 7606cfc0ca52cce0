"""The vocabularies that rows hold, as enumerations, and how their stored texts read."""

from collections.abc import Set
from enum import Enum
from typing import TypeVar

from graph.tables import decode
from graph.tables.queries import OneOf

Member = TypeVar("Member", bound=Enum)


class ExecutionStatus(Enum):
    """The status of an execution or of a step."""

    NEW = "NEW"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    ABORTED = "ABORTED"
    TIMED_OUT = "TIMED_OUT"
    PENDING_REDRIVE = "PENDING_REDRIVE"
    UNKNOWN = "UNKNOWN"


TERMINAL = frozenset(
    {ExecutionStatus.SUCCEEDED, ExecutionStatus.FAILED, ExecutionStatus.ABORTED, ExecutionStatus.TIMED_OUT}
)


class StatusSource(Enum):
    """Where a status comes from."""

    STORED = "STORED"
    LIVE = "LIVE"
    DERIVED = "DERIVED"


class TriggerType(Enum):
    """What started an execution."""

    MANUAL = "Manual"
    FILE_UPLOAD = "File-Upload"
    SYSTEM_REINDEX = "System-Reindex"
    UNKNOWN = ""


class PipelineExecutionType(Enum):
    """The service that runs a pipeline."""

    LAMBDA = "Lambda"
    SQS = "SQS"
    EVENT_BRIDGE = "EventBridge"
    DEADLINE_CLOUD = "DeadlineCloud"
    UNKNOWN = ""


class OutputLocationType(Enum):
    """Where a run writes to."""

    ASSET = "asset"
    NONE = "none"
    UNKNOWN = ""


class OutputFileType(Enum):
    """What an output file is."""

    FILE = "file"
    PREVIEW = "preview"
    UNKNOWN = ""


class MetadataScope(Enum):
    """What metadata was captured from."""

    ASSET = "asset"
    DATABASE = "database"


class AssetStatus(Enum):
    """Whether an asset is in use."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class AssetRole(Enum):
    """Which way an execution touched an asset."""

    READ = "READ"
    WROTE = "WROTE"


def _from_texts(members: type[Enum]) -> decode.Decoder:
    unknown = members["UNKNOWN"]
    return decode.choice({member.value: member for member in members if member is not unknown}, unknown)


execution_status = _from_texts(ExecutionStatus)
trigger_type = _from_texts(TriggerType)
pipeline_execution_type = _from_texts(PipelineExecutionType)
output_file_type = _from_texts(OutputFileType)
_output_location_type = _from_texts(OutputLocationType)


def output_location_type(value: decode.Value | None, attribute: str) -> OutputLocationType:
    """Return the location type of a run; rows that hold none wrote to an asset."""
    if value is None or value.get("S") == "" or "NULL" in value:
        return OutputLocationType.ASSET
    return _output_location_type(value, attribute)  # type: ignore[no-any-return]


metadata_scope = decode.choice({scope.value: scope for scope in MetadataScope}, MetadataScope.ASSET)
"""The scope of a metadata row; older rows that name none are of an asset."""


def stored_texts(attribute: str, wanted: Set[Member], unknown: Member) -> OneOf:
    """Return the condition that a stored text reads as one of some members; any other text reads as unknown."""
    chosen = set(type(unknown)) - set(wanted) if unknown in wanted else set(wanted)
    return OneOf(attribute, tuple(sorted(member.value for member in chosen)), negated=unknown in wanted)
