"""Iterations of a Map: one row for each, with the state that failed it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.history.event import StageStatus
from graph.history.visit import Scope, Visit


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of the last attempt of a visit to a Map.

    Attributes:
        index: In the Map's items; None where the engine does not tell it.
        status: What became of it.
        started_at: When it began; None where that was not read.
        stopped_at: When it ended; None while it runs, and where that was not read.
        failed: The innermost visit that failed it; None where none did or was read.
    """

    index: int | None
    status: StageStatus
    started_at: datetime | None
    stopped_at: datetime | None
    failed: Visit | None


def iterations_of(visit: Visit, visits: Iterable[Visit]) -> Sequence[Iteration]:
    """Return the iterations of a visit by index; none of a visit to anything but an inline Map.

    ``visits`` are all of the history, in the order of entry. O(visits).
    """
    if visit.state_type != "Map" or visit.attempt is None or visit.map_run is not None:
        return ()
    scopes = [scope for scope in visit.attempt.scopes.values() if scope.iteration is not None]
    last: dict[Scope, Visit] = {one.scope: one for one in visits if one.scope.attempt is visit.attempt}
    scopes.sort(key=lambda scope: scope.iteration or 0)
    return [
        Iteration(scope.iteration, scope.status, scope.started_at, scope.stopped_at, _failed(scope, last.get(scope)))
        for scope in scopes
    ]


def _failed(scope: Scope, last: Visit | None) -> Visit | None:
    if scope.status is not StageStatus.FAILED or last is None or last.status is not StageStatus.FAILED:
        return None
    while last.culprit is not None and last.culprit.status is StageStatus.FAILED:
        last = last.culprit
    return last
