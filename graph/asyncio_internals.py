"""Everything that this project uses of asyncio beside its documented face: what a task of another kind takes.

``tests/execution/test_internals.py`` fails where a version of Python has it no more, and where another module goes past
this one.
"""

from asyncio import Future
from asyncio.tasks import _enter_task as enter_task
from asyncio.tasks import _leave_task as leave_task
from typing import Any

__all__ = ["accept_wait", "enter_task", "leave_task"]


def accept_wait(future: Future[Any]) -> None:
    """Tell a future that a coroutine yielded to its task that the task waits for it."""
    future._asyncio_future_blocking = False  # noqa: SLF001 - asyncio has no other way to it
