"""Whether the process lives, and whether it should be sent requests."""

import asyncio
import time
from collections.abc import Callable

_FRESH_SECONDS = 15.0
_LONGEST_CHECK = 5.0


class Readiness:
    """Ready while the tables answer and the server does not drain. The tables are asked every 15 s at most, by one."""

    def __init__(
        self,
        tables_answer: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
        longest: float = _LONGEST_CHECK,
    ) -> None:
        self.is_draining = False
        self._tables_answer = tables_answer
        self._clock = clock
        self._longest = longest
        self._lock = asyncio.Lock()
        self._known = False
        self._asked: float | None = None

    async def reason(self) -> str | None:
        """Why no requests should be sent; None when they should."""
        if self.is_draining:
            return "draining"
        async with self._lock:
            if self._asked is None or self._clock() - self._asked >= _FRESH_SECONDS:
                self._known = await self._ask()
                self._asked = self._clock()
        return None if self._known else "tables do not answer"

    async def _ask(self) -> bool:
        try:
            return await asyncio.wait_for(asyncio.to_thread(self._tables_answer), self._longest)
        except TimeoutError:
            return False
