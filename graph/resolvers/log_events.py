"""The lines of one log source, of a step with all its sources, and of an execution.

A position is a line's time, the log that it is of, its stream and its ordinal, so that the pages of several logs are
those of one list. Whoever may not read logs is refused before AWS is asked anything.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil, floor

from graph.auth import routes
from graph.context import Context
from graph.errors import BadUserInput, Forbidden
from graph.logs import scope
from graph.logs.lines import Line, Span
from graph.logs.merging import Place, PlaceWindow, merge
from graph.logs.reading import NOTHING, LogReadStatus, Reading
from graph.logs.scope import Owner
from graph.logs.service import Target
from graph.resolvers.budget import Budget
from graph.resolvers.logs import RegisteredLog, log_sources
from graph.resolvers.paging import Entry, Filled, Page, PageRequest, ShortPageReason, Window, paginate
from graph.tables.cursors import Position
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow

LONGEST_PAGE = 1000

# Keys of the logs that are not a source of a step. They also tell, within a cursor, which of them it is of.
_GROUP = "group"
_HISTORY = "history"

_BEFORE_START = timedelta(minutes=5)  # as VAMS searches
_AFTER_STOP = timedelta(hours=1)
_AHEAD = timedelta(hours=2)  # how far in the future CloudWatch Logs takes a line to be
_LONGEST_PATTERN = 500  # with the ids, it has to fit into the 1,024 characters that CloudWatch Logs takes


@dataclass(frozen=True, slots=True)
class LinesWanted:
    """The conditions on lines: a literal text that they hold, and the instants between which they were written."""

    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def span(self, execution: ExecutionRow) -> Span:
        """The time to search: that of the execution, where nothing else is given.

        Groups are shared and kept for long, so a search that went on to this day would read other runs' lines for ever.
        """
        started, stopped = _instant(execution.started_at), _instant(execution.stopped_at)
        now = datetime.fromtimestamp(time.time(), UTC)
        low = self.since or (started - _BEFORE_START if started else None)
        high = self.until or (stopped + _AFTER_STOP if stopped else now + _AHEAD)
        return Span(max(0, ceil(low.timestamp() * 1000)) if low else 0, max(0, floor(high.timestamp() * 1000)))

    def identity(self) -> tuple[str | None, datetime | None, datetime | None]:
        """What cursors are bound to."""
        return self.text, self.since, self.until


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
    """A page of lines, how their reading went, and what there is to say of it."""

    status: LogReadStatus = LogReadStatus.EMPTY
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Log:
    """One log to read: what to make of it, and how its lines are to be shown."""

    find: Callable[[], Awaitable[Target]]
    group_name: str | None = None
    source: RegisteredLog | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: LogReadStatus
    warnings: Sequence[str]
    reading: Reading
    reason: ShortPageReason | None = None


async def source_events(of: RegisteredLog, context: Context, request: PageRequest, wanted: LinesWanted) -> LogPage:
    """The lines of one source of a step.

    Raises:
        Forbidden: when the viewer may not read the logs of the execution.
    """
    admitted = context.logs.admits(of.pipeline_execution_id, of.source)
    step = await context.loaders.steps.by_id.load(of.pipeline_execution_id)
    execution = await context.loaders.executions.by_id.load(step.execution_id) if step else None
    if step is None or execution is None:
        raise Forbidden
    _check(context, execution.execution_id, wanted)
    sources = await log_sources(step, context)
    owner = Owner(step.execution_id, step.pipeline_execution_id, scope.registered_prefixes(sources))
    key = of.source.location_digest
    logs = {key: _source(context, of, step, owner, wanted.span(execution), wanted.text)} if admitted else {}
    skipped = () if admitted else (_skipped(context, sum(source.is_registered for source in sources)),)
    return await _page(context, request, (of.pipeline_execution_id, key, *wanted.identity()), lambda _: logs, skipped)


async def step_events(
    step: StepRow, context: Context, request: PageRequest, wanted: LinesWanted, stage_name: str | None
) -> LogPage:
    """The lines of a step in the group that all executions share and in all its sources; of a stage, in its sources.

    Raises:
        Forbidden: when the viewer may not read the logs of the execution.
    """
    _check(context, step.execution_id, wanted)
    execution = await context.loaders.executions.by_id.load(step.execution_id)
    if execution is None:
        raise Forbidden
    sources = await log_sources(step, context)
    owner = Owner(step.execution_id, step.pipeline_execution_id, scope.registered_prefixes(sources))
    span = wanted.span(execution)
    chosen = [source for source in sources if stage_name is None or source.stage_name == stage_name]
    read = [source for source in chosen if context.logs.admits(step.pipeline_execution_id, source)]
    logs = {
        source.location_digest: _source(context, RegisteredLog.of(step, source), step, owner, span, wanted.text)
        for source in read
    }
    group = execution.log_group_arn
    is_a_source = any(
        source.log_group_arn == group.removesuffix(":*") and not source.log_stream_name and not source.log_stream_prefix
        for source in sources
    )
    if group and stage_name is None and not is_a_source:
        logs[_GROUP] = _shared(group, lambda: context.services.logs.of_step(group, owner, span, wanted.text))
    registered = sum(source.is_registered for source in chosen)
    skipped = (_skipped(context, registered),) if len(read) < len(chosen) else ()
    bound = (step.pipeline_execution_id, stage_name, *wanted.identity())
    return await _page(context, request, bound, lambda _: logs, skipped)


async def execution_events(
    execution: ExecutionRow, context: Context, request: PageRequest, wanted: LinesWanted
) -> LogPage:
    """The lines of an execution in the group that all executions share, or else its history as lines.

    Raises:
        Forbidden: when the viewer may not read the logs of the execution.
    """
    _check(context, execution.execution_id, wanted)
    span, group, engines = wanted.span(execution), execution.log_group_arn, context.services.logs.engines
    find = context.services.logs.of_execution
    shared = {_GROUP: _shared(group, lambda: find(group, execution.execution_id, span, wanted.text))} if group else {}
    history: dict[str, _Log] = {}
    if engines is not None:
        reader = engines.history(execution, span, wanted.text or "")
        history[_HISTORY] = _shared("", lambda: Target("Execution history unavailable", reader))

    def choose(window: PlaceWindow) -> Mapping[str, _Log]:
        pin = window.start or window.stop
        if pin is None:
            return shared or history
        return history if pin.key == _HISTORY else shared

    bound = (execution.execution_id, *wanted.identity())
    return await _page(context, request, bound, choose, otherwise=history)


def _check(context: Context, execution_id: str, wanted: LinesWanted) -> None:
    context.access.require(routes.execution_logs(execution_id))
    if len(wanted.text or "") > _LONGEST_PATTERN:
        raise BadUserInput(f"'filterPattern' must have at most {_LONGEST_PATTERN} characters.")


def _source(context: Context, log: RegisteredLog, step: StepRow, owner: Owner, span: Span, text: str | None) -> _Log:
    logs = context.services.logs
    return _Log(lambda: logs.of_source(log.source, owner, step.sub_executions, span, text), log.log_group_name, log)


def _shared(group_arn: str, find: Callable[[], Target]) -> _Log:
    async def found() -> Target:
        return find()

    return _Log(found, group_arn.removesuffix(":*").partition(":log-group:")[2] or None)


def _skipped(context: Context, registered: int) -> str:
    return f"Only the first {context.logs.most_registered} of {registered} registered logs were read."


async def _page(
    context: Context,
    request: PageRequest,
    bound_to: Sequence[object],
    choose: Callable[[PlaceWindow], Mapping[str, _Log]],
    warnings: Sequence[str] = (),
    otherwise: Mapping[str, _Log] | None = None,
) -> LogPage:
    """A page of the lines of some logs; of others, where a first page has none of them.

    ``warnings`` are of logs that are not read, and stand before those of the reading.
    """
    outcomes = [_Outcome(LogReadStatus.SKIPPED, (warning,), NOTHING) for warning in warnings]

    async def fill(window: Window) -> Filled[LogEvent]:
        places = _place_window(window)
        logs = choose(places)
        filled, read = await _fill(context, logs, places)
        outcomes.extend(read)
        is_first = window.start is None and window.stop is None
        if is_first and otherwise and logs is not otherwise and not filled.entries and filled.stopped_at is None:
            filled, read = await _fill(context, otherwise, places)
            outcomes.extend(read)
        return filled

    page = await paginate(context, request, bound_to, fill)
    said = dict.fromkeys(warning for outcome in outcomes for warning in outcome.warnings)
    status = _overall(outcome.status for outcome in outcomes)
    return LogPage(page.edges, page.page_info, page.short_page_reason, status=status, warnings=list(said))


async def _fill(
    context: Context, logs: Mapping[str, _Log], window: PlaceWindow
) -> tuple[Filled[LogEvent], list[_Outcome]]:
    outcomes = await asyncio.gather(*(_read(context, key, log, window) for key, log in logs.items()))
    readings = [(key, outcome.reading) for key, outcome in zip(logs, outcomes, strict=True)]
    merged = merge(readings, window)
    reasons = (outcome.reason for outcome in outcomes if outcome.reason is not None)
    entries = await _entries(context, logs, merged.lines)
    if merged.stopped_at is None:
        return Filled(entries), outcomes
    width = () if merged.width is None else (merged.width,)
    return Filled(entries, next(reasons, None), (*merged.stopped_at, *width)), outcomes


async def _read(context: Context, key: str, log: _Log, window: PlaceWindow) -> _Outcome:
    wanted = window.for_reader(key)
    async with context.logs.slot:
        seconds = context.logs.seconds_left
        if not seconds:
            return _Outcome(LogReadStatus.READ, (), Reading((), wanted.begin), ShortPageReason.TIME_BUDGET)
        budget = Budget(context.services.settings.logs_budget_calls, seconds)
        target = await log.find()
        if target.reader is None:
            return _Outcome(target.status, target.warnings, NOTHING)
        reading = await target.reader.read(wanted, budget)
    is_cut = reading.stopped_at is not None and reading.failure is None
    reason = (budget.spent or ShortPageReason.READ_BUDGET) if is_cut else None
    return _Outcome(target.status_of(reading), target.warnings_of(reading), reading, reason)


async def _entries(
    context: Context, logs: Mapping[str, _Log], lines: Sequence[tuple[Place, Line]]
) -> list[Entry[LogEvent]]:
    messages = await context.services.logs.redact([line.message for _, line in lines])
    return [
        Entry(_event(logs[place.key], line, message), tuple(place))
        for (place, line), message in zip(lines, messages, strict=True)
    ]


def _event(log: _Log, line: Line, message: str) -> LogEvent:
    ingested = None if line.ingested is None else _moment(line.ingested)
    return LogEvent(_moment(line.mark.time), ingested, message, log.group_name, line.mark.stream or None, log.source)


def _overall(statuses: Iterable[LogReadStatus]) -> LogReadStatus:
    """One status for several logs: that lines were read outweighs that some could not be."""
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
    return Place(int(at), str(key), str(stream), int(ordinal))


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _instant(value: object) -> datetime | None:
    """An instant of a row; None where it is missing or malformed."""
    return value if isinstance(value, datetime) else None
