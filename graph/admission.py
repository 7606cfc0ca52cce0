"""Which operations run now: those whose prices fit together, the cheapest first.

A process answers everybody in turn on one core, so what runs at once is bounded by what it costs and not by how many
there are: a thousand small operations go side by side, and only a few of the dearest.
"""

import asyncio
import heapq
import itertools
import math
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from graph.deadlines import Deadline
from graph.errors import Overloaded


class AdmissionController:
    """Admit operations, so that what runs at once is bounded by its price.

    An operation may begin while it leaves at least as many of the points free as it takes itself, so a small one finds
    a place beside the dearest; one that leaves too few begins when it is alone. Whoever waits, the cheapest goes first.
    """

    def __init__(self, points: int, seconds: float) -> None:
        self._points = points
        self._seconds = seconds
        self._running = 0
        self._left = 0  # who gave up and are still in the queue
        self._arrivals = itertools.count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    def admit(self, price: int) -> AbstractAsyncContextManager[None]:
        """Return the admission of an operation of some points, to be entered.

        Raises:
            Overloaded: on entering, when none was free for too long.
        """
        return _Admission(self, price)

    async def begin(self, price: int) -> None:
        """Admit an operation; :meth:`end` must follow."""
        if self._fits(price):
            self._running += price
            return
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (price, next(self._arrivals), given))
        try:
            async with Deadline(self._seconds):
                await given
        except BaseException as error:
            if given.done() and not given.cancelled():  # it was given while its waiter gave up
                self.end(price)
            else:
                self._leave()
            if isinstance(error, TimeoutError):
                raise Overloaded(math.ceil(self._seconds)) from None
            raise

    def end(self, price: int) -> None:
        """Give a turn back."""
        self._running -= price
        while self._waiting and (self._waiting[0][2].done() or self._fits(self._waiting[0][0])):
            price, _, given = heapq.heappop(self._waiting)
            if given.done():
                self._left -= 1
            else:
                self._running += price
                given.set_result(None)

    def _leave(self) -> None:
        """Count one who gave up. Once they are half of those who wait, take them all from the queue."""
        self._left += 1
        if 2 * self._left > len(self._waiting):
            self._waiting = [one for one in self._waiting if not one[2].done()]
            heapq.heapify(self._waiting)
            self._left = 0

    def _fits(self, price: int) -> bool:
        return not self._running or self._running + 2 * price <= self._points


@dataclass(frozen=True, slots=True)
class _Admission(AbstractAsyncContextManager[None]):
    admission: AdmissionController
    price: int

    async def __aenter__(self) -> None:
        await self.admission.begin(self.price)

    async def __aexit__(self, *_: object) -> None:
        self.admission.end(self.price)
