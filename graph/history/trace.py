"""The state of an attribution while events are read.

No visit is closed twice. An event that fails a container, an iteration or the execution leaves an `Ending` there, and
visits get their last status only when nothing can revive them: when their container is left or starts another attempt,
or at the end of the history. So each visit is closed once, however often the execution is redriven.
"""

from collections.abc import Iterable
from typing import NamedTuple

from graph.history.closing import close
from graph.history.definition import Definition
from graph.history.event import Event, StageStatus
from graph.history.place import Place, find_container, find_open, is_placed
from graph.history.unread import Unread
from graph.history.visit import MAX_NESTING, Attempt, Ending, Scope, Visit


class Run(NamedTuple):
    """Consecutive events of one run, from ``position`` on; the index is None if it was not read."""

    position: int
    redrive_index: int | None


class Trace:
    """The visits and places found so far.

    Attributes:
        visits: In the order of entry.
        places: Of each event read; None where nothing read tells it.
        gaps: First and last id of each range that was not read.
        runs: Consecutive events between redrives and gaps.
        unread: What is around events whose surroundings were not read.
        run: How many redrives were read.
        redriven_at: Position of the last one; what failed or ended before it goes on.
        end: What ended the current run.
        failing: The visit that failed it.
        unbroken_from: Position of the first event after the last gap.
    """

    def __init__(self, definition: Definition | None) -> None:
        self.visits: list[Visit] = []
        self.places: list[Place | None] = []
        self.gaps: list[tuple[int, int]] = []
        self.runs: list[Run] = [Run(0, 0)]
        self.unread = Unread(definition, self.visits)
        self.run = 0
        self.redriven_at = 0
        self.end: Ending | None = None
        self.failing: Visit | None = None
        self._chain: dict[int, Place | None] = {}
        self.unbroken_from = 0
        self._next_id = 1

    @property
    def root(self) -> Scope:
        """The scope of the execution itself."""
        return self.unread.root

    @property
    def position(self) -> int:
        """Where the event that is being read stands among the events."""
        return len(self.places)

    def link(self, event: Event) -> Place | None:
        """Return the place of the event that caused this one: the root if none did, None if it was not read."""
        if event.id != self._next_id:
            self._skip_to(event)
        self._next_id = event.id + 1
        if event.previous_id <= 1 and event.previous_id not in self._chain:  # the first event is the execution's own
            return self.root
        return self._chain.get(event.previous_id)

    def put(self, event: Event, place: Place | None, link: Place | None) -> None:
        """Note the place of an event."""
        if isinstance(place, Visit):
            place.position = len(self.places)
        self.places.append(place)
        # An event that belongs to nobody known does not break the chain of those that link to it.
        self._chain[event.id] = link if place is None else place

    def finish(self, *, read_to_end: bool) -> None:
        """Close what is open."""
        otherwise = StageStatus.RUNNING if read_to_end else StageStatus.UNKNOWN
        certain_from = self.unbroken_from if read_to_end else len(self.places)
        blamed_from = self.end.position if read_to_end and self.end is not None else len(self.places)
        for visit in self.visits:
            if visit.scope.current is visit:
                # What ended something around a visit whose surroundings were not read cannot be told from what did not;
                # only the visit that failed the execution is known.
                self._close([visit.scope], self.end, otherwise, certain_from if is_placed(visit) else blamed_from)

    def find(self, name: str, state_type: str | None, link: Place | None) -> Visit | None:
        """Return the open visit that an event names, and give it the name if it had none."""
        visit = find_open(link, name, state_type) if link is not None else None
        if visit is None:
            return self.unread.open_visit(name)
        if visit.name is None:
            self.unread.name(visit, name)
        return visit

    def find_container(self, state_type: str | None, link: Place | None) -> Visit | None:
        """Return the open Parallel or Map that an event without a name means."""
        return (
            find_container(link, state_type, since=self.redriven_at, unbroken_from=self.unbroken_from)
            if link is not None
            else None
        )

    def find_entered(self, event: Event) -> Visit | None:
        """Return the open visit that the cause of a failure points at.

        The interpreter's own causes begin: An error occurred while executing the state 'Name' (entered at the event id
        #2). Text from elsewhere may say so too, so the visit must agree.
        """
        opening, separator, rest = (event.text("cause") or "").partition("' (entered at the event id #")
        digits = rest[:20].partition(")")[0]
        if not separator or not digits.isdecimal():
            return None
        visit = self._chain.get(int(digits))
        if not isinstance(visit, Visit) or visit.exited_event_id is not None:
            return None
        return visit if opening == f"An error occurred while executing the state '{visit.name}" else None

    def fail(self, visit: Visit, event: Event) -> None:
        """Note that a visit failed, for the reason the event gives if it gives one."""
        visit.fail(len(self.places), event.text("error"), event.text("cause"))

    def has_failed(self, visit: Visit) -> bool:
        """Return whether the last thing read of a visit in this run is a failure."""
        return visit.failed_at >= self.redriven_at

    def is_unbroken_from(self, event_id: int) -> bool:
        """Return whether everything after an event was read."""
        return not self.gaps or event_id > self.gaps[-1][1]

    def open_scope(
        self,
        attempt: Attempt,
        key: object = None,
        *,
        branch: int | None = None,
        branch_name: str | None = None,
        iteration: int | None = None,
    ) -> Scope:
        """Open a branch or an iteration; without a key, nothing but links will lead to it."""
        depth = attempt.visit.scope.depth + 1
        if depth > MAX_NESTING:
            return self.unread.scope(None)
        scope = Scope(attempt, branch, branch_name, iteration, depth)
        attempt.scopes[scope if key is None else key] = scope
        return scope

    def ending(self, event: Event, status: StageStatus, *, spares_failures: bool = True) -> Ending:
        """Describe the event as the end of what is open below it."""
        return Ending(len(self.places), event.time, status, spares_failures)

    def close(self, scopes: Iterable[Scope], ending: Ending | None) -> None:
        """Close scopes that nothing can revive; what no event ended has an exit that was not read."""
        if ending is not None and ending.position < self.redriven_at:
            ending = None
        self._close(scopes, ending, StageStatus.UNKNOWN, self.unbroken_from)

    def _close(self, scopes: Iterable[Scope], ending: Ending | None, otherwise: StageStatus, certain_from: int) -> None:
        close(scopes, ending, otherwise, run=self.run, since=self.redriven_at, certain_from=certain_from)

    def _skip_to(self, event: Event) -> None:
        self.unread.forget_containers()
        self.gaps.append((self._next_id, event.id - 1))
        self.unbroken_from = len(self.places)
        if not self.places:
            self.runs.clear()
        self.runs.append(Run(len(self.places), None))
