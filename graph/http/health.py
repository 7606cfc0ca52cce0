"""Whether the process lives, and whether it should be sent requests."""

from collections.abc import Awaitable, Callable


class Readiness:
    """Ready while the tables can be read and the server does not drain."""

    def __init__(self, tables_answer: Callable[[], Awaitable[bool]]) -> None:
        self.is_draining = False
        self._tables_answer = tables_answer

    async def reason(self) -> str | None:
        """Return why no requests should be sent; None when they should."""
        if self.is_draining:
            return "draining"
        return None if await self._tables_answer() else "tables do not answer"
