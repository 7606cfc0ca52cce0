"""What runs and steps read: input files, and the metadata that steps were given."""

from collections.abc import Sequence

from graph.auth import routes
from graph.context import Context
from graph.resolvers import references
from graph.resolvers.collections import of_execution, of_partition
from graph.resolvers.gate import visible_execution, visible_step
from graph.resolvers.paging import Page, PageRequest, paginate
from graph.resolvers.references import AssetReference
from graph.resolvers.sources import Rows, nothing
from graph.tables import keys
from graph.tables.queries import OneOf, Prefix
from graph.tables.records.definitions import AssetRow, DatabaseRow
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.inputs import InputMetadataRow, InputRow, S3Location, StepInputFileRow, location
from graph.tables.records.steps import StepRow
from graph.tables.states import MetadataScope


async def input_files(
    execution: ExecutionRow, context: Context, page: PageRequest, of_asset: AssetReference | None
) -> Page[InputRow]:
    """Return the files that a run was started with; with an asset, those of it."""
    if of_asset is None:
        return await of_partition(context, page, execution.execution_id, Rows(context.loaders.inputs.of_execution))
    named = (of_asset.database_id, of_asset.asset_id)
    if not keys.is_id(of_asset.database_id) or not keys.is_asset_id(of_asset.asset_id):
        return await paginate(context, page, (execution.execution_id, *named), nothing)
    rows = Rows(context.loaders.inputs.of_execution, Prefix(keys.asset_prefix(*named)))
    return await of_partition(context, page, execution.execution_id, rows, *named)


async def input_metadata(
    execution: ExecutionRow, context: Context, page: PageRequest, scope: MetadataScope | None = None
) -> Page[InputMetadataRow]:
    """Return the metadata that all steps of a run were given."""
    rows = _metadata(context, scope)
    return await of_execution(context, page, execution.execution_id, rows, scope.name if scope else None)


async def step_input_metadata(
    step: StepRow, context: Context, page: PageRequest, scope: MetadataScope | None = None
) -> Page[InputMetadataRow]:
    """Return the metadata that a step was given."""
    rows = _metadata(context, scope)
    return await of_partition(context, page, step.pipeline_execution_id, rows, scope.name if scope else None)


async def migrated_input_files(step: StepRow, context: Context, page: PageRequest) -> Page[StepInputFileRow]:
    """Return the files that a step of a migrated run read."""
    return await of_partition(context, page, step.pipeline_execution_id, Rows(context.loaders.step_input_files.of_step))


async def migrated_input_files_of_asset(of: AssetRow, context: Context, page: PageRequest) -> Page[StepInputFileRow]:
    """Return the files of an asset that migrated runs read, of those runs that may be seen.

    Raises:
        Forbidden: when the viewer may not list the executions of the asset.
    """
    context.access.require(routes.asset_executions(of.database_id, of.asset_id))

    async def admit(rows: Sequence[StepInputFileRow]) -> Sequence[bool]:
        found = await context.scope.gather(*(visible_execution(context, row.execution_id) for row in rows))
        return [execution is not None for execution in found]

    rows = Rows(context.loaders.step_input_files.by_asset, admit=None if context.access.hides_no_execution else admit)
    return await of_partition(context, page, keys.asset_key(of.database_id, of.asset_id), rows)


async def asset_of(row: InputRow | StepInputFileRow | InputMetadataRow, context: Context) -> AssetRow | None:
    """Return the asset that an input is of."""
    return await references.asset(context, row.database_id, row.asset_id)


async def database_of(row: InputMetadataRow, context: Context) -> DatabaseRow | None:
    """Return the database that metadata is of."""
    return await references.database(context, row.database_id)


async def execution_of(row: InputRow | StepInputFileRow, context: Context) -> ExecutionRow | None:
    """Return the run that read a file."""
    return await visible_execution(context, row.execution_id)


async def step_of(row: InputMetadataRow, context: Context) -> StepRow | None:
    """Return the step that was given metadata."""
    return await visible_step(context, row.pipeline_execution_id)


async def envelope_location(row: InputMetadataRow, context: Context) -> S3Location | None:
    """Return the whole envelope that the step was given, in the run's bucket."""
    step = await context.loaders.steps.by_id.load(row.pipeline_execution_id)
    return location(step.bucket, row.source_file_key) if step else None


def _metadata(context: Context, scope: MetadataScope | None) -> Rows[InputMetadataRow]:
    """Return rows of a scope. A row that names none is of an asset, so that scope is all but the others."""
    is_database = OneOf("scope", (MetadataScope.DATABASE.value,), negated=scope is MetadataScope.ASSET)
    return Rows(context.loaders.input_metadata.of_step, conditions=(is_database,) if scope else ())
