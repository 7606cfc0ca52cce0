"""The roots of the graph."""

from datetime import datetime
from typing import Any

import strawberry

from graph.auth import identity
from graph.context import Context
from graph.resolvers import executions as answers
from graph.resolvers import lists, nodes, references, steps
from graph.resolvers.paging import Page, PageRequest
from graph.schema.asset import Asset, Database
from graph.schema.connections import BoundedConnection
from graph.schema.costs import LIST_COST
from graph.schema.definitions import Pipeline, Workflow
from graph.schema.execution import ENGINE_RUN, Execution, ExecutionGroup
from graph.schema.fields import page, root
from graph.schema.filters import ExecutionFilter, to_filter
from graph.schema.logs import LOG_SOURCES
from graph.schema.node import Node
from graph.schema.step import PipelineExecution
from graph.schema.viewer import Viewer
from graph.tables.records.definitions import AssetRow, DatabaseRow
from graph.tables.records.executions import ExecutionRow


async def node(context: Context, id: strawberry.ID) -> Any:
    """Return the object of a global id."""
    return await nodes.node(context, id)


async def many_nodes(context: Context, ids: list[strawberry.ID]) -> list[Any]:
    """Return the objects of some global ids."""
    return await nodes.nodes(context, ids)


async def executions(
    _root: None, context: Context, request: PageRequest, filter: ExecutionFilter | None = None
) -> Page[ExecutionRow]:
    """Return the executions that a filter allows."""
    return await lists.executions(context, request, to_filter(filter))


async def asset(context: Context, database_id: str, asset_id: str) -> AssetRow | None:
    """Return the asset of a database."""
    return await references.asset(context, database_id, asset_id)


async def database(context: Context, database_id: str) -> DatabaseRow | None:
    """Return the database of an id."""
    return await references.database(context, database_id)


async def now(context: Context) -> datetime:
    """Return what time it is."""
    return context.services.clock()


async def viewer(context: Context) -> identity.Viewer:
    """Return who asks."""
    return context.viewer


@strawberry.type(description="Where reading begins.")
class Query:
    """The roots of the graph."""

    # Any kind of object may be asked for, and a log source has no row of its own.
    node: Node | None = root(
        node,
        "The object of a global id. Null when there is none or the viewer may not see it.",
        reads=LOG_SOURCES + ENGINE_RUN,
    )
    nodes: list[Node | None] = root(
        many_nodes,
        "The objects of at most 100 global ids, in their order. What does not exist or may not be seen is null, never "
        "an error for the others.",
        reads=LOG_SOURCES + ENGINE_RUN,
        sized_by="ids",
    )
    viewer: Viewer = root(viewer, "Who asks.")
    now: datetime = root(now, "The server's clock, to draw what is running by.", cost=1)
    execution: Execution | None = root(
        answers.execution,
        "The execution of an id. Null when there is none or the viewer may not see it: the two are indistinguishable.",
    )
    executions: BoundedConnection[Execution] | None = page(
        executions, "Executions that the viewer may see, newest first, as the filter allows.", cost=LIST_COST
    )
    execution_group: ExecutionGroup | None = root(
        answers.group, "The group of an id. Null when the viewer sees no execution of it."
    )
    pipeline_execution: PipelineExecution | None = root(
        steps.step, "The step of an id. Null when there is none or the viewer may not see its execution."
    )
    workflow: Workflow | None = root(references.workflow, "The workflow of a database, or of GLOBAL.")
    pipeline: Pipeline | None = root(references.pipeline, "The pipeline of a database, or of GLOBAL.")
    asset: Asset | None = root(asset, "The asset of a database, in use or archived.")
    database: Database | None = root(database, "The database of an id.")
