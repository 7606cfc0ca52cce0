"""aiodataloader as this project uses it: the one module that relies on what it keeps to itself.

It mends what aiodataloader leaves open. A load that one waiter gives up is not cancelled for the others. A cancelled
future is never served from the cache, and a batch within which something is cancelled fails its keys instead of leaving
them to wait. A batch of the wrong length is a fault of its own that shows no keys or values. One bad key is a value of
its batch, not an exception for everybody. A batch is a task of its operation and ends with it.
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
    """Something that a batch waited for was cancelled, and the batch was not."""


class Loader(DataLoader[KeyT, ResultT], ABC, Generic[KeyT, ResultT]):
    """A batching, remembering loader of one operation. Subclasses say in :meth:`read` how a batch of keys is read."""

    def __init__(self, scope: OperationScope) -> None:
        super().__init__()
        self.scope = scope

    @abstractmethod
    async def read(self, keys: Sequence[KeyT]) -> Sequence[ResultT | Exception]:
        """Return the results of some distinct keys, in their order; an error in a place is that key's alone."""

    async def batch_load_fn(self, keys: list[KeyT]) -> list[Any]:
        """Read the keys of one batch, for aiodataloader."""
        results = await self.read(keys)
        if len(results) != len(keys):
            raise AssertionError(f"{type(self).__name__} answered {len(results)} of {len(keys)} keys")
        return list(results)

    def load(self, key: KeyT) -> "asyncio.Future[ResultT]":
        """Return the result of a key. Giving up the wait does not stop the load."""
        loading = self._load(key)
        return loading if loading.done() else self.scope.follow(loading)

    async def load_all(self, keys: Iterable[KeyT]) -> list[ResultT]:
        """Return the results of some keys, in their order, awaited as one: cheaper than each on its own."""
        return [*await self.scope.gather(*map(self._load, keys))]

    def begin(self, key: KeyT) -> None:
        """Start a load that something else in the operation will wait for, or nothing will."""
        self._load(key)

    def do_resolve_reject(self, key: KeyT, future: "asyncio.Future[ResultT]") -> None:
        """Queue a key until the operation waits."""
        self._queue.append(aiodataloader.Loader(key, future))
        if len(self._queue) == 1:
            self.scope.when_waiting(self._dispatch)

    def knows(self, key: KeyT) -> bool:
        """Return whether this operation loaded or primed the key before, so that loading it costs nothing."""
        return key in self._cache or self.brought(key) is not None

    def brought(self, _key: KeyT) -> ResultT | None:
        """Return what another read brought of a key, if one did."""
        return None

    def _load(self, key: KeyT) -> "asyncio.Future[ResultT]":
        known: asyncio.Future[ResultT] | None = self._cache.get(key)
        if known is not None and not known.cancelled():
            return known
        if known is not None:
            self.clear(key)
        elif (brought := self.brought(key)) is not None:
            self.prime(key, brought)
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
                asked.future.exception()  # an error that every waiter has given up by now is no complaint
        self.scope.hold()  # until those who wait for it had their turn
