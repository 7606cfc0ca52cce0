"""Closing: the last status of visits that have no exit."""

from collections.abc import Iterable

from graph.history.event import StageStatus
from graph.history.visit import Ending, Scope, Visit


def close(
    scopes: Iterable[Scope], ending: Ending | None, otherwise: StageStatus, *, run: int, since: int, certain_from: int
) -> None:
    """Give every visit that is open in ``scopes``, and in the scopes of those visits, its status.

    Each takes it from the earliest event of the last run that ended it or something around it.

    Args:
        scopes: They lose their current visits, so that each is closed once.
        ending: What ended all of them, if anything did.
        otherwise: The status of what nothing ended.
        run: How many redrives there were.
        since: Position of the last redrive, which undid the failures and endings before it.
        certain_from: A visit of which nothing was read from this position on may have ended unread: it is UNKNOWN.
    """
    closed: list[tuple[Visit, Ending | None]] = []
    pending = [(scope, ending) for scope in scopes]
    while pending:
        scope, around = pending.pop()
        around = _earliest(since, scope.ending, around)
        if scope.iteration is not None and scope.status is StageStatus.RUNNING:
            scope.status = _iteration_status(scope, around, otherwise, since)
            scope.stopped_at = around.time if around is not None else None
        visit, scope.current = scope.current, None
        if visit is None:
            continue
        around = _earliest(since, visit.ending, around)
        closed.append((visit, around))
        if visit.attempt is not None:
            inside = _earliest(since, visit.inner_ending, around)
            pending.extend((inner, inside) for inner in visit.attempt.scopes.values())
    for visit, around in reversed(closed):  # inner visits first: they prove that what is around them was open
        owner = visit.scope.owner
        if owner is not None:
            owner.position = max(owner.position, visit.position)
        visit.redrives = run - visit.entered_run
        if visit.status is StageStatus.RUNNING:  # and not a Fail state, which failed when it was entered
            _close_visit(visit, around, otherwise, since, certain_from)


def _close_visit(visit: Visit, ending: Ending | None, otherwise: StageStatus, since: int, certain_from: int) -> None:
    if visit.position < certain_from:
        visit.status = StageStatus.UNKNOWN
    elif ending is None:
        visit.status = otherwise
    else:
        has_failed = visit.failed_at >= since and ending.spares_failures
        visit.status = StageStatus.FAILED if has_failed else ending.status
        visit.stopped_at = ending.time
        visit.end_try(ending.time)


def _iteration_status(scope: Scope, ending: Ending | None, otherwise: StageStatus, since: int) -> StageStatus:
    if ending is None:
        return otherwise
    if scope.failed_at >= since and ending.spares_failures:
        return StageStatus.FAILED
    return StageStatus.UNKNOWN if ending.status is StageStatus.UNKNOWN else StageStatus.ABORTED


def _earliest(since: int, one: Ending | None, other: Ending | None) -> Ending | None:
    """Choose between two endings, of which ``other`` is known to be of the last run."""
    if one is None or one.position < since:
        return other
    return one if other is None or one.position < other.position else other
