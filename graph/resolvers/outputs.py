"""What runs and steps wrote: files, metadata, results, and where the files stand in the output asset."""

from graph.context import Context
from graph.resolvers import references
from graph.resolvers.collections import of_execution, of_partition
from graph.resolvers.gate import visible_step
from graph.resolvers.paging import Page, PageRequest
from graph.resolvers.sources import Rows
from graph.resolvers.texts import StoredText
from graph.tables import keys, states
from graph.tables.queries import Prefix
from graph.tables.records.definitions import AssetRow, FileVersionRow
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.inputs import location
from graph.tables.records.outputs import OutputFileRow, OutputMetadataRow, OutputResultRow
from graph.tables.records.steps import StepRow
from graph.tables.states import OutputFileType


async def output_files(
    execution: ExecutionRow, context: Context, page: PageRequest, file_type: OutputFileType | None = None
) -> Page[OutputFileRow]:
    """Return the files that all steps of a run wrote."""
    rows = _files(context, file_type)
    return await of_execution(context, page, execution.execution_id, rows, file_type.name if file_type else None)


async def step_output_files(
    step: StepRow, context: Context, page: PageRequest, file_type: OutputFileType | None = None
) -> Page[OutputFileRow]:
    """Return the files that a step wrote."""
    rows = _files(context, file_type)
    return await of_partition(context, page, step.pipeline_execution_id, rows, file_type.name if file_type else None)


async def output_metadata(execution: ExecutionRow, context: Context, page: PageRequest) -> Page[OutputMetadataRow]:
    """Return the metadata that a run wrote."""
    return await of_execution(context, page, execution.execution_id, Rows(context.loaders.output_metadata.of_step))


async def step_output_metadata(step: StepRow, context: Context, page: PageRequest) -> Page[OutputMetadataRow]:
    """Return the metadata that is recorded under a step."""
    rows = Rows(context.loaders.output_metadata.of_step)
    return await of_partition(context, page, step.pipeline_execution_id, rows)


async def output_results(execution: ExecutionRow, context: Context, page: PageRequest) -> Page[OutputResultRow]:
    """Return the result texts of a run."""
    return await of_execution(context, page, execution.execution_id, Rows(context.loaders.output_results.of_step))


async def step_output_results(step: StepRow, context: Context, page: PageRequest) -> Page[OutputResultRow]:
    """Return the result texts that are recorded under a step."""
    rows = Rows(context.loaders.output_results.of_step)
    return await of_partition(context, page, step.pipeline_execution_id, rows)


async def step_of(row: OutputFileRow | OutputMetadataRow | OutputResultRow, context: Context) -> StepRow | None:
    """Return the step that a row is recorded under."""
    return await visible_step(context, row.pipeline_execution_id)


async def asset_of(file: OutputFileRow, context: Context) -> AssetRow | None:
    """Return the asset that the run wrote to."""
    configuration = await _configuration(file, context)
    ids = configuration.output_asset if configuration else None
    return await references.asset(context, *ids) if ids else None


async def asset_path(file: OutputFileRow, context: Context) -> str | None:
    """Return the path in the output asset, where its version history has the file."""
    version = await _version(file, context)
    return version.path if version else None


async def asset_file_version_id(file: OutputFileRow, context: Context) -> str | None:
    """Return the version of the asset's file that this output became."""
    version = await _version(file, context)
    return version.version_id if version else None


async def result_content(result: OutputResultRow, context: Context) -> StoredText:
    """Return the text of a result. Its whole lies in the run's bucket."""
    step = await context.loaders.steps.by_id.load(result.pipeline_execution_id)
    return StoredText(result.body, result.body_is_truncated, location(step.bucket if step else None, result.s3_key))


def _files(context: Context, file_type: OutputFileType | None) -> Rows[OutputFileRow]:
    """Return the metadata of some types: known types are ranges of the sort key, others are what is left."""
    loader = context.loaders.output_files.of_step
    match file_type:
        case None:
            return Rows(loader)
        case OutputFileType.UNKNOWN:
            unknown = states.stored_texts("fileType", {file_type}, OutputFileType.UNKNOWN)
            return Rows(loader, conditions=(unknown,))
        case known:
            return Rows(loader, Prefix(known.value + ":"))


async def _configuration(file: OutputFileRow, context: Context) -> ConfigurationRow | None:
    """Return the configuration of the run."""
    step = await context.loaders.steps.by_id.load(file.pipeline_execution_id)
    return await context.loaders.configurations.of_execution(step.execution_id) if step else None


async def _version(file: OutputFileRow, context: Context) -> FileVersionRow | None:
    """Return the version of the output asset's file, by its recorded path, else below the output path extension."""
    configuration = await _configuration(file, context)
    ids = configuration.output_asset if configuration else None
    if configuration is None or ids is None:
        return None
    found = await context.scope.gather(
        *(
            context.loaders.file_versions.load((configuration.execution_id, keys.file_key(*ids, path)))
            for path in keys.asset_paths(file.relative_path, configuration.path_extension)
        )
    )
    return next((version for version in found if version is not None), None)
