"""What a reading of a log gives, and how it went."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from graph.execution_warnings import ExecutionWarning
from graph.logs.lines import Allowance, Line, LineWindow, Mark


class LogReadStatus(Enum):
    """How the reading of a log source went."""

    READ = "READ"
    EMPTY = "EMPTY"
    DENIED = "DENIED"
    NOT_FOUND = "NOT_FOUND"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"
    UNSCOPED = "UNSCOPED"

    @classmethod
    def of_failure(cls, code: str) -> "LogReadStatus":
        """Return the status that an error code of AWS stands for."""
        if "AccessDenied" in code:
            return cls.DENIED
        return cls.NOT_FOUND if "ResourceNotFound" in code else cls.ERROR


@dataclass(frozen=True, slots=True)
class LogReading:
    """What was read, in the direction of reading: up to one line more than asked for, which tells that more follows.

    Where the reading stopped early, ``stopped_at`` is the mark to go on from, ``width`` the window to try there, and
    ``failure`` the code of the call that failed; without a failure, the allowance was spent.
    """

    lines: Sequence[Line]
    stopped_at: Mark | None = None
    width: int | None = None
    failure: str | None = None
    warnings: tuple[ExecutionWarning, ...] = ()


NOTHING = LogReading(())


class LineReader(Protocol):
    """Something that lines are read from."""

    async def read(self, window: LineWindow, allowance: Allowance) -> LogReading:
        """Return the lines of a window."""
