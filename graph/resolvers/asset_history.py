"""The executions that read or wrote an asset, newest first, each once.

Two indexes are merged. A run stands at the date of its input row if it read the asset, else at that of its
configuration row. All rows of a date are read before a page is cut there, so a position is a date and a run id, and
runs of one date stand by id: no order that only the database knows is relied on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from graph.auth import routes
from graph.context import Context, Extra
from graph.loaders.base import KeyRange, RangeLoader
from graph.resolvers.budget import Budget
from graph.resolvers.filters import ExecutionFilter
from graph.resolvers.gate import within_sight
from graph.resolvers.paging import Entry, Filled, Page, PageRequest, ShortPageReason, Window, paginate
from graph.resolvers.sources import EVALUATED
from graph.tables import keys
from graph.tables.cursors import Position
from graph.tables.queries import Between
from graph.tables.records.definitions import AssetRow
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.inputs import InputRow
from graph.tables.states import AssetRole

RowT = TypeVar("RowT", InputRow, ConfigurationRow)


async def asset_executions(
    context: Context, request: PageRequest, asset: AssetRow, role: AssetRole | None, wanted: ExecutionFilter | None
) -> Page[ExecutionRow]:
    """Return the executions that read or wrote an asset and may be seen; with a role, those that touched it that way.

    Raises:
        Forbidden: when the viewer may not list the executions of the asset.
    """
    context.access.require(routes.asset_executions(asset.database_id, asset.asset_id))

    async def read(window: Window) -> Filled[ExecutionRow]:
        if wanted is None or not wanted.is_possible:
            return Filled(())
        return await _Reading(context, asset, role, await within_sight(context, wanted), window).fill()

    bound_to = (asset.database_id, asset.asset_id, role.name if role else None, wanted and wanted.identity())
    return await paginate(context, request, bound_to, read)


class _Place(NamedTuple):
    """Where a run stands in the list; later places come first in it."""

    date: str
    execution_id: str

    @property
    def position(self) -> Position:
        return tuple(self)  # cursors hold nothing but plain tuples


@dataclass(slots=True)
class _Stream:
    """The rows of one index for the asset, in the direction of reading."""

    loader: RangeLoader[Any]
    next: KeyRange | None
    rows: list[Any] = field(default_factory=list)
    edge: str | None = None  # the date reading has come to: more rows of that date may follow. None at the end

    async def advance(self) -> None:
        if self.next is None:
            return
        found = await self.loader.load(self.next)
        self.rows += found.rows
        self.next = replace(self.next, start=found.end) if found.end else None
        self.edge = str(found.end[0]) if found.end else None

    def take(self, horizon: str | None, *, descending: bool) -> list[Any]:
        """Return the rows that are settled, since every row that comes before them has been read too."""
        if horizon is None:
            taken, self.rows = self.rows, []
            return taken
        taken = [row for row in self.rows if (row.start_date > horizon if descending else row.start_date < horizon)]
        self.rows = self.rows[len(taken) :]
        return taken


class _Reading:
    """The filling of one page."""

    def __init__(
        self, context: Context, asset: AssetRow, role: AssetRole | None, wanted: ExecutionFilter, window: Window
    ) -> None:
        self._context = context
        self._asset = asset
        self._role = role
        self._wanted = wanted.without_dates()
        self._window = window
        self._descending = window.forward
        self._start = _Place(*map(str, window.start)) if window.start else None
        self._stop = _Place(*map(str, window.stop)) if window.stop else None
        self._roles_are_selected = Extra.ASSET_ROLES in context.selection.extras
        dates = self._dates(wanted.key_range or Between(None, None))
        begin = KeyRange(
            keys.asset_key(asset.database_id, asset.asset_id),
            sort=dates,
            forward=not window.forward,
            evaluate=max(EVALUATED, window.count + 1),
            pages=1,
        )
        self._inputs = _Stream(
            context.loaders.inputs.by_asset, begin if role is not AssetRole.WROTE and not dates.is_empty else None
        )
        self._outputs = _Stream(
            context.loaders.configurations.by_output_asset,
            begin if role is not AssetRole.READ and not dates.is_empty else None,
        )

    async def fill(self) -> Filled[ExecutionRow]:
        entries: list[Entry[ExecutionRow]] = []
        budget, decided = Budget.of(self._context), self._window.start
        admit = self._context.access.page_of_executions()
        while True:
            await self._advance(budget)
            settled = self._settle()
            while settled:
                # Unfiltered, nearly every run is shown, so that no more of them are read than are missing.
                size = EVALUATED if self._is_filtered else self._window.count + 1 - len(entries)
                chunk, settled = settled[:size], settled[size:]
                matching = await self._matching(chunk, budget)
                verdicts = await admit([entry.node for entry in matching])
                entries += (entry for entry, is_shown in zip(matching, verdicts, strict=False) if is_shown)
                if len(entries) > self._window.count:
                    return Filled(entries)
                if len(verdicts) < len(matching):
                    decided = matching[len(verdicts) - 1].position if verdicts else decided
                    return Filled(entries, ShortPageReason.PERMISSION_BUDGET, decided)
                decided = chunk[-1][0].position
            if self._inputs.next is None and self._outputs.next is None:
                return Filled(entries)
            if reason := budget.spent:
                return Filled(entries, reason, decided)

    async def _advance(self, budget: Budget) -> None:
        """Read on where reading is furthest behind; at first, everywhere."""
        open_streams = [stream for stream in (self._inputs, self._outputs) if stream.next is not None]
        horizon = self._horizon()
        behind = [stream for stream in open_streams if stream.edge in (None, horizon)]
        budget.spend(len(behind))
        await self._context.scope.gather(*(stream.advance() for stream in behind))

    def _settle(self) -> list[tuple[_Place, InputRow | ConfigurationRow]]:
        """Return the settled rows, in order: one for each run at a place, its input row if it has one there."""
        horizon = self._horizon()
        readers = self._by_place(self._inputs.take(horizon, descending=self._descending))
        writers = self._by_place(self._outputs.take(horizon, descending=self._descending))
        return sorted({**writers, **readers}.items(), key=lambda settled: settled[0], reverse=self._descending)

    async def _matching(
        self, settled: Sequence[tuple[_Place, InputRow | ConfigurationRow]], budget: Budget
    ) -> list[Entry[ExecutionRow]]:
        """Return the runs of some rows that belong to the list, in their order, each with its roles."""
        if self._must_probe:
            budget.spend(sum(isinstance(row, ConfigurationRow) for _, row in settled))
        found = await self._context.scope.gather(
            *(self._as_reader(row) if isinstance(row, InputRow) else self._as_writer(row) for _, row in settled)
        )
        return [
            Entry(execution, place.position, roles)
            for (place, _), (execution, roles) in zip(settled, found, strict=True)
            if execution is not None and roles and self._wanted.matches(execution)
        ]

    @property
    def _is_filtered(self) -> bool:
        return self._wanted != ExecutionFilter()

    @property
    def _must_probe(self) -> bool:
        """Whether it matters if a writer has read the asset too: it then stands at its input row's date."""
        return self._role is None or self._roles_are_selected

    async def _as_reader(self, row: InputRow) -> tuple[ExecutionRow | None, tuple[AssetRole, ...]]:
        loaders = self._context.loaders
        if not self._roles_are_selected:
            return await self._run_of(row), (AssetRole.READ,)
        execution, configuration = await self._context.scope.gather(
            self._run_of(row), loaders.configurations.of_execution(row.execution_id)
        )
        wrote = configuration is not None and (configuration.database_id, configuration.asset_id) == (
            self._asset.database_id,
            self._asset.asset_id,
        )
        return execution, (AssetRole.READ, AssetRole.WROTE) if wrote else (AssetRole.READ,)

    async def _run_of(self, row: InputRow) -> ExecutionRow | None:
        """Return the run of an input, by its whole key where the row has the copy of its workflow's."""
        executions = self._context.loaders.executions
        if not row.workflow_id or not row.workflow_database_id:
            return await executions.by_id.load(row.execution_id)
        workflow_key = keys.workflow_key(row.workflow_database_id, row.workflow_id)
        return await executions.by_key.load((row.execution_id, workflow_key))

    async def _as_writer(self, row: ConfigurationRow) -> tuple[ExecutionRow | None, tuple[AssetRole, ...]]:
        loaders = self._context.loaders
        if not self._must_probe:
            return await loaders.executions.by_id.load(row.execution_id), (AssetRole.WROTE,)
        execution, also_read = await self._context.scope.gather(
            loaders.executions.by_id.load(row.execution_id),
            loaders.inputs.one_of_asset(row.execution_id, self._asset.database_id, self._asset.asset_id),
        )
        if also_read is None:
            return execution, (AssetRole.WROTE,)
        # An input row without a date, which migrated runs may have, is in no index: the run stands here alone.
        stands_elsewhere = self._role is None and also_read.start_date
        return execution, () if stands_elsewhere else (AssetRole.READ, AssetRole.WROTE)

    def _by_place(self, rows: Iterable[RowT]) -> dict[_Place, RowT]:
        """Return the first row of each run at each place between the start and the stop."""
        low, high = (self._stop, self._start) if self._descending else (self._start, self._stop)
        placed: dict[_Place, RowT] = {}
        for row in rows:
            place = _Place(row.start_date, row.execution_id)
            if (low is None or low < place) and (high is None or place < high):
                placed.setdefault(place, row)
        return placed

    def _horizon(self) -> str | None:
        """Return the date up to which every stream has been read; None when all of them are read to their ends."""
        edges = [stream.edge for stream in (self._inputs, self._outputs) if stream.edge is not None]
        if not edges:
            return None
        return max(edges) if self._descending else min(edges)

    def _dates(self, wanted: Between) -> Between:
        """Return the dates to read: the filter's, between those of the start and the stop, which may hold more runs."""
        newest, oldest = (self._start, self._stop) if self._descending else (self._stop, self._start)
        return Between(
            _tightest(max, wanted.low, oldest.date if oldest else None),
            _tightest(min, wanted.high, newest.date if newest else None),
        )


def _tightest(choose: Callable[[Sequence[str]], str], *bounds: str | None) -> str | None:
    given = [bound for bound in bounds if bound is not None]
    return choose(given) if given else None
