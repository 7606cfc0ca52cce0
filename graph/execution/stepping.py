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
    return False, _go_on(answer, waits_for)


@coroutine
def _go_on(answer: Coroutine[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, Any]:
    """Runs a coroutine on that waits for something, within the task that awaits this."""
    try:
        while True:
            if asyncio.isfuture(waits_for):
                # It says that it is awaited, which it no longer does if others awaited it meanwhile.
                waits_for._asyncio_future_blocking = True  # noqa: SLF001 - how tasks and futures talk
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
