"""What a warning is about, as it may be shown."""

from graph.context import Context
from graph.execution_warnings import ExecutionWarning
from graph.resolvers.gate import OfExecution, visible_execution


async def subject(warning: ExecutionWarning, context: Context) -> OfExecution | None:
    """Return the object that a warning is about, if the viewer may see its execution."""
    found: OfExecution | None = warning.subject
    if found is None or await visible_execution(context, found.execution_id) is None:
        return None
    return found
