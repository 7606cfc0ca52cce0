"""What executions touch: assets, and the databases that hold them."""

from graph.context import Context
from graph.resolvers import asset_history, inputs, references
from graph.resolvers.paging import Page, PageRequest
from graph.schema.connections import AssetExecutionConnection, CountedConnection
from graph.schema.costs import LIST_COST
from graph.schema.fields import answer, attribute, object_type, page
from graph.schema.filters import ExecutionFilter, to_filter
from graph.schema.lazy import LazyInputFile
from graph.schema.node import Node
from graph.tables import states
from graph.tables.records.definitions import AssetRow, DatabaseRow
from graph.tables.records.executions import ExecutionRow


async def executions(
    asset: AssetRow,
    context: Context,
    request: PageRequest,
    role: states.AssetRole | None = None,
    filter: ExecutionFilter | None = None,
) -> Page[ExecutionRow]:
    """Return the executions that touched an asset."""
    return await asset_history.asset_executions(context, request, asset, role, to_filter(filter))


async def database(asset: AssetRow, context: Context) -> DatabaseRow | None:
    """Return the database of an asset."""
    return await references.database(context, asset.database_id)


@object_type(DatabaseRow, description="A database of assets.")
class Database(Node):
    """A database of assets."""

    database_id: str = attribute("The id of the database.")
    description: str | None = attribute("What it holds.")


@object_type(AssetRow, description="An asset, in use or archived.")
class Asset(Node):
    """An asset."""

    database_id: str = attribute("The database of the asset.", reads=())
    asset_id: str = attribute("The asset within its database.")
    name: str | None = attribute("Its name.")
    description: str | None = attribute("What it is.")
    asset_type: str | None = attribute("What kind of files it holds; none while it has no files.")
    tags: list[str] = attribute("Its tags.")
    status: states.AssetStatus = attribute("Whether it is in use.", reads=())
    database: Database | None = answer(database, "The database itself.")
    executions: AssetExecutionConnection | None = page(
        executions,
        "The executions that read or wrote it, newest first, each once even if it did both.",
        cost=LIST_COST,
    )
    migrated_input_files: CountedConnection[LazyInputFile] | None = page(
        inputs.migrated_input_files_of_asset,
        "Files of it that migrated executions read: the only way to migrated executions without a start date.",
    )
