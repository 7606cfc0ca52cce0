"""The gate of resolvers: an object that the viewer may not see is None, exactly like one that does not exist."""

from typing import Protocol, TypeVar

from graph.auth import routes
from graph.context import Context
from graph.resolvers.filters import ExecutionFilter
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow
from graph.tables.rows import Row

RowT = TypeVar("RowT", bound=Row)


class OfExecution(Protocol):
    """Something of an execution."""

    @property
    def execution_id(self) -> str:
        """The id of the execution."""


async def visible(context: Context, row: RowT | None) -> RowT | None:
    """Return a row if the viewer may see it; None otherwise, or without a row."""
    return row if row is not None and await context.access.sees(row) else None


async def within_sight(context: Context, wanted: ExecutionFilter) -> ExecutionFilter:
    """Return the filter, with an impossible workflow instead of one whose executions the viewer may not see.

    So a hidden workflow costs the same reads as an absent one, and its index is not read.

    Raises:
        GraphError: when the workflow cannot be read.
    """
    if wanted.workflow is None or await context.access.lists_executions_of(*wanted.workflow):
        return wanted
    return wanted.of_no_workflow()


def require_details(of: OfExecution, context: Context) -> None:
    """Require the permission for details: everything beyond the row of a list.

    Raises:
        Forbidden: when the viewer may not read the details of the execution.
    """
    context.access.require(routes.execution_details(of.execution_id))


def require_metadata(of: OfExecution, context: Context) -> None:
    """Require the permission for metadata.

    Raises:
        Forbidden: when the viewer may not page through the metadata of the execution.
    """
    require_details(of, context)
    context.access.require(routes.execution_metadata(of.execution_id))


def require_logs(of: OfExecution, context: Context) -> None:
    """Require the permission for log text, ARNs, and the input and output of engines.

    Raises:
        Forbidden: when the viewer may not read the logs of the execution.
    """
    require_details(of, context)
    context.access.require(routes.execution_logs(of.execution_id))


def may_read_logs(of: ExecutionRow, context: Context) -> bool:
    """Return whether :func:`require_logs` would not raise."""
    access = context.access
    return access.permits(routes.execution_details(of.execution_id)) and access.permits(
        routes.execution_logs(of.execution_id)
    )


async def visible_execution(context: Context, execution_id: str) -> ExecutionRow | None:
    """Return the execution of an id, if there is one and the viewer may see it."""
    return await visible(context, await context.loaders.executions.by_id.load(execution_id))


async def visible_step(context: Context, pipeline_execution_id: str) -> StepRow | None:
    """Return the step of an id, if there is one and the viewer may see its execution."""
    step = await context.loaders.steps.by_id.load(pipeline_execution_id)
    if step is None or await visible_execution(context, step.execution_id) is None:
        return None
    return step
