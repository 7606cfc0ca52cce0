"""What the gate costs for one page, without the database: ``python -m bench.gate``.

A page of a hundred executions that touched three hundred assets, decided from rows that are there at once. What is
measured is the time of the event loop: in all, and the longest that it was held up at a stretch.
"""

import asyncio
import statistics
import time
from collections.abc import Iterable, Sequence
from typing import Any

from graph.auth.access import Access
from graph.demo.rows import asset_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.loaders import Loaders
from graph.loaders.base import Reading
from graph.operation import OperationScope
from graph.tables.catalogue import Table
from graph.tables.queries import Query
from graph.tables.reader import Item, ItemPage, Key, Reader
from graph.tables.records.executions import ExecutionRow
from graph.tables.rows import deciding_fields
from graph.tables.tally import Tally
from tests.demo.reading import written
from tests.worlds import WORKFLOW, asset, deny, everything_but, items, run, viewer

EXECUTIONS, ASSETS_OF_EACH = 100, 3
ROUNDS = 30


class Shelves(Reader):
    """Items that are found by one look into a dictionary, and given in the turn after."""

    def __init__(self) -> None:
        assets = [[asset("plant", f"a{n}-{m}") for m in range(ASSETS_OF_EACH)] for n in range(EXECUTIONS)]
        runs = [run(str(n), *assets[n], minute=n) for n in range(EXECUTIONS)]
        held = items([workflow_row(WORKFLOW)], *map(run_rows, runs), *(map(asset_row, of) for of in assets))
        self._by_key = {
            (table, tuple(row[name] for name in table.key)): written(row) for table in held for row in held[table]
        }
        self._by_partition: dict[tuple[Table, str], list[Item]] = {}
        for table, rows in held.items():
            for row in rows:
                self._by_partition.setdefault((table, row[table.partition]), []).append(written(row))
        self.executions = [
            ExecutionRow.decode(row, frozenset())
            for (table, _), row in self._by_key.items()
            if table is ExecutionRow.table
        ]

    async def query(self, query: Query, _tally: Tally) -> ItemPage:
        """Return every row of the partition."""
        await asyncio.sleep(0)
        return ItemPage(self._by_partition.get((query.table, query.partition), []), None)

    async def get_items(  # type: ignore[override]
        self, table: Table, keys: Iterable[Key], _attributes: Sequence[str], _tally: Tally, **_: Any
    ) -> dict[Key, Item]:
        """Return the rows that there are."""
        await asyncio.sleep(0)
        return {key: row for key in keys if (row := self._by_key.get((table, key))) is not None}


async def page(shelves: Shelves) -> tuple[float, float]:
    """Return seconds to decide the page, and the longest stretch without another task having its turn."""
    policy = everything_but(deny("asset", "tags", "is_one_of", "secret"), deny("database", "databaseId", "equals", "x"))
    loaders = Loaders(Reading(shelves, Tally(), deciding_fields, OperationScope()))
    longest, is_over = 0.0, False

    async def watch() -> None:
        nonlocal longest
        last = time.perf_counter()
        while not is_over:
            await asyncio.sleep(0)
            longest, last = max(longest, (now := time.perf_counter()) - last), now

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    begun = time.perf_counter()
    verdicts = await Access(viewer("bob"), policy, loaders).page_of_executions()(shelves.executions)
    took = time.perf_counter() - begun
    is_over = True
    await watching
    if verdicts != [True] * EXECUTIONS:
        raise AssertionError("the page is not decided as it should be")
    return took, longest


async def main() -> None:
    """Print the medians."""
    shelves = Shelves()
    measured = [await page(shelves) for _ in range(ROUNDS)]
    took, longest = (statistics.median(column) * 1000 for column in zip(*measured, strict=True))
    print(
        f"{EXECUTIONS} executions, {EXECUTIONS * ASSETS_OF_EACH} assets: {took:.1f} ms, at a stretch {longest:.1f} ms"
    )


if __name__ == "__main__":
    asyncio.run(main())
