"""The status of executions and steps: as stored, or as the engine says, where the stored one may be out of date.

VAMS writes a status when a step or a run ends through it. A run that ended otherwise (it timed out, or was stopped in
the console) stays RUNNING in its row until somebody compares it with the engine.
"""

import time
from datetime import UTC, datetime
from functools import partial

from graph.context import Context
from graph.engines.memory import LiveStatus
from graph.resolvers.write_back import write_back
from graph.tables.records.executions import ExecutionRow, duration_ms
from graph.tables.records.steps import StepRow
from graph.tables.states import TERMINAL, ExecutionStatus, StatusSource

_WITHOUT_ERROR = {ExecutionStatus.NEW, ExecutionStatus.RUNNING, ExecutionStatus.SUCCEEDED}


async def of_execution(execution: ExecutionRow, context: Context) -> ExecutionStatus:
    """Return how far a run has come; the stored status when the engine cannot be asked."""
    live = await _live(execution, context)
    return execution.status if live is None else live.status


async def source_of_execution(execution: ExecutionRow, context: Context) -> StatusSource:
    """Return where the status of a run comes from."""
    return StatusSource.STORED if await _live(execution, context) is None else StatusSource.LIVE


async def stop_of_execution(execution: ExecutionRow, context: Context) -> datetime | None:
    """Return when a run ended; None until then."""
    live = await _live(execution, context)
    return execution.stopped_at if live is None else live.stopped_at


async def duration_of_execution(execution: ExecutionRow, context: Context) -> int | None:
    """Return milliseconds from the start of a run to its end."""
    return duration_ms(execution.started_at, await stop_of_execution(execution, context))


async def error_of_execution(execution: ExecutionRow, context: Context) -> str | None:
    """Return the failure message of a run that ended other than well."""
    live = await _live(execution, context)
    text = execution.error_text or (live.error if live is not None else None)
    if text is None or (execution.status if live is None else live.status) in _WITHOUT_ERROR:
        return None
    return context.logs.redacted(text)


async def of_step(step: StepRow, context: Context) -> ExecutionStatus:
    """Return how far a step has come. What had not ended when its run did ended as the run did."""
    return await _ending(step, context) or step.status


async def source_of_step(step: StepRow, context: Context) -> StatusSource:
    """Return where the status of a step comes from."""
    return StatusSource.STORED if await _ending(step, context) is None else StatusSource.DERIVED


async def _ending(step: StepRow, context: Context) -> ExecutionStatus | None:
    """Return the status of a run that ended, for a step of it that did not."""
    if step.status in TERMINAL:
        return None
    execution = await context.loaders.executions.by_id.load(step.execution_id)
    status = await of_execution(execution, context) if execution is not None else step.status
    return status if status in TERMINAL else None


async def _live(execution: ExecutionRow, context: Context) -> LiveStatus | None:
    """Return what the engine says of a run, where it has to be asked and answers."""
    if execution.status in TERMINAL or execution.stopped_at is not None or not execution.arn:
        return None
    checked, seconds = execution.status_checked_at, context.services.settings.status_check_seconds
    if isinstance(checked, datetime) and (datetime.fromtimestamp(time.time(), UTC) - checked).total_seconds() < seconds:
        return None
    return await context.engines.live_status(
        execution.execution_id, execution.arn, partial(write_back, execution, context)
    )
