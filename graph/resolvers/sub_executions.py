"""How what a step started elsewhere is answered: state machines, jobs, and whatever else."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from graph.aws.calls import FORGOTTEN
from graph.context import Context
from graph.engines.jobs import DeadlineJobKey, JobFacts
from graph.engines.run_detail import RunDetail, StageSource
from graph.engines.service import CallResult
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed, status_unknown
from graph.resolvers.engine_executions import EngineExecution
from graph.resolvers.gate import visible_step
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.registered import BATCH_JOB, DEADLINE_JOB, SubExecution, left_out, of_step, with_digest
from graph.resolvers.run_detail import Stage, brief
from graph.resolvers.sources import listed
from graph.resolvers.stages import stage_page
from graph.tables.records.executions import duration_ms as milliseconds_between
from graph.tables.records.steps import StepRow
from graph.tables.states import ExecutionStatus


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of a sub-execution, whatever it is; ``warning`` says why its status is not known."""

    status: ExecutionStatus = ExecutionStatus.UNKNOWN
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    error: str | None = None
    cause: str | None = None
    warning: ExecutionWarning | None = None


async def page(step: StepRow, context: Context, request: PageRequest) -> Page[SubExecution]:
    """Return what a step registered."""
    found = of_step(step)

    async def read(window: Window) -> Filled[SubExecution]:
        filled = listed(found, lambda sub: sub.digest, window)
        return replace(filled, warnings=left_out(step.unreadable_sub_executions))

    async def count() -> int:
        return len(found)

    return await paginate(context, request, (step.pipeline_execution_id,), read, count)


async def of_run(run: EngineExecution, context: Context) -> SubExecution | None:
    """Return the registered entry that a run is of; None for the execution's own."""
    if run.owner.step_id is None:
        return None
    step = await visible_step(context, run.owner.step_id)
    return with_digest(step, run.owner.digest) if step is not None else None


async def step_of(sub: SubExecution, context: Context) -> StepRow | None:
    """Return the step that registered it."""
    return await visible_step(context, sub.step.pipeline_execution_id)


def locator(key: str) -> Any:
    """Return a resolver of a locator as it was registered."""

    async def registered(sub: SubExecution, _context: Context) -> str | None:
        return sub.text(key)

    return registered


async def resource_name(sub: SubExecution, context: Context) -> str | None:
    """Return the name of the state machine, or the id of the job."""
    run = _run(sub, context)
    if run is not None:
        return run.flow_name
    if (registration := context.engines.registration(sub.entry)) is not None:
        return registration.flow_name
    job = sub.batch or sub.deadline
    return job.job_id if job is not None else None


async def engine_execution(sub: SubExecution, context: Context) -> EngineExecution | None:
    """Return the run that it is; None for what is no state machine."""
    return _run(sub, context)


async def summary(sub: SubExecution, context: Context) -> Summary:
    """Return what became of it."""
    called = sub.label or await resource_name(sub, context) or sub.resource_type
    if context.engines.registration(sub.entry) is not None:
        return await _run_summary(sub, context, called)
    if sub.resource_type == BATCH_JOB:
        if sub.batch is None:
            return _incomplete("A Batch job was registered without its id.")
        return _job("Batch job", called, await context.engines.batch_job(sub.batch.job_id))
    if sub.resource_type == DEADLINE_JOB:
        job = sub.deadline
        if job is None or not job.farm_id or not job.queue_id:
            return _incomplete(f"{called}: its registration names no farm, queue or job.")
        key = DeadlineJobKey(job.farm_id, job.queue_id, job.job_id)
        return _job("Deadline Cloud job", called, await context.engines.deadline_job(key))
    text = f"The status of {called} is not known: its type is not followed."
    return Summary(warning=ExecutionWarning(ExecutionWarningCode.NOT_FOLLOWED, text))


async def status(sub: SubExecution, context: Context) -> ExecutionStatus:
    """Return how far it has come."""
    return (await summary(sub, context)).status


async def status_warning(sub: SubExecution, context: Context) -> ExecutionWarning | None:
    """Return why its status is not known."""
    return (await summary(sub, context)).warning


async def started_at(sub: SubExecution, context: Context) -> datetime | None:
    """Return when it started."""
    return (await summary(sub, context)).started_at


async def stopped_at(sub: SubExecution, context: Context) -> datetime | None:
    """Return when it ended."""
    return (await summary(sub, context)).stopped_at


async def duration_ms(sub: SubExecution, context: Context) -> int | None:
    """Return milliseconds from its start to its end; None while it runs."""
    found = await summary(sub, context)
    return milliseconds_between(found.started_at, found.stopped_at)


async def error(sub: SubExecution, context: Context) -> str | None:
    """Return the name of the error that ended it."""
    return (await summary(sub, context)).error


async def cause(sub: SubExecution, context: Context) -> str | None:
    """Return why it ended so."""
    return (await summary(sub, context)).cause


async def stage_source(sub: SubExecution, context: Context) -> StageSource:
    """Return what its stages are known from."""
    detail = await _detail(sub, context)
    return detail.stage_source if detail is not None else StageSource.NONE


async def stages(sub: SubExecution, context: Context, request: PageRequest) -> Page[Stage]:
    """Return the stages of the run that it is."""
    run = _run(sub, context)
    if run is None:
        return await paginate(context, request, sub.owner.key, _no_stages, _zero)
    return await stage_page(run.owner, run.reference, context, request)


async def _run_summary(sub: SubExecution, context: Context, called: str) -> Summary:
    run = _run(sub, context)
    if run is None:
        return _incomplete(f"The status of {called} is not known: its registration names no execution.")
    result = await context.engines.facts(run.reference)
    facts = result.value
    if facts is None:
        failure = result.failure or FORGOTTEN
        return Summary(warning=call_failed(f"Sub-execution status unavailable for {called}", failure))
    error, cause = brief(facts.error), brief(facts.cause)
    return Summary(facts.status, facts.started_at, facts.stopped_at, error, cause, _unknown(facts.status, called))


def _job(what: str, called: str, result: CallResult[JobFacts]) -> Summary:
    job = result.value
    if job is None:
        return Summary(warning=call_failed(f"{what} status unavailable for {called}", result.failure or FORGOTTEN))
    cause = brief(job.cause)
    return Summary(job.status, job.started_at, job.stopped_at, cause=cause, warning=_unknown(job.status, called))


def _incomplete(text: str) -> Summary:
    return Summary(warning=ExecutionWarning(ExecutionWarningCode.REGISTRATION_INCOMPLETE, text))


def _unknown(status: ExecutionStatus, called: str) -> ExecutionWarning | None:
    return status_unknown(called) if status is ExecutionStatus.UNKNOWN else None


def _run(sub: SubExecution, context: Context) -> EngineExecution | None:
    registration = context.engines.registration(sub.entry)
    return EngineExecution.of(sub.owner, registration.run, context) if registration is not None else None


async def _detail(sub: SubExecution, context: Context) -> RunDetail | None:
    run = _run(sub, context)
    return await context.engines.detail(run.reference) if run is not None else None


async def _no_stages(_window: Window) -> Filled[Stage]:
    return Filled(())


async def _zero() -> int:
    return 0
