"""What executing a document costs by a plan, and by graphql-core: ``python -m bench.execution``.

The documents are those of the comparison with other servers, and so are the rows, which lie in memory as they come from
DynamoDB. So what is measured is the work of the event loop from the valid document to the answer, with the decoding of
rows and without HTTP and the database; and the longest stretch of it in which nobody else has a turn.
"""

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from bench.dataset import rows
from bench.questions import DETAIL, DETAIL_4, LIST, NODE, TYPENAME, Question
from graph.app import settle_garbage_collection
from graph.settings import Settings
from graph.tables.catalogue import Index, Table
from graph.tables.queries import Query
from graph.tables.reader import Item, ItemPage, Key, Reader
from graph.tables.tally import Tally
from tests.demo.reading import written
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase

SECONDS = 2.0
_IDS = "{ executions(first: 100) { edges { node { id } } } }"


class Shelves(Reader):
    """Items that are found by one look into a dictionary, and given in the turn after."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._by_key: dict[tuple[Table, Key], Item] = {}
        self._by_partition: dict[tuple[Table, Index | None, str], list[tuple[str, Item]]] = defaultdict(list)
        for table, attributes in rows():
            item = written(attributes)
            self._by_key[table, tuple(attributes[name] for name in table.key)] = item
            for index in (None, *table.indexes):
                keyed = index or table
                if keyed.partition in attributes:
                    sort = attributes.get(index.sort) if index and index.sort else attributes[table.key[-1]]
                    self._by_partition[table, index, attributes[keyed.partition]].append((str(sort), item))
        for shelf in self._by_partition.values():
            shelf.sort(key=lambda placed: placed[0])

    async def query(self, query: Query, _tally: Tally) -> ItemPage:
        """Return the first rows of the partition."""
        await asyncio.sleep(0)
        shelf = self._by_partition.get((query.table, query.index, query.partition), [])
        items = [item for _, item in (shelf if query.forward else reversed(shelf))]
        return ItemPage(items[: query.limit], None)

    async def get_items(  # type: ignore[override]
        self, table: Table, keys: Iterable[Key], _attributes: Sequence[str], _tally: Tally, **_: Any
    ) -> dict[Key, Item]:
        """Return the rows that there are."""
        await asyncio.sleep(0)
        return {key: row for key in keys if (row := self._by_key.get((table, key))) is not None}


def graph(*, by_plans: bool) -> Graph:
    """Return the graph over the rows."""
    settings = Settings(cursor_secrets=["a secret of the bench"], fast_execution=by_plans)
    return Graph(MemoryDatabase({}), NAMES, settings, reader=Shelves)


async def cost(graph: Graph, body: dict[str, Any]) -> tuple[float, float, float]:
    """CPU of the first time and of the later ones, and the longest stretch of it in one turn, in seconds."""
    sent = await graph.sent(body["query"])
    variables, took, stretches, is_over = sent.variables(body.get("variables")), [], [0.0], False

    async def watch() -> None:
        while not is_over:
            begun = time.thread_time()
            await asyncio.sleep(0)
            stretches.append(time.thread_time() - begun)

    async def once() -> float:
        context, begun = await graph.context(), time.thread_time()
        result = await graph.schema.answer(sent.document, context, variables)
        if result.errors or result.data is None:
            raise AssertionError(f"not answered: {result.errors}")
        return time.thread_time() - begun

    first, until = await once(), time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        took.append(await once())
    watching = asyncio.create_task(watch())
    for _ in range(5):
        await once()
    is_over = True
    await watching
    return first, statistics.median(took), max(stretches)


async def ask_both(question: Question, ids: Sequence[str], graphs: Sequence[Graph]) -> None:
    """Print a line."""
    body = next(question.bodies(ids))
    planned, by_core = [await cost(one, body) for one in graphs]
    costs = [f"{seconds * 1e3:>8.2f}" for measured in (planned, by_core) for seconds in measured]
    print(f"{question.name:>10} {' '.join(costs)} {planned[1] / by_core[1]:>8.2f}")


async def main() -> None:
    """Print a table, in milliseconds."""
    graphs = [graph(by_plans=True), graph(by_plans=False)]
    answer = await graphs[1].data(_IDS)
    ids = [edge["node"]["id"] for edge in answer["executions"]["edges"]]
    settle_garbage_collection()
    heads = [f"{head:>8}" for head in ("first", "later", "longest")]
    print(f"{'':>10} {'by plans':>26} {'by graphql-core':>26}")
    print(f"{'ms':>10} {' '.join(heads * 2)} {'ratio':>8}")
    for question in (DETAIL, DETAIL_4, LIST, NODE, TYPENAME):
        await ask_both(question, ids, graphs)
    for one in graphs:
        one.close()


if __name__ == "__main__":
    asyncio.run(main())
