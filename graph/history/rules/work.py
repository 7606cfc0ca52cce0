"""Rules of what a Task does between its entry and its exit, and of expressions that fail."""

from graph.history.event import Event, EventKind
from graph.history.place import Place, scope_of
from graph.history.rules.rule import Rule
from graph.history.trace import Trace
from graph.history.visit import Visit


def _scheduled(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = _worker(trace, link)
    if visit is not None:
        visit.end_try(event.time)
        visit.begin_try(event.time, trace.runs[-1].redrive_index)
        visit.failed_at = -1
        visit.ending = visit.submission = visit.outcome = None
    return visit


def _going_on(trace: Trace, _event: Event, link: Place | None) -> Place | None:
    return _worker(trace, link)


def _submitted(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = _worker(trace, link)
    if visit is not None:
        visit.submission = event
    return visit


def _succeeded(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = _worker(trace, link)
    if visit is not None:
        visit.recover()
        visit.end_try(event.time)
        visit.outcome = event
    return visit


def _failed(trace: Trace, event: Event, link: Place | None) -> Place | None:
    visit = _worker(trace, link)
    if visit is not None:
        trace.fail(visit, event)
        visit.end_try(event.time, event.text("error"), event.text("cause"))
        visit.outcome = event
    return visit


def _evaluation_failed(trace: Trace, event: Event, link: Place | None) -> Place | None:
    """Believe the cause, then the name; the link often is the exit of the state before, which is not to blame."""
    visit = trace.find_entered(event)
    if visit is None and event.step_name is not None:
        visit = trace.find(event.step_name, None, link) or trace.unread.visit(event.step_name, None)
    if visit is None:
        visit = _worker(trace, link)
    if visit is not None:
        trace.fail(visit, event)
    return visit


def _worker(trace: Trace, link: Place | None) -> Visit | None:
    """Return the visit that works: the link's, else the open one in its scope; a nameless one if it was not read."""
    if link is None:
        return trace.unread.visit(None, "Task")
    if isinstance(link, Visit) and link.exited_event_id is None:
        return link
    return scope_of(link).current


RULES: dict[EventKind, Rule] = {
    EventKind.WORK_SCHEDULED: _scheduled,
    EventKind.WORK_STARTED: _going_on,
    EventKind.WORK_SUBMITTED: _submitted,
    EventKind.WORK_SUCCEEDED: _succeeded,
    EventKind.WORK_FAILED: _failed,
    EventKind.EVALUATION_FAILED: _evaluation_failed,
}
