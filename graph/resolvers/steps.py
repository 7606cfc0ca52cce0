"""How a step and its own fields are answered."""

from graph.context import Context
from graph.resolvers import engine_executions, references
from graph.resolvers.gate import visible_execution, visible_step
from graph.resolvers.run_detail import Stage
from graph.resolvers.stages import stage_named
from graph.resolvers.texts import StoredText
from graph.tables import keys
from graph.tables.records.definitions import PipelineRow
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.inputs import location
from graph.tables.records.steps import InputConfigurationRow, StepRow


async def step(context: Context, pipeline_execution_id: str) -> StepRow | None:
    """Return the step of an id, if the viewer may see its execution."""
    return await visible_step(context, pipeline_execution_id) if keys.is_execution_id(pipeline_execution_id) else None


async def execution(of: StepRow, context: Context) -> ExecutionRow | None:
    """Return the run that the step belongs to."""
    return await visible_execution(context, of.execution_id)


async def pipeline(of: StepRow, context: Context) -> PipelineRow | None:
    """Return the definition that the step ran, as it stands now."""
    return await references.pipeline(context, of.pipeline_database_id, of.pipeline_id)


async def name(of: StepRow, context: Context) -> str:
    """Return the pipeline's name where it can be read and may be seen, else its id."""
    return await references.pipeline_name(context, of.pipeline_database_id, of.pipeline_id)


async def resource_arn(of: StepRow, _context: Context) -> str | None:
    """Return what runs the pipeline."""
    return of.resource_arn


async def job_name(of: StepRow, context: Context) -> str | None:
    """Return the name that the workflow gave the step's place at launch; None where its row does not say it."""
    configuration, place = await context.scope.gather(
        context.loaders.configurations.of_execution(of.execution_id), position(of, context)
    )
    planned = references.specified_pipelines(configuration.pipelines) if configuration is not None else ()
    if place is None or place >= len(planned):
        return None
    one = planned[place]
    is_of_step = (one.pipeline_database_id, one.pipeline_id) == (of.pipeline_database_id, of.pipeline_id)
    return one.job_name or None if is_of_step else None


async def stage(of: StepRow, context: Context) -> Stage | None:
    """Return the state of the run's own state machine that ran the step: the one that is called as its job is."""
    name, run = await context.scope.gather(job_name(of, context), visible_execution(context, of.execution_id))
    own = await engine_executions.of_execution(run, context) if run is not None else None
    return await stage_named(own.owner, own.reference, context, name) if own is not None and name is not None else None


async def position(of: StepRow, context: Context) -> int | None:
    """Return the 0-based place in the chain."""
    return (await context.loaders.steps.chain.load(of.execution_id)).position(of.pipeline_execution_id)


async def previous(of: StepRow, context: Context) -> StepRow | None:
    """Return the step before."""
    return await context.loaders.steps.previous(of)


async def following(of: StepRow, context: Context) -> StepRow | None:
    """Return the step after."""
    return await context.loaders.steps.next(of)


async def input_configuration(of: StepRow, context: Context) -> InputConfigurationRow | None:
    """Return the configuration that the step was given."""
    return await context.loaders.input_configurations.load((of.pipeline_execution_id, keys.CONFIGURATION))


async def rendered(configuration: InputConfigurationRow, context: Context) -> StoredText:
    """Return the configuration after tag substitution. The file in the run's bucket has system tags filled in too."""
    of = await context.loaders.steps.by_id.load(configuration.pipeline_execution_id)
    place = location(of.bucket if of else None, configuration.file_key)
    return StoredText(configuration.body, configuration.body_is_truncated, place)


async def override(configuration: InputConfigurationRow, _context: Context) -> StoredText | None:
    """Return the caller's own body in place of the template's."""
    if configuration.override is None:
        return None
    return StoredText(configuration.override, configuration.override_is_truncated)
