"""The places in CloudWatch Logs where one step of an execution writes, told from the step's row alone."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple


class LogKind(Enum):
    """How a log source became known. The values are those of VAMS' REST API, which its log ids hash."""

    INVOCATION = "invocation"
    REGISTERED = "registered"
    SUB_STATE_MACHINE = "subStateMachine"
    DEADLINE_CLOUD_JOB = "deadlineCloudJob"


class LogSourceType(Enum):
    """The service that writes to a log source. The values are those that pipelines register."""

    STATE_MACHINE = "stateMachine"
    LAMBDA = "lambda"
    BATCH = "batch"
    ECS = "ecs"
    CONTAINER = "container"
    DEADLINE_CLOUD = "deadlineCloud"
    CUSTOM = "custom"


class DeadlineJob(NamedTuple):
    """A job of Deadline Cloud."""

    farm_id: str
    queue_id: str
    job_id: str


class Destination(NamedTuple):
    """The log group that a registered state machine writes to, and the stage that it was registered for, if any."""

    group_arn: str
    stage_name: str


@dataclass(frozen=True, slots=True)
class LogSource:
    """One location in CloudWatch Logs: a log group, or one stream of it, or its streams with a common prefix.

    `log_group_arn` has no trailing `:*`. It is for reading the logs and holds the account: do not show it.
    `is_registered` tells whether the step itself registered the location, whatever the kind says. `jobs` are those
    whose sessions write to it.
    """

    kind: LogKind
    label: str
    source_type: LogSourceType
    stage_name: str | None
    log_group_name: str
    log_stream_name: str | None
    log_stream_prefix: str | None
    log_group_arn: str = field(repr=False)
    is_registered: bool
    jobs: tuple[DeadlineJob, ...] = ()

    @property
    def log_id(self) -> str:
        """The id that VAMS' REST API gives this source. It hashes the kind and so changes with it."""
        return _log_id(self.kind, self)

    @property
    def location_digest(self) -> str:
        """An id of the location alone: 16 hexadecimal digits, the same whatever the kind."""
        return _digest(*_location(self))


def available_logs(
    *,
    pipeline_execution_type: str,
    pipeline_resource_arn: str,
    registered_logs: Iterable[object],
    registered_sub_executions: Iterable[object],
    execution_log_group_arn: str,
    region: str = "",
    destinations: Iterable[Destination] = (),
) -> list[LogSource]:
    """List the log sources of one step, each location once.

    The order is that of VAMS: the invoked Lambda function, Deadline Cloud jobs, registered logs, the `destinations` of
    registered state machines, which only their engine can tell. The first mention of a
    location gives its kind; later ones only fill what it left empty. Registered entries come as they are stored; those
    that name no log group are passed over. What is known by name alone lies in the partition, region and account of the
    execution's own log group, where `region` stands in for a missing one; it is left out when these are not known.
    """
    home = _place_of(execution_log_group_arn, region)
    mentions = chain(
        _invocation(pipeline_execution_type, pipeline_resource_arn, home, region),
        _deadline_cloud_jobs(registered_sub_executions, home),
        _registered(registered_logs, home),
        _sub_state_machines(destinations),
    )
    return _each_location_once(mentions)


def registered_logs(sources: Iterable[LogSource]) -> list[LogSource]:
    """Select the sources that the step registered, under the same ids as among all of them."""
    return [source for source in sources if source.is_registered]


def find_log(sources: Iterable[LogSource], log_id: str) -> LogSource | None:
    """Find a source by its log id under any kind, since an id given out earlier may hash another kind than today's."""
    return next((source for source in sources if any(_log_id(kind, source) == log_id for kind in LogKind)), None)


_DEADLINE_CLOUD_JOBS = 20  # VAMS follows no more per step

_PLACE = re.compile(r"arn:([\w-]+):[\w-]+:([\w-]*):([\w-]+):", re.ASCII)
_GROUP_ARN = re.compile(r"(arn:[\w-]+:logs:[\w-]+:[\w-]+:log-group:[\w./#-]{1,512})(?::\*)?", re.ASCII)
_GROUP_NAME = re.compile(r"[\w./#-]{1,512}", re.ASCII)
_FUNCTION = re.compile(
    r"(?:[\w:-]*:function:)?([\w-]+)(?::[\w$-]+)?", re.ASCII
)  # an ARN or a name, with or without alias


class _Place(NamedTuple):
    """A partition, region and account of AWS."""

    partition: str
    region: str
    account: str

    def group_arn(self, group_name: str) -> str:
        return f"arn:{self.partition}:logs:{self.region}:{self.account}:log-group:{group_name}"


class _Location(NamedTuple):
    group_arn: str
    stream: str = ""
    prefix: str = ""


class _Mention(NamedTuple):
    """One reason to look at a location; texts are empty where it does not tell."""

    kind: LogKind
    location: _Location
    stage: str = ""
    label: str = ""
    source_type: str = ""
    job: DeadlineJob | None = None


def _invocation(execution_type: str, resource_arn: str, home: _Place | None, region: str) -> Iterator[_Mention]:
    function = _FUNCTION.fullmatch(resource_arn)
    place = _place_of(resource_arn, region) or home
    if (execution_type or "Lambda") == "Lambda" and function and place:
        yield _Mention(LogKind.INVOCATION, _Location(place.group_arn(f"/aws/lambda/{function[1]}")))


def _deadline_cloud_jobs(sub_executions: Iterable[object], home: _Place | None) -> Iterator[_Mention]:
    if home is None:
        return
    jobs = (
        entry
        for entry in sub_executions
        if _text(entry, "resourceType") == "deadlineCloudJob"
        and all(_text(entry, key) for key in ("farmId", "queueId", "jobId"))
    )
    for entry in islice(jobs, _DEADLINE_CLOUD_JOBS):
        job = DeadlineJob(_text(entry, "farmId"), _text(entry, "queueId"), _text(entry, "jobId"))
        yield _Mention(
            LogKind.DEADLINE_CLOUD_JOB,
            _Location(home.group_arn(f"/aws/deadline/{job.farm_id}/{job.queue_id}"), prefix="session-"),
            _text(entry, "stageName"),
            "Deadline Cloud job sessions",
            LogSourceType.DEADLINE_CLOUD.value,
            job,
        )


def _registered(entries: Iterable[object], home: _Place | None) -> Iterator[_Mention]:
    for entry in entries:
        name = _text(entry, "logGroupName")
        if arn := _GROUP_ARN.fullmatch(_text(entry, "logGroupArn")):
            group_arn = arn[1]
        elif home and _GROUP_NAME.fullmatch(name):
            group_arn = home.group_arn(name)
        else:
            continue
        yield _Mention(
            LogKind.REGISTERED,
            _Location(group_arn, _text(entry, "logStreamName"), _text(entry, "logStreamPrefix")),
            _text(entry, "stageName"),
            _text(entry, "label"),
            _text(entry, "sourceType"),
        )


def _sub_state_machines(destinations: Iterable[Destination]) -> Iterator[_Mention]:
    for destination in destinations:
        if arn := _GROUP_ARN.fullmatch(destination.group_arn):
            kind, source_type = LogKind.SUB_STATE_MACHINE, LogSourceType.STATE_MACHINE.value
            yield _Mention(kind, _Location(arn[1]), destination.stage_name, source_type=source_type)


def _each_location_once(mentions: Iterable[_Mention]) -> list[LogSource]:
    by_location: dict[_Location, list[_Mention]] = {}
    for mention in mentions:
        by_location.setdefault(mention.location, []).append(mention)
    return [_source(location, same) for location, same in by_location.items()]


def _source(location: _Location, mentions: Sequence[_Mention]) -> LogSource:
    group_name = location.group_arn.partition(":log-group:")[2]
    stage = label = source_type = ""
    for mention in mentions:
        stage, label, source_type = stage or mention.stage, label or mention.label, source_type or mention.source_type
    return LogSource(
        kind=mentions[0].kind,
        label=label or group_name.rstrip("/").rpartition("/")[2] or group_name,
        source_type=_source_type(source_type, group_name),
        stage_name=stage or None,
        log_group_name=group_name,
        log_stream_name=location.stream or None,
        log_stream_prefix=location.prefix or None,
        log_group_arn=location.group_arn,
        is_registered=LogKind.REGISTERED in [mention.kind for mention in mentions],
        jobs=tuple(dict.fromkeys([mention.job for mention in mentions if mention.job])),
    )


def _source_type(registered: str, group_name: str) -> LogSourceType:
    if registered:
        try:
            return LogSourceType(registered)
        except ValueError:
            return LogSourceType.CUSTOM
    if group_name.startswith("/aws/lambda/"):
        return LogSourceType.LAMBDA
    if "VAMSstateMachine-" in group_name or "VAMSStateMachine-" in group_name:
        return LogSourceType.STATE_MACHINE
    if f"{group_name}/".startswith("/aws/batch/job/"):
        return LogSourceType.BATCH
    if group_name.startswith("/aws/vendedlogs/Pipelines/"):
        return LogSourceType.CONTAINER
    return LogSourceType.CUSTOM


def _place_of(arn: str, region: str) -> _Place | None:
    place = _PLACE.match(arn)
    if place is None or not (place[2] or region):
        return None
    return _Place(place[1], place[2] or region, place[3])


def _location(source: LogSource) -> tuple[str, str, str]:
    return source.log_group_arn, source.log_stream_name or "", source.log_stream_prefix or ""


def _log_id(kind: LogKind, source: LogSource) -> str:
    return _digest(kind.value, *_location(source))


@lru_cache(maxsize=4096)  # a step's few places are asked for in several ways
def _digest(*parts: str) -> str:
    # VAMS hashes this very JSON text: default separators, other than ASCII escaped.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _text(entry: object, key: str) -> str:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, str) else ""
