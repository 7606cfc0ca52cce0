"""Coroutines that are run to their first wait by their caller, so that one that never waits needs no task."""

import asyncio
from asyncio.tasks import _enter_task, _leave_task  # the documented way for other tasks than asyncio's to be current
from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any


def step(answer: Coroutine[Any, Any, Any]) -> tuple[bool, Any]:
    """Run a coroutine to its first wait: whether it is over, and its result, or else a coroutine that goes on with it.

    Until then a stand-in is the current task, so that a timeout or a task group that the coroutine opens cancels the
    task that goes on with it, and not its caller's.
    """
    loop, caller, task = asyncio.get_running_loop(), asyncio.current_task(), _StandIn()
    if caller is not None:
        _leave_task(loop, caller)
    _enter_task(loop, task)  # type: ignore[arg-type]  # of a task, it has what is asked of the current one
    try:
        waits_for = answer.send(None)
    except StopIteration as end:
        return True, end.value
    finally:
        _leave_task(loop, task)  # type: ignore[arg-type]
        if caller is not None:
            _enter_task(loop, caller)
    _claim(waits_for, is_awaited=False)
    return False, _go_on(answer, waits_for, task)


class _StandIn:
    """What timeouts and task groups ask of a task, passed on to the one that goes on with a coroutine."""

    __slots__ = ("_cancellations", "_task")

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._cancellations: list[Any] = []

    def become(self, task: asyncio.Task[Any] | None) -> None:
        """Pass on to a task from now on."""
        self._task = task
        if task is not None:
            for message in self._cancellations:
                task.cancel(message)

    def cancel(self, msg: Any = None) -> bool:
        """Request to cancel the task."""
        if self._task is not None:
            return self._task.cancel(msg)
        self._cancellations.append(msg)
        return True

    def uncancel(self) -> int:
        """Take one such request back."""
        if self._task is not None:
            return self._task.uncancel()
        self._cancellations.pop()
        return len(self._cancellations)

    def cancelling(self) -> int:
        """Return the number of such requests."""
        return self._task.cancelling() if self._task is not None else len(self._cancellations)

    def done(self) -> bool:
        """Whether the task is over."""
        return self._task is not None and self._task.done()


@coroutine
def _go_on(answer: Coroutine[Any, Any, Any], waits_for: Any, stand_in: _StandIn) -> Generator[Any, Any, Any]:
    """Run a coroutine on that waits for something, within the task that awaits this."""
    stand_in.become(asyncio.current_task())
    _claim(waits_for, is_awaited=True)
    try:
        while True:
            try:
                got = yield waits_for
            except GeneratorExit:
                answer.close()
                raise
            except BaseException as error:
                waits_for = answer.throw(error)
            else:
                waits_for = answer.send(got)
    except StopIteration as end:
        return end.value


def _claim(waits_for: Any, *, is_awaited: bool) -> None:
    """Say whether a future is being awaited, as tasks and futures tell each other; others may await it too."""
    if asyncio.isfuture(waits_for):
        waits_for._asyncio_future_blocking = is_awaited  # noqa: SLF001 - there is no public word for it
