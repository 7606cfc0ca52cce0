"""What a run was launched with: its output target, its metadata sources, its planned steps."""

from graph.context import Context, Extra
from graph.resolvers import references
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.references import AssetReference, DatabaseReference, SpecifiedPipeline
from graph.resolvers.sources import listed
from graph.resolvers.texts import StoredText
from graph.tables import keys
from graph.tables.decode import sound
from graph.tables.records.definitions import AssetRow
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.inputs import location


async def step_count(execution: ExecutionRow, context: Context) -> int | None:
    """Return how many steps the workflow planned; None where the row does not say, for every workflow has a step."""
    found = await _configuration(execution, context)
    if found is None or found.is_migrated or found.pipelines_are_truncated:
        return None
    return len(found.pipelines) or None


async def output_target(execution: ExecutionRow, context: Context) -> ConfigurationRow | None:
    """Return where the run writes to."""
    return await _configuration(execution, context)


async def target_asset(configuration: ConfigurationRow, context: Context) -> AssetRow | None:
    """Return the asset that the run writes to."""
    ids = configuration.output_asset
    return await references.asset(context, *ids) if ids else None


async def source_assets(execution: ExecutionRow, context: Context, page: PageRequest) -> Page[AssetReference]:
    """Return the assets that were read for their metadata alone, in the order of selection."""

    async def all_of_them() -> list[AssetReference]:
        found = await _configuration(execution, context)
        return [AssetReference(*ids) for ids in dict.fromkeys(sound(found.source_assets))] if found else []

    async def read(window: Window) -> Filled[AssetReference]:
        return listed(await all_of_them(), lambda asset: keys.asset_key(asset.database_id, asset.asset_id), window)

    async def count() -> int:
        return len(await all_of_them())

    return await paginate(context, page, (execution.execution_id,), read, count)


async def source_databases(execution: ExecutionRow, context: Context) -> list[DatabaseReference] | None:
    """Return every database that metadata was captured from."""
    found = await _configuration(execution, context)
    return None if found is None else [DatabaseReference(each) for each in dict.fromkeys(sound(found.source_databases))]


async def sources_are_truncated(execution: ExecutionRow, context: Context) -> bool | None:
    """Return whether the row could not hold all metadata sources."""
    found = await _configuration(execution, context)
    if found is None:
        return None
    return sound(found.source_assets_are_truncated) or sound(found.source_databases_are_truncated)


async def named_source(execution: ExecutionRow, context: Context) -> DatabaseReference | None:
    """Return the database that the caller named as metadata source."""
    found = await _configuration(execution, context)
    named = sound(found.named_database_id) if found else None
    return DatabaseReference(named) if named else None


async def metadata_envelope(execution: ExecutionRow, context: Context) -> StoredText | None:
    """Return the metadata that the run was given. Its whole lies in the run's bucket, which any of its steps names."""
    found = await _configuration(execution, context)
    if found is None or not found.metadata_text:
        return None
    bucket: str | None = None
    if Extra.WHOLE_TEXT in context.selection.extras:
        chain = await context.loaders.steps.chain.load(execution.execution_id)
        bucket = next((step.bucket for step in chain.steps if step.bucket), None)
    return StoredText(found.metadata_text, found.metadata_is_truncated, location(bucket, found.metadata_file_key))


async def pipelines(execution: ExecutionRow, context: Context) -> list[SpecifiedPipeline] | None:
    """Return the steps that the workflow planned."""
    found = await _configuration(execution, context)
    return None if found is None else references.specified_pipelines(found.pipelines)


async def pipelines_are_truncated(execution: ExecutionRow, context: Context) -> bool | None:
    """Return whether the row could not hold all planned steps."""
    found = await _configuration(execution, context)
    return None if found is None else found.pipelines_are_truncated


async def _configuration(execution: ExecutionRow, context: Context) -> ConfigurationRow | None:
    return await context.loaders.configurations.of_execution(execution.execution_id)
