"""The runs of distributed Maps, and the executions that they started.

What a Map run started is guarded as the run that holds the Map. That it is of that run is what the engine says: an id
leads to nothing that another run's Map started.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from graph.aws.calls import TIME_IS_UP
from graph.context import Context
from graph.engines.engine import ListedChild, MapRunFacts, StaleToken
from graph.errors import InvalidCursor
from graph.execution_warnings import ExecutionWarning, call_failed, status_unknown
from graph.history import IterationCounts
from graph.resolvers.engine_executions import EngineExecution
from graph.resolvers.paging import Entry, Filled, Page, PageRequest, ShortPageReason, Window, paginate
from graph.resolvers.run_detail import Stage, StageOwner
from graph.tables import ids
from graph.tables.cursors import Position
from graph.tables.states import ExecutionStatus

LONGEST_PAGE = 1_000
"""Executions of a page, the most that ListExecutions gives at once."""

_MOST_PAGES = 5  # of the engine, for one page of executions of several statuses
_LISTED = frozenset(ExecutionStatus) - {ExecutionStatus.NEW, ExecutionStatus.UNKNOWN}


@dataclass(frozen=True, slots=True)
class MapRun:
    """The run of a distributed Map.

    Attributes:
        owner: What leads to the run that holds the Map.
        reference: What the engine calls that run.
        arn: What the engine calls the Map run.
        name: What tells it from others within that run's state machine.
        redrive_count: How often it was redriven.
    """

    owner: StageOwner
    reference: str
    arn: str
    name: str
    redrive_count: int | None

    @property
    def execution_id(self) -> str:
        """The execution that it is of, whose permissions guard it."""
        return self.owner.execution_id

    @property
    def id(self) -> str:
        """The global id."""
        if self.owner.step_id is None:
            return ids.encode("RunMapRun", self.owner.execution_id, self.name)
        return ids.encode("MapRun", self.owner.step_id, self.owner.digest, self.name)


async def of_stage(stage: Stage, context: Context) -> MapRun | None:
    """Return the run of a distributed Map; None of other states, and where no event that was read names it."""
    run = stage.stage.map_run
    name = context.engines.name_within(stage.reference, run.arn) if run is not None and run.arn else None
    if run is None or run.arn is None or name is None:
        return None
    return MapRun(stage.owner, stage.reference, run.arn, name, run.redrive_count)


async def of_child(run: EngineExecution, context: Context) -> MapRun | None:
    """Return the Map run that started a run; None where none did, or the engine does not say."""
    facts = (await context.engines.facts(run.reference)).value if run.owner.child else None
    told = (await context.engines.map_run(facts.map_run)).value if facts is not None and facts.map_run else None
    if facts is None or facts.map_run is None or told is None:
        return None
    return _map_run(run.owner, run.reference, facts.map_run, told, context)


async def named(run: EngineExecution, name: str, context: Context) -> MapRun | None:
    """Return the Map run of a name within a run, if the engine says that it is of the run."""
    arn = context.engines.reference_within(run.reference, name)
    told = (await context.engines.map_run(arn)).value if arn is not None else None
    if arn is None or told is None or not await context.engines.is_within(run.reference, told.run):
        return None
    return _map_run(run.owner, run.reference, arn, told, context)


async def child(run: EngineExecution, name: str, context: Context) -> EngineExecution | None:
    """Return what a Map run within a run started, if the engine says that it did."""
    reference = context.engines.reference_within(run.reference, name)
    if reference is None or not await context.engines.is_within(run.reference, reference):
        return None
    return EngineExecution.of(replace(run.owner, child=name), reference, context)


async def execution(run: MapRun, context: Context, name: str) -> EngineExecution | None:
    """Return the execution of a name that a Map run started."""
    label = run.name.partition("/")[2].partition(":")[0]
    within = f"{'express' if ':' in name else 'execution'}/{label}:{name}"
    reference = context.engines.reference_within(run.reference, within)
    facts = (await context.engines.facts(reference)).value if reference is not None else None
    if facts is None or facts.map_run != run.arn:
        return None
    return EngineExecution.of(replace(run.owner, child=within), reference, context)


async def executions(
    run: MapRun, context: Context, request: PageRequest, status: list[ExecutionStatus] | None = None
) -> Page[EngineExecution]:
    """Return the executions that a Map run started, newest first; those of some statuses.

    Raises:
        InvalidCursor: for a cursor of more than a day ago, whose token the engine takes no more.
    """
    wanted = frozenset(status) & _LISTED if status is not None else _LISTED

    async def read(window: Window) -> Filled[EngineExecution]:
        if not window.count or not wanted:
            return Filled((), stopped_at=window.start)
        try:
            return await _Listing(run, context, window, wanted).read()
        except StaleToken:
            raise InvalidCursor("after") from None

    chosen = sorted(one.value for one in wanted) if status is not None else None
    return await paginate(context, request, (*run.owner.key, run.name, chosen), read)


async def counts(run: MapRun, context: Context) -> IterationCounts | None:
    """Return what became of the executions that it started."""
    told = await _facts(run, context)
    return told.counts if told is not None else None


async def status(run: MapRun, context: Context) -> ExecutionStatus:
    """Return how far it has come."""
    told = await _facts(run, context)
    return told.status if told is not None else ExecutionStatus.UNKNOWN


async def status_warning(run: MapRun, context: Context) -> ExecutionWarning | None:
    """Return why its status is not known."""
    told = await context.engines.map_run(run.arn)
    if told.value is None:
        return call_failed("Map run unavailable", told.failure or "")
    return status_unknown("the Map run") if told.value.status is ExecutionStatus.UNKNOWN else None


async def started_at(run: MapRun, context: Context) -> datetime | None:
    """Return when it started."""
    told = await _facts(run, context)
    return told.started_at if told is not None else None


async def stopped_at(run: MapRun, context: Context) -> datetime | None:
    """Return when it ended; None until then."""
    told = await _facts(run, context)
    return told.stopped_at if told is not None else None


async def arn(run: MapRun, _context: Context) -> str:
    """Return what the engine calls it."""
    return run.arn


async def stage(run: MapRun, context: Context) -> Stage | None:
    """Return the Map that it is a run of, among the stages of the run that holds it."""
    detail = await context.engines.detail(run.reference)
    for one in detail.stages:
        if any(visit.map_run is not None and visit.map_run.arn == run.arn for visit in one.visits):
            return Stage(run.owner, run.reference, detail, one)
    return None


class _Listing:
    """A page of executions, read page by page from the engine.

    A position is the size of the engine's pages, the token of one, and a place in it.
    """

    def __init__(self, run: MapRun, context: Context, window: Window, wanted: frozenset[ExecutionStatus]) -> None:
        self._run, self._context, self._window, self._wanted = run, context, window, wanted
        self._status = next(iter(wanted)) if len(wanted) == 1 else None
        is_sifted = self._status is None and wanted != _LISTED
        size, token, place = window.start or (LONGEST_PAGE if is_sifted else window.count, "", 0)
        self._size, self._token, self._place = int(size), str(token), int(place)
        self._entries: list[Entry[EngineExecution]] = []

    async def read(self) -> Filled[EngineExecution]:
        """Fill the window."""
        for _ in range(_MOST_PAGES):
            told = await self._context.engines.children(self._run.arn, self._status, self._size, self._token or None)
            if told.value is None:
                return self._failed(told.failure or "")
            following = told.value.token
            for listed in told.value.children[self._place :]:
                self._place += 1
                if listed.facts.status in self._wanted:
                    if len(self._entries) == self._window.count:
                        return Filled(self._entries, stopped_at=self._entries[-1].position)
                    self._add(listed)
            if following is None:
                return Filled(self._entries)
            self._token, self._place = following, 0
            if len(self._entries) == self._window.count:
                self._entries[-1].position = self._position
                return Filled(self._entries, stopped_at=self._position)
        return Filled(self._entries, ShortPageReason.READ_BUDGET, self._position)

    @property
    def _position(self) -> Position:
        return (self._size, self._token, self._place)

    def _add(self, listed: ListedChild) -> None:
        name = self._context.engines.name_within(self._run.reference, listed.reference)
        if name is None:
            return
        owner = replace(self._run.owner, child=name)
        run = EngineExecution.of(owner, listed.reference, self._context)
        if run is not None:
            self._entries.append(Entry(replace(run, listed=listed.facts), self._position))

    def _failed(self, failure: str) -> Filled[EngineExecution]:
        reason = ShortPageReason.TIME_BUDGET if failure == TIME_IS_UP else None
        warning = call_failed("Executions of the Map run could not be listed", failure)
        return Filled(self._entries, reason, self._position, [warning])


async def _facts(run: MapRun, context: Context) -> MapRunFacts | None:
    return (await context.engines.map_run(run.arn)).value


def _map_run(owner: StageOwner, reference: str, arn: str, told: MapRunFacts, context: Context) -> MapRun | None:
    """Return a Map run that is within a run of some owner, held by that run or by what another one started."""
    name = context.engines.name_within(reference, arn)
    holder = replace(owner, child=context.engines.name_within(reference, told.run) or "")
    return MapRun(holder, told.run, arn, name, told.redrive_count) if name is not None else None
