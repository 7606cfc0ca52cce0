"""A small cache for answers that may be some seconds old."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Clock = Callable[[], float]
"""Seconds that never run backwards."""


class Cache(Generic[Key, Value]):
    """Remembers what a loader answered. Those who ask for one key at the same time share one load.

    A load goes on when somebody who waits for it is cancelled. Failures reach all who wait and are not remembered.

    Args:
        load: answers one key.
        seconds: how long an answer is used, counted from the start of its load.
        capacity: number of answers kept; those unused for longest go first.
    """

    def __init__(
        self,
        load: Callable[[Key], Awaitable[Value]],
        *,
        seconds: float,
        capacity: int,
        clock: Clock = time.monotonic,
    ) -> None:
        self._load = load
        self._seconds = seconds
        self._capacity = capacity
        self._clock = clock
        self._known: OrderedDict[Key, tuple[float, Value]] = OrderedDict()
        self._loading: dict[Key, asyncio.Task[Value]] = {}

    async def get(self, key: Key) -> Value:
        """Return a remembered value, or load it."""
        now = self._clock()
        known = self._known.get(key)
        if known is not None and now < known[0]:
            self._known.move_to_end(key)
            return known[1]
        task = self._loading.get(key)
        if task is None:
            task = self._loading[key] = asyncio.create_task(self._remember(key, now + self._seconds))
            task.add_done_callback(_retrieve)
        return await asyncio.shield(task)

    def holds(self, key: Key) -> bool:
        """Return whether a key is answered without another load."""
        known = self._known.get(key)
        return key in self._loading or (known is not None and self._clock() < known[0])

    async def _remember(self, key: Key, until: float) -> Value:
        try:
            value = await self._load(key)
        finally:
            del self._loading[key]
        self._known[key] = until, value
        self._known.move_to_end(key)
        if len(self._known) > self._capacity:
            self._known.popitem(last=False)
        return value


def _retrieve(task: asyncio.Task[Value]) -> None:
    """Look at the error of a load for which nobody waits any more, so that asyncio does not report it as lost."""
    if not task.cancelled():
        task.exception()
