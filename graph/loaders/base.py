"""The two kinds of loader: by whole key, and by slice of a partition. Every table's loaders are made of these.

They mend what aiodataloader leaves open: a load that one waiter gives up is not cancelled for the others, a cancelled
future is never served from the cache, a batch of the wrong length is a fault of its own that shows no keys or values,
and one bad key is a value of the batch, not an exception for everybody. A loader belongs to one operation and is made
inside its loop.
"""

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import aiodataloader
from aiodataloader import DataLoader

from graph.errors import GraphError
from graph.execution import Pace
from graph.tables.catalogue import Index
from graph.tables.cursors import Position
from graph.tables.queries import Between, OneOf, Prefix, Query
from graph.tables.reader import ItemPage, Key, Reader
from graph.tables.rows import Fields, Row, position_attributes
from graph.tables.tally import Tally

KeyT = TypeVar("KeyT", bound=Hashable)
ResultT = TypeVar("ResultT")
RowT = TypeVar("RowT", bound=Row)


_QUIET_TURNS = 4
_DISPATCHING = set[asyncio.Task[None]]()  # which the loop alone would not keep


@dataclass(frozen=True, slots=True)
class Reading:
    """How one operation reads.

    Attributes:
        reader: what reads.
        tally: where that is counted.
        fields: which fields of each kind of row the operation needs.
        pace: tells when nothing more will be asked for, so that what was can be read together.
    """

    reader: Reader
    tally: Tally
    fields: Callable[[type[Row]], Fields]
    pace: Pace = field(default_factory=Pace)


async def gather_results(loads: Iterable[Awaitable[ResultT]]) -> list[ResultT | GraphError]:
    """Awaits some loads together; the error of one stands in its place and leaves the others."""

    async def settled(load: Awaitable[ResultT]) -> ResultT | GraphError:
        try:
            return await load
        except GraphError as error:
            return error

    return await asyncio.gather(*map(settled, loads))


class Loader(DataLoader[KeyT, ResultT], ABC, Generic[KeyT, ResultT]):
    """A batching, remembering loader. Subclasses say in :meth:`read` how a batch of keys is answered."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self._pace = pace
        self._primed: dict[KeyT, ResultT] = {}

    @abstractmethod
    async def read(self, keys: Sequence[KeyT]) -> Sequence[ResultT | GraphError]:
        """The results of some distinct keys, in their order; an error in a place is that key's alone."""

    async def batch_load_fn(self, keys: list[KeyT]) -> list[Any]:
        """What aiodataloader calls with the keys of one tick."""
        results = await self.read(keys)
        if len(results) != len(keys):
            raise AssertionError(f"{type(self).__name__} answered {len(results)} of {len(keys)} keys")
        return list(results)

    def load(self, key: KeyT) -> "asyncio.Future[ResultT]":
        """The result of a key. Giving up the wait does not stop the load."""
        return self._pace.follow(self._load(key))

    async def load_all(self, keys: Iterable[KeyT]) -> list[ResultT]:
        """The results of some keys, in their order, awaited as one: cheaper than each on its own."""
        return await self._pace.follow(asyncio.gather(*map(self._load, keys)))

    def begin(self, key: KeyT) -> None:
        """Starts a load that something else in the operation will wait for, or nothing will."""
        self._load(key)

    def do_resolve_reject(self, key: KeyT, future: "asyncio.Future[ResultT]") -> None:
        """What aiodataloader calls to queue a key. An error that every waiter has given up by then is no complaint.

        The queue is read when the operation has begun all that it can, which a big one does in several turns, and
        nothing was queued for some more: from one answer to what is asked next it is not as far as from another.
        """
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._queue.append(aiodataloader.Loader(key, future))
        if len(self._queue) == 1:
            dispatching = self.loop.create_task(self._dispatch())
            _DISPATCHING.add(dispatching)
            dispatching.add_done_callback(_DISPATCHING.discard)

    async def _dispatch(self) -> None:
        queued = quiet = 0
        while quiet < _QUIET_TURNS:
            await asyncio.sleep(0)
            is_quiet = len(self._queue) == queued and not self._pace.is_beginning
            queued, quiet = len(self._queue), quiet + 1 if is_quiet else 0
        aiodataloader.dispatch_queue(self)

    def knows(self, key: KeyT) -> bool:
        """Whether the key was asked for or primed before in this operation, so that loading it costs nothing."""
        return key in self._cache or key in self._primed

    def remember(self, results: Iterable[tuple[KeyT, ResultT]]) -> None:
        """Takes results that another read brought; few of them will be asked for."""
        for key, result in results:
            self._primed.setdefault(key, result)

    def _load(self, key: KeyT) -> "asyncio.Future[ResultT]":
        remembered = self._cache.get(key)
        if remembered is None and key in self._primed:
            self.prime(key, self._primed[key])
        elif remembered is not None and remembered.cancelled():
            self.clear(key)
        return super().load(key)


class KeyLoader(Loader[Key, RowT | None]):
    """Rows by their whole primary key, with BatchGetItem."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(reading.pace)
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
        super().__init__(reading.pace)
        self._row = row
        self._reading = reading
        self.index = index
        self._primes = primes

    async def read(self, keys: Sequence[Slice]) -> Sequence[Stretch[RowT] | GraphError]:
        """The stretches of some slices."""
        return await asyncio.gather(*(self._read_one(key) for key in keys))

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

    async def _read_one(self, wanted: Slice) -> Stretch[RowT] | GraphError:
        fields = self._reading.fields(self._row)
        query = self._query(wanted, self._row.projection(fields))
        rows: list[RowT] = []
        end: Position | None = None
        try:
            for _ in _pages(wanted):
                page = await self._reading.reader.query(query, self._reading.tally)
                rows += (self._row.decode(item, fields) for item in page.items)
                end = self._position(page)
                if page.last is None or (wanted.limit is not None and len(rows) >= wanted.limit):
                    break
                left = None if wanted.limit is None else wanted.limit - len(rows)
                query = replace(query, after=page.last, limit=wanted.evaluate or left)
        except GraphError as error:
            return error
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
        super().__init__(reading.pace)
        self._slices = SliceLoader(row, reading)

    async def read(self, keys: Sequence[str]) -> Sequence[RowT | None | GraphError]:
        """The first row of some partitions; None where there is none."""
        stretches = await self._slices.read([Slice(key, limit=1) for key in keys])
        return [found if isinstance(found, GraphError) else next(iter(found.rows), None) for found in stretches]

    def prime_rows(self, rows: Iterable[RowT]) -> None:
        """Remembers rows that another read brought whole, so that none is read twice."""
        self.remember((row.primary_key[0], row) for row in rows)


def _pages(wanted: Slice) -> Iterable[int]:
    return itertools.count() if wanted.pages is None else range(wanted.pages)
