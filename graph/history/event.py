"""One event of an execution's history, in words that both engines can fill."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

NO_DETAIL: Mapping[str, Any] = MappingProxyType({})


class StageStatus(StrEnum):
    """What became of a state, or of one visit to it."""

    NOT_STARTED = "NOT_STARTED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CAUGHT = "CAUGHT"
    ABORTED = "ABORTED"
    TIMED_OUT = "TIMED_OUT"
    UNKNOWN = "UNKNOWN"


class EventKind(StrEnum):
    """What an event means, whatever its engine calls it.

    A *container* is a Parallel or a Map; *work* is what a Task does between its entry and its exit.
    """

    EXECUTION_STARTED = "EXECUTION_STARTED"
    EXECUTION_SUCCEEDED = "EXECUTION_SUCCEEDED"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    EXECUTION_ABORTED = "EXECUTION_ABORTED"
    EXECUTION_TIMED_OUT = "EXECUTION_TIMED_OUT"
    EXECUTION_REDRIVEN = "EXECUTION_REDRIVEN"
    STATE_ENTERED = "STATE_ENTERED"
    STATE_EXITED = "STATE_EXITED"
    STATE_ABORTED = "STATE_ABORTED"
    CONTAINER_STARTED = "CONTAINER_STARTED"
    CONTAINER_SUCCEEDED = "CONTAINER_SUCCEEDED"
    CONTAINER_FAILED = "CONTAINER_FAILED"
    ITERATION_STARTED = "ITERATION_STARTED"
    ITERATION_SUCCEEDED = "ITERATION_SUCCEEDED"
    ITERATION_FAILED = "ITERATION_FAILED"
    ITERATION_ABORTED = "ITERATION_ABORTED"
    MAP_RUN_STARTED = "MAP_RUN_STARTED"
    MAP_RUN_REDRIVEN = "MAP_RUN_REDRIVEN"
    MAP_RUN_SUCCEEDED = "MAP_RUN_SUCCEEDED"
    MAP_RUN_FAILED = "MAP_RUN_FAILED"
    MAP_RUN_ABORTED = "MAP_RUN_ABORTED"
    WORK_SCHEDULED = "WORK_SCHEDULED"
    WORK_STARTED = "WORK_STARTED"
    WORK_SUBMITTED = "WORK_SUBMITTED"
    WORK_SUCCEEDED = "WORK_SUCCEEDED"
    WORK_FAILED = "WORK_FAILED"
    EVALUATION_FAILED = "EVALUATION_FAILED"
    OTHER = "OTHER"


class Event(NamedTuple):
    """One event: the six properties that both engines record, and what their parser read out of them.

    A named tuple, because a history has up to 25,000 of them and a tuple is the cheapest frozen record to make.

    Attributes:
        id: Place in the history, from 1.
        previous_id: The event that caused this one (previousEventId, or ScheduleEventId); 0 for none.
        type: The engine's own word.
        kind: Its meaning.
        time: When it happened; None where the engine's text is not a time.
        step_name: The state that the event itself names; most events name none.
        state_type: ``Task``, ``Map`` ...: the type of state that the event type speaks of.
        iteration: Index of the Map iteration that the event itself names.
        detail: The engine's own details, whatever they hold.
    """

    id: int
    previous_id: int
    type: str
    kind: EventKind
    time: datetime | None = None
    step_name: str | None = None
    state_type: str | None = None
    iteration: int | None = None
    detail: Mapping[str, Any] = NO_DETAIL

    def text(self, key: str) -> str | None:
        """Return a detail that is text, None where it is absent or anything else."""
        value = self.detail.get(key)
        return value if isinstance(value, str) else None

    def number(self, key: str) -> int | None:
        """Return a detail that is a whole number, None where it is absent or anything else."""
        value = self.detail.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None
