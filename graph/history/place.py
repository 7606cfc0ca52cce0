"""Where an event is, and how to look around from there.

Only the nesting of scopes is climbed, never the chain of events: a chain may be as long as the history.
"""

from graph.history.visit import Attempt, Scope, Visit

# In a visit; in a scope that has just been opened; or where a container opens its scopes.
Place = Visit | Scope | Attempt


def visit_of(place: Place) -> Visit | None:
    """Return the visit a place is in; None for the root."""
    if isinstance(place, Visit):
        return place
    return place.owner if isinstance(place, Scope) else place.visit


def scope_of(place: Place) -> Scope:
    """Return the scope a place is in."""
    if isinstance(place, Visit):
        return place.scope
    return place if isinstance(place, Scope) else place.visit.scope


def is_placed(place: Place) -> bool:
    """Return whether the entries of the visit and of all containers around it were read, up to the root."""
    scope, visit = scope_of(place), visit_of(place)
    while visit is not None:
        if visit.entered_event_id is None:
            return False
        scope = visit.scope
        visit = scope.owner
    return scope.is_known


def find_open(place: Place, name: str, state_type: str | None) -> Visit | None:
    """Return the nearest open visit called ``name`` around a place, or the nearest that has no name yet and fits it.

    A visit is looked for at the place itself, then as the current one of each scope outwards: that finds a container
    from any event inside it, and a state from the exit of the state before it.
    """
    visit = visit_of(place)
    if visit is not None and _answers_to(visit, name, state_type):
        return visit
    scope: Scope | None = scope_of(place)
    while scope is not None:
        if scope.current is not None and _answers_to(scope.current, name, state_type):
            return scope.current
        owner = scope.owner
        scope = owner.scope if owner is not None else None
    return None


def find_around(place: Place, name: str) -> Visit | None:
    """Return the visit called ``name`` that a place is in, even if it has an exit."""
    visit = visit_of(place)
    return next((around for around in visit.ancestry() if around.name == name), None) if visit is not None else None


def find_container(place: Place, state_type: str | None, *, since: int, unbroken_from: int) -> Visit | None:
    """Return the nearest open visit of that type around a place, rather one whose attempt has not failed ``since``.

    A failed container is passed over because what happens next happens to the one around it; but if there certainly is
    none, the failed one failed again: its Catch did. What failed before a gap may go on after it: nothing tells which.
    """
    failed: Visit | None = None
    visit = visit_of(place)
    while visit is not None:
        if visit.state_type == state_type and visit.exited_event_id is None:
            if visit.inner_ending is None or visit.inner_ending.position < since:
                return visit
            if visit.inner_ending.position < unbroken_from:
                return None
            failed = failed or visit
        visit = visit.scope.owner
    return failed if failed is not None and is_placed(failed) else None


def _answers_to(visit: Visit, name: str, state_type: str | None) -> bool:
    if visit.exited_event_id is not None:
        return False
    return visit.name == name or (visit.name is None and visit.state_type in (None, state_type))
