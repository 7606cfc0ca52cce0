"""Whose new document is parsed next: users in rotation, and of each user the shortest text."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from graph.admission import AdmissionController
from graph.errors import Overloaded

MOST_WAITING = 100
"""New documents of one user that may wait at once, on however many connections; further ones are refused."""


@dataclass(slots=True)
class _Queue:
    """The documents of one user: those that wait, and the one that is read."""

    admission: AdmissionController
    length: int = 0


class FairQueue:
    """Admits documents one at a time, users in rotation.

    A user's documents first compete among themselves; the one that wins stands for its user in a queue of all users,
    which is first come, first served. So however many documents a user sends, they delay each document of another by
    one turn.

    Args:
        seconds: how long a document waits for its turn among those of its user, and then for that of its user.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._users = AdmissionController(1, seconds)
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def admit(self, user: str, characters: int) -> AsyncIterator[None]:
        """Await a turn for a document of a user.

        Raises:
            Overloaded: on entering, when too many of the user's documents wait, or none was free for too long.
        """
        queue = self._queues.setdefault(user, _Queue(AdmissionController(1, self._seconds)))
        if queue.length > MOST_WAITING:
            raise Overloaded(math.ceil(self._seconds))
        queue.length += 1
        try:
            async with queue.admission.admit(characters), self._users.admit(1):
                yield
        finally:
            queue.length -= 1
            if not queue.length:
                del self._queues[user]
