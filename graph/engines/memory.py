"""What outlives an operation: how the last check of a running execution ended, and the details of runs that ended.

Without the first every page that shows a running execution would ask the engine again, since nothing has to be written
back; without the second every page of visits would read the whole history again. Neither holds a verdict, nor anything
of a viewer.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from graph.engines.run_detail import RunDetail
from graph.tables.states import ExecutionStatus


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """What the engine said when it was asked last."""

    status: ExecutionStatus
    stopped_at: datetime | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its answer, or None where there was none; and until when it holds, in seconds of the clock."""

    answer: LiveStatus | None
    until: float


class CheckMemory:
    """The last checks of a process, each for some seconds; the oldest of too many are forgotten."""

    def __init__(self, seconds: float, most: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._checks: OrderedDict[str, Check] = OrderedDict()

    def recall(self, execution_id: str) -> Check | None:
        """Return the last check of an execution, while it holds."""
        check = self._checks.get(execution_id)
        return check if check is not None and self._clock() < check.until else None

    def keep(self, execution_id: str, answer: LiveStatus | None, *, is_final: bool = False) -> None:
        """Remember a check; with ``is_final`` until it is forgotten, because asking again is in vain."""
        self._checks[execution_id] = Check(answer, float("inf") if is_final else self._clock() + self._seconds)
        self._checks.move_to_end(execution_id)
        while len(self._checks) > self._most:
            self._checks.popitem(last=False)


KEPT_SECONDS = 60.0
"""Seconds that the detail of a run is kept."""

_BYTES_OF_EVENT = 1_500  # beside its texts: the event, where it belongs, its share of visits


@dataclass(frozen=True, slots=True)
class KeptRunDetail:
    """The detail of a run that ended; ``redrive_index`` names the run that ended last."""

    detail: RunDetail
    redrive_index: int
    size: int
    until: float


class RunDetailMemory:
    """The details of runs that ended, read whole; the least recently used are forgotten when they are too many.

    What is in them cannot change but by a redrive, so whoever recalls one compares its redrives with the engine's.
    """

    def __init__(self, most_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes, self._clock = most_bytes, clock
        self._kept: OrderedDict[str, KeptRunDetail] = OrderedDict()
        self._bytes = 0

    def recall(self, reference: str) -> KeptRunDetail | None:
        """Return the detail of a run, while it is kept."""
        kept = self._kept.get(reference)
        if kept is None or self._clock() >= kept.until:
            self._forget(reference)
            return None
        self._kept.move_to_end(reference)
        return kept

    def keep(self, reference: str, detail: RunDetail, size: int) -> None:
        """Keep a detail of so many bytes, if it can change no more: its run ended, and all of it was read."""
        index = detail.attribution.runs[-1].redrive_index if detail.attribution.runs else None
        is_final = detail.is_complete and detail.attribution.ended_at is not None and detail.definition is not None
        if not is_final or index is None or size > self._most_bytes:
            return
        self._forget(reference)
        self._kept[reference] = KeptRunDetail(detail, index, size, self._clock() + KEPT_SECONDS)
        self._bytes += size
        while self._bytes > self._most_bytes:
            self._forget(next(iter(self._kept)))

    def _forget(self, reference: str) -> None:
        kept = self._kept.pop(reference, None)
        if kept is not None:
            self._bytes -= kept.size


def size_of(detail: RunDetail) -> int:
    """Return about how many bytes a detail takes. Takes a while: keep it off the loop."""
    events = detail.attribution.events
    texts = sum(len(value) for event in events for value in event.detail.values() if isinstance(value, str))
    return len(events) * _BYTES_OF_EVENT + texts
