"""What documents cost before anything of them runs: ``python -m bench.documents``.

Each operation of ``tests/documents`` and twenty nodes whose ids stand in the text: known, known with other strings, and
new. Then the longest that the event loop gives nobody a turn while a document of 3,000 tokens is read, and the memory
that ten thousand documents leave.
"""

import asyncio
import gc
import itertools
import json
import re
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graph.documents import Documents
from graph.http.limits import Limits
from graph.schema import Schema, create_schema
from graph.settings import Settings

ROUNDS = 300
NEW_ROUNDS = 9
MANY = 10_000
SETTINGS = Settings()
USER = "user"


async def main() -> None:
    """Print a table."""
    schema = create_schema()
    print(f"{'document':>16} {'characters':>10} {'known':>9} {'other strings':>14} {'new':>10}")
    for name, (text, variables) in documents().items():
        before = Before(schema)
        new = await best(text, variables, NEW_ROUNDS, lambda: Before(schema))
        known = await best(text, variables, ROUNDS, lambda before=before: before)  # type: ignore[misc]
        took = await best(other(text), variables, ROUNDS, lambda before=before: before)  # type: ignore[misc]
        others = f"{took * 1e6:.0f} us" if text != other(text) else ""
        print(f"{name:>16} {len(text):>10} {known * 1e6:>6.0f} us {others:>14} {new * 1e3:>7.1f} ms")
    waited, worked = await longest_blocks(schema)
    print(f"3,000 new tokens: no turn for others in {waited * 1e3:.0f} ms, in {worked * 1e3:.1f} ms by the loop itself")
    few, many = await memory(schema)
    print(f"after {MANY // 2:,} documents {few} MiB, after {MANY:,} {many} MiB")


class Before:
    """All that is done with a document before it runs, with a cache of its own."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._documents = Documents(schema.core, SETTINGS)
        self._limits = Limits(schema.core, SETTINGS)

    async def __call__(self, text: str, variables: dict[str, Any]) -> None:
        """Read a text, price its first operation, validate it and look ahead."""
        sent = await self._documents.read(text, USER)
        self._limits.price(sent.document, sent.document.operations[0], sent.variables(variables))
        sent = await self._documents.valid(sent, USER)
        sent.document.once(self._schema.selection)


def documents() -> dict[str, tuple[str, dict[str, Any]]]:
    """Texts with their variables, by name."""
    folder = Path(__file__).parent.parent / "tests" / "documents"
    found = {
        path.stem: (path.read_text(), json.loads(path.with_suffix(".variables.json").read_text()))
        for path in sorted(folder.glob("*.graphql"))
    }
    fields = "id ... on Execution { executionId status startedAt stoppedAt triggeredBy }"
    ids = [f"RXhlY3V0aW9uOmFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6-{number}" for number in range(20)]
    nodes = "\n".join(f'  n{number}: node(id: "{one}") {{ {fields} }}' for number, one in enumerate(ids))
    return found | {"twenty nodes": (f"{{\n{nodes}\n}}\n", {})}


def other(text: str) -> str:
    """Return a text with other strings in it."""
    return text.replace("RXhlY3V0aW9uO", "QXNzZXQ6")


def long_text() -> str:
    """Return some 3,000 tokens: the page of an execution, again and again."""
    page, _ = documents()["execution_page"]
    return "".join(re.sub(r"((?:query |fragment |\.\.\.)[A-Z]\w*)", rf"\g<1>{number}", page) for number in range(7))


async def best(text: str, variables: dict[str, Any], rounds: int, make: Callable[[], Before]) -> float:
    """Return the seconds of the quickest of some rounds."""
    found = []
    for _ in range(rounds):
        before, begun = make(), time.perf_counter()
        await before(text, variables)
        found.append(time.perf_counter() - begun)
    return min(found)


async def longest_blocks(schema: Schema) -> tuple[float, float]:
    """Return the longest wait between two turns of the loop while a long text is read, and the loop's longest work.

    The median of some readings. The first holds what other processes of the machine take.
    """
    waited, worked, text = list[float](), list[float](), long_text()
    for _ in range(NEW_ROUNDS):
        gc.collect()
        reading = asyncio.create_task(Before(schema)(text, {}))
        turns = [(time.perf_counter(), time.thread_time())]
        while not reading.done():
            await asyncio.sleep(0)
            turns.append((time.perf_counter(), time.thread_time()))
        await reading
        pairs = list(itertools.pairwise(turns))
        waited.append(max(after[0] - before[0] for before, after in pairs))
        worked.append(max(after[1] - before[1] for before, after in pairs))
    return statistics.median(waited), statistics.median(worked)


async def memory(schema: Schema) -> tuple[int, int]:
    """Return the most memory of the process after some documents, and after twice as many."""
    before, found = Before(schema), list[int]()
    for number, text in enumerate(distinct(MANY), 1):
        await before(text, {})
        if number in (MANY // 2, MANY):
            found.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    few, many = found
    return few, many


def distinct(count: int) -> Iterator[str]:
    """Documents of which none is like another."""
    for number in range(count):
        yield f'{{ a{number}: execution(executionId: "{number}") {{ status startedAt workflowId }} }}'


if __name__ == "__main__":
    asyncio.run(main())
