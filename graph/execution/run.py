"""Run one request by a plan.

A run works in turns of the event loop, each bounded by time so that other requests run: it completes the answers of
resolvers that have arrived, and calls the resolvers within them. A resolver that never waits answers at once. Keys that
resolvers ask loaders for before all of them wait are read together.
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

_UNTIMED = 16  # steps between two looks at the clock


class PlanRun:
    """The run of one request by a plan."""

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
        self.pending: list[tuple[Any, Any, Any, Place]] = []
        """Work that is left: a slot, its value, the object or list that takes the result, and the place."""
        self.bound_fields: dict[PlannedField, Bound] = {}
        """The resolvers of fields, bound to the arguments of this request."""
        self._data: Any = None
        self._has_nulled = False
        self._in_progress: deque[tuple[Any, Any, Any, Place]] = deque()
        self._arrived: list[tuple[Slot, Then, OperationTask[Any], Any, Place]] = []
        self._settling: deque[tuple[Slot, Then, OperationTask[Any], Any, Place]] = deque()
        self._awaited: set[OperationTask[Any]] = set()
        self._scope = scope
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._finished: asyncio.Future[None] = self._loop.create_future()
        self._is_scheduled = False

    @cached_property
    def executor(self) -> Executor[Any]:
        """graphql-core's executor, which completes unexpected values."""
        return self._make_executor()

    async def data(self, root: Level, value: Any) -> Any:
        """Return the data of the root."""
        self._data = root.complete(value, None, root.slots, self)
        if not self.pending:
            return self._data
        self._schedule()
        try:
            await self._finished
            if self._awaited:
                await asyncio.sleep(0)  # so that no task is cancelled before it has begun
        finally:
            self._cancel_awaited()
        return self._data

    def wait(self, slot: Slot, then: Then, answer: Awaitable[Any], holder: Any, place: Place) -> None:
        """Await an answer: at once if its coroutine never waits, else among others."""
        task = self._scope.run(answer if answer.__class__ is CoroutineType else _await(answer))
        if task.done():
            self._settle(slot, then, task, holder, place)
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
        """Return whether a place is within a value that has become null."""
        return self.executor.collected_errors.has_nulled_position(slot.path(place))

    def _put_null(self, keys: Sequence[str | int]) -> None:
        holder = self._data
        for key in keys[:-1]:
            if holder is None:
                return
            holder = holder[key]
        if holder is not None:
            holder[keys[-1]] = None

    def _cancel_awaited(self) -> None:
        """Cancel the answers that have not arrived."""
        for task in self._awaited:
            task.cancel()

    def _arrive(self, slot: Slot, then: Then, holder: Any, place: Place, task: OperationTask[Any]) -> None:
        self._awaited.discard(task)
        self._arrived.append((slot, then, task, holder, place))
        if not self._is_scheduled and not self._finished.done():
            self._schedule()

    def _schedule(self) -> None:
        """Continue in the next turn of the event loop. Until then, the operation counts as running."""
        self._is_scheduled = True
        self._scope.running += 1
        self._loop.call_soon(self._turn, context=self._context)

    def _turn(self) -> None:
        """Complete what is pending; go on in another turn of the loop when this one takes too long."""
        try:
            while not self._scope.is_turn_over():
                if not self._advance():
                    self._is_scheduled = False
                    if not self._finished.done() and (self._data is None or not self._awaited):
                        self._finished.set_result(None)
                    return
            self._schedule()
        except asyncio.CancelledError:
            self._finished.cancel()
        except Exception as error:
            self._finished.set_exception(error)
        finally:
            self._scope.running -= 1
            if not self._scope.running:
                self._scope.load()

    def _advance(self) -> bool:
        """Take a few steps: pending work first, then answers. Return whether more may be left."""
        for _ in range(_UNTIMED):
            if self._data is None:
                return False
            if self._in_progress:
                slot, value, holder, place = self._in_progress.popleft()
                slot.begin(self, value, holder, place)
            elif self._settling:
                self._settle(*self._settling.popleft())
            elif self.pending:
                self._in_progress, self.pending = deque(self.pending), []
            elif self._arrived:
                self._settling, self._arrived = deque(self._arrived), []
            else:
                return False
        return True

    def _settle(self, slot: Slot, then: Then, task: OperationTask[Any], holder: Any, place: Place) -> None:
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
