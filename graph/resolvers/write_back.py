"""Writing back what the engine said of an execution, where the deployment wants that.

The attributes, their formats and bounds are those that VAMS writes when it compares an execution with the engine, but
for the start date: it is a key of three indexes, which lists may be walking.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from graph.context import Context, Services
from graph.engines.memory import LiveStatus
from graph.logs.lines import LineWindow
from graph.resolvers.budget import Budget
from graph.resolvers.log_events import span_of_run
from graph.tables.builders.executions import execution_end, status_check
from graph.tables.records.executions import ExecutionRow
from graph.tables.states import TERMINAL, ExecutionStatus

_LINES = 50


def write_back(execution: ExecutionRow, context: Context, live: LiveStatus) -> None:
    """Write a check of an execution, if the setting is on; nothing waits for it."""
    if (writer := context.services.writer) is not None:
        checked_at = datetime.fromtimestamp(time.time(), UTC)
        writer.write_soon(execution.primary_key, partial(_attributes, execution, live, checked_at, context.services))


async def _attributes(
    execution: ExecutionRow, live: LiveStatus, checked_at: datetime, services: Services
) -> dict[str, str]:
    """Return what a check changes: its own time; when it found the end of the run, all that is known of that too."""
    checked = status_check(checked_at)
    if live.status not in TERMINAL or live.stopped_at is None:
        return checked
    failure = None if live.status is ExecutionStatus.SUCCEEDED else live.error
    lines = await _lines(execution, live.stopped_at, services)
    redacted_failure, *redacted_lines = await services.logs.redact([("error", failure or ""), *lines])
    return checked | execution_end(live.status, live.stopped_at, redacted_failure, "\n".join(redacted_lines))


async def _lines(execution: ExecutionRow, stopped_at: datetime, services: Services) -> Sequence[tuple[str, str]]:
    """Return the first lines of the run in the shared group, each with its stream, as far as time allows."""
    group, settings = execution.log_group_arn, services.settings
    span = span_of_run(execution.started_at, stopped_at)
    reader = services.logs.of_execution(group, execution.execution_id, span, None).reader if group else None
    if reader is None:
        return ()
    seconds = settings.logs_budget_seconds
    try:
        async with asyncio.timeout(seconds):
            reading = await reader.read(LineWindow(_LINES, forward=True), Budget(settings.logs_budget_calls, seconds))
    except TimeoutError:
        return ()
    return [(line.stream, line.message.rstrip("\r\n")) for line in reading.lines[:_LINES]]
