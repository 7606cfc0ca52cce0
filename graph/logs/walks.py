"""Read the lines of one scope, in either direction, from any line on, within an allowance.

Oldest first, the whole time is searched at once, page by page. Newest first, CloudWatch can read only a single stream;
anything else is searched in windows of time back from the end, which get wider while they are empty and narrower when
they hold too much. A search that finds nothing for long is cut to a narrower window too, so that the next reading knows
up to what time nothing was found.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from graph.aws.calls import CallFailed
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode
from graph.logs.cloudwatch import MOST_EVENTS, CloudWatch, EventPage, TokenExpired, is_not_found
from graph.logs.lines import Allowance, FoundEvent, Line, LineWindow, Mark, Milliseconds, Span, in_order
from graph.logs.reading import LogReading
from graph.logs.scope import LogScope

_MOST_TEXT = 8_000_000  # characters that one reading holds
_PATIENCE = 12  # empty pages of a search, before a shorter one is tried
_WINDOW_PAGES = 5  # of a window that is read for its last lines, before a shorter one is tried
_FIRST_WINDOW = 60_000  # milliseconds
_SPARE = 24  # events of a page beyond the wanted ones: those of the mark's own millisecond are read again
_STEP = 4  # windows grow and shrink by this factor

TOO_MANY_AT_ONCE = ExecutionWarning(
    ExecutionWarningCode.LINES_LEFT_OUT, "One millisecond holds more than can be read at once; some of it is left out."
)


@dataclass(frozen=True, slots=True)
class ScopeReader:
    """Reads the lines of a scope within a span of time."""

    cloudwatch: CloudWatch
    scope: LogScope
    span: Span

    async def read(self, window: LineWindow, allowance: Allowance) -> LogReading:
        """Return the lines of a window. Of several streams, those that do not exist hide nothing of the others."""
        reading = await _read(self, window, allowance)
        if reading.failure is None or not is_not_found(reading.failure) or len(self.scope.streams) < 2:
            return reading
        try:
            written = await self._existing(allowance)
        except CallFailed as failure:
            return replace(reading, failure=failure.code)
        if not written:
            return reading
        reader = replace(self, scope=replace(self.scope, streams=written))
        missing = ", ".join(stream for stream in self.scope.streams if stream not in written)
        reading = await _read(reader, window, allowance)
        warning = ExecutionWarning(ExecutionWarningCode.LOG_NOT_FOUND, f"Without a line, or deleted: {missing}.")
        return replace(reading, warnings=(*reading.warnings, warning))

    async def _existing(self, allowance: Allowance) -> tuple[str, ...]:
        streams = self.scope.streams
        allowance.spend(len(streams))
        exist = await asyncio.gather(
            *(self.cloudwatch.has_stream(self.scope, stream) for stream in streams), return_exceptions=True
        )
        if failed := next((one for one in exist if isinstance(one, BaseException)), None):
            raise failed
        return tuple(itertools.compress(streams, exist))


async def _read(of: ScopeReader, window: LineWindow, allowance: Allowance) -> LogReading:
    if window.forward:
        return await _Forward(of, window, allowance).read()
    if stream := of.scope.only_stream:
        return await _StreamBackward(of, window, allowance, stream).read()
    return await _Backward(of, window, allowance).read()


class _Walk:
    """The state that the three walks share: the lines found so far, and when to stop."""

    def __init__(self, of: ScopeReader, window: LineWindow, allowance: Allowance) -> None:
        self.cloudwatch, self.scope = of.cloudwatch, of.scope
        self.window, self.allowance = window, allowance
        self.span = window.within(of.span)
        self.lines: list[Line] = []
        self._text = 0
        self._leaves_out = False

    @property
    def is_full(self) -> bool:
        return len(self.lines) > self.window.count

    @property
    def is_spent(self) -> bool:
        return self.allowance.spent is not None or self._text > _MOST_TEXT

    @property
    def missing(self) -> int:
        return self.window.count + 1 - len(self.lines)

    def wanted(self, lines: Iterable[Line]) -> list[Line]:
        return [line for line in lines if self.window.wants(line.mark)]

    async def search(self, span: Span, limit: int, token: str | None) -> EventPage:
        self.allowance.spend(1)
        return await self.cloudwatch.search(self.scope, span, limit, token)

    def result(
        self, stopped_at: Mark | None = None, width: int | None = None, failure: str | None = None
    ) -> LogReading:
        shown = self.lines[: self.window.count + 1]
        warnings = (TOO_MANY_AT_ONCE,) if self._leaves_out else ()
        if self.is_full:
            return LogReading(shown, warnings=warnings)
        return LogReading(shown, stopped_at, width, failure, warnings)


class _Forward(_Walk):
    """Walks from the oldest line on. Everything before the millisecond ``_low`` was read."""

    async def read(self) -> LogReading:
        whole, width = self.span.high - self.span.low, self.window.width
        self._low, self._width = self.span.low, whole if width is None else width
        while self._low <= self.span.high and not self.is_full:
            until = min(self.span.high, self._low + self._width)
            try:
                if not await self._search(until):
                    return self.result(self._reached, self._width)
            except TokenExpired:
                if self.is_spent:
                    return self.result(self._reached, self._width)
            except CallFailed as failure:
                return self.result(self._reached, failure=failure.code)
        return self.result()

    async def _search(self, until: int) -> bool:
        """Search from ``_low`` and move it on; return whether more may be left to search."""
        found, token, idle, begun = Milliseconds(), None, 0, self._low
        while True:
            page = await self.search(Span(begun, until), self.missing + _SPARE, token)
            for event in page.events:
                self.lines += self.wanted(found.add(event))
                self._low = event.time
                self._text += len(event.message)
            self._leaves_out |= found.overflowed
            token, idle = page.token, 0 if page.events else idle + 1
            if token is None:
                self.lines += self.wanted(found.take())
                self._low, self._width = until + 1, max(1, self._width) * _STEP
                return not self.is_spent
            if self.is_full:
                return True
            if self.missing == 1 and (further := self.wanted(found.held)):
                self.lines += further  # which of its millisecond comes first is not asked of the one line more
                return True
            if self.is_spent:
                self._stop(found, begun, until, is_idle=idle > 0)
                return False
            if idle >= _PATIENCE and begun == self._low < until:
                self._width = (until - begun) // _STEP
                return True

    def _stop(self, found: Milliseconds, begun: int, until: int, *, is_idle: bool) -> None:
        """Move on, so that the next reading comes further than this one, wherever the allowance ended it."""
        if self._reached != (self.window.start or Mark.start_of(self.span.low)):
            return
        if is_idle and begun < until:
            self._width = (until - begun) // _STEP
            return
        self.lines += self.wanted(found.take())
        self._leaves_out = True
        self._low += 1

    @property
    def _reached(self) -> Mark:
        """The mark before which everything was read."""
        reached = Mark.start_of(self._low)
        return max(self.window.start or reached, reached)


class _Backward(_Walk):
    """From the newest line back, in windows of time. After ``_high``, a millisecond, everything was read."""

    async def read(self) -> LogReading:
        width = self.window.width
        self._high, self._width = self.span.high, _FIRST_WINDOW if width is None else width
        while self.span.low <= self._high and not self.is_full:
            try:
                if cut := await self._search(max(self.span.low, self._high - self._width)):
                    return self.result(cut, self._width)
            except TokenExpired:
                pass
            except CallFailed as failure:
                return self.result(self._reached, failure=failure.code)
            if self.is_spent and self.span.low <= self._high:
                return self.result(self._reached, self._width)
        return self.result()

    async def _search(self, low: int) -> Mark | None:
        """Search from ``low`` to ``_high`` and move it back; return where to go on when the text was too long."""
        last = _Last(self.missing, _MOST_TEXT - self._text)
        found, token = Milliseconds(), None
        for pages in itertools.count(1):
            page = await self.search(Span(low, self._high), MOST_EVENTS, token)
            for event in page.events:
                last.add(self.wanted(found.add(event)))
            token = page.token
            if token is None or self.allowance.spent is not None or (pages == _WINDOW_PAGES and low < self._high):
                break
        if token is not None and low < self._high:
            self._width = (self._high - low) // _STEP
            return None
        last.add(self.wanted(found.take()))
        self._leaves_out |= found.overflowed or token is not None
        self.lines += reversed(last.lines)
        self._text += last.text
        self._high, self._width = low - 1, max(1, self._width) * _STEP
        return self.lines[-1].mark if last.is_cut and self.lines else None

    @property
    def _reached(self) -> Mark:
        """The mark after which everything was read."""
        reached = Mark.start_of(self._high + 1)
        return min(self.window.start or reached, reached)


class _StreamBackward(_Walk):
    """From the newest line of one stream back. Lines are numbered when all of their millisecond was read."""

    def __init__(self, of: ScopeReader, window: LineWindow, allowance: Allowance, stream: str) -> None:
        super().__init__(of, window, allowance)
        self._stream = stream
        self._held: list[FoundEvent] = []  # of the millisecond _high, newest first

    async def read(self) -> LogReading:
        self._high = self.span.high
        while self.span.low <= self._high and not self.is_full:
            try:
                return await self._follow(Span(self.span.low, self._high))
            except TokenExpired:
                self._held.clear()
                if self.is_spent:
                    return self.result(self._reached)
            except CallFailed as failure:
                return self.result(self._reached, failure=failure.code)
        return self.result()

    async def _follow(self, span: Span) -> LogReading:
        token = None
        while True:
            self.allowance.spend(1)
            page = await self.cloudwatch.before(self.scope, self._stream, span, self.missing + _SPARE, token)
            for event in reversed(page.events):
                if event.time != self._high:
                    self._release()
                self._high = event.time
                self._held.append(event)
                self._text += len(event.message)
            token = page.token
            if token is None:
                self._release()
                return self.result()
            if self.is_full:
                return self.result()
            if self.is_spent:
                if self._held and self._reached == (self.window.start or Mark.start_of(self.span.high + 1)):
                    self._release()
                    self._leaves_out = True
                    self._high -= 1
                return self.result(self._reached)

    def _release(self) -> None:
        self.lines += self.wanted(reversed(in_order(reversed(self._held))))
        self._held.clear()

    @property
    def _reached(self) -> Mark:
        """The mark after which everything was read. A millisecond that is held has to be read again."""
        reached = Mark.start_of(self._high + 1)
        return min(self.window.start or reached, reached)


class _Last:
    """The last of some lines: no more than a number of them, and of their text."""

    def __init__(self, count: int, text: int) -> None:
        self.lines: deque[Line] = deque()
        self.text = 0
        self.is_cut = False
        self._count, self._most_text = count, text

    def add(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.lines.append(line)
            self.text += len(line.message)
            while len(self.lines) > self._count or (self.text > self._most_text and len(self.lines) > 1):
                self.is_cut |= len(self.lines) <= self._count
                self.text -= len(self.lines.popleft().message)
