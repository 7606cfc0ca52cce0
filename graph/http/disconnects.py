"""Cancel the work for clients that disconnect."""

import asyncio
from contextlib import AbstractAsyncContextManager
from types import TracebackType

from starlette.types import Receive

_WATCHED_AFTER = 0.1  # seconds; what is answered sooner is not worth a task


class Disconnected(Exception):
    """The client is gone."""


class UntilDisconnect(AbstractAsyncContextManager[None]):
    """Cancels its block once the client disconnects. The request's body must have been read.

    Raises:
        Disconnected: at the end of the block, when that happened.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_gone = False
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        """Begin to watch, though not at once."""
        self._loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a server answers each request in a task
        self._task = task
        self._timer = self._loop.call_later(_WATCHED_AFTER, self._begin)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Watch no more."""
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
        if self._is_gone and self._task.uncancel() == 0 and isinstance(error, asyncio.CancelledError):
            raise Disconnected from error

    def _begin(self) -> None:
        self._watching = self._loop.create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._is_gone = True
        self._task.cancel()
