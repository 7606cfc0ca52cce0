"""aiodataloader as this project uses it: the one module that uses its private names.

It changes what aiodataloader does with failures. A waiter that is cancelled does not cancel the load for others. The
cache never returns a cancelled future, and a batch in which something is cancelled fails its keys instead of leaving
them pending. A batch of the wrong length raises an error that prints no keys or values. The error of one key is its
result in the batch, not an exception for all. A batch is a task of its operation and ends with it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import aiodataloader
from aiodataloader import DataLoader

from graph.operation import OperationScope

KeyT = TypeVar("KeyT", bound=Hashable)
ResultT = TypeVar("ResultT")


class LoadCancelled(Exception):
    """A batch failed because something that it awaited was cancelled."""


class Loader(DataLoader[KeyT, ResultT], ABC, Generic[KeyT, ResultT]):
    """A batching, caching loader of one operation. Subclasses read a batch of keys in :meth:`read`."""

    def __init__(self, scope: OperationScope) -> None:
        super().__init__()
        self.scope = scope

    @abstractmethod
    async def read(self, keys: Sequence[KeyT]) -> Sequence[ResultT | Exception]:
        """Return the results of distinct keys, in their order; an exception is the result of its key alone."""

    async def batch_load_fn(self, keys: list[KeyT]) -> list[Any]:
        """Read the keys of one batch, for aiodataloader."""
        results = await self.read(keys)
        if len(results) != len(keys):
            raise AssertionError(f"{type(self).__name__} answered {len(results)} of {len(keys)} keys")
        return list(results)

    def load(self, key: KeyT) -> "asyncio.Future[ResultT]":
        """Return the result of a key. Cancelling the wait does not cancel the load."""
        loading = self._load(key)
        return loading if loading.done() else self.scope.follow(loading)

    async def load_all(self, keys: Iterable[KeyT]) -> list[ResultT]:
        """Return the results of keys, in their order; cheaper than awaiting each on its own."""
        return [*await self.scope.gather(*map(self._load, keys))]

    def begin(self, key: KeyT) -> None:
        """Start a load that something else in the operation may wait for."""
        self._load(key)

    def do_resolve_reject(self, key: KeyT, future: "asyncio.Future[ResultT]") -> None:
        """Queue a key until all tasks of the operation wait."""
        self._queue.append(aiodataloader.Loader(key, future))
        if len(self._queue) == 1:
            self.scope.when_waiting(self._dispatch)

    def knows(self, key: KeyT) -> bool:
        """Return whether this operation loaded or primed the key before, so that loading it costs nothing."""
        return key in self._cache or self.prefetched(key) is not None

    def prefetched(self, _key: KeyT) -> ResultT | None:
        """Return the result of a key if something else has read it; None when nothing has."""
        return None

    def _load(self, key: KeyT) -> "asyncio.Future[ResultT]":
        known: asyncio.Future[ResultT] | None = self._cache.get(key)
        if known is not None and not known.cancelled():
            return known
        if known is not None:
            self.clear(key)
        elif (prefetched := self.prefetched(key)) is not None:
            self.prime(key, prefetched)
        return super().load(key)

    def _dispatch(self) -> None:
        queue, self._queue = self._queue, []
        most = self.max_batch_size or len(queue)
        for start in range(0, len(queue), most):
            self.scope.start(self._read_batch(queue[start : start + most]))

    async def _read_batch(self, queue: "list[aiodataloader.Loader]") -> None:
        try:
            await aiodataloader.dispatch_queue_batch(self, queue)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            aiodataloader.failed_dispatch(self, queue, LoadCancelled())
        for asked in queue:
            if not asked.future.cancelled():
                asked.future.exception()  # retrieved, so that asyncio does not log one whose waiters were all cancelled
        self.scope.hold()  # until its waiters have resumed
