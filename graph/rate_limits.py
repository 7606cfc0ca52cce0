"""How much each caller may ask in a time: a bucket of points for each, which operations empty and time fills."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from graph.errors import RateLimited

_MOST_CALLERS = 10_000


class TokenBuckets(Protocol):
    """Where the buckets are kept. Those of this module are in the process; a shared store can take their place."""

    async def charge(self, caller: str, points: int) -> None:
        """Take points from a caller's bucket.

        Raises:
            RateLimited: when there are too few; none are taken then.
        """

    async def refund(self, caller: str, points: int) -> None:
        """Give a caller points back that were charged."""


class LocalTokenBuckets:
    """Token buckets of this process alone.

    A bucket that was not used for long is full again, and need not be kept: the longest unused go first.
    """

    def __init__(self, points: int, per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._points = points
        self._per_second = per_second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def charge(self, caller: str, points: int) -> None:
        """Take points from a caller's bucket, made full at first sight.

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
        """Give a caller points back that were charged."""
        if caller in self._left:
            left, then = self._left[caller]
            self._left[caller] = (left + points, then)  # a bucket is never more than full when it is used next
