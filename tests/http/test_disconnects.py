"""Clients that hang up: their operations end, and what they held is free again."""

import asyncio
import gc
import json
import logging
import socket
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from starlette.types import Message

from graph.engines.stepfunctions import StepFunctions
from graph.http.disconnects import Disconnected, UntilDisconnect
from graph.operation import OperationTask
from tests.memory import MemoryDatabase
from tests.serving import listening, make_app

SLOW = "{ executions(first: 100) { nodes { executionId status } } }"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Engines that never answer, and what they were asked."""
    asked: list[str] = []

    async def never(_engine: StepFunctions, reference: str) -> None:
        asked.append(reference)
        await asyncio.Event().wait()

    monkeypatch.setattr(StepFunctions, "describe", never)
    return asked


class Client:
    """One request, whose client hangs up when it is told to."""

    def __init__(self, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        self.sent: list[Message] = []
        self.scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "path": "/graphql",
            "raw_path": b"/graphql",
            "root_path": "",
            "scheme": "http",
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }
        self._body: bytes | None = body
        self._gone = asyncio.Event()

    def hang_up(self) -> None:
        self._gone.set()

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)


def client(query: str) -> Client:
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    return Client(json.dumps({"query": query}).encode(), headers)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - it is not asked by us
            await asyncio.sleep(0.01)


async def test_an_operation_ends_soon_after_its_client_is_gone(
    memory: MemoryDatabase, asked: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "graph.operations")
    app, gone = make_app(memory), client(SLOW)
    before = asyncio.all_tasks()
    answering = asyncio.create_task(app(gone.scope, gone.receive, gone.send))
    await until(lambda: bool(asked))
    gone.hang_up()
    begun = time.monotonic()
    await answering
    assert time.monotonic() - begun < 0.5
    assert gone.sent == []
    assert asyncio.all_tasks() == before
    assert [one for one in gc.get_objects() if isinstance(one, OperationTask) and not one.done()] == []
    line = caplog.records[-1].__dict__["operation"]
    assert (line["status"], line["outcome"]) == (499, "DISCONNECTED")


async def test_the_next_operation_has_the_turn_of_one_that_ended(memory: MemoryDatabase, asked: list[str]) -> None:
    app = make_app(memory, points_at_once=1)
    gone = client(SLOW)
    answering = asyncio.create_task(app(gone.scope, gone.receive, gone.send))
    await until(lambda: bool(asked))
    gone.hang_up()
    await answering
    stays = client("{ viewer { userId } }")
    await app(stays.scope, stays.receive, stays.send)
    assert stays.sent[0]["status"] == 200


async def test_a_request_that_is_cancelled_from_outside_is_cancelled(memory: MemoryDatabase, asked: list[str]) -> None:
    """As a server does that is told to stop."""
    app, stays = make_app(memory), client(SLOW)
    answering = asyncio.create_task(app(stays.scope, stays.receive, stays.send))
    await until(lambda: bool(asked))
    answering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answering


async def test_what_ends_in_time_is_not_disturbed() -> None:
    gone = client("{ __typename }")
    await gone.receive()
    async with UntilDisconnect(gone.receive):
        await asyncio.sleep(0.15)
    gone.hang_up()
    await asyncio.sleep(0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_what_is_done_until_a_disconnect_raises_it() -> None:
    gone = client("{ __typename }")
    await gone.receive()
    gone.hang_up()
    with pytest.raises(Disconnected):
        async with UntilDisconnect(gone.receive):
            await asyncio.Event().wait()


async def test_the_client_of_a_real_server_hangs_up(
    memory: MemoryDatabase, asked: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "graph.operations")
    body = json.dumps({"query": SLOW}).encode()
    head = b"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    with listening(make_app(memory)) as base:
        url = httpx.URL(base)
        with socket.create_connection((url.host, url.port or 80)) as connection:
            connection.sendall(head % len(body) + body)
            await until(lambda: bool(asked))
        await until(lambda: any("operation" in record.__dict__ for record in caplog.records))
    assert caplog.records[-1].__dict__["operation"]["outcome"] == "DISCONNECTED"
