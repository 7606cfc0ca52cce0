"""The one generic connection: edges, nodes and where the page stands in its list."""

from typing import Generic, TypeVar

import strawberry

from graph.context import Context, Extra
from graph.resolvers import paging
from graph.resolvers.paging import Page
from graph.schema.execution_warning import ExecutionWarning
from graph.schema.fields import answer, attribute, object_type
from graph.schema.lazy import LazyExecution
from graph.tables import states

NodeT = TypeVar("NodeT")

_EDGES = "The rows of the page, each with its cursor."
_NODES = "The rows of the page alone."
_PAGE_INFO = "Where the page stands in its list."
_REASON = "Null when the page is full or the list is at its end."
WARNINGS = "What could not be read; empty where nothing is missing."
_TOTAL = (
    "How long the whole list is, counted only when selected. Null where it is not known, as of a history that was not "
    "read whole, or where counting would cost too much."
)


@object_type(paging.PageInfo, description="Where a page stands in its list.")
class PageInfo:
    """Where a page stands."""

    has_next_page: bool = attribute("Whether rows follow the page.", reads=())
    has_previous_page: bool = attribute("Whether rows precede the page.", reads=())
    start_cursor: str | None = attribute("The cursor to page back from.", reads=())
    end_cursor: str | None = attribute(
        "Where reading stopped: on a short page beyond the last edge, on an empty page the given after. Opaque and "
        "encrypted, since it may stand for a row that the viewer may not see.",
        reads=(),
    )


@strawberry.type(description="A row of a page.")
class Edge(Generic[NodeT]):
    """A row and its cursor."""

    node: NodeT = attribute("The row.", reads=())
    cursor: str = attribute("The position of the row in the list, for after and before. Opaque.", reads=())


async def total_count(page: Page[object], _context: Context) -> int | None:
    """Return the length of the whole list."""
    return await page.count() if page.count else None


@strawberry.type(name="Connection", description="A page of a list that is filled within a read budget.")
class BoundedConnection(Generic[NodeT]):
    """Without a total, since counting would tell of rows that are not shown."""

    edges: list[Edge[NodeT]] = attribute(_EDGES, reads=())
    nodes: list[NodeT] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    short_page_reason: paging.ShortPageReason | None = attribute(_REASON, reads=())


@strawberry.type(name="Connection", description="A page of a list that a service gives, and what could not be read.")
class BoundedWarningConnection(Generic[NodeT]):
    """Without a total, filled within a read budget, and with warnings."""

    edges: list[Edge[NodeT]] = attribute(_EDGES, reads=())
    nodes: list[NodeT] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    short_page_reason: paging.ShortPageReason | None = attribute(_REASON, reads=())
    warnings: list[ExecutionWarning] = attribute(WARNINGS, reads=())


@strawberry.type(name="Connection", description="A page of the rows of one parent.")
class CountedConnection(Generic[NodeT]):
    """With a total."""

    edges: list[Edge[NodeT]] = attribute(_EDGES, reads=())
    nodes: list[NodeT] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    total_count: int | None = answer(total_count, _TOTAL)


@strawberry.type(name="Connection", description="A page of the rows of one parent, filtered after the key.")
class FilteredConnection(Generic[NodeT]):
    """With a total, and filled within a read budget."""

    edges: list[Edge[NodeT]] = attribute(_EDGES, reads=())
    nodes: list[NodeT] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    total_count: int | None = answer(total_count, _TOTAL)
    short_page_reason: paging.ShortPageReason | None = attribute(_REASON, reads=())


@strawberry.type(name="Connection", description="A page of the rows of one parent, and what could not be read of them.")
class WarningConnection(Generic[NodeT]):
    """With a total and warnings."""

    edges: list[Edge[NodeT]] = attribute(_EDGES, reads=())
    nodes: list[NodeT] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    total_count: int | None = answer(total_count, _TOTAL)
    warnings: list[ExecutionWarning] = attribute(WARNINGS, reads=())


@strawberry.type(
    name="Connection", description="A page of the rows of one parent, filtered, and what could not be read of them."
)
class FilteredWarningConnection(Generic[NodeT]):
    """With a total and warnings, and filled within a read budget."""

    edges: list[Edge[NodeT]] = attribute(_EDGES, reads=())
    nodes: list[NodeT] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    total_count: int | None = answer(total_count, _TOTAL)
    short_page_reason: paging.ShortPageReason | None = attribute(_REASON, reads=())
    warnings: list[ExecutionWarning] = attribute(WARNINGS, reads=())


@strawberry.type(description="An execution that touched an asset.")
class AssetExecutionEdge:
    """An execution, and which way it touched the asset."""

    node: LazyExecution = attribute("The execution.", reads=())
    cursor: str = attribute("The position of the execution in the list, for after and before. Opaque.", reads=())
    roles: list[states.AssetRole] = attribute("READ, WROTE or both.", reads=(), extra=Extra.ASSET_ROLES)


@strawberry.type(description="A page of the executions that touched an asset, newest first.")
class AssetExecutionConnection:
    """The executions that touched an asset."""

    edges: list[AssetExecutionEdge] = attribute(_EDGES, reads=())
    nodes: list[LazyExecution] = attribute(_NODES, reads=())
    page_info: PageInfo = attribute(_PAGE_INFO, reads=())
    short_page_reason: paging.ShortPageReason | None = attribute(_REASON, reads=())
