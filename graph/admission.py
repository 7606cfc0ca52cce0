"""Admission control: which operations run now, bounded by their prices, the cheapest first.

A process runs on one core, so the sum of the prices of running operations is bounded, and not their number: a thousand
small operations run side by side, but only a few of the most expensive.
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
    """Admits operations while the sum of their prices is within bounds.

    An operation begins if it leaves at least as many points free as it takes, so that a small one still fits beside the
    most expensive; an operation that is too large for that begins when it is alone. The cheapest of those that wait
    begins first.
    """

    def __init__(self, points: int, seconds: float) -> None:
        self._points = points
        self._seconds = seconds
        self._running = 0
        self._left = 0  # cancelled waiters that are still in the queue
        self._arrivals = itertools.count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    def admit(self, price: int) -> AbstractAsyncContextManager[None]:
        """Return a context manager that admits an operation of a price and ends its admission.

        Raises:
            Overloaded: on entering, after too long a wait.
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
            if given.done() and not given.cancelled():  # admitted while its waiter was cancelled
                self.end(price)
            else:
                self._leave()
            if isinstance(error, TimeoutError):
                raise Overloaded(math.ceil(self._seconds)) from None
            raise

    def end(self, price: int) -> None:
        """End the admission of an operation, and admit those that now fit."""
        self._running -= price
        while self._waiting and (self._waiting[0][2].done() or self._fits(self._waiting[0][0])):
            price, _, given = heapq.heappop(self._waiting)
            if given.done():
                self._left -= 1
            else:
                self._running += price
                given.set_result(None)

    def _leave(self) -> None:
        """Count a cancelled waiter. Once they are half of the queue, remove them all."""
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
