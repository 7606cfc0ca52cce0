"""Readiness, and what it costs to tell."""

import asyncio
import threading

import httpx

from graph.demo.database import EmbeddedDatabase
from graph.http.health import Readiness
from tests.serving import make_app, serving


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Tables:
    def __init__(self) -> None:
        self.answer = True
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.answer


async def test_tables_are_asked_once_in_a_while_however_many_want_to_know() -> None:
    tables, clock = Tables(), Clock()
    readiness = Readiness(tables, clock)
    assert await asyncio.gather(*(readiness.reason() for _ in range(10))) == [None] * 10
    assert tables.asked == 1
    clock.now = 20.0
    tables.answer = False
    assert await readiness.reason() == "tables do not answer"
    assert tables.asked == 2


async def test_tables_that_hang_do_not_answer() -> None:
    release = threading.Event()

    def hang() -> bool:
        return release.wait(5)

    readiness = Readiness(hang, longest=0.05)
    assert await readiness.reason() == "tables do not answer"
    release.set()


async def test_a_server_that_drains_is_not_ready_and_ends_connections(database: EmbeddedDatabase) -> None:
    app = make_app(database)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        app.state.readiness.is_draining = True
        response = await client.get("/readyz")
        assert (response.status_code, response.json()) == (503, {"status": "draining"})
        answered = await client.post("/graphql", json={"query": "{ __typename }"})
        assert (answered.status_code, answered.headers["connection"]) == (200, "close")
        assert (await client.get("/healthz")).status_code == 200


async def test_health_needs_no_tables(database: EmbeddedDatabase) -> None:
    async with serving(database) as client:
        response = await client.get("/healthz")
        assert (response.status_code, response.json()) == (200, {"status": "alive"})
