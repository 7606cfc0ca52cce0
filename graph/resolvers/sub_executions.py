"""How what a step started elsewhere is answered: state machines, jobs, and whatever else."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.context import Context
from graph.engines.inside import Inside, StageSource
from graph.engines.jobs import DeadlineJobKey, JobFacts
from graph.engines.service import FORGOTTEN, Told
from graph.resolvers.engine_executions import EngineExecution
from graph.resolvers.gate import visible_step
from graph.resolvers.inside import Stage, brief
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.registered import BATCH_JOB, DEADLINE_JOB, SubExecution, of_step, with_digest
from graph.resolvers.sources import listed
from graph.resolvers.stages import stage_page, stage_warnings
from graph.tables.records.steps import StepRow
from graph.tables.states import ExecutionStatus


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of a sub-execution, whatever it is; ``warning`` says why that is not known."""

    status: ExecutionStatus = ExecutionStatus.UNKNOWN
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    error: str | None = None
    cause: str | None = None
    warning: str | None = None


async def page(step: StepRow, context: Context, request: PageRequest) -> Page[SubExecution]:
    """What a step registered."""
    found = of_step(step)

    async def read(window: Window) -> Filled[SubExecution]:
        return listed(found, lambda sub: sub.digest, window)

    async def count() -> int:
        return len(found)

    return await paginate(context, request, (step.pipeline_execution_id,), read, count)


async def of_run(run: EngineExecution, context: Context) -> SubExecution | None:
    """The registered entry that a run is of; None for the execution's own."""
    if run.owner.step_id is None:
        return None
    step = await visible_step(context, run.owner.step_id)
    return with_digest(step, run.owner.digest) if step is not None else None


async def step_of(sub: SubExecution, context: Context) -> StepRow | None:
    """The step that registered it."""
    return await visible_step(context, sub.step.pipeline_execution_id)


def locator(key: str) -> Any:
    """A resolver of a locator as it was registered."""

    async def registered(sub: SubExecution, _context: Context) -> str | None:
        return sub.text(key)

    return registered


async def resource_name(sub: SubExecution, context: Context) -> str | None:
    """The name of the state machine, or the id of the job."""
    run = _run(sub, context)
    if run is not None:
        return run.flow_name
    if (registration := context.engines.registration(sub.entry)) is not None:
        return registration.flow_name
    job = sub.batch or sub.deadline
    return job.job_id if job is not None else None


async def engine_execution(sub: SubExecution, context: Context) -> EngineExecution | None:
    """The run that it is; None for what is no state machine."""
    return _run(sub, context)


async def summary(sub: SubExecution, context: Context) -> Summary:
    """What became of it."""
    called = sub.label or await resource_name(sub, context) or sub.resource_type
    if context.engines.registration(sub.entry) is not None:
        return await _run_summary(sub, context, called)
    if sub.resource_type == BATCH_JOB:
        if sub.batch is None:
            return Summary(warning="A Batch job was registered without its id.")
        return _job(f"Batch job status unavailable for {called}", await context.engines.batch_job(sub.batch.job_id))
    if sub.resource_type == DEADLINE_JOB:
        job = sub.deadline
        if job is None or not job.farm_id or not job.queue_id:
            return Summary(warning=f"{called}: its registration names no farm, queue or job.")
        key = DeadlineJobKey(job.farm_id, job.queue_id, job.job_id)
        return _job(f"Deadline Cloud job status unavailable for {called}", await context.engines.deadline_job(key))
    return Summary(warning=f"The status of {called} is not known: its type is not followed.")


async def status(sub: SubExecution, context: Context) -> ExecutionStatus:
    """How far it has come."""
    return (await summary(sub, context)).status


async def started_at(sub: SubExecution, context: Context) -> datetime | None:
    """When it started."""
    return (await summary(sub, context)).started_at


async def stopped_at(sub: SubExecution, context: Context) -> datetime | None:
    """When it ended."""
    return (await summary(sub, context)).stopped_at


async def error(sub: SubExecution, context: Context) -> str | None:
    """The name of the error that ended it."""
    return (await summary(sub, context)).error


async def cause(sub: SubExecution, context: Context) -> str | None:
    """Why it ended so."""
    return (await summary(sub, context)).cause


async def stage_source(sub: SubExecution, context: Context) -> StageSource:
    """What its stages are known from."""
    inside = await _inside(sub, context)
    return inside.stage_source if inside is not None else StageSource.NONE


async def stages(sub: SubExecution, context: Context, request: PageRequest) -> Page[Stage]:
    """The stages of the run that it is."""
    run = _run(sub, context)
    if run is None:
        return await paginate(context, request, sub.owner.key, _no_stages, _zero)
    return await stage_page(run.owner, run.reference, context, request)


async def warnings(sub: SubExecution, context: Context) -> list[str]:
    """What could not be read of the fields that the operation selects of sub-executions."""
    said = [(await summary(sub, context)).warning] if context.selection.includes("SubExecution", _SUMMARY) else []
    if context.selection.includes("SubExecution", _INSIDE) and (inside := await _inside(sub, context)) is not None:
        said += [*inside.warnings, *await stage_warnings(inside, context)]
    if context.selection.includes("SubExecution", frozenset({"batch"})) and sub.batch is not None:
        described = await context.engines.batch_job(sub.batch.job_id)
        if described.failure and context.selection.includes("BatchJob", frozenset({"logStreamName"})):
            said.append(f"Batch job log stream unavailable for {sub.batch.job_id}: {described.failure}")
    return list(dict.fromkeys(warning for warning in said if warning))


_SUMMARY = frozenset({"status", "startedAt", "stoppedAt", "error", "cause"})
_INSIDE = frozenset({"stages", "stageSource"})


async def _run_summary(sub: SubExecution, context: Context, called: str) -> Summary:
    run = _run(sub, context)
    if run is None:
        return Summary(warning=f"The status of {called} is not known: its registration names no execution.")
    told = await context.engines.facts(run.reference)
    facts = told.value
    if facts is None:
        return Summary(warning=f"Sub-execution status unavailable for {called}: {told.failure}")
    return Summary(facts.status, facts.started_at, facts.stopped_at, brief(facts.error), brief(facts.cause))


def _job(unavailable: str, told: Told[JobFacts]) -> Summary:
    job = told.value
    if job is None:
        reason = "it is no longer described" if told.failure == FORGOTTEN else told.failure
        return Summary(warning=f"{unavailable}: {reason}")
    return Summary(job.status, job.started_at, job.stopped_at, cause=brief(job.cause))


def _run(sub: SubExecution, context: Context) -> EngineExecution | None:
    registration = context.engines.registration(sub.entry)
    return EngineExecution.of(sub.owner, registration.run, context) if registration is not None else None


async def _inside(sub: SubExecution, context: Context) -> Inside | None:
    run = _run(sub, context)
    return await context.engines.inside(run.reference) if run is not None else None


async def _no_stages(_window: Window) -> Filled[Stage]:
    return Filled(())


async def _zero() -> int:
    return 0
