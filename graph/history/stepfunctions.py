"""Events of AWS Step Functions, as the CLI prints them and as boto3 gives them."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from graph.history.event import NO_DETAIL, Event, EventKind


class MalformedHistoryError(ValueError):
    """The document is not a history; the message says where it stops being one."""


def parse_events(document: object) -> list[Event]:
    """Read what ``aws stepfunctions get-execution-history`` prints, or its list of events, in the order given.

    Raises:
        MalformedHistoryError: The document holds no list of events, or one of them has no id or no type.
    """
    raw_events = document.get("events") if isinstance(document, Mapping) else document
    if not isinstance(raw_events, list):
        raise MalformedHistoryError("neither a list of events nor an object with a list under 'events'")
    events = []
    for position, raw in enumerate(raw_events):
        try:
            events.append(parse_event(raw))
        except MalformedHistoryError as error:
            raise MalformedHistoryError(f"events[{position}]: {error}") from None
    return events


def parse_event(raw: object) -> Event:
    """Read one event of GetExecutionHistory. Types and details that are not known are kept, never refused.

    Raises:
        MalformedHistoryError: It is no object, or has no whole id and previousEventId and no type.
    """
    if not isinstance(raw, Mapping):
        raise MalformedHistoryError("not an object")
    event_id, previous_id, event_type = _whole(raw.get("id")), _whole(raw.get("previousEventId", 0)), raw.get("type")
    if not event_id:
        raise MalformedHistoryError("'id' is not a positive whole number")
    if previous_id is None:
        raise MalformedHistoryError("'previousEventId' is not a whole number")
    if not isinstance(event_type, str):
        raise MalformedHistoryError("'type' is not text")
    kind, state_type = _meaning(event_type)
    detail = _detail(raw)
    name = detail.get("state" if kind is EventKind.EVALUATION_FAILED else "name") if kind in _NAMING else None
    return Event(
        event_id,
        previous_id,
        event_type,
        kind,
        _time(raw.get("timestamp")),
        name if isinstance(name, str) else None,
        state_type,
        _whole(detail.get("index")) if state_type == "Map" else None,
        detail,
    )


_KINDS: dict[str, tuple[EventKind, str | None]] = {
    "ExecutionStarted": (EventKind.EXECUTION_STARTED, None),
    "ExecutionSucceeded": (EventKind.EXECUTION_SUCCEEDED, None),
    "ExecutionFailed": (EventKind.EXECUTION_FAILED, None),
    "ExecutionAborted": (EventKind.EXECUTION_ABORTED, None),
    "ExecutionTimedOut": (EventKind.EXECUTION_TIMED_OUT, None),
    "ExecutionRedriven": (EventKind.EXECUTION_REDRIVEN, None),
    "EvaluationFailed": (EventKind.EVALUATION_FAILED, None),
    "MapIterationStarted": (EventKind.ITERATION_STARTED, "Map"),
    "MapIterationSucceeded": (EventKind.ITERATION_SUCCEEDED, "Map"),
    "MapIterationFailed": (EventKind.ITERATION_FAILED, "Map"),
    "MapIterationAborted": (EventKind.ITERATION_ABORTED, "Map"),
    "MapRunStarted": (EventKind.MAP_RUN_STARTED, "Map"),
    "MapRunRedriven": (EventKind.MAP_RUN_REDRIVEN, "Map"),
    "MapRunSucceeded": (EventKind.MAP_RUN_SUCCEEDED, "Map"),
    "MapRunFailed": (EventKind.MAP_RUN_FAILED, "Map"),
    "MapRunAborted": (EventKind.MAP_RUN_ABORTED, "Map"),
}
for _integration in ("Task", "LambdaFunction", "Activity"):
    _KINDS |= {
        f"{_integration}Scheduled": (EventKind.WORK_SCHEDULED, "Task"),
        f"{_integration}Started": (EventKind.WORK_STARTED, "Task"),
        f"{_integration}Submitted": (EventKind.WORK_SUBMITTED, "Task"),
        f"{_integration}Succeeded": (EventKind.WORK_SUCCEEDED, "Task"),
        f"{_integration}Failed": (EventKind.WORK_FAILED, "Task"),
        f"{_integration}TimedOut": (EventKind.WORK_FAILED, "Task"),
        f"{_integration}ScheduleFailed": (EventKind.WORK_FAILED, "Task"),
        f"{_integration}StartFailed": (EventKind.WORK_FAILED, "Task"),
        f"{_integration}SubmitFailed": (EventKind.WORK_FAILED, "Task"),
    }

# Types of states that are yet to be invented are read by their ending.
_STATE_KINDS = {
    "Entered": EventKind.STATE_ENTERED,
    "Exited": EventKind.STATE_EXITED,
    "Aborted": EventKind.STATE_ABORTED,
    "Started": EventKind.CONTAINER_STARTED,
    "Succeeded": EventKind.CONTAINER_SUCCEEDED,
    "Failed": EventKind.CONTAINER_FAILED,
}
_NAMING = frozenset(
    {
        EventKind.STATE_ENTERED,
        EventKind.STATE_EXITED,
        EventKind.STATE_ABORTED,
        EventKind.ITERATION_STARTED,
        EventKind.ITERATION_SUCCEEDED,
        EventKind.ITERATION_FAILED,
        EventKind.ITERATION_ABORTED,
        EventKind.EVALUATION_FAILED,
    }
)


def _meaning(event_type: str) -> tuple[EventKind, str | None]:
    known = _KINDS.get(event_type)
    if known is not None:
        return known
    state_type, separator, ending = event_type.rpartition("State")
    if separator and state_type and ending in _STATE_KINDS:
        return _STATE_KINDS[ending], state_type
    return EventKind.OTHER, None


def _detail(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    for key, value in raw.items():
        if key.endswith("EventDetails") and isinstance(value, Mapping):
            return value
    return NO_DETAIL


def _time(value: object) -> datetime | None:
    """Read a datetime (boto3), ISO 8601 text (the CLI) or seconds since 1970 (the wire); without a zone it is UTC."""
    if isinstance(value, datetime):
        return _zoned(value)
    try:
        if isinstance(value, str):
            return _zoned(datetime.fromisoformat(value))
        if isinstance(value, int | float | Decimal) and math.isfinite(value):
            return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        pass  # Not a time: the event still counts.
    return None


def _zoned(value: datetime) -> datetime:
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
