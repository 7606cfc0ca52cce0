"""The scope of one operation: whatever is begun for it ends with it, and is counted while it can go on by itself.

The count says when to load. Once everything that was begun waits for something, nothing more will be asked for, so
that all that was asked for can be read together, at once.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar, overload

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")

Work: TypeAlias = Coroutine[Any, Any, T] | asyncio.Future[T]

_RESUMED_AT_ONCE = 100  # waiters that go on in one turn of the event loop


class OperationScope:
    """Own the tasks of one operation. Make it within a running event loop.

    A coroutine that is started here counts as running until it waits for a future. One that uses ``asyncio.gather``
    or a task of its own instead is not counted: what it loads may then be read in more calls, and its tasks may
    outlive the operation.

    Attributes:
        running: how many can go on by themselves.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        self.running = 0
        self._is_held = self._is_held_again = False
        self._dispatches: list[Callable[[], None]] = []
        self._resumed = 0
        self._late = deque[tuple[asyncio.Future[Any], asyncio.Future[Any]]]()

    async def __aenter__(self) -> "OperationScope":
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()

    # Tasks

    def start(
        self, work: Coroutine[Any, Any, T], then: Callable[[asyncio.Task[T]], None] | None = None
    ) -> asyncio.Task[T]:
        """Begin some work in a task that ends with the operation; ``then`` is told when it is over.

        Raises:
            RuntimeError: when the operation is over.
        """
        if self._is_closed:
            work.close()
            raise RuntimeError("The operation is over.")
        self.running += 1
        task = self._loop.create_task(_Counted(self, work))
        self._tasks.add(task)
        task.add_done_callback(partial(self._end, work, then))
        return task

    @overload
    async def gather(self, one: Work[T1], other: Work[T2], /) -> tuple[T1, T2]: ...
    @overload
    async def gather(self, one: Work[T1], other: Work[T2], third: Work[T3], /) -> tuple[T1, T2, T3]: ...
    @overload
    async def gather(self, *works: Work[T]) -> tuple[T, ...]: ...
    async def gather(self, *works: Work[Any]) -> tuple[Any, ...]:
        """Await some work together. The first error is raised at once, and the rest goes on.

        Cancelling the wait cancels the coroutines that were given, but no future.
        """
        if not works:
            return ()
        joined = _Joined(loop=self._loop)
        futures: list[asyncio.Future[Any]] = []
        join = _Join(self, joined, futures, len(works))
        for work in works:
            if asyncio.isfuture(work):
                work.add_done_callback(join)
                futures.append(work)
            else:
                task = self.start(work, join)
                joined.tasks.append(task)
                futures.append(task)
        return tuple(await joined)

    async def settle(self, works: Iterable[Awaitable[T]]) -> list[T | Exception]:
        """Await some work together; the error of one stands in its place and leaves the others."""
        return list(await self.gather(*map(_settled, works)))

    async def close(self) -> None:
        """Cancel what has not ended, and wait until all of it has."""
        self._is_closed = True
        self._dispatches.clear()
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)
            await asyncio.sleep(0)  # for the callbacks that take them from the set

    # Loads

    def when_waiting(self, dispatch: Callable[[], None]) -> None:
        """Call a function once, as soon as all that was begun for the operation waits for something."""
        self._dispatches.append(dispatch)
        if not self.running and len(self._dispatches) == 1:
            self._loop.call_soon(self._dispatch_if_waiting)

    def follow(self, leading: asyncio.Future[T]) -> asyncio.Future[T]:
        """Return a future with the outcome of another, which can be cancelled without cancelling that one.

        Where thousands wait, they do not all go on in the same turn of the event loop.
        """
        if leading.done():
            return leading
        following: asyncio.Future[T] = self._loop.create_future()
        leading.add_done_callback(partial(self._resume, following))
        return following

    def follow_all(self, leading: Sequence[asyncio.Future[T]]) -> asyncio.Future[list[T]]:
        """Return a future with the results of some others, or the first of their errors."""
        following: asyncio.Future[list[T]] = self._loop.create_future()
        join = _Join(self, following, leading, len(leading))
        for future in leading:
            if future.done():
                join(future)
            else:
                future.add_done_callback(join)
        if not leading:
            following.set_result([])
        return following

    # Counting

    def wait(self) -> None:
        """Count one less: it waits for something, or is over."""
        self.running -= 1
        if self._dispatches and not self.running:
            self._dispatch()

    def hold(self) -> None:
        """Count as running until those whose futures just got their outcomes had their turn."""
        if self._is_held:
            self._is_held_again = True
            return
        self._is_held = True
        self.running += 1
        self._loop.call_soon(self._release)

    def _release(self) -> None:
        if self._is_held_again:  # by one whose turn comes after this
            self._is_held_again = False
            self._loop.call_soon(self._release)
            return
        self._is_held = False
        self.wait()

    def _dispatch_if_waiting(self) -> None:
        if not self.running:
            self._dispatch()

    def _dispatch(self) -> None:
        dispatches, self._dispatches = self._dispatches, []
        for dispatch in dispatches:
            dispatch()

    def _resume(self, following: asyncio.Future[Any], leading: asyncio.Future[Any]) -> None:
        self.hold()
        if not self._resumed:
            self._loop.call_soon(self._resume_late)
        if self._resumed >= _RESUMED_AT_ONCE:
            self._late.append((following, leading))
            return
        self._resumed += 1
        if following.done():
            return
        if leading.cancelled():
            following.cancel()
        elif (error := leading.exception()) is not None:
            following.set_exception(error)
        else:
            following.set_result(leading.result())

    def _resume_late(self) -> None:
        self._resumed = 0
        for _ in range(min(_RESUMED_AT_ONCE, len(self._late))):
            self._resume(*self._late.popleft())

    def _end(
        self,
        work: Coroutine[Any, Any, Any],
        then: Callable[[asyncio.Task[Any]], None] | None,
        task: asyncio.Task[Any],
    ) -> None:
        self._tasks.discard(task)
        work.close()  # it may never have begun
        if not task.cancelled():
            task.exception()  # whoever awaits it sees it too; nobody needs to
        if then is not None:
            then(task)
        self.wait()


class _Counted(Coroutine[Any, Any, T]):
    """Run a coroutine, and tell when it waits. A bare yield, as of ``asyncio.sleep(0)``, is no wait."""

    __slots__ = ("_is_waiting", "_scope", "_work")

    def __init__(self, scope: OperationScope, work: Coroutine[Any, Any, T]) -> None:
        self._scope, self._work = scope, work
        self._is_waiting = False

    def __await__(self) -> Generator[Any, Any, T]:
        """Be run by something else than a task, which nothing does."""
        return self._work.__await__()

    def send(self, value: Any) -> Any:
        """Go on."""
        scope = self._scope
        if self._is_waiting:
            self._is_waiting = False
            scope.running += 1
        waits_for = self._work.send(value)
        if waits_for is not None:
            self._is_waiting = True
            scope.wait()
        return waits_for

    def throw(self, *error: Any) -> Any:
        """Go on with an error."""
        if self._is_waiting:
            self._is_waiting = False
            self._scope.running += 1
        waits_for = self._work.throw(*error)
        if waits_for is not None:
            self._is_waiting = True
            self._scope.wait()
        return waits_for

    def close(self) -> None:
        """End."""
        self._work.close()


class _Joined(asyncio.Future[list[Any]]):
    """The results of some work. Cancelling it cancels its tasks in the same turn, so that none begins after that."""

    def __init__(self, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self.tasks: list[asyncio.Task[Any]] = []

    def cancel(self, msg: Any = None) -> bool:
        """Cancel the tasks, and the wait for them."""
        for task in self.tasks:
            task.cancel(msg)
        return super().cancel(msg)


class _Join:
    """Resolve a future with the results of some others, or with the first of their errors."""

    def __init__(
        self, scope: OperationScope, joined: asyncio.Future[Any], futures: Sequence[asyncio.Future[Any]], left: int
    ) -> None:
        self._scope, self._joined, self._futures, self._left = scope, joined, futures, left

    def __call__(self, future: asyncio.Future[Any]) -> None:
        """Take the outcome of one of them."""
        self._left -= 1
        error = None if future.cancelled() else future.exception()
        if self._joined.done():
            return
        if future.cancelled():
            self._joined.cancel()
        elif error is not None:
            self._joined.set_exception(error)
        elif not self._left:
            self._joined.set_result([one.result() for one in self._futures])
        else:
            return
        self._scope.hold()


async def _settled(work: Awaitable[T]) -> T | Exception:
    try:
        return await work
    except Exception as error:
        return error
