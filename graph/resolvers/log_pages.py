"""Pages of the lines of one log or of several, by time.

A position is a line's time, the key of its log, the digest of its stream and its ordinal, so that several logs make one
list. All are numbers, which makes cursors short.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from graph.context import Context
from graph.execution_warnings import ExecutionWarning
from graph.logs.lines import Line
from graph.logs.merging import Place, PlaceWindow, merge
from graph.logs.reading import NOTHING, LogReading, LogReadStatus
from graph.logs.service import Target
from graph.resolvers.budget import Budget
from graph.resolvers.logs import RegisteredLog
from graph.resolvers.paging import Entry, Filled, Page, PageRequest, ShortPageReason, Window, paginate
from graph.tables.cursors import Position

_NUMBERS = "numbers"  # in what cursors are bound to: those of releases whose positions had texts do not open


@dataclass(frozen=True, slots=True)
class LogEvent:
    """A line as it may be shown: redacted. ``source`` is None for lines of the group that all executions share."""

    time: datetime
    ingested_at: datetime | None
    message: str
    log_group_name: str | None
    log_stream_name: str | None
    source: RegisteredLog | None


@dataclass(frozen=True, slots=True)
class LogPage(Page[LogEvent]):
    """A page of lines, and how their reading went."""

    status: LogReadStatus = LogReadStatus.EMPTY


@dataclass(frozen=True, slots=True)
class Log:
    """One log to read: what to make of it, and how its lines are to be shown."""

    find: Callable[[], Awaitable[Target]]
    group_name: str | None = None
    source: RegisteredLog | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: LogReadStatus
    warnings: Sequence[ExecutionWarning]
    reading: LogReading
    reason: ShortPageReason | None = None


def shared_log(group_arn: str, find: Callable[[], Target]) -> Log:
    """Return a log that is no source of a step: a group that all executions share, or a history, which has none."""

    async def found() -> Target:
        return find()

    return Log(found, group_arn.removesuffix(":*").partition(":log-group:")[2] or None)


async def log_page(
    context: Context,
    request: PageRequest,
    bound_to: Sequence[object],
    choose: Callable[[PlaceWindow], Mapping[int, Log]],
    skipped: ExecutionWarning | None = None,
    warnings: Sequence[ExecutionWarning] = (),
    otherwise: Mapping[int, Log] | None = None,
) -> LogPage:
    """Return a page of the lines of some logs; of others, where a first page has none of them.

    ``skipped`` warns of logs that are not read, ``warnings`` of those that are not known; they stand before what there
    is to say of the reading.
    """
    outcomes = [_Outcome(LogReadStatus.SKIPPED, (skipped,), NOTHING)] if skipped is not None else []

    async def fill(window: Window) -> Filled[LogEvent]:
        places = _place_window(window)
        logs = choose(places)
        filled, read = await _fill(context, logs, places)
        outcomes.extend(read)
        is_first = window.start is None and window.stop is None
        if is_first and otherwise and logs is not otherwise and not filled.entries and filled.stopped_at is None:
            filled, read = await _fill(context, otherwise, places)
            outcomes.extend(read)
        said = [warning for outcome in outcomes for warning in outcome.warnings]
        return replace(filled, warnings=[*warnings, *said])

    page = await paginate(context, request, (_NUMBERS, *bound_to), fill)
    status = _overall(outcome.status for outcome in outcomes)
    return LogPage(page.edges, page.page_info, page.short_page_reason, warnings=page.warnings, status=status)


async def _fill(
    context: Context, logs: Mapping[int, Log], window: PlaceWindow
) -> tuple[Filled[LogEvent], Sequence[_Outcome]]:
    outcomes = await context.scope.gather(*(_read(context, key, log, window) for key, log in logs.items()))
    readings = [(key, outcome.reading) for key, outcome in zip(logs, outcomes, strict=True)]
    merged = merge(readings, window)
    reasons = (outcome.reason for outcome in outcomes if outcome.reason is not None)
    entries = await _entries(context, logs, merged.lines)
    if merged.stopped_at is None:
        return Filled(entries), outcomes
    width = () if merged.width is None else (merged.width,)
    return Filled(entries, next(reasons, None), (*merged.stopped_at, *width)), outcomes


async def _read(context: Context, key: int, log: Log, window: PlaceWindow) -> _Outcome:
    wanted = window.for_reader(key)
    async with context.logs.slot:
        seconds = context.logs.seconds_left
        if not seconds:
            return _Outcome(LogReadStatus.READ, (), LogReading((), wanted.begin), ShortPageReason.TIME_BUDGET)
        budget = Budget(context.services.settings.logs_budget_calls, seconds)
        target = await log.find()
        if target.reader is None:
            return _Outcome(target.status, _about(log, target.warnings), NOTHING)
        reading = await target.reader.read(wanted, budget)
    is_cut = reading.stopped_at is not None and reading.failure is None
    reason = (budget.spent or ShortPageReason.READ_BUDGET) if is_cut else None
    return _Outcome(target.status_of(reading), _about(log, target.warnings_of(reading)), reading, reason)


def _about(log: Log, warnings: Iterable[ExecutionWarning]) -> Sequence[ExecutionWarning]:
    return [warning.about(log.source) for warning in warnings]


async def _entries(
    context: Context, logs: Mapping[int, Log], lines: Sequence[tuple[Place, Line]]
) -> list[Entry[LogEvent]]:
    in_order = sorted(lines, key=lambda found: found[0])  # a page that is read backwards comes newest first
    messages = await context.services.logs.redact(
        [((place.key, place.stream), line.message) for place, line in in_order]
    )
    shown = dict(zip((place for place, _ in in_order), messages, strict=True))
    return [Entry(_event(logs[place.key], line, shown[place]), tuple(place)) for place, line in lines]


def _event(log: Log, line: Line, message: str) -> LogEvent:
    ingested = None if line.ingested is None else _moment(line.ingested)
    return LogEvent(_moment(line.mark.time), ingested, message, log.group_name, line.stream or None, log.source)


def _overall(statuses: Iterable[LogReadStatus]) -> LogReadStatus:
    """Return one status for several logs: that lines were read outweighs that some could not be."""
    found = list(statuses)
    telling = (LogReadStatus.READ, LogReadStatus.UNSCOPED, LogReadStatus.EMPTY)
    return next((status for status in telling if status in found), found[0] if found else LogReadStatus.EMPTY)


def _place_window(window: Window) -> PlaceWindow:
    start, stop = _place(window.start), _place(window.stop)
    width = int(window.start[4]) if window.start is not None and len(window.start) > 4 else None
    return PlaceWindow(window.count, window.forward, start, stop, width)


def _place(position: Position | None) -> Place | None:
    if position is None:
        return None
    at, key, stream, ordinal, *_ = position
    return Place(int(at), int(key), int(stream), int(ordinal))


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
