"""Coroutines that are run to their first wait in the place of their caller."""

import asyncio
from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any


def step(answer: Coroutine[Any, Any, Any]) -> tuple[bool, Any]:
    """Runs a coroutine to its first wait: whether it is over, and what it gave, or else what goes on with it."""
    try:
        waits_for = answer.send(None)
    except StopIteration as end:
        return True, end.value
    _claim(waits_for, is_awaited=False)
    return False, _go_on(answer, waits_for)


@coroutine
def _go_on(answer: Coroutine[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, Any]:
    """Runs a coroutine on that waits for something, within the task that awaits this."""
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
    """Says whether a future is just being awaited, as tasks and futures tell each other; others may await it too."""
    if asyncio.isfuture(waits_for):
        waits_for._asyncio_future_blocking = is_awaited  # noqa: SLF001 - there is no public word for it
