"""Time limits that a pause of the machine does not use up.

After a pause, an event loop runs the timers that came due before it looks at anything else. Whoever waited would be
told that it took too long, although what it waited for is there. A timer that fires late tells that this happened. The
limit then moves by as much, once, and by no more than it was: a loop that is always late still ends what waits.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType

LATE_SECONDS = 0.25
"""How late a timer fires that tells of a pause; a busy loop is late by less."""


class Timer:
    """Call a function after some seconds, or later by as much as the machine paused meanwhile."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, call: Callable[[], None]) -> None:
        self._loop, self._seconds, self._call = loop, seconds, call
        self._due = loop.time() + seconds
        self._handle = loop.call_at(self._due, self._fire)

    def cancel(self) -> None:
        """Call nothing."""
        self._handle.cancel()

    def _fire(self) -> None:
        late = self._loop.time() - self._due
        if late < LATE_SECONDS:
            self._call()
        else:
            self._handle = self._loop.call_later(max(min(late, self._seconds), LATE_SECONDS), self._call)


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
