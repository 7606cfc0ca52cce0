"""Rules of Parallel and Map: their attempts, iterations and runs."""

from graph.history.event import Event, EventKind, StageStatus
from graph.history.place import Place, find_around, is_placed, scope_of, visit_of
from graph.history.rules.rule import Rule, keep
from graph.history.trace import Trace
from graph.history.visit import Attempt, MapRunState, Scope, Visit


def _started(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = _container(trace, event, link)
    if visit is None:
        return None
    culprit = visit_of(link) if link is not None else None
    failed = culprit if culprit is not None and culprit is not visit and trace.has_failed(culprit) else None
    visit.end_try(event.time, failed.error if failed else None, failed.cause if failed else None)
    visit.begin_try(event.time, trace.runs[-1].redrive_index)
    visit.position = trace.position
    if visit.attempt is None:
        visit.attempt = Attempt(visit, None if visit.entered_event_id is None else 0, trace.position)
    elif not visit.is_reentered:  # a retry
        trace.close(visit.attempt.scopes.values(), trace.ending(event, StageStatus.ABORTED))
        number = visit.attempt.number
        visit.attempt = Attempt(visit, None if number is None else number + 1, trace.position)
    visit.is_reentered = False
    visit.attempt.length = event.number("length")
    visit.inner_ending = visit.ending = None
    visit.failed_at = -1
    return visit.attempt


def _succeeded(trace: Trace, event: Event, link: Place | None) -> Place | None:
    return trace.find_container(event.state_type, link)


def _failed(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = _container(trace, event, link)
    if visit is None:
        return None
    if visit.inner_ending is None or visit.inner_ending.position < trace.redriven_at:
        visit.inner_ending = trace.ending(event, StageStatus.ABORTED)
    error, cause = event.text("error"), event.text("cause")
    culprit = visit_of(link) if link is not None else None
    if culprit is not None and culprit is not visit:
        visit.culprit = culprit
        if error is None and cause is None and trace.has_failed(culprit):
            error, cause = culprit.error, culprit.cause
    visit.fail(trace.position, error, cause)
    visit.end_try(event.time, error, cause)
    return visit


def _container(trace: Trace, event: Event, link: Place | None) -> Visit | None:
    """Return the container that an event means; one without a name if it is among what was not read."""
    visit = trace.find_container(event.state_type, link)
    if visit is None and (link is None or not is_placed(link)):
        visit = trace.unread.visit(None, event.state_type)
    return visit


# These link to an event inside their own iteration; an abort may link to what failed another.
_TELLING = frozenset({EventKind.ITERATION_SUCCEEDED, EventKind.ITERATION_FAILED})


def _iteration(trace: Trace, event: Event, link: Place | None) -> Place | None:
    if event.step_name is None:
        return keep(trace, event, link)
    visit = trace.find(event.step_name, "Map", link)
    if visit is None and link is not None:  # an emulator ends iterations after their Map
        visit = find_around(link, event.step_name)
    if visit is None:
        visit = trace.unread.container(event.step_name, "Map")
    visit.position = trace.position
    if event.iteration is None:
        return visit
    attempt = _attempt_around(link, visit) or _current_attempt(trace, visit)
    scope = attempt.scopes.get(event.iteration)
    if scope is None and event.kind in _TELLING and link is not None:
        scope = trace.unread.place_iteration(scope_of(link), attempt, event.iteration)
    if scope is None:
        scope = trace.open_scope(attempt, event.iteration, iteration=event.iteration)
    _ITERATION_RULES[event.kind](trace, event, scope)
    return scope


def _attempt_around(place: Place | None, visit: Visit) -> Attempt | None:
    """Return the attempt of ``visit`` that a place is in."""
    if isinstance(place, Attempt) and place.visit is visit:
        return place
    attempt = scope_of(place).attempt if place is not None else None
    while attempt is not None and attempt.visit is not visit:
        attempt = attempt.visit.scope.attempt
    return attempt


def _current_attempt(trace: Trace, visit: Visit) -> Attempt:
    """Return the attempt of an event that only its name places; after a gap it may be another than was read last."""
    attempt = visit.attempt
    if attempt is not None and (attempt.position >= trace.unbroken_from or trace.unread.is_only_attempt(attempt)):
        return attempt
    if attempt is not None:
        trace.close(attempt.scopes.values(), None)
    visit.attempt = Attempt(visit, None, trace.position)
    return visit.attempt


def _iteration_started(_trace: Trace, event: Event, scope: Scope) -> None:
    scope.status, scope.ending, scope.stopped_at = StageStatus.RUNNING, None, None
    scope.started_at = scope.started_at or event.time


def _iteration_succeeded(trace: Trace, event: Event, scope: Scope) -> None:
    scope.status, scope.stopped_at = StageStatus.SUCCEEDED, event.time
    if scope.current is not None:  # its exit was not read
        trace.close([scope], None)


def _iteration_failed(trace: Trace, event: Event, scope: Scope) -> None:
    scope.ending, scope.failed_at = trace.ending(event, StageStatus.ABORTED), trace.position
    if scope.current is not None:  # one state follows another, so the open one is what failed
        trace.fail(scope.current, event)


def _iteration_aborted(trace: Trace, event: Event, scope: Scope) -> None:
    scope.ending = trace.ending(event, StageStatus.ABORTED)


_ITERATION_RULES = {
    EventKind.ITERATION_STARTED: _iteration_started,
    EventKind.ITERATION_SUCCEEDED: _iteration_succeeded,
    EventKind.ITERATION_FAILED: _iteration_failed,
    EventKind.ITERATION_ABORTED: _iteration_aborted,
}


def _map_run(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = trace.find_container("Map", link)
    if visit is None:
        return None
    if event.kind is EventKind.MAP_RUN_STARTED:
        visit.map_run = MapRunState(event.text("mapRunArn"), 0)
    elif event.kind is EventKind.MAP_RUN_REDRIVEN:
        visit.map_run = MapRunState(event.text("mapRunArn"), event.number("redriveCount"))
    elif event.kind is EventKind.MAP_RUN_FAILED:
        trace.fail(visit, event)
    elif event.kind is EventKind.MAP_RUN_ABORTED:
        visit.ending = trace.ending(event, StageStatus.ABORTED)
    elif visit.map_run is not None:
        visit.recover()
    return visit


RULES: dict[EventKind, Rule] = {
    EventKind.CONTAINER_STARTED: _started,
    EventKind.CONTAINER_SUCCEEDED: _succeeded,
    EventKind.CONTAINER_FAILED: _failed,
    **dict.fromkeys(_ITERATION_RULES, _iteration),
    EventKind.MAP_RUN_STARTED: _map_run,
    EventKind.MAP_RUN_REDRIVEN: _map_run,
    EventKind.MAP_RUN_SUCCEEDED: _map_run,
    EventKind.MAP_RUN_FAILED: _map_run,
    EventKind.MAP_RUN_ABORTED: _map_run,
}
