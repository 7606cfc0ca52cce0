"""What it costs to refuse what was written to hurt, and to bear a crowd: ``python -m bench.hostile``.

Each document and body of the hostile set is sent once to a fresh application in either environment, round after round:
what was seen before could be remembered. The time is the CPU's in the application alone, its threads included.
"""

import asyncio
import gc
import statistics
import time
from collections.abc import Iterator
from typing import Any

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from bench import crowd
from tests.demo.reading import ITEMS
from tests.hostile.bodies import BODIES
from tests.hostile.documents import INTROSPECTION, REFUSED
from tests.memory import MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, make_app

ENVIRONMENTS = ("production", "development")
ROUNDS = 3
WORST = 10
TARGET_MS = 100.0


async def main() -> None:
    """Print the worst of either environment, then what a crowd did."""
    database = MemoryDatabase(ITEMS)
    for environment in ENVIRONMENTS:
        rounds = [await refusals(database, environment) for _ in range(ROUNDS)]
        median = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
        over = sum(took >= TARGET_MS for took in median.values())
        print(f"{environment}: {len(median)} refused, {over} of them not below {TARGET_MS:.0f} ms; the worst:")
        for name in sorted(median, key=median.__getitem__, reverse=True)[:WORST]:
            print(f"{median[name]:>8.1f} ms  {name}")
    await crowd.main()


class Timed:
    """An application that adds up the seconds of CPU that it takes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.seconds = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        begun = time.process_time()
        await self._app(scope, receive, send)
        self.seconds += time.process_time() - begun


async def refusals(database: MemoryDatabase, environment: str) -> dict[str, float]:
    """Return the milliseconds that each refusal takes, by the name of what is refused."""
    app = make_app(database, environment=environment, rate_points=0)
    timed = Timed(app)
    transport = httpx.ASGITransport(timed)
    found = {}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        await client.post("/graphql", json={"query": "{ nothing }"})  # what is made once is made here
        gc.collect()
        gc.freeze()  # as a server does when it starts
        for name, sent in hostile(environment):
            timed.seconds = 0.0
            response = await client.post("/graphql", **sent)
            found[name] = timed.seconds * 1000
            if not response.json().get("errors"):
                raise AssertionError(f"{name} is not refused")
        gc.unfreeze()
    return found


def hostile(environment: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what must be refused, by name, as a client sends it."""
    documents = REFUSED if environment == "development" else REFUSED | INTROSPECTION
    for name, document in documents.items():
        yield f"document: {name}", {"json": {"query": document}, "headers": GRAPHQL_RESPONSE}
    for name, (body, headers) in BODIES.items():
        yield f"body: {name}", {"content": body, "headers": GRAPHQL_RESPONSE | headers}


if __name__ == "__main__":
    asyncio.run(main())
