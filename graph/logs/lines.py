"""Log lines and their order.

A line's mark is its millisecond, a digest of its stream, and its place among the stream's lines of that millisecond. It
is the same whichever call read the line, so a reading resumes after any mark. CloudWatch's own tokens expire and are
never kept.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

MOST_OF_A_MILLISECOND = 100_000

_END_OF_TIME = 2**53  # milliseconds


class Mark(NamedTuple):
    """The place of a line: Unix time in milliseconds, digest of its stream, ordinal among its equals, from 0."""

    time: int
    stream: int
    ordinal: int

    @classmethod
    def start_of(cls, time: int) -> "Mark":
        """Return the place before every line of a millisecond."""
        return cls(time, 0, -1)

    @property
    def is_start(self) -> bool:
        """Whether the mark is before every line of its millisecond."""
        return self.ordinal < 0


@lru_cache(maxsize=4096)
def stream_digest(stream: str) -> int:
    """Return 40 bits that stand for a stream in marks; those of one millisecond hardly ever share them."""
    return int.from_bytes(hashlib.blake2b(stream.encode(errors="surrogatepass"), digest_size=5).digest(), "big")


class FoundEvent(NamedTuple):
    """A line as CloudWatch gives it; times are Unix times in milliseconds."""

    time: int
    stream: str
    message: str
    ingested: int | None


class Line(NamedTuple):
    """A line at its mark. It compares as its mark does, for no two of a scope share one."""

    mark: Mark
    message: str
    ingested: int | None
    stream: str = ""


class Span(NamedTuple):
    """A stretch of time in milliseconds, both ends included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class LineWindow:
    """Which lines are wanted: ``count`` after ``start`` and before ``stop``, in the direction of reading.

    ``width`` is how many milliseconds to search at once to begin with, where an earlier reading found out.
    """

    count: int
    forward: bool
    start: Mark | None = None
    stop: Mark | None = None
    width: int | None = None

    @property
    def begin(self) -> Mark:
        """The mark that reading goes on from."""
        return self.start or Mark.start_of(0 if self.forward else _END_OF_TIME)

    def wants(self, mark: Mark) -> bool:
        """Return whether a line lies between start and stop."""
        low, high = (self.start, self.stop) if self.forward else (self.stop, self.start)
        return (low is None or mark > low) and (high is None or mark < high)

    def within(self, span: Span) -> Span:
        """Return the milliseconds of a span that can hold wanted lines."""
        low, high = (self.start, self.stop) if self.forward else (self.stop, self.start)
        return Span(
            span.low if low is None else max(span.low, low.time),
            span.high if high is None else min(span.high, high.time - high.is_start),
        )


class Allowance(Protocol):
    """What a reading may cost."""

    def spend(self, calls: int) -> None:
        """Take some calls off."""

    @property
    def spent(self) -> object | None:
        """What is used up, if anything is."""


class Milliseconds:
    """Puts the events of a search, which come by time, into lines in order; complete milliseconds only.

    ``held`` are the lines so far of the millisecond ``time``. More of one than :data:`MOST_OF_A_MILLISECOND` are left
    out; ``overflowed`` says so.
    """

    def __init__(self) -> None:
        self.time: int | None = None
        self.overflowed = False
        self.held: list[Line] = []
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, event: FoundEvent) -> list[Line]:
        """Take an event; return the lines of the millisecond that it shows to be complete, if any."""
        complete = self.take() if event.time != self.time else []
        self.time = event.time
        if len(self.held) < MOST_OF_A_MILLISECOND:
            mark = Mark(event.time, stream_digest(event.stream), self._counts[event.stream])
            self._counts[event.stream] += 1
            self.held.append(Line(mark, event.message, event.ingested, event.stream))
        else:
            self.overflowed = True
        return complete

    def take(self) -> list[Line]:
        """Return the lines that are held, in order."""
        taken, self.held = self.held, []
        self._counts.clear()
        return sorted(taken)


def in_order(events: Iterable[FoundEvent]) -> list[Line]:
    """Return the lines of some events that come by time and are all there is of their milliseconds."""
    milliseconds = Milliseconds()
    lines = [line for event in events for line in milliseconds.add(event)]
    return lines + milliseconds.take()
