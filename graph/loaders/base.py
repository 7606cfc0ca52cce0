"""The two kinds of loader: by whole key, and by slice of a partition. Every table's loaders are made of these."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from graph.batching import Loader
from graph.errors import GraphError
from graph.operation import OperationScope
from graph.tables.catalogue import Index
from graph.tables.cursors import Position
from graph.tables.queries import Between, OneOf, Prefix, Query
from graph.tables.reader import ItemPage, Key, Reader
from graph.tables.rows import Fields, Row, position_attributes
from graph.tables.tally import Tally

RowT = TypeVar("RowT", bound=Row)


@dataclass(frozen=True, slots=True)
class Reading:
    """How one operation reads.

    Attributes:
        reader: what reads.
        tally: where that is counted.
        fields: which fields of each kind of row the operation needs.
        scope: owns what is read, and says when.
    """

    reader: Reader
    tally: Tally
    fields: Callable[[type[Row]], Fields]
    scope: OperationScope


class KeyLoader(Loader[Key, RowT | None]):
    """Rows by their whole primary key, with BatchGetItem."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(reading.scope)
        self._row = row
        self._reading = reading

    async def read(self, keys: Sequence[Key]) -> Sequence[RowT | None | GraphError]:
        """The rows of some keys; None where there is none."""
        fields = self._reading.fields(self._row)
        found = await self._reading.reader.get_items(
            self._row.table, keys, self._row.projection(fields), self._reading.tally
        )
        items = (found.get(key) for key in keys)
        return [self._row.decode(item, fields) if isinstance(item, dict) else item for item in items]

    def prime_rows(self, rows: Iterable[RowT]) -> None:
        """Remembers rows that another read brought whole, so that none is read twice."""
        self.remember((row.primary_key, row) for row in rows)


@dataclass(frozen=True, slots=True)
class Slice:
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
class Stretch(Generic[RowT]):
    """The rows of a slice; ``end`` is the position where reading stopped, None at the end of the partition."""

    rows: Sequence[RowT]
    end: Position | None


class SliceLoader(Loader[Slice, Stretch[RowT]]):
    """Slices of a table's or an index's partitions: concurrent Queries, each following its pages until it is filled.

    Every index projects all attributes, so its rows are the table's: they prime the loaders given as ``primes``.
    """

    def __init__(
        self,
        row: type[RowT],
        reading: Reading,
        index: Index | None = None,
        primes: Sequence[Callable[[Sequence[RowT]], None]] = (),
    ) -> None:
        super().__init__(reading.scope)
        self._row = row
        self._reading = reading
        self.index = index
        self._primes = primes

    async def read(self, keys: Sequence[Slice]) -> Sequence[Stretch[RowT] | Exception]:
        """The stretches of some slices."""
        return await self.scope.settle(self._read_one(key) for key in keys)

    async def count(self, wanted: Slice) -> int | None:
        """How many rows a slice holds; None when counting them would take more pages than it allows."""
        query, total = self._query(wanted, ()), 0
        for _ in _pages(wanted):
            counted, last = await self._reading.reader.count(query, self._reading.tally)
            total += counted
            if last is None:
                return total
            query = replace(query, after=last)
        return None

    async def _read_one(self, wanted: Slice) -> Stretch[RowT]:
        fields = self._reading.fields(self._row)
        query = self._query(wanted, self._row.projection(fields))
        rows: list[RowT] = []
        end: Position | None = None
        for _ in _pages(wanted):
            page = await self._reading.reader.query(query, self._reading.tally)
            rows += [self._row.decode(item, fields) for item in page.items]
            end = self._position(page)
            if page.last is None or (wanted.limit is not None and len(rows) >= wanted.limit):
                break
            left = None if wanted.limit is None else wanted.limit - len(rows)
            query = replace(query, after=page.last, limit=wanted.evaluate or left)
        for prime in self._primes:
            prime(rows)
        return Stretch(rows, end)

    def _query(self, wanted: Slice, attributes: Sequence[str]) -> Query:
        return Query(
            table=self._row.table,
            index=self.index,
            partition=wanted.partition,
            sort=wanted.sort,
            conditions=wanted.conditions,
            attributes=tuple(attributes),
            forward=wanted.forward,
            after=self._start_key(wanted),
            limit=wanted.evaluate or wanted.limit,
        )

    def _start_key(self, wanted: Slice) -> Mapping[str, str] | None:
        if wanted.start is None:
            return None
        keyed = self.index or self._row.table
        names = position_attributes(self._row.table, self.index)
        return {keyed.partition: wanted.partition, **dict(zip(names, map(str, wanted.start), strict=True))}

    def _position(self, page: ItemPage) -> Position | None:
        if page.last is None:
            return None
        return tuple(page.last[name] for name in position_attributes(self._row.table, self.index))


class FirstLoader(Loader[str, RowT | None]):
    """Rows by their partition key alone, where it has one row whose sort key is not known: concurrent Queries."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(reading.scope)
        self._slices = SliceLoader(row, reading)

    async def read(self, keys: Sequence[str]) -> Sequence[RowT | None | Exception]:
        """The first row of some partitions; None where there is none."""
        stretches = await self._slices.read([Slice(key, limit=1) for key in keys])
        return [found if isinstance(found, Exception) else next(iter(found.rows), None) for found in stretches]

    def prime_rows(self, rows: Iterable[RowT]) -> None:
        """Remembers rows that another read brought whole, so that none is read twice."""
        self.remember((row.primary_key[0], row) for row in rows)


def _pages(wanted: Slice) -> Iterable[int]:
    return itertools.count() if wanted.pages is None else range(wanted.pages)
