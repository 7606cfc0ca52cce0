"""Rules of Parallel and Map: their attempts, iterations and runs."""

from graph.history.event import Event, EventKind, StageStatus
from graph.history.place import Place, find_around, visit_of
from graph.history.rules.rule import Rule, keep
from graph.history.trace import Trace
from graph.history.visit import Attempt, MapRun, Scope


def _started(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = trace.find_container(event.state_type, link)
    if visit is None:
        if link is not None:
            return None
        visit = trace.unread.visit(None, event.state_type)
    visit.attempts += 1
    visit.position = trace.position
    if visit.attempt is None:
        visit.attempt = Attempt(visit, None if visit.entered_event_id is None else 0)
    elif not visit.is_reentered:  # a retry
        trace.close(visit.attempt.scopes.values(), trace.ending(event, StageStatus.ABORTED))
        number = visit.attempt.number
        visit.attempt = Attempt(visit, None if number is None else number + 1)
    visit.is_reentered = False
    visit.attempt.length = event.number("length")
    visit.inner_ending = visit.ending = None
    visit.failed_run = -1
    return visit.attempt


def _succeeded(trace: Trace, event: Event, link: Place | None) -> Place | None:
    return trace.find_container(event.state_type, link)


def _failed(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = trace.find_container(event.state_type, link)
    if visit is None or link is None:
        return None
    if visit.inner_ending is None or visit.inner_ending.run != trace.run:
        visit.inner_ending = trace.ending(event, StageStatus.ABORTED)
    error, cause = event.text("error"), event.text("cause")
    culprit = visit_of(link)
    if culprit is not None and culprit is not visit:
        visit.culprit = culprit
        if error is None and cause is None and culprit.failed_run == trace.run:
            error, cause = culprit.error, culprit.cause
    visit.fail(trace.run, error, cause)
    return visit


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
    if visit.attempt is None:  # its start was not read
        visit.attempt = Attempt(visit, None)
    scope = visit.attempt.scopes.get(event.iteration)
    if scope is None:
        scope = trace.open_scope(visit.attempt, event.iteration, iteration=event.iteration)
    _ITERATION_RULES[event.kind](trace, event, scope)
    return scope


def _iteration_started(_trace: Trace, _event: Event, scope: Scope) -> None:
    scope.status, scope.ending = StageStatus.RUNNING, None


def _iteration_succeeded(trace: Trace, _event: Event, scope: Scope) -> None:
    scope.status = StageStatus.SUCCEEDED
    trace.close([scope], None)


def _iteration_failed(trace: Trace, event: Event, scope: Scope) -> None:
    scope.ending, scope.failed_run = trace.ending(event, StageStatus.ABORTED), trace.run
    if scope.current is not None:  # one state follows another, so the open one is what failed
        scope.current.fail(trace.run, event.text("error"), event.text("cause"))


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
        visit.map_run = MapRun(event.text("mapRunArn"), 0)
    elif event.kind is EventKind.MAP_RUN_REDRIVEN:
        visit.map_run = MapRun(event.text("mapRunArn"), event.number("redriveCount"))
    elif event.kind is EventKind.MAP_RUN_FAILED:
        visit.fail(trace.run, event.text("error"), event.text("cause"))
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
