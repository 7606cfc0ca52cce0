"""The kinds of loader: by primary key, by a range of a partition, and by partition key alone."""

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
        reader: Reads the tables.
        tally: Counts the calls.
        fields: Returns the fields of a row class that the operation needs.
        scope: Owns the batches, and says when to read them.
        written: What the operation wrote, which replaces what is read: indexes may lag behind.
        is_consistent: Whether reads of tables are strongly consistent; those of indexes cannot be.
        prefetched: The rows of each class that range loaders have read, which key loaders need not read again.
    """

    reader: Reader
    tally: Tally
    fields: Callable[[type[Row]], Fields]
    scope: OperationScope
    written: Written = field(default_factory=dict)
    is_consistent: bool = False
    prefetched: dict[type[Row], list[Sequence[Any]]] = field(init=False, default_factory=lambda: defaultdict(list))
    _plans: dict[type[Row], RowPlan[Any]] = field(init=False, default_factory=dict)

    def plan(self, row: type[RowT]) -> RowPlan[RowT]:
        """Return how rows of a class are read, the same everywhere in the operation."""
        plan = self._plans.get(row)
        if plan is None:
            plan = self._plans[row] = row.plan(self.fields(row))
        return plan

    def current(self, table: Table, items: Sequence[Item]) -> Sequence[Item]:
        """Return items read from a table, those that the operation wrote as it wrote them."""
        if not self.written:
            return items
        current = (self.written.get((table, key_of(table, item)), item) for item in items)
        return [item for item in current if item is not None]


class LoaderGroup:
    """The loaders of some tables, each made at its first use, inside the operation's event loop."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading


class UniqueLoader(Loader[KeyT, RowT | None]):
    """Loads rows by a unique key. Rows that a range loader has read are not read again."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(reading.scope)
        self._row = row
        self._reading = reading
        self._by_key: dict[KeyT, RowT] = {}
        self._indexed = 0

    @abstractmethod
    def key_of(self, row: RowT) -> KeyT:
        """Return the key that loads a row."""

    def prefetched(self, key: KeyT) -> RowT | None:
        """Return the row of a key if a range loader has read it. Index the rows only now, since few are needed."""
        ranges = self._reading.prefetched[self._row]
        for rows in ranges[self._indexed :]:
            for row in rows:
                self._by_key.setdefault(self.key_of(row), row)
        self._indexed = len(ranges)
        return self._by_key.get(key)


class KeyLoader(UniqueLoader[Key, RowT]):
    """Loads rows by primary key, with BatchGetItem."""

    async def read(self, keys: Sequence[Key]) -> Sequence[RowT | None | GraphError]:
        """Return the rows of keys; None for a key without a row."""
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
    """A range of rows of one partition, in the order of the sort key.

    Attributes:
        partition: The value of the partition key.
        limit: How many rows to read; None for all.
        sort: Which sort keys; None for all.
        start: The position after which to begin; None for the beginning.
        forward: Whether in ascending order.
        conditions: Filters of rows, which DynamoDB applies after it has read them.
        evaluate: How many rows one call of Query may examine; None for as many as are still missing.
        pages: How many calls of Query to make at most; None for as many as it takes.
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
    """The rows of a range; ``end`` is the position where reading stopped, None at the end of the partition."""

    rows: Sequence[RowT]
    end: Position | None


class RangeLoader(Loader[KeyRange, RowRange[RowT]]):
    """Loads ranges of partitions of a table or an index with concurrent Queries, each page after page.

    Every index projects all attributes, so its rows are whole, and key loaders use them too.
    """

    def __init__(self, row: type[RowT], reading: Reading, index: Index | None = None) -> None:
        super().__init__(reading.scope)
        self._row = row
        self._reading = reading
        self.index = index

    async def read(self, keys: Sequence[KeyRange]) -> Sequence[RowRange[RowT] | Exception]:
        """Return the rows of ranges."""
        return await self.scope.settle(map(self._read_one, keys))

    async def count(self, key_range: KeyRange) -> int | None:
        """Return how many rows a range holds; None when counting takes more pages than it allows."""
        query, total = self._query(key_range, ()), 0
        for _ in range(key_range.pages) if key_range.pages is not None else itertools.count():
            counted, last = await self._reading.reader.count(query, self._reading.tally)
            total += counted
            if last is None:
                return total
            query = replace(query, after=last)
        return None

    async def _read_one(self, key_range: KeyRange) -> RowRange[RowT]:
        plan = self._reading.plan(self._row)
        query, pages = self._query(key_range, plan.attributes), 0
        rows: list[RowT] = []
        while True:
            page = await self._reading.reader.query(query, self._reading.tally)
            rows += map(plan.decode, self._reading.current(self._row.table, page.items))
            pages += 1
            left = None if key_range.limit is None else key_range.limit - len(rows)
            if page.last is None or pages == key_range.pages or (left is not None and left <= 0):
                break
            query = replace(query, after=page.last, limit=key_range.evaluate or left)
        self._reading.prefetched[self._row].append(rows)
        return RowRange(rows, None if page.last is None else self._position(page.last))

    def _query(self, key_range: KeyRange, attributes: tuple[str, ...]) -> Query:
        return Query(
            table=self._row.table,
            index=self.index,
            partition=key_range.partition,
            sort=key_range.sort,
            conditions=key_range.conditions,
            attributes=attributes,
            forward=key_range.forward,
            after=None if key_range.start is None else self._start_key(key_range.partition, key_range.start),
            limit=key_range.evaluate or key_range.limit,
            is_consistent=self._reading.is_consistent and self.index is None,
        )

    def _start_key(self, partition: str, start: Position) -> Mapping[str, str]:
        keyed = self.index or self._row.table
        names = position_attributes(self._row.table, self.index)
        return {keyed.partition: partition, **dict(zip(names, map(str, start), strict=True))}

    def _position(self, last: Mapping[str, str]) -> Position:
        return tuple([last[name] for name in position_attributes(self._row.table, self.index)])


class FirstLoader(UniqueLoader[str, RowT]):
    """Loads rows by partition key alone, where a partition has one row of unknown sort key, with concurrent Queries."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(row, reading)
        self._ranges = RangeLoader(row, reading)

    async def read(self, keys: Sequence[str]) -> Sequence[RowT | None | Exception]:
        """Return the first row of partitions; None for an empty one."""
        ranges = await self._ranges.read([KeyRange(key, limit=1) for key in keys])
        return [found if isinstance(found, Exception) else next(iter(found.rows), None) for found in ranges]

    def key_of(self, row: RowT) -> str:
        """Return the partition key of a row."""
        return row.primary_key[0]
