"""Objects on their way out: an object that may not be seen is None, exactly like one that does not exist."""

from typing import TypeVar

from graph.context import Context
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow
from graph.tables.rows import Row

RowT = TypeVar("RowT", bound=Row)


async def visible(context: Context, row: RowT | None) -> RowT | None:
    """The object, if there is one and the viewer may see it."""
    if row is None:
        return None
    (is_seen,) = await context.access.sees([row])
    return row if is_seen else None


async def visible_execution(context: Context, execution_id: str) -> ExecutionRow | None:
    """The execution of an id, if there is one and the viewer may see it."""
    return await visible(context, await context.loaders.executions.by_id.load(execution_id))


async def visible_step(context: Context, pipeline_execution_id: str) -> StepRow | None:
    """The step of an id, if there is one and the viewer may see its execution."""
    step = await context.loaders.steps.by_id.load(pipeline_execution_id)
    if step is None or await visible_execution(context, step.execution_id) is None:
        return None
    return step
