"""Rate limits: a token bucket of points for each caller, which operations empty and time refills."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from graph.errors import RateLimited

_MOST_CALLERS = 10_000


class TokenBuckets(Protocol):
    """The token buckets of all callers, in this process or in a shared store."""

    async def charge(self, caller: str, points: int) -> None:
        """Take points from a caller's bucket.

        Raises:
            RateLimited: when there are too few; none are taken then.
        """

    async def refund(self, caller: str, points: int) -> None:
        """Return charged points to a caller."""


class LocalTokenBuckets:
    """Token buckets of this process alone.

    A bucket that was unused for long is full again and need not be kept; the least recently used are dropped.
    """

    def __init__(self, points: int, per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._points = points
        self._per_second = per_second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def charge(self, caller: str, points: int) -> None:
        """Take points from a caller's bucket; that of a new caller is full.

        Raises:
            RateLimited: when there are too few.
        """
        if not self._points:
            return
        now = self._clock()
        left, then = self._left.pop(caller, (float(self._points), now))
        left = min(float(self._points), left + (now - then) * self._per_second)
        missing = points - left
        self._left[caller] = (left if missing > 0 else left - points, now)
        if len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        if missing > 0:
            raise RateLimited(math.ceil(missing / self._per_second))

    async def refund(self, caller: str, points: int) -> None:
        """Return charged points to a caller."""
        if caller in self._left:
            left, then = self._left[caller]
            self._left[caller] = (left + points, then)  # a bucket is never more than full when it is used next
