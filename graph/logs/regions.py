"""The parts of a text in which a search is worth its time.

Most text holds nothing to find. One pass of RE2 over blocks of it sees that at a gigabyte a second or so, where the
patterns that find things look at each character for many times as long.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import re2  # type: ignore[import-untyped]

Span = tuple[int, int]

_BLOCK = 4096  # characters
_OVERLAP = 256  # characters of the next block in which a hint may end
_SLACK = 1024  # characters after a hint in which what it belongs to usually ends


def compiled(*patterns: str) -> Any:
    """Return a pattern of RE2 for octets, whatever they encode, that matches where one of some patterns does."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    return re2.compile("|".join(patterns).encode(), options)


class Hints:
    """Patterns in the syntax of RE2, for text in lower case, of which at least one is in whatever may be found."""

    def __init__(self, *patterns: str) -> None:
        self._pattern = compiled(*patterns)

    def are_in(self, lowered: str) -> bool:
        """Return whether a text holds a hint."""
        return self._pattern.search(lowered.encode(errors="replace")) is not None

    def regions(self, lowered: str) -> list[Span]:
        """Return the blocks of a text that hold a hint, each with the block before it, joined where they touch."""
        if len(lowered) <= _BLOCK:
            return [(0, len(lowered))] if self.are_in(lowered) else []
        found: list[Span] = []
        for start in range(0, len(lowered), _BLOCK):
            if self.are_in(lowered[start : start + _BLOCK + _OVERLAP]):
                begin, stop = max(0, start - _BLOCK), start + _BLOCK + _SLACK
                if found and begin <= found[-1][1]:
                    begin = found.pop()[0]
                found.append((begin, stop))
        return found


def matches(pattern: Any, text: str | bytes, regions: Iterable[Span]) -> Iterator[Any]:
    """Yield the matches of a pattern, of `re` or RE2, that begin in some regions, wherever they end."""
    end = 0
    for start, stop in regions:
        for match in pattern.finditer(text, max(start, end), stop):
            if match.end() < stop:
                yield match
            elif whole := pattern.match(text, match.start()):  # it may go on after the region
                end = whole.end()
                yield whole
