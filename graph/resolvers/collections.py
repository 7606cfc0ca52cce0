"""Connections over the rows of a step, and over those of all steps of an execution."""

from collections.abc import Sequence

from graph.context import Context
from graph.loaders.base import RowT
from graph.resolvers.budget import Budget
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.sources import Rows, over_steps, partition


async def of_partition(
    context: Context,
    request: PageRequest,
    key: str,
    rows: Rows[RowT],
    *conditions: str | None,
    newest_first: bool = False,
) -> Page[RowT]:
    """Return a page of the rows of one partition.

    ``conditions`` are the arguments that chose the rows, for cursors to be bound to.
    """

    async def read(window: Window) -> Filled[RowT]:
        return await partition(rows, key, window, Budget.of(context), newest_first=newest_first)

    async def count() -> int | None:
        return await rows.count(key, context.services.settings.read_budget_pages)

    return await paginate(context, request, (key, *conditions), read, count)


async def of_execution(
    context: Context, request: PageRequest, execution_id: str, rows: Rows[RowT], *conditions: str | None
) -> Page[RowT]:
    """Return a page of the rows of all steps of an execution, in chain order."""

    async def read(window: Window) -> Filled[RowT]:
        chain = await context.loaders.steps.chain.load(execution_id)
        return await over_steps(rows, chain, window, Budget.of(context))

    async def count() -> int | None:
        chain = await context.loaders.steps.chain.load(execution_id)
        pages = context.services.settings.read_budget_pages
        counts = await context.scope.gather(*(rows.count(step.pipeline_execution_id, pages) for step in chain.steps))
        return _sum(counts)

    return await paginate(context, request, (execution_id, *conditions), read, count)


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
