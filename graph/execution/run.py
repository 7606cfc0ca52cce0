"""Runs: one request that is answered by a plan.

Everything happens in turns of the event loop: answers that have arrived are completed, and what they leave to do is
begun, some of it in each turn, so that others have theirs. What is begun in a turn is asked of the loaders together.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from inspect import iscoroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from graphql import located_error
from graphql.pyutils import Path

if TYPE_CHECKING:
    from graphql.execution.executor import Executor

    from graph.execution.code import Place
    from graph.execution.declared import Bound
    from graph.execution.plan import Plan
    from graph.execution.spots import Declared, Level, Spot
    from graph.operation import OperationScope

    Then: TypeAlias = Callable[["Run", Any, Any, Place], None]

_BEGUN, _BEGUN_AT_LEAST = 500, 50  # the work of the answers that begin in one turn
_SECONDS = 0.004  # of work in one turn
_UNTIMED = 16  # things that are done before the clock is looked at


class Run:
    """One request."""

    def __init__(self, plan: Plan, executor: Executor[Any], scope: OperationScope) -> None:
        self.plan = plan
        self.executor = executor
        self.todo: list[tuple[Any, Any, Any, Place]] = []
        """What is left to do: a spot, the value that it is about, what holds the outcome, and the place."""
        self.bounds: dict[Declared, Bound] = {}
        """The functions that answer fields with the arguments of this request."""
        self._data: Any = None
        self._has_nulled = False
        self._arrived: list[tuple[Spot, Then, Any, BaseException | None, Any, Place]] = []
        self._awaited: set[asyncio.Task[Any]] = set()
        self._waker: asyncio.Future[None] | None = None
        self._turn = _Turn()
        self._scope = scope

    async def data(self, root: Level, value: Any) -> Any:
        """The answer to what is selected of the root."""
        self._data = root.complete(value, None, root.spots, self)
        turn = self._turn
        turn.begin()
        self._scope.running += 1
        try:
            while self._data is not None:
                if self.todo:
                    doing, self.todo = self.todo, []
                    for spot, given, holder, place in doing:
                        if self._data is not None:
                            spot.begin(self, given, holder, place)
                            await turn.goes_on()
                elif self._arrived:
                    taking, self._arrived = self._arrived, []
                    for spot, then, answer, error, holder, place in taking:
                        self._take(spot, then, answer, error, holder, place)
                        await turn.goes_on()
                elif self._awaited:
                    await self._sleep()
                    turn.begin()
                else:
                    break
            if self._awaited:
                await asyncio.sleep(0)  # so that nothing is given up that has not even begun
        finally:
            self._scope.wait()
            self._give_up()
        return self._data

    def wait(self, spot: Spot, then: Then, answer: Awaitable[Any], holder: Any, place: Place, work: int = 1) -> None:
        """Lets an answer come while others are waited for too."""
        coming = answer if iscoroutine(answer) else _await(answer)
        self._awaited.add(self._scope.start(coming, partial(self._arrive, spot, then, holder, place)))
        self._turn.begun += work

    def fail(self, spot: Spot, error: Exception, place: Place) -> None:
        """Tells of an error, and puts null in its place, or the nearest one around it where null may be."""
        path: Path | None = spot.path(place)
        located = located_error(error, spot.nodes, path.as_list() if path else None)
        for _, is_nullable in reversed(spot.steps):
            if is_nullable or path is None:
                break
            path, self._has_nulled = path.prev, True
        self.executor.collected_errors.add(located, path)
        if path is None:
            self._data = None
        else:
            self._put_null(path.as_list())

    def is_void(self, spot: Spot, place: Place) -> bool:
        """Whether a place is within something that is null by now."""
        return self._has_nulled and self.executor.collected_errors.has_nulled_position(spot.path(place))

    def _put_null(self, keys: Sequence[str | int]) -> None:
        holder = self._data
        for key in keys[:-1]:
            if holder is None:
                return
            holder = holder[key]
        if holder is not None:
            holder[keys[-1]] = None

    def _give_up(self) -> None:
        """Waits no more for what has not come."""
        for task in self._awaited:
            task.cancel()

    def _arrive(self, spot: Spot, then: Then, holder: Any, place: Place, task: asyncio.Task[Any]) -> None:
        self._awaited.discard(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        self._arrived.append((spot, then, None if error else task.result(), error, holder, place))
        if self._waker is not None and not self._waker.done():
            self._waker.set_result(None)
            self._scope.hold()

    def _take(
        self, spot: Spot, then: Then, answer: Any, error: BaseException | None, holder: Any, place: Place
    ) -> None:
        if self.is_void(spot, place):
            return
        if error is None:
            then(self, answer, holder, place)
        elif isinstance(error, Exception):
            self.fail(spot, error, place)
        else:
            raise error

    async def _sleep(self) -> None:
        """Waits until something has arrived."""
        self._waker = asyncio.get_running_loop().create_future()
        self._scope.wait()
        try:
            await self._waker
        finally:
            self._scope.running += 1


async def _await(answer: Awaitable[Any]) -> Any:
    return await answer


class _Turn:
    """What is done in one turn of the event loop. Where what began takes long, less begins in the next."""

    def __init__(self) -> None:
        self.begun = 0
        self._most = _BEGUN
        self._untimed = 0
        self._began = 0.0

    def begin(self) -> None:
        """Begins a turn."""
        self.begun, self._untimed = 0, _UNTIMED
        self._began = time.perf_counter()

    async def goes_on(self) -> None:
        """Gives others their turn where this one is over."""
        self._untimed -= 1
        if self.begun < self._most:
            if self._untimed:
                return
            self._untimed = _UNTIMED
            if time.perf_counter() - self._began < _SECONDS:
                return
        await asyncio.sleep(0)
        took = time.perf_counter() - self._began
        if took > 2 * _SECONDS:
            self._most = max(_BEGUN_AT_LEAST, self._most // 2)
        elif took < _SECONDS:
            self._most = min(_BEGUN, self._most * 2)
        self.begin()
