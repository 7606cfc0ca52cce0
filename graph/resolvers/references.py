"""Names of objects that may be gone or may not be read, and the objects themselves where they can be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graph.context import Context
from graph.errors import GraphError
from graph.resolvers.gate import visible
from graph.tables import keys
from graph.tables.records.definitions import AssetRow, DatabaseRow, PipelineRow, WorkflowRow


@dataclass(frozen=True, slots=True)
class AssetReference:
    """Names an asset."""

    database_id: str
    asset_id: str


@dataclass(frozen=True, slots=True)
class DatabaseReference:
    """Names a database."""

    database_id: str


@dataclass(frozen=True, slots=True)
class SpecifiedPipeline:
    """A step as its workflow planned it at launch."""

    pipeline_database_id: str
    pipeline_id: str
    job_name: str
    default_template_id: str | None


async def asset(context: Context, database_id: str | None, asset_id: str | None) -> AssetRow | None:
    """Return the asset of a database, in use or archived; None where the names are missing or can be of nothing."""
    if database_id is None or asset_id is None:
        return None
    return await visible(context, await context.loaders.assets.find(database_id, asset_id))


async def database(context: Context, database_id: str | None) -> DatabaseRow | None:
    """Return the database of an id."""
    if database_id is None or not keys.is_id(database_id):
        return None
    return await visible(context, await context.loaders.definitions.databases.load((database_id,)))


async def workflow(context: Context, database_id: str, workflow_id: str) -> WorkflowRow | None:
    """Return the workflow of a database, as it is defined now."""
    if not keys.is_id(database_id) or not keys.is_id(workflow_id):
        return None
    return await visible(context, await context.loaders.definitions.workflows.load((database_id, workflow_id)))


async def pipeline(context: Context, database_id: str, pipeline_id: str) -> PipelineRow | None:
    """Return the pipeline of a database, as it is defined now."""
    if not keys.is_id(database_id) or not keys.is_id(pipeline_id):
        return None
    return await visible(context, await context.loaders.definitions.pipelines.load((database_id, pipeline_id)))


async def pipeline_name(context: Context, database_id: str, pipeline_id: str) -> str:
    """Return the name of a pipeline where it can be read and may be seen, else its id; never an error."""
    try:
        found = await pipeline(context, database_id, pipeline_id)
    except GraphError:
        return pipeline_id
    return found.name if found is not None and found.name and isinstance(found.name, str) else pipeline_id


def specified_pipelines(entries: Iterable[Mapping[str, Any]]) -> list[SpecifiedPipeline]:
    """Return the steps that stored entries plan, in their order."""
    return [
        SpecifiedPipeline(
            pipeline_database_id=_text(entry, "pipelineDatabaseId"),
            pipeline_id=_text(entry, "pipelineId"),
            job_name=_text(entry, "jobName"),
            default_template_id=_text(entry, "defaultTemplateId") or None,
        )
        for entry in entries
    ]


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""
