"""Several readers as one: their lines by time, then by the reader's key, then as the reader has them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graph.logs.lines import Line, LineWindow, Mark
from graph.logs.reading import LogReading


class Place(NamedTuple):
    """The place of a line among those of several readers."""

    time: int
    key: int
    stream: int
    ordinal: int

    @classmethod
    def of(cls, key: int, mark: Mark) -> "Place":
        """Return the place of a mark of one reader."""
        return cls(mark.time, key, mark.stream, mark.ordinal)

    def as_seen_by(self, key: int) -> Mark:
        """Return the same place in the order of one reader's own lines."""
        if key == self.key:
            return Mark(self.time, self.stream, self.ordinal)
        return Mark.start_of(self.time + 1 if key < self.key else self.time)


@dataclass(frozen=True, slots=True)
class PlaceWindow:
    """Which lines of several readers are wanted: ``count`` after ``start`` and before ``stop``, as they are read."""

    count: int
    forward: bool
    start: Place | None = None
    stop: Place | None = None
    width: int | None = None

    def for_reader(self, key: int) -> LineWindow:
        """Return the window of one of the readers."""
        start, stop = (place and place.as_seen_by(key) for place in (self.start, self.stop))
        return LineWindow(self.count, self.forward, start, stop, self.width)


@dataclass(frozen=True, slots=True)
class Merged:
    """Lines of several readers at their places; ``stopped_at`` and ``width`` are as those of a reading."""

    lines: Sequence[tuple[Place, Line]]
    stopped_at: Place | None = None
    width: int | None = None


def merge(readings: Iterable[tuple[int, LogReading]], window: PlaceWindow) -> Merged:
    """Return the lines of some readings that were made for one window, in the direction of reading.

    Where a reading stopped early, nothing beyond its stop is given, for it may have lines before that. One that failed
    holds nobody up.
    """
    lines: list[tuple[Place, Line]] = []
    stops: list[tuple[Place, int | None]] = []
    failed: list[Place] = []
    for key, reading in readings:
        lines += ((Place.of(key, line.mark), line) for line in reading.lines)
        if reading.stopped_at is not None:
            stop = Place.of(key, reading.stopped_at)
            if reading.failure is None:
                stops.append((stop, reading.width))
            elif reading.lines:
                failed.append(stop)
    lines.sort(key=lambda placed: placed[0], reverse=not window.forward)
    nearest, furthest = (min, max) if window.forward else (max, min)
    if not stops:
        shown = lines[: window.count + 1]
        return Merged(shown, furthest([*failed, *(place for place, _ in shown[-1:])]) if failed else None)
    stop = nearest(place for place, _ in stops)
    reached = [placed for placed in lines if (placed[0] < stop if window.forward else placed[0] > stop)]
    if len(reached) > window.count:
        return Merged(reached[: window.count + 1])
    return Merged(reached, stop, min((width for _, width in stops if width is not None), default=None))
