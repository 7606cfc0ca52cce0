"""Time limits that a pause of the machine does not use up.

After a pause, an event loop runs the timers that came due before it reads sockets, so operations would time out
although their answers have arrived. So a limit is counted in steps, each with a timer of its own. A timer that fires
late shows that there was a pause, and only its step is counted: at most a tenth of the limit.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType

STEPS = 10
LATE_SECONDS = 0.25
"""How late a timer fires after a pause; a busy loop is late by less. No step is shorter."""


class Timer:
    """Calls a function after some seconds, of which a pause of the machine uses up at most one step."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, call: Callable[[], None]) -> None:
        self._loop, self._call = loop, call
        self._left = seconds
        self._longest = max(seconds / STEPS, LATE_SECONDS)
        self._begin()

    def cancel(self) -> None:
        """Cancel the timer."""
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
        elif has_paused:  # once only, so that a loop that is always late still times out
            self._handle = self._loop.call_later(LATE_SECONDS, self._call)
        else:
            self._call()


class Deadline(AbstractAsyncContextManager[None]):
    """Cancels its block after some seconds, as ``asyncio.timeout`` does, except for pauses of the machine.

    Raises:
        TimeoutError: at the end of the block, when that happened.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._has_expired = False

    async def __aenter__(self) -> None:
        """Start the timer."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - nothing is awaited but in a task
        self._task, self._cancelling = task, task.cancelling()
        self._timer = Timer(asyncio.get_running_loop(), self._seconds, self._expire)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Cancel the timer; turn its cancellation into TimeoutError."""
        self._timer.cancel()
        del self._timer  # which refers to this: a cycle
        is_own = self._has_expired and self._task.uncancel() <= self._cancelling
        if is_own and isinstance(error, asyncio.CancelledError):
            raise TimeoutError from error

    def _expire(self) -> None:
        self._has_expired = True
        self._task.cancel()
