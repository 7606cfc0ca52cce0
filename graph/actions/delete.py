"""Deleting the rows of a run that has ended.

A mark on the main row comes first: from then on nobody sees the run who may not delete it, so that what is left of it
is never judged by less than the whole was. What decides who may see it goes last, in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from graph.actions.abort import GRACE_SECONDS, SECONDS, call_end
from graph.actions.action import Action
from graph.actions.results import ActionWarning
from graph.auth.audit import Audit
from graph.aws.calls import CallFailed, is_throttle
from graph.context import Context
from graph.errors import (
    BadUserInput,
    Conflict,
    Forbidden,
    GraphError,
    MalformedValue,
    Throttled,
    UpstreamUnavailable,
)
from graph.execution_warnings import ExecutionWarningCode
from graph.loaders.base import KeyRange, Written
from graph.operation import OperationScope
from graph.resolvers import gate
from graph.tables import keys
from graph.tables.builders.budgets import COLLECTION_BUDGET, fit_collections
from graph.tables.builders.dates import stored_date
from graph.tables.catalogue import (
    CONFIGURATIONS,
    EXECUTIONS,
    INPUT_CONFIGURATIONS,
    INPUTS,
    STEP_LOGS,
    STEPS,
    Table,
)
from graph.tables.reader import Key
from graph.tables.records.executions import DELETION_BEGUN, ExecutionRow
from graph.tables.records.inputs import InputAssetRow, InputMetadataRow, StepInputFileRow
from graph.tables.records.outputs import OutputFileRow, OutputMetadataRow, OutputResultRow
from graph.tables.records.steps import StepRow
from graph.tables.rows import Row
from graph.tables.states import TERMINAL
from graph.tables.writer import ConditionFailed

DELETE = "delete"

_INPUTS_AT_LAST = 98  # with the main row and the configuration, as many as one transaction takes
_ROWS_AT_ONCE = 25
_AT_ONCE = 4  # steps whose rows are deleted at the same time
_GONE = "ExecutionDoesNotExist"
_IN_PROGRESS = "The execution is in progress; abort it first."

_OF_STEPS: tuple[tuple[type[Row], Table], ...] = tuple(
    (row, row.table) for row in (InputMetadataRow, StepInputFileRow, OutputFileRow, OutputMetadataRow, OutputResultRow)
)


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion did; ``deleted_id`` is None while rows are left."""

    execution_id: str
    deleted_id: str | None
    warnings: tuple[ActionWarning, ...] = ()


async def delete_execution(context: Context, execution_id: str, *, confirm: bool) -> Deletion | None:
    """Delete a run; None where there is none to be seen.

    Raises:
        BadUserInput: it is not confirmed.
        Forbidden: the viewer sees the run, and may not delete it, or nobody may here.
        Conflict: the run has not ended.
        GraphError: whether it has cannot be told, or nothing could be written.
    """
    if not confirm:
        raise BadUserInput("'confirm' must be true: what is deleted does not come back.")
    execution = await gate.visible_execution(context, execution_id) if keys.is_execution_id(execution_id) else None
    if execution is None:
        return None
    audit = Audit(context.viewer.user_id)
    if not context.services.settings.delete_executions or not await context.access.may_delete(execution):
        audit.denied("execution", execution_id, DELETE, "no right to delete it")
        raise Forbidden
    audit.allowed("execution", execution_id, DELETE)
    work = partial(_carry_out, context, execution.primary_key, audit, call_end(context))
    done, written = await context.scope.finish(f"deletion of {execution_id}", work, SECONDS + GRACE_SECONDS)
    context.note(written)
    return done


async def _carry_out(
    context: Context, key: Key, audit: Audit, ends_at: float, scope: OperationScope
) -> tuple[Deletion | None, Written]:
    services = context.services
    assert services.changes is not None  # noqa: S101 - no schema with mutations is served without
    action = Action(services, services.changes, scope, context.tally, ends_at)
    try:
        with action.retries():
            done = await _delete(action, key)
    except GraphError as error:
        audit.done("execution", key[0], DELETE, error.code)
        raise
    audit.done("execution", key[0], DELETE, "GONE" if done is None else "DELETED" if done.deleted_id else "INCOMPLETE")
    return done, action.written


async def _delete(action: Action, key: Key) -> Deletion | None:
    execution = await action.loaders().executions.by_key.load(key)
    if execution is None:
        return None
    if not execution.is_being_deleted:
        await _require_end(action, execution)
        mark = {DELETION_BEGUN: stored_date(action.now)}
        try:
            action.written[EXECUTIONS, key] = await action.writer.update(
                EXECUTIONS, key, mark, status=execution.status.value
            )
        except ConditionFailed as failed:
            if failed.item is None:
                return None
            raise Conflict(_IN_PROGRESS) from failed
    try:
        is_deleted = await _delete_rows(action, execution)
    except GraphError as error:
        return _left(execution, f"could not be deleted: {error.code}")
    if not is_deleted:
        return _left(execution, "could not be deleted in time")
    action.written[EXECUTIONS, key] = None
    return Deletion(execution.execution_id, execution.id)


async def _require_end(action: Action, execution: ExecutionRow) -> None:
    """Refuse what may go on, by its row or else by its engine.

    Raises:
        Conflict: it is in progress.
        GraphError: the engine cannot tell.
    """
    if execution.status in TERMINAL:
        return
    if not execution.arn:
        raise Conflict(_IN_PROGRESS)
    try:
        facts = await action.services.engines.of(execution.arn).describe(execution.arn)
    except CallFailed as failure:
        if failure.code == _GONE:
            return
        raise (Throttled if is_throttle(failure) else UpstreamUnavailable)("The workflow engine") from failure
    if facts.status not in TERMINAL:
        raise Conflict(_IN_PROGRESS)


async def _delete_rows(action: Action, execution: ExecutionRow) -> bool:
    """Delete the rows of steps, then those that decide who may see the run; return whether there was time for it."""
    steps = (await action.loaders().steps.by_execution.load(KeyRange(execution.execution_id))).rows
    for start in range(0, len(steps), _AT_ONCE):
        ended = await action.scope.gather(*(_delete_step(action, step) for step in steps[start : start + _AT_ONCE]))
        if not all(ended):
            return False
    inputs = (await action.loaders().inputs.assets_of_execution.load(KeyRange(execution.execution_id))).rows
    last, before = inputs[:_INPUTS_AT_LAST], inputs[_INPUTS_AT_LAST:]
    if action.is_late:
        return False
    if before:
        await _keep_assets(action, execution.execution_id, inputs)
        await action.writer.delete_all(INPUTS, [row.primary_key for row in before])
    configuration = (CONFIGURATIONS, (execution.execution_id, keys.CONFIGURATION))
    together = [configuration, *((INPUTS, row.primary_key) for row in last)]
    await action.writer.delete_together((EXECUTIONS, execution.primary_key, DELETION_BEGUN), together)
    return True


async def _delete_step(action: Action, step: StepRow) -> bool:
    """Delete what belongs to a step, then its row; return whether there was time for it."""
    step_id = step.pipeline_execution_id
    for row, table in _OF_STEPS:
        if not await _delete_partition(action, row, table, step_id):
            return False
    await action.writer.delete_all(INPUT_CONFIGURATIONS, [(step_id, keys.CONFIGURATION)])
    await action.writer.delete_all(STEP_LOGS, [(step_id, keys.SUMMARY)])
    await action.writer.delete_all(STEPS, [step.primary_key])
    return True


async def _delete_partition(action: Action, row: type[Row], table: Table, partition: str) -> bool:
    """Delete the rows of a partition, some at a time: each can fill a page of its own."""
    while not action.is_late:
        found = await action.ranges(row).load(KeyRange(partition, limit=_ROWS_AT_ONCE, pages=1))
        await action.writer.delete_all(table, [one.primary_key for one in found.rows])
        if found.end is None:
            return True
    return False


async def _keep_assets(action: Action, execution_id: str, inputs: Sequence[InputAssetRow]) -> None:
    """Name the assets of all inputs in the configuration, by which the run is judged when some inputs are gone."""
    configuration = await action.loaders().configurations.of_execution(execution_id)
    named: dict[tuple[str, str], None] = {}
    lacks_some = False
    if configuration is not None:
        lacks_some = configuration.source_assets_are_truncated is not False
        if isinstance(configuration.source_assets, MalformedValue):
            lacks_some = True
        else:
            named |= dict.fromkeys(configuration.source_assets)
    for row in inputs:
        if isinstance(row.database_id, MalformedValue) or isinstance(row.asset_id, MalformedValue):
            lacks_some = True
        elif row.database_id and row.asset_id:
            named[row.database_id, row.asset_id] = None
    entries = [{"databaseId": database_id, "assetId": asset_id} for database_id, asset_id in named]
    (fitted,) = fit_collections(COLLECTION_BUDGET, entries)
    await action.writer.name_sources(
        (execution_id, keys.CONFIGURATION), fitted.value, is_truncated=lacks_some or fitted.is_truncated
    )


def _left(execution: ExecutionRow, what: str) -> Deletion:
    warning = ActionWarning(ExecutionWarningCode.CLEANUP_LEFT, f"Some rows {what}; repeat it.", execution.id)
    return Deletion(execution.execution_id, None, (warning,))
