"""The lines of one log source, of a step with all its sources, and of an execution.

Their fields are guarded: whoever may not read logs is refused before anything of this runs.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil, floor

from graph.context import Context
from graph.errors import BadUserInput
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode
from graph.logs import scope
from graph.logs.lines import Span
from graph.logs.merging import PlaceWindow
from graph.logs.scope import Owner
from graph.logs.service import Target
from graph.logs.sources import LogSource
from graph.resolvers.log_pages import Log, LogPage, log_page, shared_log
from graph.resolvers.logs import RegisteredLog, log_sources, sources_left_out
from graph.resolvers.paging import PageRequest
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow

LONGEST_PAGE = 1000

# Keys of the logs that are not a source of a step. They also tell, within a cursor, which of them it is of.
_GROUP = -1
_HISTORY = -2
_ONLY = 0  # the key of a log that is alone, since its cursors are bound to it

# In milliseconds.
_BEFORE_START = 5 * 60_000  # as VAMS searches
_AFTER_STOP = 60 * 60_000
_AHEAD = 2 * 60 * 60_000  # how far in the future CloudWatch Logs takes a line to be
_LONGEST_PATTERN = 500  # with the ids, it has to fit into the 1,024 characters that CloudWatch Logs takes


@dataclass(frozen=True, slots=True)
class LinesWanted:
    """The conditions on lines: a literal text that they hold, and the instants between which they were written."""

    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def span(self, execution: ExecutionRow) -> Span:
        """Return the time to search: that of the execution, where nothing else is given.

        Groups are shared and kept for long, so a search that went on to this day would read other runs' lines for ever.
        """
        low, high = span_of_run(execution.started_at, execution.stopped_at)
        since, until = _milliseconds(self.since), _milliseconds(self.until)
        return Span(max(0, low if since is None else ceil(since)), max(0, high if until is None else floor(until)))

    def check(self) -> None:
        """Refuse what cannot be searched for.

        Raises:
            BadUserInput: for a text that is too long.
        """
        if len(self.text or "") > _LONGEST_PATTERN:
            raise BadUserInput(f"'filterPattern' must have at most {_LONGEST_PATTERN} characters.")

    def identity(self) -> tuple[str | None, datetime | None, datetime | None]:
        """Return what cursors are bound to."""
        return self.text, self.since, self.until


def span_of_run(started_at: object, stopped_at: object) -> Span:
    """Return the time in which a run may have written lines; instants may be missing, or malformed in their row."""
    started, stopped = _milliseconds(started_at), _milliseconds(stopped_at)
    low = 0 if started is None else started - _BEFORE_START
    high = time.time() * 1000 + _AHEAD if stopped is None else stopped + _AFTER_STOP
    return Span(max(0, ceil(low)), max(0, floor(high)))


async def source_events(
    of: RegisteredLog, context: Context, request: PageRequest, wanted: LinesWanted
) -> LogPage | None:
    """Return the lines of one source of a step."""
    wanted.check()
    admitted = context.logs.admits(of.pipeline_execution_id, of.source)
    step, execution = await context.scope.gather(
        context.loaders.steps.by_id.load(of.pipeline_execution_id),
        context.loaders.executions.by_id.load(of.execution_id),
    )
    if step is None or execution is None:
        return None
    sources = await log_sources(step, context)
    owner = Owner(step.execution_id, step.pipeline_execution_id, scope.registered_prefixes(sources))
    logs = {_ONLY: _source(context, of, step, owner, wanted.span(execution), wanted.text)} if admitted else {}
    registered = sum(source.is_registered for source in sources)
    skipped = None if admitted else _skipped(context, registered).about(of)
    bound = (of.pipeline_execution_id, of.source.location_digest, *wanted.identity())
    return await log_page(context, request, bound, lambda _: logs, skipped)


async def step_events(
    step: StepRow, context: Context, request: PageRequest, wanted: LinesWanted, stage_name: str | None
) -> LogPage | None:
    """Return the lines of a step in the shared group and in all its sources; of a stage, in its sources."""
    wanted.check()
    execution = await context.loaders.executions.by_id.load(step.execution_id)
    if execution is None:
        return None
    sources = await log_sources(step, context)
    owner = Owner(step.execution_id, step.pipeline_execution_id, scope.registered_prefixes(sources))
    span = wanted.span(execution)
    chosen = [source for source in sources if stage_name is None or source.stage_name == stage_name]
    read = [source for source in chosen if context.logs.admits(step.pipeline_execution_id, source)]
    logs = {
        _key(source): _source(context, RegisteredLog.of(step, source), step, owner, span, wanted.text)
        for source in read
    }
    group = execution.log_group_arn
    is_a_source = any(
        source.log_group_arn == group.removesuffix(":*") and not source.log_stream_name and not source.log_stream_prefix
        for source in read
    )
    if group and stage_name is None and not is_a_source:
        logs[_GROUP] = shared_log(group, lambda: context.services.logs.of_step(group, owner, span, wanted.text))
    registered = sum(source.is_registered for source in chosen)
    skipped = _skipped(context, registered) if len(read) < len(chosen) else None
    bound = (step.pipeline_execution_id, stage_name, *wanted.identity())
    unknown = await sources_left_out(step, context)
    return await log_page(context, request, bound, lambda _: logs, skipped, unknown)


async def execution_events(
    execution: ExecutionRow, context: Context, request: PageRequest, wanted: LinesWanted
) -> LogPage:
    """Return the lines of an execution in the group that all executions share, or else its history as lines."""
    wanted.check()
    span, group, engines = wanted.span(execution), execution.log_group_arn, context.services.logs.engines
    find = context.services.logs.of_execution
    shared = (
        {_GROUP: shared_log(group, lambda: find(group, execution.execution_id, span, wanted.text))} if group else {}
    )
    history: dict[int, Log] = {}
    if engines is not None:
        reader = engines.history(execution, span, wanted.text or "")
        history[_HISTORY] = shared_log("", lambda: Target("Execution history unavailable", reader))

    def choose(window: PlaceWindow) -> Mapping[int, Log]:
        pin = window.start or window.stop
        if pin is None:
            return shared or history
        return history if pin.key == _HISTORY else shared

    bound = (execution.execution_id, *wanted.identity())
    return await log_page(context, request, bound, choose, otherwise=history)


def _key(source: LogSource) -> int:
    return int(source.location_digest, 16)


def _source(context: Context, log: RegisteredLog, step: StepRow, owner: Owner, span: Span, text: str | None) -> Log:
    logs = context.services.logs
    return Log(lambda: logs.of_source(log.source, owner, step.sub_executions, span, text), log.log_group_name, log)


def _skipped(context: Context, registered: int) -> ExecutionWarning:
    most = context.logs.most_registered
    text = f"Only the first {most} of {registered} registered logs were read."
    return ExecutionWarning(ExecutionWarningCode.LOG_SKIPPED, text)


def _milliseconds(value: object) -> float | None:
    """Return an instant as Unix time; None where it is missing, or malformed in its row."""
    return round(value.timestamp() * 1000, 3) if isinstance(value, datetime) else None
