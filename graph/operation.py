"""The scope of one operation: owns its tasks, ends them with it, and tells loaders when to read.

It counts the tasks that are running. Once every task waits, none will ask loaders for more keys, so that all that were
asked for are read together.

It also bounds how long an operation keeps the event loop: when thousands of its tasks can resume, they do so in several
turns of the loop, between which other operations run.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, overload

from graph.asyncio_internals import accept_wait, enter_task, leave_task

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")

_Waiting: TypeAlias = Iterator[Callable[[asyncio.Future[Any]], object]]
Work: TypeAlias = Coroutine[Any, Any, T] | asyncio.Future[T]

_FEW = 50  # tasks that cannot hold up the event loop, however many go on at once
_TURN_SECONDS = 0.004  # of one operation in one turn of the event loop

log = logging.getLogger(__name__)


class OperationScope:
    """Owns the tasks of one operation. Make it within a running event loop.

    A coroutine that is started here counts as running until it waits for a future. One that uses ``asyncio.gather``
    or a task of its own instead is not counted: what it loads may take more calls, and its tasks may outlive the
    operation.

    Attributes:
        running: How many tasks do not wait.
        turn_ends: When the operation's time in this turn of the event loop is used up; 0 until it did something in it.
        tasks: The tasks that have not ended.
        is_closed: Whether the operation has ended.
    """

    def __init__(self, finisher: "Finisher | None" = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._finisher = finisher or Finisher()
        self.is_closed = False
        self.tasks: set[OperationTask[Any]] = set()
        self.running = 0
        self._is_held = self._is_held_again = False
        self._dispatches: list[Callable[[], None]] = []
        self.turn_ends = 0.0
        self._postponed = deque[Callable[[], object]]()
        self._waiting: dict[asyncio.Future[Any], list[Callable[[asyncio.Future[Any]], object]]] = {}

    async def __aenter__(self) -> "OperationScope":
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()

    # Tasks

    def start(
        self, work: Coroutine[Any, Any, T], then: Callable[["OperationTask[T]"], None] | None = None
    ) -> "OperationTask[T]":
        """Start a coroutine in the next turn of the event loop; call ``then`` with its task when it has ended.

        Raises:
            RuntimeError: when the operation has ended.
        """
        task = OperationTask(self, self._loop, work)
        task.then = then
        self._loop.call_soon(task.step, context=task.context)
        return task

    def run(self, work: Coroutine[Any, Any, T]) -> "OperationTask[T]":
        """Run a coroutine at once up to its first wait, and then as :meth:`start` does. Not within a task.

        Raises:
            RuntimeError: when the operation has ended.
        """
        task = OperationTask(self, self._loop, work)
        task.context.run(partial(task.step, is_first=True))
        return task

    @overload
    async def gather(self, one: Work[T1], other: Work[T2], /) -> tuple[T1, T2]: ...
    @overload
    async def gather(self, one: Work[T1], other: Work[T2], third: Work[T3], /) -> tuple[T1, T2, T3]: ...
    @overload
    async def gather(self, *works: Work[T]) -> tuple[T, ...]: ...
    async def gather(self, *works: Work[Any]) -> tuple[Any, ...]:
        """Await coroutines and futures together. Raise the first error at once, and let the others go on.

        Cancelling the wait cancels the coroutines, but no future.
        """
        if len(works) == 1 and not isinstance(works[0], asyncio.Future):
            return (await works[0],)
        return tuple([future.result() for future in await self._over(works)])

    async def settle(self, works: Iterable[Work[T]]) -> list[T | Exception]:
        """Await coroutines and futures together; the error of one is its result."""
        works = [*works]
        if len(works) == 1 and not isinstance(works[0], asyncio.Future):
            try:
                return [await works[0]]
            except Exception as error:
                return [error]
        over = await self._over(works, settles=True)
        return [e if isinstance(e := future.exception(), Exception) else future.result() for future in over]

    async def _over(self, works: Sequence[Work[T]], *, settles: bool = False) -> "Sequence[asyncio.Future[T]]":
        """Await all; unless ``settles``, raise the first error at once."""
        join, futures = _Join(self, len(works), settles=settles), list[asyncio.Future[T]]()
        for work in works:
            if not isinstance(work, asyncio.Future):
                futures.append(join.start(work))
                continue
            futures.append(work)
            if work.done():
                join(work)
            else:
                self._when_done(work, join)
        if works:
            await join
        return futures

    async def finish(self, name: str, work: Callable[["OperationScope"], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Await work that must not stop halfway: it goes on even when this operation ends before it.

        The work has a scope of its own, since this one ends with the operation.

        Raises:
            TimeoutError: when the work took longer than ``seconds`` and was cancelled.
        """
        return await asyncio.shield(self._finisher.begin(name, work, seconds))

    async def close(self) -> None:
        """Cancel all tasks and wait until they have ended. Work given to :meth:`finish` goes on."""
        self.is_closed = True
        self._dispatches.clear()
        self._waiting.clear()
        while self.tasks:
            for task in self.tasks:
                task.cancel()
            await asyncio.wait(self.tasks)

    # Loads

    def when_waiting(self, dispatch: Callable[[], None]) -> None:
        """Call a function once, as soon as every task of the operation waits."""
        self._dispatches.append(dispatch)
        if not self.running and len(self._dispatches) == 1:
            self._loop.call_soon(self._load_if_waiting)

    def follow(self, leading: asyncio.Future[T]) -> asyncio.Future[T]:
        """Return a future with the outcome of another; cancelling it does not cancel the other."""
        if leading.done():
            return leading
        following: asyncio.Future[T] = self._loop.create_future()
        self._when_done(leading, partial(_follow, following))
        return following

    # Counting

    def load(self) -> None:
        """Read what was asked of the loaders, now that every task waits."""
        dispatches, self._dispatches = self._dispatches, []
        for dispatch in dispatches:
            dispatch()

    def hold(self) -> None:
        """Count as running until the tasks whose futures were just resolved have resumed."""
        if self._is_held:
            self._is_held_again = True
            return
        self._is_held = True
        self.running += 1
        self._loop.call_soon(self._release)

    def _release(self) -> None:
        if self._is_held_again:  # for tasks that resume after this callback
            self._is_held_again = False
            self._loop.call_soon(self._release)
            return
        self._is_held = False
        self.running -= 1
        if not self.running:
            self.load()

    def _load_if_waiting(self) -> None:
        if not self.running:
            self.load()

    # Turns of the event loop

    def is_turn_over(self) -> bool:
        """Return whether the operation has used up its time in this turn of the event loop.

        Where this is asked often, a look at ``turn_ends`` comes before it.
        """
        now = perf_counter()
        if self.turn_ends:
            return now > self.turn_ends
        self.turn_ends = now + _TURN_SECONDS
        self._loop.call_soon(self._end_turn)
        return False

    def postpone(self, callback: Callable[[], object]) -> None:
        """Call a function in a later turn of the event loop. Until then, the operation counts as running."""
        self.running += 1
        self._postponed.append(callback)

    def _when_done(self, future: asyncio.Future[T], callback: Callable[[asyncio.Future[T]], object]) -> None:
        """Call a function when a future is done; thousands for the same future, in several turns of the event loop."""
        waiting = self._waiting.get(future)
        if waiting is None:
            self._waiting[future] = [callback]
            future.add_done_callback(self._call_waiting)
        else:
            waiting.append(callback)

    def _call_waiting(self, future: asyncio.Future[Any], waiting: _Waiting | None = None) -> None:
        if self._is_held:
            self._is_held_again = True
        else:
            self.hold()
        waiting = waiting if waiting is not None else iter(self._waiting.pop(future, ()))
        for callback in waiting:
            callback(future)
            if len(self.tasks) > _FEW and perf_counter() > self.turn_ends and self.is_turn_over():
                self.postpone(partial(self._call_waiting, future, waiting))
                return

    def _end_turn(self) -> None:
        """Begin the next turn of the operation with what was postponed."""
        self.turn_ends = 0.0
        while self._postponed and not self.is_turn_over():
            self._postponed.popleft()()
            self.running -= 1
            if not self.running:
                self.load()


def _follow(following: asyncio.Future[T], leading: asyncio.Future[T]) -> None:
    if following.done():
        return
    if leading.cancelled():
        following.cancel()
    elif (error := leading.exception()) is not None:
        following.set_exception(error)
    else:
        following.set_result(leading.result())


class Finisher:
    """Runs work that goes on when its operation has ended. One per process."""

    def __init__(self) -> None:
        self._works: dict[asyncio.Task[Any], str] = {}

    def begin(
        self, name: str, work: Callable[[OperationScope], Coroutine[Any, Any, T]], seconds: float
    ) -> asyncio.Task[T]:
        """Start work, and cancel it after ``seconds``; log its failure under ``name``."""
        task = asyncio.get_running_loop().create_task(self._run(work, seconds))
        self._works[task] = name
        task.add_done_callback(self._end)
        return task

    async def settle(self, seconds: float) -> None:
        """Wait for all work; cancel what has not ended after ``seconds``."""
        if not self._works:
            return
        _, late = await asyncio.wait(self._works, timeout=seconds)
        for task in late:
            log.warning("%s did not finish before the server stopped", self._works[task])
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _run(self, work: Callable[[OperationScope], Coroutine[Any, Any, T]], seconds: float) -> T:
        async with asyncio.timeout(seconds), OperationScope(self) as scope:
            return await work(scope)

    def _end(self, task: asyncio.Task[Any]) -> None:
        name = self._works.pop(task)
        error = None if task.cancelled() else task.exception()  # retrieved, so that asyncio does not log it
        if error is not None:
            log.warning("%s failed: %s", name, type(error).__name__)


class OperationTask(asyncio.Future[T]):
    """Runs a coroutine from wait to wait like an ``asyncio.Task``, at less cost and with two differences.

    It can begin at once, so that a coroutine that never waits ends in the turn of the event loop that started it; and
    it tells its operation when it waits. A bare yield, as of ``asyncio.sleep(0)``, is no wait.

    Attributes:
        context: The context variables of the coroutine.
        then: Called with the task when it has ended.
    """

    __slots__ = ("_cancellations", "_is_cancelled", "_scope", "_waits_for", "_work", "context", "then")

    def __init__(self, scope: OperationScope, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> None:
        super().__init__(loop=loop)
        self.context = copy_context()
        self.then: Callable[[OperationTask[T]], None] | None = None
        if scope.is_closed:
            work.close()
            raise RuntimeError("The operation is over.")
        self._scope, self._work = scope, work
        self._waits_for: asyncio.Future[Any] | None = None
        self._cancellations = 0
        self._is_cancelled = False
        scope.tasks.add(self)
        scope.running += 1

    def step(self, _waited_for: asyncio.Future[Any] | None = None, *, is_first: bool = False) -> None:  # noqa: C901 - it is one thing, done often
        """Run to the next wait, or to the end; in a later turn of the event loop if the time in this one is used up."""
        scope, loop = self._scope, self.get_loop()
        if not is_first and len(scope.tasks) > _FEW and perf_counter() > scope.turn_ends and scope.is_turn_over():
            scope.postpone(partial(self.context.run, self.step))
            return
        if self._waits_for is not None:
            self._waits_for = None
            scope.running += 1
        enter_task(loop, self)  # type: ignore[arg-type]  # it has what is asked of the current task
        try:
            if self._is_cancelled:
                self._is_cancelled = False
                waits_for = self._work.throw(asyncio.CancelledError())
            else:
                waits_for = self._work.send(None)
        except StopIteration as end:
            self.set_result(end.value)
        except asyncio.CancelledError:
            super().cancel()
        except Exception as error:
            self.set_exception(error.with_traceback(error.__traceback__ and error.__traceback__.tb_next))  # no cycle
            self.exception()  # retrieved, so that asyncio does not log it
        else:
            if waits_for is None:
                loop.call_soon(self.step, context=self.context)
                return
            accept_wait(waits_for)
            waits_for.add_done_callback(self.step, context=self.context)
            self._waits_for = waits_for
            self._is_cancelled = self._is_cancelled and not waits_for.cancel()
        finally:
            leave_task(loop, self)  # type: ignore[arg-type]
        if self.done():
            scope.tasks.discard(self)
            if self.then is not None:
                then, self.then = self.then, None  # it may refer to the task: a cycle
                then(self)
        scope.running -= 1
        if not scope.running:
            scope.load()

    def cancel(self, msg: Any = None) -> bool:
        """Request to cancel the task, as ``asyncio.Task.cancel`` does."""
        if self.done():
            return False
        self._cancellations += 1
        if self._waits_for is None or not self._waits_for.cancel(msg):
            self._is_cancelled = True
        return True

    def cancelling(self) -> int:
        """Return how many requests to cancel it are pending."""
        return self._cancellations

    def uncancel(self) -> int:
        """Take one request to cancel back."""
        self._cancellations = max(0, self._cancellations - 1)
        return self._cancellations


class _Join(asyncio.Future[None]):
    """Is done when all of some futures are, or, unless it ``settles``, with the first error of one.

    Cancelling it cancels the tasks that it started, at once, so that none of them begins later.
    """

    def __init__(self, scope: OperationScope, left: int, *, settles: bool) -> None:
        super().__init__()
        self._scope, self._left, self._settles = scope, left, settles
        self._tasks: list[OperationTask[Any]] = []

    def start(self, work: Coroutine[Any, Any, T]) -> OperationTask[T]:
        """Start a coroutine as one of them."""
        task = self._scope.start(work, self)
        self._tasks.append(task)
        return task

    def __call__(self, future: asyncio.Future[Any]) -> None:
        """Note that one of them is done."""
        self._left -= 1
        if self.done():
            return
        error = None if future.cancelled() else future.exception()
        if future.cancelled():
            super().cancel()
        elif error is not None and not (self._settles and isinstance(error, Exception)):
            self.set_exception(error)
        elif not self._left:
            self.set_result(None)
        else:
            return
        self._scope.hold()

    def cancel(self, msg: Any = None) -> bool:
        """Cancel the tasks and the wait for them."""
        for task in self._tasks:
            task.cancel(msg)
        return super().cancel(msg)
