"""Runs: one request that is answered by a plan.

Everything happens in turns of the event loop: answers that have arrived are completed, and what they leave to do is
begun, as much as a turn may take, so that others have theirs. Answers that wait for nothing arrive at once. What is
begun before the operation waits is asked of the loaders together.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from functools import cached_property, partial
from types import CoroutineType
from typing import TYPE_CHECKING, Any, TypeAlias

from graphql import located_error

if TYPE_CHECKING:
    from graph.execution.code import Place
    from graph.execution.declared import Bound
    from graph.execution.graphql_internals import Executor, Path
    from graph.execution.slots import GrowingPlan, Level, PlannedField, Slot
    from graph.operation import OperationScope, OperationTask

    Then: TypeAlias = Callable[["PlanRun", Any, Any, Place], None]

_UNTIMED = 16  # things that are done before the clock is looked at


class PlanRun:
    """One request."""

    def __init__(
        self,
        plan: GrowingPlan,
        context: Any,
        variables: Mapping[str, Any],
        scope: OperationScope,
        executor: Callable[[], Executor[Any]],
    ) -> None:
        self.plan = plan
        self.context = context
        self.variables = variables
        """The values of the operation's variables."""
        self._make_executor = executor
        self.todo: list[tuple[Any, Any, Any, Place]] = []
        """What is left to do: a slot, the value that it is about, what holds the outcome, and the place."""
        self.bounds: dict[PlannedField, Bound] = {}
        """The functions that answer fields with the arguments of this request."""
        self._data: Any = None
        self._has_nulled = False
        self._doing: deque[tuple[Any, Any, Any, Place]] = deque()
        self._arrived: list[tuple[Slot, Then, OperationTask[Any], Any, Place]] = []
        self._taking: deque[tuple[Slot, Then, OperationTask[Any], Any, Place]] = deque()
        self._awaited: set[OperationTask[Any]] = set()
        self._scope = scope
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._is_going_on = False

    @cached_property
    def executor(self) -> Executor[Any]:
        """graphql-core's executor, which completes what is not as expected."""
        return self._make_executor()

    async def data(self, root: Level, value: Any) -> Any:
        """Return the answer to what is selected of the root."""
        self._data = root.complete(value, None, root.slots, self)
        if not self.todo:
            return self._data
        self._go_on()
        try:
            await self._over
            if self._awaited:
                await asyncio.sleep(0)  # so that nothing is given up that has not even begun
        finally:
            self._give_up()
        return self._data

    def wait(self, slot: Slot, then: Then, answer: Awaitable[Any], holder: Any, place: Place) -> None:
        """Let an answer come, at once or while others are waited for too."""
        task = self._scope.run(answer if answer.__class__ is CoroutineType else _await(answer))
        if task.done():
            self._take(slot, then, task, holder, place)
        else:
            task.then = partial(self._arrive, slot, then, holder, place)
            self._awaited.add(task)

    def fail(self, slot: Slot, error: Exception, place: Place) -> None:
        """Report an error, and put null in its place, or in the nearest nullable place around it."""
        path: Path | None = slot.path(place)
        located = located_error(error, slot.nodes, path.as_list() if path else None)
        for _, is_nullable in reversed(slot.steps):
            if is_nullable or path is None:
                break
            path, self._has_nulled = path.prev, True
        self.executor.collected_errors.add(located, path)
        if path is None:
            self._data = None
        else:
            self._put_null(path.as_list())

    def _is_void(self, slot: Slot, place: Place) -> bool:
        """Return whether a place is within something that is null by now."""
        return self.executor.collected_errors.has_nulled_position(slot.path(place))

    def _put_null(self, keys: Sequence[str | int]) -> None:
        holder = self._data
        for key in keys[:-1]:
            if holder is None:
                return
            holder = holder[key]
        if holder is not None:
            holder[keys[-1]] = None

    def _give_up(self) -> None:
        """Wait no more for what has not come."""
        for task in self._awaited:
            task.cancel()

    def _arrive(self, slot: Slot, then: Then, holder: Any, place: Place, task: OperationTask[Any]) -> None:
        self._awaited.discard(task)
        self._arrived.append((slot, then, task, holder, place))
        if not self._is_going_on and not self._over.done():
            self._go_on()

    def _go_on(self) -> None:
        """Wake up in the next turn of the event loop. Until then, the operation counts as running."""
        self._is_going_on = True
        self._scope.running += 1
        self._loop.call_soon(self._turn, context=self._context)

    def _turn(self) -> None:
        """Complete what is pending; go on in another turn of the loop when this one takes too long."""
        try:
            while not self._scope.is_turn_over():
                if not self._do_some():
                    self._is_going_on = False
                    if not self._over.done() and (self._data is None or not self._awaited):
                        self._over.set_result(None)
                    return
            self._go_on()
        except asyncio.CancelledError:
            self._over.cancel()
        except Exception as error:
            self._over.set_exception(error)
        finally:
            self._scope.running -= 1
            if not self._scope.running:
                self._scope.load()

    def _do_some(self) -> bool:
        """Do a few things, each kind in its order; whether there may be more."""
        for _ in range(_UNTIMED):
            if self._data is None:
                return False
            if self._doing:
                slot, value, holder, place = self._doing.popleft()
                slot.begin(self, value, holder, place)
            elif self._taking:
                self._take(*self._taking.popleft())
            elif self.todo:
                self._doing, self.todo = deque(self.todo), []
            elif self._arrived:
                self._taking, self._arrived = deque(self._arrived), []
            else:
                return False
        return True

    def _take(self, slot: Slot, then: Then, task: OperationTask[Any], holder: Any, place: Place) -> None:
        if self._has_nulled and self._is_void(slot, place):
            return
        if task.cancelled():
            raise asyncio.CancelledError
        error = task.exception()
        if error is None:
            then(self, task.result(), holder, place)
        elif isinstance(error, Exception):
            self.fail(slot, error, place)


async def _await(answer: Awaitable[Any]) -> Any:
    return await answer
