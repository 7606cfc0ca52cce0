"""Lists of executions, newest first: filled until the page is full, the list ends, or a read budget is spent."""

from graph.context import Context
from graph.loaders.base import Slice, SliceLoader
from graph.resolvers.budget import Budget
from graph.resolvers.filters import ExecutionFilter
from graph.resolvers.paging import Entry, Filled, Page, PageRequest, Window, paginate
from graph.resolvers.sources import EVALUATED, up_to
from graph.tables import keys
from graph.tables.records.executions import ExecutionRow


async def executions(
    context: Context, request: PageRequest, wanted: ExecutionFilter | None, parent: tuple[str, ...] = ()
) -> Page[ExecutionRow]:
    """The executions that meet a filter; None, or a filter that nothing can meet, is the empty list.

    A workflow that is named whole is read from its own index, else a group from its own, else all from the one by date.
    """

    async def read(window: Window) -> Filled[ExecutionRow]:
        if wanted is None or not wanted.is_possible:
            return Filled(())
        return await _fill(context, wanted, window)

    return await paginate(context, request, (*parent, wanted.identity() if wanted else None), read)


async def _fill(context: Context, wanted: ExecutionFilter, window: Window) -> Filled[ExecutionRow]:
    loader, partition, left_over = _index(context, wanted)
    conditions = left_over.conditions()
    entries: list[Entry[ExecutionRow]] = []
    start, budget = window.start, Budget.of(context)
    while True:
        missing = window.count + 1 - len(entries)
        stretch = await loader.load(
            Slice(
                partition,
                sort=wanted.key_range,
                start=start,
                forward=not window.forward,
                conditions=conditions,
                evaluate=EVALUATED if conditions else missing,
                pages=1,
            )
        )
        budget.spend(1)
        read = [Entry(row, row.position_in(loader.index)) for row in stretch.rows]
        reached = up_to(window.stop, read, descending=window.forward)
        verdicts = await context.access.sees([entry.node for entry in reached])
        entries += (entry for entry, is_seen in zip(reached, verdicts, strict=True) if is_seen)
        if len(entries) > window.count or stretch.end is None or len(reached) < len(read):
            return Filled(entries)
        start = stretch.end
        if reason := budget.spent:
            return Filled(entries, reason, start)


def _index(context: Context, wanted: ExecutionFilter) -> tuple[SliceLoader[ExecutionRow], str, ExecutionFilter]:
    """The index that serves a filter, its partition, and the filter that is left to apply after the key."""
    loaders, dateless = context.loaders.executions, wanted.without_dates()
    if wanted.workflow_key is not None:
        return loaders.by_workflow, wanted.workflow_key, dateless.without_workflow()
    if wanted.group_id is not None:
        return loaders.by_group, wanted.group_id, dateless.without_group()
    return loaders.by_date, keys.ALL_EXECUTIONS, dateless
