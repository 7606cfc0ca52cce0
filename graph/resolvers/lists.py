"""Lists of executions, newest first: filled until the page is full, the list ends, or a budget is spent."""

from graph.auth import routes
from graph.context import Context
from graph.resolvers.budget import Budget
from graph.resolvers.filters import ExecutionFilter
from graph.resolvers.gate import within_sight
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.sources import Rows, partition
from graph.tables import keys
from graph.tables.records.executions import ExecutionRow


async def executions(
    context: Context, request: PageRequest, wanted: ExecutionFilter | None, parent: tuple[str, ...] = ()
) -> Page[ExecutionRow]:
    """Return the executions that meet a filter and may be seen; none for None, or a filter that nothing can meet.

    Raises:
        Forbidden: when the viewer may not list executions.
    """
    context.access.require(routes.EXECUTIONS)

    async def read(window: Window) -> Filled[ExecutionRow]:
        if wanted is None or not wanted.is_possible:
            return Filled(())
        key, rows = _rows(context, await within_sight(context, wanted))
        return await partition(rows, key, window, Budget.of(context), newest_first=True)

    return await paginate(context, request, (*parent, wanted and wanted.identity()), read)


def _rows(context: Context, wanted: ExecutionFilter) -> tuple[str, Rows[ExecutionRow]]:
    """Return the partition and the rows of it that serve a filter.

    A workflow that is named whole is read from its own index, else a group from its own, else all from the one by date.
    What the index and its sort key do not tell is filtered after the key.
    """
    loaders, left_over = context.loaders.executions, wanted.without_dates()
    if wanted.workflow is not None:
        key, loader, left_over = keys.workflow_key(*wanted.workflow), loaders.by_workflow, left_over.without_workflow()
    elif wanted.group_id is not None:
        key, loader, left_over = wanted.group_id, loaders.by_group, left_over.without_group()
    else:
        key, loader = keys.ALL_EXECUTIONS, loaders.by_date
    admit = context.access.page_of_executions()
    return key, Rows(loader, wanted.key_range, left_over.conditions(), admit)
