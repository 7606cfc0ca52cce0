"""Releasing the locks of a run on versions of its input files, which let no other run of the workflow read them."""

from collections.abc import Sequence

from graph.actions.action import Action
from graph.actions.results import ActionWarning
from graph.errors import GraphError
from graph.execution_warnings import ExecutionWarningCode
from graph.loaders.base import KeyRange
from graph.tables import keys
from graph.tables.catalogue import LOCKS
from graph.tables.records.executions import ExecutionRow

_RESTRICTED = "perInputFileVersion"


async def release_locks(action: Action, execution: ExecutionRow) -> Sequence[ActionWarning]:
    """Delete the locks that a run holds; one that is not deleted runs out by itself, in a day or later."""
    if not action.writer.knows(LOCKS):
        return ()
    loaders, left = action.loaders(), 0
    try:
        key = (execution.workflow_database_id, execution.workflow_id)
        workflow = await loaders.definitions.workflows.load(key)
        if workflow is not None and (workflow.system_config or {}).get("concurrencyRestriction") != _RESTRICTED:
            return ()
        inputs = (await loaders.inputs.of_execution.load(KeyRange(execution.execution_id))).rows
    except GraphError as error:
        return [_left(execution, error)]
    locks = dict.fromkeys(
        keys.lock_key(execution.workflow_key, row.asset_key, row.key, row.version_id) for row in inputs
    )
    for lock in locks:
        try:
            await action.writer.delete(LOCKS, (lock,), {"workflowExecutionId": execution.execution_id})
        except GraphError as error:
            left += 1
            fault = error
    return [_left(execution, fault)] if left else ()


def _left(execution: ExecutionRow, error: GraphError) -> ActionWarning:
    text = f"Locks of input files could not be released: {error.code}. They run out by themselves."
    return ActionWarning(ExecutionWarningCode.CLEANUP_LEFT, text, execution.id)
