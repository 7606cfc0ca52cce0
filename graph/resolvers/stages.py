"""How the stages of a run, their visits, jobs and map runs are answered."""

from dataclasses import replace

from graph.context import Context
from graph.engines.run_detail import StageSource
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed
from graph.history import StageStatus, iterations_of
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.run_detail import BatchJob, IterationRun, Stage, StageOwner, StageVisit, stage_in, stage_of
from graph.resolvers.sources import listed


async def stage_named(owner: StageOwner, reference: str, context: Context, name: str) -> Stage | None:
    """Return the stage of a run that has a name."""
    detail = await context.engines.detail(reference)
    found = detail.stage(name)
    return Stage(owner, reference, detail, found) if found is not None else None


async def stage_page(owner: StageOwner, reference: str, context: Context, request: PageRequest) -> Page[Stage]:
    """Return the stages of a run, in the order of its definition."""

    async def read(window: Window) -> Filled[Stage]:
        detail = await context.engines.detail(reference)
        stages = [Stage(owner, reference, detail, stage) for stage in detail.stages]
        return replace(listed(stages, lambda stage: stage.name, window), warnings=detail.warnings)

    async def count() -> int | None:
        detail = await context.engines.detail(reference)
        is_known = detail.is_complete or detail.stage_source is not StageSource.HISTORY  # unread events may name others
        return len(detail.stages) if is_known else None

    return await paginate(context, request, owner.key, read, count)


async def parent(stage: Stage, _context: Context) -> Stage | None:
    """Return the container around a stage."""
    return stage_in(stage, stage.stage.parent)


async def resource(stage: Stage, _context: Context) -> str | None:
    """Return what a Task calls."""
    return stage.stage.resource


async def visits(
    stage: Stage,
    context: Context,
    request: PageRequest,
    status: list[StageStatus] | None = None,
    iteration: int | None = None,
    branch: int | None = None,
) -> Page[StageVisit]:
    """Return the visits to a stage that were read, in the order of entry; the total is None unless all were.

    With a status, an iteration or a branch, those of it: of the innermost Map and Parallel around a visit.
    """
    wanted = frozenset(status) if status is not None else None
    found = [
        one
        for one in _visits(stage)
        if (wanted is None or one.status in wanted)
        and (iteration is None or one.visit.iteration == iteration)
        and (branch is None or one.visit.branch == branch)
    ]

    async def read(window: Window) -> Filled[StageVisit]:
        filled = listed(found, lambda visit: str(visit.entered_event_id or f"unread {visit.place}"), window)
        return replace(filled, warnings=stage.detail.history_warnings)

    async def count() -> int | None:
        return len(found) if stage.detail.is_complete else None

    chosen = (sorted(wanted) if wanted is not None else None, iteration, branch)
    return await paginate(context, request, (*stage.owner.key, stage.name, *chosen), read, count)


async def visit(stage: Stage, _context: Context, entered_event_id: int) -> StageVisit | None:
    """Return the visit that an event opened."""
    return next((one for one in _visits(stage) if one.entered_event_id == entered_event_id), None)


async def iteration_runs(
    stage: Stage,
    context: Context,
    request: PageRequest,
    entered_event_id: int | None = None,
    status: list[StageStatus] | None = None,
) -> Page[IterationRun]:
    """Return the iterations of the last attempt of the visit that an event opened, else of the last visit."""
    of = stage.stage.visits[-1] if stage.stage.visits else None
    if entered_event_id is not None:
        of = next((one for one in stage.stage.visits if one.entered_event_id == entered_event_id), None)
    wanted = frozenset(status) if status is not None else None

    async def runs() -> list[IterationRun]:
        visits = stage.detail.attribution.visits
        known = await context.engines.off_loop(lambda: iterations_of(of, visits) if of is not None else ())
        return [
            IterationRun(stage.owner, stage.reference, stage.detail, one)
            for one in known
            if wanted is None or one.status in wanted
        ]

    async def read(window: Window) -> Filled[IterationRun]:
        filled = listed(await runs(), lambda run: str(run.index), window)
        return replace(filled, warnings=stage.detail.history_warnings)

    async def count() -> int | None:
        return len(await runs()) if stage.detail.is_complete else None

    bound = (*stage.owner.key, stage.name, entered_event_id, sorted(wanted) if wanted is not None else None)
    return await paginate(context, request, bound, read, count)


async def failed_stage(run: IterationRun, context: Context) -> Stage | None:
    """Return the state that failed an iteration."""
    failed = run.iteration.failed
    return await stage_of(run, context, failed.name) if failed is not None else None


async def stage_of_visit(visit: StageVisit, context: Context) -> Stage | None:
    """Return the stage that was visited, as the whole reading of its run tells it."""
    return await stage_of(visit, context, visit.name)


async def log_stream_name(job: BatchJob, context: Context) -> str | None:
    """Return the stream that a job logs to: from the history, else asked of AWS Batch."""
    if job.stream is not None:
        return job.stream
    described = (await context.engines.batch_job(job.job_id)).value
    return described.log_stream_name if described else None


async def log_stream_warning(job: BatchJob, context: Context) -> ExecutionWarning | None:
    """Return why the stream that a job logs to is not known."""
    if job.stream is not None:
        return None
    told = await context.engines.batch_job(job.job_id)
    if told.failure is not None:
        return call_failed(f"Batch job log stream unavailable for {job.job_id}", told.failure)
    if told.value is not None and told.value.log_stream_name is not None:
        return None
    text = f"AWS Batch names no log stream of {job.job_id}, which has not started or runs on EKS."
    return ExecutionWarning(ExecutionWarningCode.STREAM_UNKNOWN, text)


def _visits(stage: Stage) -> list[StageVisit]:
    return [
        StageVisit(stage.owner, stage.reference, stage.detail, visit, place)
        for place, visit in enumerate(stage.stage.visits)
    ]
