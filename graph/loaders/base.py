"""The two kinds of loader: by whole key, and by slice of a partition. Every table's loaders are made of these."""

import itertools
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from graph.batching import KeyT, Loader
from graph.errors import GraphError
from graph.operation import OperationScope
from graph.tables.catalogue import Index, Table
from graph.tables.cursors import Position
from graph.tables.queries import Between, OneOf, Prefix, Query
from graph.tables.reader import Item, Key, Reader, key_of
from graph.tables.rows import Fields, Row, RowPlan, position_attributes
from graph.tables.tally import Tally

RowT = TypeVar("RowT", bound=Row)

Written = dict[tuple[Table, Key], Item | None]
"""Rows that an operation changed, as whole items; None for one that it deleted."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How one operation reads.

    Attributes:
        reader: what reads.
        tally: where that is counted.
        fields: which fields of each kind of row the operation needs.
        scope: owns what is read, and says when.
        written: what the operation itself wrote, which stands in for what is read: indexes may lag behind.
        is_consistent: whether tables are read as they stand, which indexes cannot be.
        brought: the rows of each kind that reads of slices brought whole.
    """

    reader: Reader
    tally: Tally
    fields: Callable[[type[Row]], Fields]
    scope: OperationScope
    written: Written = field(default_factory=dict)
    is_consistent: bool = False
    brought: dict[type[Row], list[Sequence[Any]]] = field(init=False, default_factory=lambda: defaultdict(list))
    _plans: dict[type[Row], RowPlan[Any]] = field(init=False, default_factory=dict)

    def plan(self, row: type[RowT]) -> RowPlan[RowT]:
        """Return how a kind of row is read in the operation, wherever it is."""
        plan = self._plans.get(row)
        if plan is None:
            plan = self._plans[row] = row.plan(self.fields(row))
        return plan

    def current(self, table: Table, items: Sequence[Item]) -> Sequence[Item]:
        """Return what was read of a table, with what the operation wrote in its place."""
        if not self.written:
            return items
        current = (self.written.get((table, key_of(table, item)), item) for item in items)
        return [item for item in current if item is not None]


class LoaderGroup:
    """Loaders of one family of tables, each made when it is first asked for, inside the operation's loop."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading


class UniqueLoader(Loader[KeyT, RowT | None]):
    """Rows by something that each has for itself. What reads of slices brought whole is not read again."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(reading.scope)
        self._row = row
        self._reading = reading
        self._brought: dict[KeyT, RowT] = {}
        self._looked_at = 0

    @abstractmethod
    def key_of(self, row: RowT) -> KeyT:
        """Return what a row is asked for by."""

    def brought(self, key: KeyT) -> RowT | None:
        """Return the row of a key if a read brought it. Few are asked for, so they are put in order only then."""
        stretches = self._reading.brought[self._row]
        for rows in stretches[self._looked_at :]:
            for row in rows:
                self._brought.setdefault(self.key_of(row), row)
        self._looked_at = len(stretches)
        return self._brought.get(key)


class KeyLoader(UniqueLoader[Key, RowT]):
    """Rows by their whole primary key, with BatchGetItem."""

    async def read(self, keys: Sequence[Key]) -> Sequence[RowT | None | GraphError]:
        """Return the rows of some keys; None where there is none."""
        plan = self._reading.plan(self._row)
        reading, table = self._reading, self._row.table
        found = await reading.reader.get_items(
            table, keys, plan.attributes, reading.tally, is_consistent=reading.is_consistent
        )
        items = [found.get(key) for key in keys]
        if reading.written:
            items = [reading.written.get((table, key), item) for key, item in zip(keys, items, strict=True)]
        return [plan.decode(item) if isinstance(item, dict) else item for item in items]

    def key_of(self, row: RowT) -> Key:
        """Return the primary key of a row."""
        return row.primary_key


@dataclass(frozen=True, slots=True)
class KeyRange:
    """A run of rows within one partition, in the order of its sort key.

    ``limit`` is the number of rows wanted (None: all of them); ``start`` the position after which to begin;
    ``conditions`` leave rows out after the key; ``evaluate`` is the number of rows that one database page looks at
    (None: what is still wanted); ``pages`` the most database pages to read for it (None: as many as it takes).
    """

    partition: str
    limit: int | None = None
    sort: Prefix | Between | None = None
    start: Position | None = None
    forward: bool = True
    conditions: tuple[OneOf, ...] = ()
    evaluate: int | None = None
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class RowRange(Generic[RowT]):
    """The rows of a slice; ``end`` is the position where reading stopped, None at the end of the partition."""

    rows: Sequence[RowT]
    end: Position | None


class SliceLoader(Loader[KeyRange, RowRange[RowT]]):
    """Slices of a table's or an index's partitions: concurrent Queries, each following its pages until it is filled.

    Every index projects all attributes, so its rows are the table's, and are told as brought.
    """

    def __init__(self, row: type[RowT], reading: Reading, index: Index | None = None) -> None:
        super().__init__(reading.scope)
        self._row = row
        self._reading = reading
        self.index = index

    async def read(self, keys: Sequence[KeyRange]) -> Sequence[RowRange[RowT] | Exception]:
        """Return the stretches of some slices."""
        return await self.scope.settle(self._read_one(key) for key in keys)

    async def count(self, wanted: KeyRange) -> int | None:
        """Return how many rows a slice holds; None when counting them would take more pages than it allows."""
        query, total = self._query(wanted, ()), 0
        for _ in range(wanted.pages) if wanted.pages is not None else itertools.count():
            counted, last = await self._reading.reader.count(query, self._reading.tally)
            total += counted
            if last is None:
                return total
            query = replace(query, after=last)
        return None

    async def _read_one(self, wanted: KeyRange) -> RowRange[RowT]:
        plan = self._reading.plan(self._row)
        query, pages = self._query(wanted, plan.attributes), 0
        rows: list[RowT] = []
        while True:
            page = await self._reading.reader.query(query, self._reading.tally)
            rows += map(plan.decode, self._reading.current(self._row.table, page.items))
            pages += 1
            left = None if wanted.limit is None else wanted.limit - len(rows)
            if page.last is None or pages == wanted.pages or (left is not None and left <= 0):
                break
            query = replace(query, after=page.last, limit=wanted.evaluate or left)
        self._reading.brought[self._row].append(rows)
        return RowRange(rows, None if page.last is None else self._position(page.last))

    def _query(self, wanted: KeyRange, attributes: tuple[str, ...]) -> Query:
        return Query(
            table=self._row.table,
            index=self.index,
            partition=wanted.partition,
            sort=wanted.sort,
            conditions=wanted.conditions,
            attributes=attributes,
            forward=wanted.forward,
            after=None if wanted.start is None else self._start_key(wanted.partition, wanted.start),
            limit=wanted.evaluate or wanted.limit,
            is_consistent=self._reading.is_consistent and self.index is None,
        )

    def _start_key(self, partition: str, start: Position) -> Mapping[str, str]:
        keyed = self.index or self._row.table
        names = position_attributes(self._row.table, self.index)
        return {keyed.partition: partition, **dict(zip(names, map(str, start), strict=True))}

    def _position(self, last: Mapping[str, str]) -> Position:
        return tuple([last[name] for name in position_attributes(self._row.table, self.index)])


class FirstLoader(UniqueLoader[str, RowT]):
    """Rows by their partition key alone, where it has one row whose sort key is not known: concurrent Queries."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(row, reading)
        self._slices = SliceLoader(row, reading)

    async def read(self, keys: Sequence[str]) -> Sequence[RowT | None | Exception]:
        """Return the first row of some partitions; None where there is none."""
        stretches = await self._slices.read([KeyRange(key, limit=1) for key in keys])
        return [found if isinstance(found, Exception) else next(iter(found.rows), None) for found in stretches]

    def key_of(self, row: RowT) -> str:
        """Return the partition key of a row."""
        return row.primary_key[0]
