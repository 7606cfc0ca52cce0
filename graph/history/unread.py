"""What can be said about states whose entry was not read: never more than the events and the definition tell."""

from graph.history.definition import Definition, State
from graph.history.visit import Attempt, Scope, Visit

# Each state whose entry was not read may need visits to all containers around it, so there is a bound to them.
_MAX_DEPTH = 8


class Unread:
    """Scopes whose surroundings were not read, and the visits that must have been there.

    Attributes:
        root: The scope of the execution itself. After a gap another one takes its place, when the definition tells that
            what follows is there: what is open in the old one has ended unread.
        run: How many redrives were read before a visit begins.
    """

    def __init__(self, definition: Definition | None, visits: list[Visit]) -> None:
        self.root = Scope()
        self.run = 0
        self._definition = definition
        self._visits = visits
        self._only: dict[str, Visit] = {}
        self._containers: dict[str, Visit] = {}

    def state(self, name: str | None) -> State | None:
        """Return what the definition says of a state."""
        return self._definition.states.get(name) if self._definition is not None and name is not None else None

    def remember(self, visit: Visit) -> None:
        """Note a visit that has got its name: it is the only one of a state that cannot repeat."""
        state = self.state(visit.name)
        if state is not None and not state.can_repeat and not state.is_retried:
            self._only[state.name] = visit

    def open_visit(self, name: str) -> Visit | None:
        """Return the open visit that a name alone tells: of a state that cannot repeat, or of an unread container."""
        visit = self._only.get(name) or self._containers.get(name)
        return visit if visit is not None and visit.exited_event_id is None else None

    def is_only_attempt(self, attempt: Attempt) -> bool:
        """Return whether the definition rules out that its container starts another attempt."""
        state = self.state(attempt.visit.name)
        return state is not None and not state.is_retried

    def scope(self, name: str | None) -> Scope:
        """Open a scope for a state whose surroundings were not read; the definition may tell which they are."""
        scope = Scope(is_known=False)
        self._locate(scope, name)
        return scope

    def visit(self, name: str | None, state_type: str | None) -> Visit:
        """Begin a visit whose entry was not read; without a name until an event tells it."""
        visit = Visit(name, state_type, self.scope(name), entered_run=self.run)
        visit.scope.current = visit
        self._visits.append(visit)
        self.remember(visit)
        return visit

    def name(self, visit: Visit, name: str) -> None:
        """Name a visit by an event that told it."""
        visit.name = name
        if not visit.scope.is_known:
            self._locate(visit.scope, name)
        self.remember(visit)

    def place_iteration(self, scope: Scope, attempt: Attempt, iteration: int) -> Scope | None:
        """Learn from the end of an iteration, which links to an event inside it, that a scope is that iteration."""
        while scope.owner is not None and scope.attempt is not attempt:
            scope = scope.owner.scope
        if scope.attempt is attempt and scope.iteration is None and scope.branch_name is None:
            attempt.scopes.pop(scope, None)
            attempt.scopes[iteration] = scope
            scope.iteration = iteration
            return scope
        if scope.attempt is not None or scope.is_known or _is_inside(attempt.visit, scope):
            return None
        scope.attempt, scope.iteration, scope.is_known = attempt, iteration, True
        scope.depth = attempt.visit.scope.depth + 1
        attempt.scopes[iteration] = scope
        return scope

    def container(self, name: str, state_type: str) -> Visit:
        """Return the open visit to a container that an event or the definition speaks of.

        Inside a Map several may be open at once, and nothing tells which: then each event gets one of its own, as it
        does without a definition to rule that out.
        """
        visit = self.open_visit(name)
        if visit is None:
            visit = self.visit(name, state_type)
            state = self.state(name)
            if state is not None and not state.is_in_map:
                self._containers[name] = visit
        return visit

    def forget_containers(self) -> None:
        """Begin anew after a gap, in which containers may have been left and entered again."""
        self._containers.clear()

    def _locate(self, scope: Scope, name: str | None) -> None:
        state = self.state(name)
        if state is None or state.depth > _MAX_DEPTH:
            return
        if state.place is None:
            scope.is_known, self.root = True, scope
            return
        container = self.container(state.place.container, "Map" if state.place.branch is None else "Parallel")
        if _is_inside(container, scope):  # the events contradict the definition
            return
        scope.is_known = True
        if container.attempt is None:
            container.attempt = Attempt(container, None, container.position)
        scope.attempt = container.attempt
        scope.branch = state.place.branch
        scope.branch_name = state.place.first if state.place.branch is not None else None
        scope.depth = container.scope.depth + 1
        scopes = container.attempt.scopes
        scopes[scope if scope.branch is None or scope.branch in scopes else scope.branch] = scope


def _is_inside(visit: Visit, scope: Scope) -> bool:
    return any(around.scope is scope for around in visit.ancestry())
