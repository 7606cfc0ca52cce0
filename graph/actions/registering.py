"""What a step says that it started: an event, judged and merged into what the step registered before. Pure.

The rules are those of VAMS (its registration handler); but nothing that is left out is left out silently.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from graph.tables import keys
from graph.tables.builders.steps import MOST_REGISTERED, registered_log

DETAIL_TYPE = "pipeline.execution.register"

STATE_MACHINE = "stepFunctionsExecution"
_LOCATORS = ("stateMachineArn", "executionArn", "jobArn", "taskArn", "clusterArn", "arn", "jobId", "farmId", "queueId")
_PLACE = ("logGroupArn", "logGroupName", "logStreamName", "logStreamPrefix")
_FILLED = ("stageName", "label", "sourceType")
_CUSTOM = "custom"
_SOURCE_TYPES = frozenset({"stateMachine", "lambda", "batch", "ecs", "container", _CUSTOM})

_ARN = re.compile(r"arn:[\w-]{1,20}:[\w-]{1,63}:[\w-]{0,30}:\d{0,12}:[^\s\x00-\x1f]{1,900}", re.ASCII)
_ID = re.compile(r"[-_a-zA-Z0-9]{1,63}")
_TEXT = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]*")
_GROUP_NAME = re.compile(r"[A-Za-z0-9\-._/#]{1,512}")
_STREAM = re.compile(r"[^:*\x00-\x1f\x7f\ud800-\udfff]{1,512}")
_LONGEST = {"stageName": 80, "label": 128}


class Reason(Enum):
    """Why something of an event was not stored as it came."""

    NOT_A_REGISTRATION = "NOT_A_REGISTRATION"
    FOREIGN_SOURCE = "FOREIGN_SOURCE"
    UNKNOWN_STEP = "UNKNOWN_STEP"
    MALFORMED_STEP = "MALFORMED_STEP"
    MALFORMED = "MALFORMED"
    INVALID_FIELD = "INVALID_FIELD"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    NO_LOCATOR = "NO_LOCATOR"
    CAP_REACHED = "CAP_REACHED"
    ITEM_FULL = "ITEM_FULL"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was left out: where in the event, and why."""

    place: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Registration:
    """What an event registers with a step, and what of it was dropped; each entry has its place in the event."""

    pipeline_execution_id: str
    sub_executions: Sequence[tuple[str, Mapping[str, str]]] = ()
    logs: Sequence[tuple[str, Mapping[str, str]]] = ()
    dropped: Sequence[Dropped] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """What a registration changes of a step's lists.

    Attributes:
        sub_executions: entries to append.
        logs: entries to append.
        filled: fields of logs that are stored without them, by the place of the log and the name of the field.
        dropped: what no list has room for.
    """

    sub_executions: Sequence[Mapping[str, str]] = ()
    logs: Sequence[Mapping[str, str]] = ()
    filled: Mapping[tuple[int, str], str] = field(default_factory=dict)
    dropped: Sequence[Dropped] = ()

    def __bool__(self) -> bool:
        return bool(self.sub_executions or self.logs or self.filled)


class NotRegistered(Exception):
    """An event registers nothing. ``reason`` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def read_event(event: object) -> Registration:
    """Return what an event of EventBridge registers.

    Raises:
        NotRegistered: it is no registration, or not one of the step that it names.
    """
    if not isinstance(event, Mapping) or event.get("detail-type") != DETAIL_TYPE:
        raise NotRegistered(Reason.NOT_A_REGISTRATION)
    detail, source = event.get("detail"), event.get("source")
    step_id = detail.get("pipelineExecutionId") if isinstance(detail, Mapping) else None
    if not isinstance(detail, Mapping) or not isinstance(step_id, str) or not keys.is_execution_id(step_id):
        raise NotRegistered(Reason.MALFORMED)
    if not isinstance(source, str) or not source.endswith(f".pipeline.{step_id}"):
        raise NotRegistered(Reason.FOREIGN_SOURCE)
    dropped: list[Dropped] = []
    subs, logs = [], []
    if (sub := detail.get("subExecution")) is not None and (read := _sub_execution(sub, "subExecution", dropped)):
        subs.append(("subExecution", read))
    entries = detail.get("logs", ())
    if not isinstance(entries, list | tuple):
        dropped.append(Dropped("logs", Reason.MALFORMED))
        entries = ()
    for number, entry in enumerate(entries):
        place = f"logs[{number}]"
        if read := _log(entry, place, dropped):
            logs.append((place, read))
    return Registration(step_id, subs, logs, dropped)


def apply(
    registration: Registration, sub_executions: Sequence[Mapping[str, Any]], logs: Sequence[Mapping[str, Any]]
) -> Changes:
    """Return what a registration changes of the lists that a step has; what is stored already changes nothing."""
    new_subs: list[Mapping[str, str]] = []
    dropped: list[Dropped] = []
    for place, sub in registration.sub_executions:
        if sub in sub_executions or sub in new_subs:
            continue
        if len(sub_executions) + len(new_subs) >= MOST_REGISTERED:
            dropped.append(Dropped(place, Reason.CAP_REACHED))
            continue
        new_subs.append(sub)
    known = {_location(log): number for number, log in reversed(list(enumerate(logs)))}
    new_logs: dict[tuple[str, str, str], dict[str, str]] = {}
    filled: dict[tuple[int, str], str] = {}
    for place, log in registration.logs:
        location = _location(log)
        if (number := known.get(location)) is not None:
            filled |= {
                (number, name): log[name]
                for name in _FILLED
                if log[name] and not logs[number].get(name) and (number, name) not in filled
            }
        elif location in new_logs:
            stored = new_logs[location]
            stored.update({name: log[name] for name in _FILLED if log[name] and not stored[name]})
        elif len(logs) + len(new_logs) >= MOST_REGISTERED:
            dropped.append(Dropped(place, Reason.CAP_REACHED))
        else:
            new_logs[location] = dict(log)
    return Changes(new_subs, list(new_logs.values()), filled, dropped)


def _location(log: Mapping[str, Any]) -> tuple[str, str, str]:
    arn, name, stream, prefix = (str(log.get(part) or "") for part in _PLACE)
    return arn.removesuffix(":*") or name, stream, prefix


def _sub_execution(entry: object, place: str, dropped: list[Dropped]) -> dict[str, str] | None:
    if not isinstance(entry, Mapping):
        dropped.append(Dropped(place, Reason.MALFORMED))
        return None
    given = _fields(entry, (*_LOCATORS, "resourceType", "stageName", "label"), place, dropped)
    if "resourceType" in entry and "resourceType" not in given and entry["resourceType"] not in (None, ""):
        dropped.append(Dropped(place, Reason.INVALID_FIELD))
        return None
    if not any(name in given for name in _LOCATORS):
        dropped.append(Dropped(place, Reason.NO_LOCATOR))
        return None
    return {"resourceType": STATE_MACHINE, **given}


def _log(entry: object, place: str, dropped: list[Dropped]) -> dict[str, str] | None:
    if not isinstance(entry, Mapping):
        dropped.append(Dropped(place, Reason.MALFORMED))
        return None
    given = _fields(entry, (*_PLACE, *_FILLED), place, dropped)
    if "logGroupArn" not in given and "logGroupName" not in given:
        dropped.append(Dropped(place, Reason.NO_LOCATOR))
        return None
    kind = given.get("sourceType", "")
    return registered_log(
        given.get("logGroupArn", ""),
        given.get("logGroupName", ""),
        stream=given.get("logStreamName", ""),
        prefix=given.get("logStreamPrefix", ""),
        stage=given.get("stageName", ""),
        label=given.get("label", ""),
        source_type=kind if kind in _SOURCE_TYPES or not kind else _CUSTOM,
    )


def _fields(entry: Mapping[Any, Any], names: Sequence[str], place: str, dropped: list[Dropped]) -> dict[str, str]:
    """Return the fields of an entry that are valid; an empty text or null stands for none."""
    found: dict[str, str] = {}
    for name, value in entry.items():
        if name not in names:
            dropped.append(Dropped(f"{place}.{str(name)[:63]}", Reason.UNKNOWN_FIELD))
        elif value is None or value == "":
            continue
        elif not isinstance(value, str) or not _is_valid(name, value):
            dropped.append(Dropped(f"{place}.{name}", Reason.INVALID_FIELD))
        else:
            found[name] = value
    return found


def _is_valid(name: str, value: str) -> bool:
    if name.endswith(("Arn", "arn")):
        return _ARN.fullmatch(value) is not None
    if name == "logGroupName":
        return _GROUP_NAME.fullmatch(value) is not None
    if name in ("logStreamName", "logStreamPrefix"):
        return _STREAM.fullmatch(value) is not None
    if name in _LONGEST:
        return len(value) <= _LONGEST[name] and _TEXT.fullmatch(value) is not None
    if name == "sourceType":
        return len(value) <= 63 and _TEXT.fullmatch(value) is not None
    return _ID.fullmatch(value) is not None
