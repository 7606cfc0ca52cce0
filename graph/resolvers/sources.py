"""Sources of pages: one partition, the partitions of an execution's steps in chain order, or a list in memory."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Generic, TypeVar

from graph.loaders.base import KeyRange, RangeLoader, RowRange, RowT
from graph.loaders.chain import Chain
from graph.resolvers.budget import Budget
from graph.resolvers.paging import Entry, Filled, ShortPageReason, Window
from graph.tables.cursors import Position
from graph.tables.queries import Between, OneOf, Prefix

ItemT = TypeVar("ItemT")

EVALUATED = 200  # rows that one call examines when a filter may exclude some


@dataclass(frozen=True, slots=True)
class Rows(Generic[RowT]):
    """Which rows of a partition to read: a range of the sort key, and filters that DynamoDB applies to it.

    ``admit`` returns which of some rows may be shown. Its verdicts may be fewer than the rows, when it decides no
    more of them for this page.
    """

    loader: RangeLoader[RowT]
    sort: Prefix | Between | None = None
    conditions: tuple[OneOf, ...] = ()
    admit: Callable[[Sequence[RowT]], Awaitable[Sequence[bool]]] | None = None

    def key_range(
        self, partition: str, window: Window, start: Position | None, *, newest_first: bool = False
    ) -> KeyRange:
        """Return the range that fills a window with one call of Query."""
        return KeyRange(
            partition,
            limit=window.count + 1,
            sort=self.sort,
            start=start,
            forward=window.forward != newest_first,
            conditions=self.conditions,
            evaluate=EVALUATED if self.conditions else None,
            pages=1,
        )

    async def count(self, partition: str, pages: int) -> int | None:
        """Return how many of them a partition holds; None if that takes too many pages, or reveals hidden rows."""
        if self.admit is not None:
            return None
        return await self.loader.count(KeyRange(partition, sort=self.sort, conditions=self.conditions, pages=pages))


async def partition(
    rows: Rows[RowT], key: str, window: Window, budget: Budget, *, newest_first: bool = False
) -> Filled[RowT]:
    """Return the rows of one partition by sort key, or from the last to the first.

    Reading goes on until the page is full, the partition ends, or a budget is spent.
    """
    wanted = rows.key_range(key, window, window.start, newest_first=newest_first)
    descending = window.forward == newest_first
    entries: list[Entry[RowT]] = []
    while True:
        found = await rows.loader.load(wanted)
        budget.spend(1)
        read = [Entry(row, row.position_in(rows.loader.index)) for row in found.rows]
        reached = up_to(window.stop, read, descending=descending)
        verdicts = await rows.admit([entry.node for entry in reached]) if rows.admit else [True] * len(reached)
        entries += (entry for entry, is_shown in zip(reached, verdicts, strict=False) if is_shown)
        if len(entries) > window.count:
            return Filled(entries)
        if len(verdicts) < len(reached):
            decided = reached[len(verdicts) - 1].position if verdicts else wanted.start
            return Filled(entries, ShortPageReason.PERMISSION_BUDGET, decided)
        if found.end is None or len(reached) < len(read):
            return Filled(entries)
        if reason := budget.spent:
            return Filled(entries, reason, found.end)
        limit = window.count + 1 - len(entries)
        if rows.admit is not None and wanted.limit is not None:
            limit = min(2 * wanted.limit, EVALUATED)  # hidden rows come in groups: read more than the missing ones
        wanted = replace(wanted, start=found.end, limit=limit)


async def over_steps(rows: Rows[RowT], chain: Chain, window: Window, budget: Budget) -> Filled[RowT]:
    """Return the rows of all steps of a chain, by index of the step and then by sort key.

    All steps are read together, with one call each, so that the number of steps adds no round; further pages are read
    only of steps whose rows are needed. A position holds the step's index and id, and resumes at the index if
    the step is gone.
    """
    start, stop = _resume(chain, window.start), _resume(chain, window.stop)
    steps = list(enumerate(chain.steps))
    first, last = (start, stop) if window.forward else (stop, start)
    steps = steps[int(first[0]) if first else 0 : int(last[0]) + 1 if last else None]
    if not window.forward:
        steps.reverse()
    ranges = [
        rows.key_range(step.pipeline_execution_id, window, (start[1:] or None) if start and place == start[0] else None)
        for place, step in steps
    ]
    first_pages = await rows.loader.scope.settle(map(rows.loader.load, ranges))
    entries: list[Entry[RowT]] = []
    for (place, step), wanted, found in zip(steps, ranges, first_pages, strict=True):
        if isinstance(found, Exception):
            raise found
        read = await _fill(rows.loader, wanted, found, window.count + 1 - len(entries), budget)
        for row in read.rows:
            position = row.position_in(rows.loader.index)
            if stop is not None and _has_reached((place, *position), stop, window):
                return Filled(entries)
            entries.append(Entry(row, (place, step.pipeline_execution_id, *position)))
        if read.stopped_at is not None:
            return Filled(entries, read.reason, (place, step.pipeline_execution_id, *read.stopped_at))
        if len(entries) > window.count:
            break
    return Filled(entries)


async def nothing(_window: Window) -> Filled[ItemT]:
    """Return the empty list."""
    return Filled(())


def listed(items: Sequence[ItemT], identify: Callable[[ItemT], str], window: Window) -> Filled[ItemT]:
    """Return the items of a list. A position holds an index and an identity; the index stands in if that is gone."""
    names = [identify(item) for item in items]
    places = {name: place for place, name in enumerate(names)}
    first, last = 0, len(items)
    after, before = (window.start, window.stop) if window.forward else (window.stop, window.start)
    if after is not None:
        first = places[str(after[1])] + 1 if after[1] in places else int(after[0])
    if before is not None:
        last = places.get(str(before[1]), int(before[0]))
    chosen = range(len(items))[first:last]
    if not window.forward:
        chosen = chosen[::-1]
    return Filled([Entry(items[place], (place, names[place])) for place in chosen[: window.count + 1]])


def up_to(stop: Position | None, entries: Iterable[Entry[ItemT]], *, descending: bool) -> list[Entry[ItemT]]:
    """Return the entries before a stop.

    Rows with an equal sort key have an order that only the database knows: the stop's own row ends them, or the next
    key.
    """
    if stop is None:
        return list(entries)

    def is_before(entry: Entry[ItemT]) -> bool:
        here, there = str(entry.position[0]), str(stop[0])
        return entry.position != stop and (here >= there if descending else here <= there)

    return list(takewhile(is_before, entries))


@dataclass(frozen=True, slots=True)
class _Read(Generic[RowT]):
    rows: Sequence[RowT]
    reason: ShortPageReason | None = None
    stopped_at: Position | None = None


async def _fill(
    loader: RangeLoader[RowT], wanted: KeyRange, page: RowRange[RowT], missing: int, budget: Budget
) -> _Read[RowT]:
    """Return the rows of a range from its first page on, until there are enough or the budget is spent."""
    found: list[RowT] = []
    while True:
        budget.spend(1)
        found += page.rows
        if len(found) >= missing or page.end is None:
            return _Read(found[:missing])
        if reason := budget.spent:
            return _Read(found, reason, page.end)
        page = await loader.load(replace(wanted, start=page.end, limit=missing - len(found)))


def _has_reached(place: Position, stop: Position, window: Window) -> bool:
    return place >= stop if window.forward else place <= stop


def _resume(chain: Chain, position: Position | None) -> Position | None:
    """Return a position among steps as the step's current index and the sort key in it; the index alone if gone."""
    if position is None:
        return None
    place, step_id, *rest = position
    present = chain.position(str(step_id))
    return (place,) if present is None else (present, *rest)
