"""Aborting runs: from the outer machine to what its steps registered, so that nothing new begins inside.

The order is that of VAMS. Each write has a condition, so that all of it may end after any of them and be repeated, and
so that whoever else wrote an end first has the last word.
"""

import time
from dataclasses import dataclass
from enum import Enum
from functools import partial

from graph.actions.action import Action
from graph.actions.locks import release_locks
from graph.actions.results import ActionWarning
from graph.actions.sweep import Sweep
from graph.auth.audit import Audit
from graph.aws.calls import CallFailed, is_throttle
from graph.context import Context
from graph.errors import Forbidden, GraphError, Throttled, UpstreamUnavailable
from graph.execution_warnings import ExecutionWarningCode
from graph.loaders.base import Written
from graph.operation import OperationScope
from graph.resolvers import gate
from graph.tables import keys
from graph.tables.builders.executions import execution_end, status_check
from graph.tables.catalogue import EXECUTIONS
from graph.tables.reader import Key
from graph.tables.records.executions import ExecutionRow
from graph.tables.states import TERMINAL, ExecutionStatus
from graph.tables.writer import ConditionFailed

ABORT = "abort"
SECONDS = 25.0
"""How long an abort begins further calls."""
GRACE_SECONDS = 30.0
"""How long the calls that were begun may take."""

_LEFT_SECONDS = 5  # of an invocation, for its answer

_LEAVES_SOME = frozenset({ExecutionWarningCode.STOP_FAILED, ExecutionWarningCode.WRITE_FAILED})


class AbortOutcome(Enum):
    """How an abort ended."""

    ABORTED = "ABORTED"
    ALREADY_TERMINAL = "ALREADY_TERMINAL"
    INCOMPLETE = "INCOMPLETE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Abort:
    """What an abort did to one run."""

    execution_id: str
    outcome: AbortOutcome
    warnings: tuple[ActionWarning, ...] = ()


async def abort_execution(context: Context, execution_id: str) -> Abort | None:
    """Abort a run; None where there is none to be seen.

    Raises:
        Forbidden: the viewer sees the run, and may not abort it.
        GraphError: its machine cannot be stopped; nothing was changed.
    """
    execution = await gate.visible_execution(context, execution_id) if keys.is_execution_id(execution_id) else None
    if execution is None:
        return None
    audit = Audit(context.viewer.user_id)
    if not await context.access.may_abort(execution):
        audit.denied("execution", execution_id, ABORT, "no right to abort it")
        raise Forbidden
    audit.allowed("execution", execution_id, ABORT)
    work = partial(carry_out, context, execution.primary_key, audit, call_end(context))
    done, written = await context.scope.finish(f"abort of {execution_id}", work, SECONDS + GRACE_SECONDS)
    context.note(written)
    return done


def call_end(context: Context) -> float:
    """Return when a call begins nothing more: five seconds before the end of its invocation, if it has one."""
    ends_at = time.monotonic() + SECONDS
    return ends_at if context.ends_at is None else min(ends_at, context.ends_at - _LEFT_SECONDS)


async def carry_out(
    context: Context, key: Key, audit: Audit, ends_at: float, scope: OperationScope
) -> tuple[Abort | None, Written]:
    """Abort the run of a key for somebody who may; return what was done, and written.

    Raises:
        GraphError: its machine cannot be stopped; nothing was changed.
    """
    services = context.services
    assert services.changes is not None  # noqa: S101 - no schema with mutations is served without
    action = Action(services, services.changes, scope, context.tally, ends_at)
    try:
        with action.retries():
            done = await _abort(action, key)
    except GraphError as error:
        audit.done("execution", key[0], ABORT, error.code)
        raise
    audit.done("execution", key[0], ABORT, done.outcome.value if done is not None else "GONE")
    return done, action.written


async def _abort(action: Action, key: Key) -> Abort | None:
    execution = await action.loaders().executions.by_key.load(key)
    if execution is None:
        return None
    has_ended = execution.status in TERMINAL
    if not has_ended:
        await _stop_machine(action, execution)
    stopped_at = action.now
    sweep = Sweep(action, execution.execution_id, stopped_at)
    try:
        await sweep.run()
        await sweep.run()
    except GraphError as error:
        text = f"The steps of the run could not be read: {error.code}."
        sweep.warnings.append(ActionWarning(ExecutionWarningCode.STOP_FAILED, text, execution.id))
        return Abort(execution.execution_id, AbortOutcome.INCOMPLETE, tuple(sweep.warnings))
    warnings = list(sweep.warnings)
    if not has_ended:
        end = execution_end(ExecutionStatus.ABORTED, stopped_at) | status_check(stopped_at)
        try:
            action.written[EXECUTIONS, key] = await action.writer.update(EXECUTIONS, key, end)
        except ConditionFailed as failed:
            action.written[EXECUTIONS, key] = failed.item
            has_ended = True
        except GraphError as error:
            text = f"The end of the run could not be written: {error.code}."
            warnings.append(ActionWarning(ExecutionWarningCode.WRITE_FAILED, text, execution.id))
    warnings += await release_locks(action, execution)
    if any(warning.code in _LEAVES_SOME for warning in warnings):
        outcome = AbortOutcome.INCOMPLETE
    else:
        outcome = AbortOutcome.ALREADY_TERMINAL if has_ended else AbortOutcome.ABORTED
    return Abort(execution.execution_id, outcome, tuple(warnings))


async def _stop_machine(action: Action, execution: ExecutionRow) -> None:
    """Stop the machine of a run. Without an ARN, as on some migrated runs, there is none to stop.

    Raises:
        GraphError: when it may go on.
    """
    if not execution.arn:
        return
    try:
        await action.services.engines.stops.run(execution.arn)
    except CallFailed as failure:
        raise (Throttled if is_throttle(failure) else UpstreamUnavailable)("The workflow engine") from failure
