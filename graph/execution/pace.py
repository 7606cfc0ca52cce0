"""The pace of an operation: what it asks for goes together, and what it is given comes in several turns of the loop."""

import asyncio
from collections import deque
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

_GIVEN = 100  # outcomes that are passed on in one turn of the loop


class Pace:
    """What loads for an operation knows by this when to begin, and passes on by this what it has.

    Attributes:
        is_beginning: whether the operation still begins things, in however many turns. What loads for it waits until
            then, so that what is begun together is loaded together.
    """

    def __init__(self) -> None:
        self.is_beginning = False
        self._given = 0
        self._waiting = deque[tuple[asyncio.Future[Any], asyncio.Future[Any]]]()

    def follow(self, leading: asyncio.Future[T]) -> asyncio.Future[T]:
        """A future that has the outcome of another, and can be given up without giving up that one.

        Where thousands wait for few, they would all go on in one turn of the loop. So some of them have the outcome a
        few turns later.
        """
        if leading.done():
            return leading
        following: asyncio.Future[T] = leading.get_loop().create_future()
        leading.add_done_callback(partial(self._pass_on, following))
        return following

    def _pass_on(self, following: asyncio.Future[Any], leading: asyncio.Future[Any]) -> None:
        if not self._given:
            leading.get_loop().call_soon(self._take_turn)
        if self._given >= _GIVEN:
            self._waiting.append((following, leading))
            return
        self._given += 1
        if following.done():
            return
        if leading.cancelled():
            following.cancel()
        elif (error := leading.exception()) is not None:
            following.set_exception(error)
        else:
            following.set_result(leading.result())

    def _take_turn(self) -> None:
        self._given = 0
        for _ in range(min(_GIVEN, len(self._waiting))):
            self._pass_on(*self._waiting.popleft())
