"""How the stages of a run, their visits, jobs and map runs are answered."""

from graph.context import Context
from graph.engines.inside import Inside, StageSource
from graph.history import IterationCounts
from graph.resolvers.inside import BatchJob, MapRun, Stage, StageOwner, StageVisit, batch_of, stage_in
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.sources import listed


async def stage_named(owner: StageOwner, reference: str, context: Context, name: str) -> Stage | None:
    """The stage of a run that has a name."""
    inside = await context.engines.inside(reference)
    found = inside.stage(name)
    return Stage(owner, reference, inside, found) if found is not None else None


async def stage_page(owner: StageOwner, reference: str, context: Context, request: PageRequest) -> Page[Stage]:
    """The stages of a run, in the order of its definition."""

    async def stages() -> list[Stage]:
        inside = await context.engines.inside(reference)
        return [Stage(owner, reference, inside, stage) for stage in inside.stages]

    async def read(window: Window) -> Filled[Stage]:
        return listed(await stages(), lambda stage: stage.name, window)

    async def count() -> int | None:
        inside = await context.engines.inside(reference)
        is_known = inside.is_complete or inside.stage_source is not StageSource.HISTORY  # unread events may name others
        return len(inside.stages) if is_known else None

    return await paginate(context, request, owner.key, read, count)


async def parent(stage: Stage, _context: Context) -> Stage | None:
    """The container around a stage."""
    return stage_in(stage, stage.stage.parent)


async def resource(stage: Stage, _context: Context) -> str | None:
    """What a Task calls."""
    return stage.stage.resource


async def visits(stage: Stage, context: Context, request: PageRequest) -> Page[StageVisit]:
    """The visits to a stage that were read, in the order of entry; the total is None unless all were."""
    found = [
        StageVisit(stage.owner, stage.reference, stage.inside, visit, place)
        for place, visit in enumerate(stage.stage.visits)
    ]

    async def read(window: Window) -> Filled[StageVisit]:
        return listed(found, lambda visit: str(visit.entered_event_id or f"unread {visit.place}"), window)

    async def count() -> int | None:
        return len(found) if stage.inside.is_complete else None

    return await paginate(context, request, (*stage.owner.key, stage.name), read, count)


async def stage_of_visit(visit: StageVisit, _context: Context) -> Stage | None:
    """The stage that was visited."""
    return stage_in(visit, visit.name)


async def map_run_arn(run: MapRun, _context: Context) -> str | None:
    """The ARN of a map run."""
    return run.run.arn


async def map_run_counts(run: MapRun, context: Context) -> IterationCounts | None:
    """What became of the executions that a map run started."""
    return (await context.engines.children(run.run.arn)).value if run.run.arn else None


async def log_stream_name(job: BatchJob, context: Context) -> str | None:
    """The stream that a job logs to: from the history, else asked of AWS Batch."""
    if job.stream is not None:
        return job.stream
    described = (await context.engines.batch_job(job.job_id)).value
    return described.log_stream_name if described else None


async def stage_warnings(inside: Inside, context: Context) -> list[str]:
    """What could not be read of jobs and map runs, where the operation selects it."""
    said: list[str] = []
    selects = context.selection.includes
    if selects("Stage", frozenset({"batch"})) and selects("BatchJob", frozenset({"logStreamName"})):
        jobs = [job.job_id for job in filter(None, map(batch_of, inside.stages)) if job.stream is None]
        described = await context.scope.gather(*map(context.engines.batch_job, jobs))
        said += [
            f"Batch job log stream unavailable for {job}: {told.failure}"
            for job, told in zip(jobs, described, strict=True)
            if told.failure
        ]
    if selects("Stage", frozenset({"mapRun"})) and selects("MapRun", frozenset({"counts"})):
        for stage in inside.stages:
            arn = stage.map_run.arn if stage.map_run is not None else None
            if arn and (failure := (await context.engines.children(arn)).failure):
                said.append(f"Map run unavailable for {stage.name}: {failure}")
    return said
