"""Aborting the runs of a group, each as the viewer may."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from functools import partial

from graph.actions.abort import ABORT, GRACE_SECONDS, SECONDS, Abort, AbortOutcome, call_end, carry_out
from graph.actions.results import ActionWarning
from graph.auth.audit import Audit
from graph.context import Context
from graph.errors import GraphError
from graph.execution_warnings import ExecutionWarningCode
from graph.loaders.base import Written
from graph.resolvers import executions, lists
from graph.resolvers.filters import ExecutionFilter
from graph.resolvers.paging import LONGEST_PAGE, PageRequest
from graph.tables import keys
from graph.tables.records.executions import ExecutionRow
from graph.tables.states import TERMINAL

MOST = 200
"""How many runs one call aborts."""

_AT_ONCE = 4
_FIELD = "Mutation.abortExecutionGroup"


@dataclass(frozen=True, slots=True)
class MemberAbort(Abort):
    """What an abort did to one run of a group."""


@dataclass(frozen=True, slots=True)
class GroupAbort:
    """What an abort did to a group; ``forbidden_count`` counts what it passed over, seen but not to be stopped."""

    group_id: str
    results: tuple[MemberAbort, ...]
    forbidden_count: int
    is_complete: bool


async def abort_group(context: Context, group_id: str) -> GroupAbort | None:
    """Abort the runs of a group that have not ended, newest first; None where no run of it is seen."""
    group = await executions.group(context, group_id) if keys.is_id(group_id) else None
    if group is None:
        return None
    ends_at, audit = call_end(context), Audit(context.viewer.user_id)
    results, chosen, written = list[MemberAbort](), list[ExecutionRow](), Written()
    forbidden, is_complete = 0, True
    async for member in _open_members(context, group_id):
        if member is None or time.monotonic() >= ends_at or len(results) + len(chosen) == MOST:
            is_complete = False
            break
        if not await context.access.may_abort(member):
            audit.denied("execution", member.execution_id, ABORT, "no right to abort it")
            forbidden += 1
            continue
        chosen.append(member)
        if len(chosen) == _AT_ONCE:
            results += await _abort_all(context, chosen, audit, ends_at, written)
            chosen.clear()
    results += await _abort_all(context, chosen, audit, ends_at, written)
    context.note(written)
    return GroupAbort(group_id, tuple(results), forbidden, is_complete)


async def _open_members(context: Context, group_id: str) -> AsyncIterator[ExecutionRow | None]:
    """Yield the runs of a group that the viewer sees and that have not ended; None where not all can be looked at."""
    request = PageRequest(_FIELD, first=LONGEST_PAGE)
    reached = None
    while True:
        page = await lists.executions(context, request, ExecutionFilter(group_id=group_id))
        for edge in page.edges:
            if edge.node.status not in TERMINAL:
                yield edge.node
        if not page.page_info.has_next_page:
            return
        if page.page_info.end == reached:
            yield None
            return
        reached = page.page_info.end
        request = replace(request, after=page.page_info.end_cursor)


async def _abort_all(
    context: Context, members: list[ExecutionRow], audit: Audit, ends_at: float, written: Written
) -> list[MemberAbort]:
    found = await context.scope.gather(*(_abort(context, member, audit, ends_at, written) for member in members))
    return [result for result in found if result is not None]


async def _abort(
    context: Context, member: ExecutionRow, audit: Audit, ends_at: float, written: Written
) -> MemberAbort | None:
    audit.allowed("execution", member.execution_id, ABORT)
    work = partial(carry_out, context, member.primary_key, audit, ends_at)
    try:
        done, changed = await context.scope.finish(f"abort of {member.execution_id}", work, SECONDS + GRACE_SECONDS)
    except GraphError as error:
        text = f"The machine of the run could not be stopped: {error.code}."
        warning = ActionWarning(ExecutionWarningCode.STOP_FAILED, text, member.id)
        return MemberAbort(member.execution_id, AbortOutcome.FAILED, (warning,))
    written.update(changed)
    return None if done is None else MemberAbort(done.execution_id, done.outcome, done.warnings)
