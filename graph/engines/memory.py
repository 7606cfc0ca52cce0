"""The one thing that outlives an operation: how the last check of a running execution ended, for a few seconds.

Without it every page that shows a running execution would ask the engine again, since nothing has to be written back.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

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
        """The last check of an execution, while it holds."""
        check = self._checks.get(execution_id)
        return check if check is not None and self._clock() < check.until else None

    def keep(self, execution_id: str, answer: LiveStatus | None, *, is_final: bool = False) -> None:
        """Remembers a check; with ``is_final`` until it is forgotten, because asking again is in vain."""
        self._checks[execution_id] = Check(answer, float("inf") if is_final else self._clock() + self._seconds)
        self._checks.move_to_end(execution_id)
        while len(self._checks) > self._most:
            self._checks.popitem(last=False)
