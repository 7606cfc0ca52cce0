"""Rules of entries and exits."""

from graph.history.event import Event, EventKind, StageStatus
from graph.history.place import Place, scope_of
from graph.history.rules.rule import Rule, keep
from graph.history.trace import Trace
from graph.history.visit import Attempt, Scope, Visit

_CATCHING = frozenset({"Task", "Parallel", "Map"})


def _entered(trace: Trace, event: Event, link: Place | None) -> Place:
    scope = _entered_scope(trace, event, link)
    visit = scope.current
    if visit is not None and visit.name == event.step_name and _is_stopped(trace, visit):
        # The written dialect enters the state again that a redrive resumes; the recorded one just goes on.
        visit.is_reentered = True
    else:
        if visit is not None:  # its exit was not read
            trace.close([scope], None)
        visit = scope.current = Visit(event.step_name, event.state_type, scope)
        visit.entered_event_id, visit.started_at, visit.entered_run = event.id, event.time, trace.run
        trace.visits.append(visit)
        trace.unread.remember(visit)
        if scope.branch is None and scope.branch_name is not None and scope.attempt is not None:
            scope.attempt.branches[event.step_name or ""] = scope
    if event.state_type == "Fail":  # it never exits
        visit.status, visit.stopped_at, visit.failed_at = StageStatus.FAILED, event.time, trace.position
    return visit


def _is_stopped(trace: Trace, visit: Visit) -> bool:
    """Return whether the last of an open visit was read before a redrive, with no gap in which it may have ended."""
    return trace.unbroken_from <= visit.position < trace.redriven_at


def _entered_scope(trace: Trace, event: Event, link: Place | None) -> Scope:
    if link is None:
        return trace.unread.scope(event.step_name)
    if not isinstance(link, Attempt):
        return scope_of(link)
    if link.visit.state_type == "Map":  # the start of the iteration was not read
        return trace.open_scope(link)
    return _branch(trace, link, event.step_name or "")


def _branch(trace: Trace, attempt: Attempt, name: str) -> Scope:
    """Return the branch that a state belongs to: by the definition, else by the states already seen in it."""
    container, state = attempt.visit, trace.unread.state(name)
    place = state.place if state is not None else None
    if place is None or place.branch is None or container.name not in (None, place.container):
        return attempt.branches.get(name) or trace.open_scope(attempt, name, branch_name=name)
    if container.name is None:
        trace.unread.name(container, place.container)
    scope = attempt.scopes.get(place.branch)
    if scope is None:
        scope = trace.open_scope(attempt, place.branch, branch=place.branch, branch_name=place.first or name)
    return scope


def _exited(trace: Trace, event: Event, link: Place | None) -> Place | None:
    if event.step_name is None:
        return keep(trace, event, link)
    visit = trace.find(event.step_name, event.state_type, link)
    if visit is None:
        visit = trace.unread.visit(event.step_name, event.state_type)
    visit.status = _status_at_exit(trace, visit, event, link)
    if visit.status is StageStatus.SUCCEEDED:
        visit.recover()
    visit.exited_event_id, visit.stopped_at = event.id, event.time
    visit.end_try(event.time)
    visit.redrives = trace.run - visit.entered_run
    if visit.scope.current is visit:
        visit.scope.current = None
    if visit.attempt is not None:
        if visit.status is StageStatus.SUCCEEDED:
            visit.attempt.succeed()
        trace.close(visit.attempt.scopes.values(), visit.inner_ending)
    return visit


def _status_at_exit(trace: Trace, visit: Visit, event: Event, link: Place | None) -> StageStatus:
    """Tell a failure that was caught from a success by the last thing the state did, if that was read.

    A Task exits from its last event. A container may exit from an older one, so after a gap only an exit from beyond
    the gap tells.
    """
    is_direct = link is visit and event.state_type == "Task"
    since = trace.redriven_at if is_direct else max(trace.redriven_at, trace.unbroken_from)
    if visit.failed_at >= since:
        return StageStatus.CAUGHT
    is_told = is_direct or (link is not None and trace.is_unbroken_from(event.previous_id))
    return StageStatus.SUCCEEDED if is_told or event.state_type not in _CATCHING else StageStatus.UNKNOWN


def _aborted(trace: Trace, event: Event, link: Place | None) -> Place | None:
    """Take the word of the written dialect, where this event links to the state's last event.

    In the recorded one it has no name, and those of all siblings link to the event that failed them: whose it is cannot
    be told, and the end of their container closes them anyway.
    """
    if event.step_name is not None:
        visit = trace.find(event.step_name, event.state_type, link)
    elif event.state_type in ("Parallel", "Map"):
        visit = trace.find_container(event.state_type, link)
    else:
        visit = link if isinstance(link, Visit) and link.state_type == event.state_type else None
    if visit is None or visit.exited_event_id is not None or trace.has_failed(visit):
        return None
    visit.ending = trace.ending(event, StageStatus.ABORTED, spares_failures=False)  # what had failed was to be retried
    return visit


RULES: dict[EventKind, Rule] = {
    EventKind.STATE_ENTERED: _entered,
    EventKind.STATE_EXITED: _exited,
    EventKind.STATE_ABORTED: _aborted,
}
