"""Rules of the execution's own events."""

from graph.history.event import Event, EventKind, StageStatus
from graph.history.place import Place, is_placed, scope_of, visit_of
from graph.history.rules.rule import Rule, keep
from graph.history.trace import Run, Trace
from graph.history.visit import Visit

_STATUS_OF_THE_OPEN = {
    # What is open although the execution succeeded has an exit that was not read.
    EventKind.EXECUTION_SUCCEEDED: StageStatus.UNKNOWN,
    EventKind.EXECUTION_ABORTED: StageStatus.ABORTED,
    EventKind.EXECUTION_TIMED_OUT: StageStatus.TIMED_OUT,
}


def _started(trace: Trace, _event: Event, _link: Place | None) -> Place:
    return trace.root


def _ended(trace: Trace, event: Event, _link: Place | None) -> Place:
    trace.end = trace.end or trace.ending(event, _STATUS_OF_THE_OPEN[event.kind], spares_failures=False)
    return trace.root


def _failed(trace: Trace, event: Event, link: Place | None) -> Place:
    if trace.end is not None:
        return trace.root
    linked = _open(visit_of(link) if link is not None else None)
    # A cause may hold anybody's text, which only counts where the link leads to nothing that failed.
    failing = linked if linked is not None and trace.has_failed(linked) else trace.find_entered(event) or linked
    if failing is None:  # it is a state around what failed, whose open branches may have failed or been aborted
        trace.end = trace.ending(event, StageStatus.UNKNOWN)
        failing = _following(link)
    else:
        trace.end = trace.ending(event, StageStatus.ABORTED if is_placed(failing) else StageStatus.UNKNOWN)
    trace.failing = failing
    if failing is not None:
        _blame(trace, failing, event)
    return trace.root


def _open(visit: Visit | None) -> Visit | None:
    return visit if visit is not None and visit.exited_event_id is None else None


def _following(link: Place | None) -> Visit | None:
    """Return the visit that came after the link in its scope; where the scope had ended, the container around."""
    if link is None:
        return None
    scope = scope_of(link)
    return scope.current or _open(scope.owner)


def _blame(trace: Trace, failing: Visit, event: Event) -> None:
    """Mark what failed the execution, the containers around it, and what those inside it say they failed by."""
    failing.position = trace.position
    for visit in failing.ancestry():
        visit.scope.failed_at = trace.position
        if visit.exited_event_id is None:
            _give_reason(trace, visit, event)
    culprit = failing.culprit
    while culprit is not None and trace.has_failed(culprit):
        culprit.position = trace.position  # what the container failed by is known, whatever around it was not read
        _give_reason(trace, culprit, event)
        culprit = culprit.culprit


def _give_reason(trace: Trace, visit: Visit, event: Event) -> None:
    """Fail a visit for the execution's reason, unless it has failed for one of its own."""
    if not trace.has_failed(visit) or (visit.error is None and visit.cause is None):
        trace.fail(visit, event)


def _redriven(trace: Trace, event: Event, _link: Place | None) -> Place:
    position, index = trace.runs[-1]
    count = event.number("redriveCount")
    if count is None and index is not None:
        count = index + 1
    elif count is not None and index is None:
        trace.runs[-1] = Run(position, count - 1)
    trace.runs.append(Run(trace.position, count))
    trace.redriven_at = trace.position
    trace.run = trace.unread.run = trace.run + 1
    trace.end = trace.failing = None
    return trace.root


RULES: dict[EventKind, Rule] = {
    EventKind.EXECUTION_STARTED: _started,
    EventKind.EXECUTION_SUCCEEDED: _ended,
    EventKind.EXECUTION_ABORTED: _ended,
    EventKind.EXECUTION_TIMED_OUT: _ended,
    EventKind.EXECUTION_FAILED: _failed,
    EventKind.EXECUTION_REDRIVEN: _redriven,
    EventKind.OTHER: keep,
}
