"""What ended a run: the terminal failure of the innermost machine that it can be followed to.

The failure of an engine's run is told from one page of its newest events, by the rule of :mod:`graph.history.failure`,
whatever else is selected. That of an execution or of a step goes on from there: to the step that the failed state ran,
else to the last that failed, and to the one of the runs that this step registered by whose end it failed. It does not
go into children of a distributed Map.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.aws.calls import NOT_KEPT
from graph.context import Context
from graph.engines.engine import RunFacts
from graph.engines.run_detail import RunDetail
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed
from graph.history import RunFailure, find_failure
from graph.resolvers import engine_executions, statuses, steps, sub_executions
from graph.resolvers.engine_executions import EngineExecution
from graph.resolvers.gate import visible_step
from graph.resolvers.history_events import HistoryEvent
from graph.resolvers.registered import SubExecution, of_step, with_digest
from graph.resolvers.run_detail import Stage, StageVisit, brief
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow
from graph.tables.states import TERMINAL, ExecutionStatus

_ENDED_BADLY = TERMINAL - {ExecutionStatus.SUCCEEDED}
_FAILED = frozenset({ExecutionStatus.FAILED, ExecutionStatus.TIMED_OUT})


@dataclass(frozen=True, slots=True)
class ExecutionFailure:
    """What ended an execution, a step or an engine's run other than well.

    ``run`` is the innermost run that it was followed to, ``detail`` what its newest events tell, where they could be
    read; ``step`` is known of executions and steps.
    """

    execution_id: str
    step: StepRow | None
    run: EngineExecution | None
    detail: RunDetail | None
    failure: RunFailure | None
    error: str | None
    cause: str | None
    warnings: Sequence[ExecutionWarning]

    @property
    def visit(self) -> StageVisit | None:
        """The visit that failed."""
        if self.run is None or self.detail is None or self.failure is None or self.failure.visit is None:
            return None
        place = self.detail.attribution.visits.index(self.failure.visit)
        return StageVisit(self.run.owner, self.run.reference, self.detail, self.failure.visit, place)

    @property
    def event(self) -> HistoryEvent | None:
        """The innermost event that recorded it."""
        if self.run is None or self.detail is None or self.failure is None:
            return None
        position = self.detail.attribution.events.index(self.failure.event)
        attributed = self.detail.attribution[position]
        return HistoryEvent(self.run.owner, self.run.reference, self.detail, attributed)


async def of_run(run: EngineExecution, context: Context) -> ExecutionFailure | None:
    """Return what ended an engine's run; None of one that goes on or succeeded."""
    told = await context.engines.newest(run.reference)
    if told.value is None:
        facts = (await context.engines.facts(run.reference)).value
        if facts is None or facts.status not in _ENDED_BADLY:
            return None
        return _known(run, None, None, facts.error, facts.cause, [_unread(run, told.failure or "")])
    failure = find_failure(told.value.attribution)
    if failure is None:
        return None
    text = "What led to the failure is not all among the newest events, which were read."
    warnings = [] if failure.is_certain else [ExecutionWarning(ExecutionWarningCode.HISTORY_CUT, text)]
    return _known(run, told.value, failure, failure.error, failure.cause, warnings)


async def of_execution(execution: ExecutionRow, context: Context) -> ExecutionFailure | None:
    """Return what ended an execution; None of one that goes on or succeeded."""
    if await statuses.of_execution(execution, context) not in _ENDED_BADLY:
        return None
    run = await engine_executions.of_execution(execution, context)
    own = await of_run(run, context) if run is not None else None
    step = await _failed_step(execution, own, context)
    inner = await _of_registered(step, context) if step is not None else None
    found = inner or own
    if found is None:
        return _unknown(execution.execution_id, step, await statuses.error_of_execution(execution, context))
    return _at_step(found, step)


async def of_step_row(step: StepRow, context: Context) -> ExecutionFailure | None:
    """Return what ended a step; None of one that goes on or succeeded."""
    if await statuses.of_step(step, context) not in _ENDED_BADLY:
        return None
    inner = await _of_registered(step, context)
    if inner is not None:
        return _at_step(inner, step)
    execution = await context.loaders.executions.by_id.load(step.execution_id)
    run = await engine_executions.of_execution(execution, context) if execution is not None else None
    own = await of_run(run, context) if run is not None else None
    if own is None:
        return _unknown(step.execution_id, step, None)
    return _at_step(own, step)


async def stage(failure: ExecutionFailure, context: Context) -> Stage | None:
    """Return the state that failed, as the whole reading of its run tells it."""
    run = failure.run
    if run is None or failure.detail is None:
        return None
    whole = await context.engines.detail(run.reference)
    known = failure.failure
    if known is None or known.visit is None:  # the newest events do not name it; more may
        known = await context.engines.off_loop(lambda: find_failure(whole.attribution))
    found = (
        whole.stage(known.visit.name) if known is not None and known.visit is not None and known.visit.name else None
    )
    return Stage(run.owner, run.reference, whole, found) if found is not None else None


async def pipeline_execution(failure: ExecutionFailure, context: Context) -> StepRow | None:
    """Return the step that failed."""
    if failure.step is not None:
        return await visible_step(context, failure.step.pipeline_execution_id)
    step_id = failure.run.owner.step_id if failure.run is not None else None
    return await visible_step(context, step_id) if step_id is not None else None


async def sub_execution(failure: ExecutionFailure, context: Context) -> SubExecution | None:
    """Return the registered entry whose run failed; None where it was the workflow's own."""
    if failure.run is None or failure.run.owner.step_id is None:
        return None
    step = await visible_step(context, failure.run.owner.step_id)
    return with_digest(step, failure.run.owner.digest) if step is not None else None


async def engine_execution(failure: ExecutionFailure, _context: Context) -> EngineExecution | None:
    """Return the run that failed."""
    return failure.run


async def _failed_step(execution: ExecutionRow, own: ExecutionFailure | None, context: Context) -> StepRow | None:
    """Return the step that the failed state of a run ran, else the last that failed: a handler may have ended the run.

    Steps that never started are FAILED too once a run is, and are taken only where no other is.

    A run that was stopped or ran out of time was ended by that, whatever its steps did then.
    """
    if own is not None and own.failure is not None and own.failure.is_certain and own.failure.visit is None:
        return None
    found = (await context.loaders.steps.chain.load(execution.execution_id)).steps
    name = own.failure.visit.name if own is not None and own.failure is not None and own.failure.visit else None
    for step in found if name is not None else ():
        if await steps.job_name(step, context) == name:
            return step
    failed = [step for step in found if step.status in _FAILED]
    started = [step for step in failed if step.started_at is not None]
    return next(reversed(started or failed), None)


async def _of_registered(step: StepRow, context: Context) -> ExecutionFailure | None:
    """Return what ended the registered run by whose end a step failed.

    It is the last that failed before the step ended, else the first that failed at all; else the last that was stopped
    before. One that was stopped later was stopped because of the failure.
    """
    found = [await sub_executions.engine_execution(sub, context) for sub in of_step(step)]
    runs = [run for run in found if run is not None]
    told = await context.scope.gather(*(context.engines.facts(run.reference) for run in runs))
    ended = [(run, one.value) for run, one in zip(runs, told, strict=True) if one.value is not None]
    failed = [(run, facts) for run, facts in ended if facts.status in _FAILED]
    stopped = [(run, facts) for run, facts in ended if facts.status is ExecutionStatus.ABORTED]
    chosen = _last_before(step.stopped_at, failed) or _first(failed) or _last_before(step.stopped_at, stopped)
    return await of_run(chosen, context) if chosen is not None else None


def _last_before(limit: datetime | None, runs: Iterable[tuple[EngineExecution, RunFacts]]) -> EngineExecution | None:
    ended = [
        (facts.stopped_at, run)
        for run, facts in runs
        if facts.stopped_at is not None and isinstance(limit, datetime) and facts.stopped_at <= limit
    ]
    return max(ended, key=lambda one: one[0])[1] if ended else None


def _first(runs: Iterable[tuple[EngineExecution, RunFacts]]) -> EngineExecution | None:
    ended = [(facts.stopped_at, run) for run, facts in runs if facts.stopped_at is not None]
    return min(ended, key=lambda one: one[0])[1] if ended else None


def _known(
    run: EngineExecution,
    detail: RunDetail | None,
    failure: RunFailure | None,
    error: str | None,
    cause: str | None,
    warnings: Sequence[ExecutionWarning],
) -> ExecutionFailure:
    return ExecutionFailure(run.execution_id, None, run, detail, failure, brief(error), brief(cause), warnings)


def _unknown(execution_id: str, step: StepRow | None, cause: str | None) -> ExecutionFailure:
    """Return a failure of which nothing but the stored message is known."""
    text = "The run itself is not known to its engine any more, or does not say how it ended."
    warning = ExecutionWarning(ExecutionWarningCode.RUN_GONE, text)
    return ExecutionFailure(execution_id, step, None, None, None, None, brief(cause), [warning])


def _at_step(found: ExecutionFailure, step: StepRow | None) -> ExecutionFailure:
    return ExecutionFailure(
        found.execution_id, step, found.run, found.detail, found.failure, found.error, found.cause, found.warnings
    )


def _unread(run: EngineExecution, code: str) -> ExecutionWarning:
    if code == NOT_KEPT:
        text = f"No history is kept of {run.name}: it is an Express execution."
        return ExecutionWarning(ExecutionWarningCode.HISTORY_NOT_KEPT, text)
    unavailable = ExecutionWarningCode.HISTORY_UNAVAILABLE
    return call_failed(f"The history of {run.name} could not be read", code, otherwise=unavailable)
