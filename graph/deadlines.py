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
        self._timeout = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        """Begin to count."""
        await self._timeout.__aenter__()
        self._timer = Timer(asyncio.get_running_loop(), self._seconds, self._expire)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Count no more."""
        self._timer.cancel()
        del self._timer  # which refers to this: a cycle, left to the collector
        await self._timeout.__aexit__(kind, error, traceback)

    def _expire(self) -> None:
        self._timeout.reschedule(asyncio.get_running_loop().time())
