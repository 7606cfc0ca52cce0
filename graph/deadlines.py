"""Time limits that a pause of the machine does not use up.

After a pause, an event loop runs the timers that came due before it looks at anything else. Whoever waited would be
told that it took too long, although what it waited for is there. So a limit is counted in steps, each with a timer of
its own. A timer that fires late tells of a pause, of which only its step is counted: at most a tenth of the limit,
wherever in it the pause lies.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType

STEPS = 10
LATE_SECONDS = 0.25
"""How late a timer fires that tells of a pause; a busy loop is late by less. No step is shorter."""


class Timer:
    """Call a function after some seconds, of which a pause of the machine uses up one step at most."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, call: Callable[[], None]) -> None:
        self._loop, self._call = loop, call
        self._left = seconds
        self._longest = max(seconds / STEPS, LATE_SECONDS)
        self._begin()

    def cancel(self) -> None:
        """Call nothing."""
        self._handle.cancel()

    def _begin(self) -> None:
        self._step = min(self._left, self._longest)
        self._due = self._loop.time() + self._step
        self._handle = self._loop.call_at(self._due, self._fire)

    def _fire(self) -> None:
        late = self._loop.time() - self._due
        has_paused = late >= LATE_SECONDS
        self._left -= self._step if has_paused else self._step + late
        if self._left > 0:
            self._begin()
        elif has_paused:  # once, and whatever the next timer tells: a loop that is always late still ends what waits
            self._handle = self._loop.call_later(LATE_SECONDS, self._call)
        else:
            self._call()


class Deadline(AbstractAsyncContextManager[None]):
    """Cancel what is done within after some seconds, as ``asyncio.timeout`` does, whose place it takes.

    Raises:
        TimeoutError: on leaving, when that happened.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._has_expired = False

    async def __aenter__(self) -> None:
        """Begin to count."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - nothing is awaited but in a task
        self._task, self._cancelling = task, task.cancelling()
        self._timer = Timer(asyncio.get_running_loop(), self._seconds, self._expire)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Count no more."""
        self._timer.cancel()
        del self._timer  # which refers to this: a cycle, left to the collector
        is_own = self._has_expired and self._task.uncancel() <= self._cancelling
        if is_own and isinstance(error, asyncio.CancelledError):
            raise TimeoutError from error

    def _expire(self) -> None:
        self._has_expired = True
        self._task.cancel()
