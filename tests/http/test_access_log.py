"""The log: what one line an operation says, and what no line says."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from graph.auth.identity import Credentials, Viewer
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.http.access_log import REQUEST_ID, JSONFormatter, log_unhandled
from graph.schema.costs import ANSWER_COST
from graph.tables.reader import Reader
from tests.memory import MemoryDatabase
from tests.serving import serving

SECRET = "s3cr3t-of-the-user"


class Lines(logging.Handler):
    """Everything that the process logs, as it would be written."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(JSONFormatter())
        self.written: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith("http"):  # the client of these tests
            self.written.append(self.format(record))

    def of(self, logger: str) -> list[dict[str, Any]]:
        return [line for line in map(json.loads, self.written) if line["logger"] == logger]


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler, root = Lines(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("graph.operations").setLevel(logging.INFO)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


async def test_an_operation_is_one_line(memory: MemoryDatabase, lines: Lines) -> None:
    query = "query How($id: String!) { execution(executionId: $id) { status workflow { name } } }"
    sent = {"query": query, "variables": {"id": SAMPLE_EXECUTION_ID}}
    async with serving(memory) as client:
        await client.post("/graphql", json=sent, headers={"X-Request-Id": "abc"})
        await client.post("/graphql", json={"query": "{ nothing }"})
    answered, refused = lines.of("graph.operations")
    assert answered["ms"] > 0
    assert (answered["name"], answered["calls"], answered["rounds"]) == ("How", 2, 2)
    assert answered["price"] == 3 * ANSWER_COST + 1
    assert (answered["status"], answered["outcome"], answered["requestId"]) == (200, "OK", "abc")
    assert (refused["outcome"], refused["calls"]) == ("GRAPHQL_VALIDATION_FAILED", 0)
    assert len(answered["hash"]) == len(refused["hash"]) == 16
    assert answered["hash"] != refused["hash"]


async def test_texts_that_differ_in_their_strings_alone_are_one_document_from_the_first(
    memory: MemoryDatabase, lines: Lines
) -> None:
    async with serving(memory) as client:
        for name in ("one", "other", "third"):
            await client.post("/graphql", json={"query": f'{{ execution(executionId: "{name}") {{ id }} }}'})
    assert len({line["hash"] for line in lines.of("graph.operations")}) == 1


class LeakyReader(Reader):
    async def get_items(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(SECRET)


class Leaky:
    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        raise RuntimeError(credentials.bearer())


async def test_no_line_holds_what_a_user_sent_or_a_table_stores(memory: MemoryDatabase, lines: Lines) -> None:
    by_id = "query ($id: ID!) { node(id: $id) { id } }"
    bodies: list[Any] = [
        {"query": by_id, "variables": {"id": SECRET}},
        {"query": by_id, "variables": {"id": {"x": SECRET}}},
        {"query": f'{{ node(id: "{SECRET}") {{ id }} }}'},
        {"query": f'{{ executions(after: "{SECRET}") {{ nodes {{ id }} }} }}'},
        {"query": f'{{ database(databaseId: "{SECRET}") {{ name: description }} }}'},
        {"query": f'{{ nothing(x: "{SECRET}") }}'},
        {"query": f'{{ node(id: "{SECRET}'},
        {"query": "{ __typename }", "operationName": SECRET},
        {"query": "{ __typename }", "extensions": {SECRET: SECRET}},
        [SECRET],
        SECRET,
    ]
    headers = {"Authorization": f"Bearer {SECRET}", "Cookie": SECRET, "X-Request-Id": f'"{SECRET}"'}
    for options in ({}, {"reader": LeakyReader}, {"authenticators": [Leaky()]}, {"environment": "development"}):
        async with serving(memory, **options) as client:
            for body in bodies:
                await client.post("/graphql", json=body, headers=headers)
            await client.get("/graphql", params={"query": by_id, "variables": json.dumps({"id": SECRET})})
            await client.get(f"/{SECRET}")
    assert len(lines.of("graph.operations")) == 4 * (len(bodies) + 1)
    assert lines.of("graph.errors")
    assert SECRET not in "\n".join(lines.written)


async def test_what_nobody_awaited_is_logged_without_its_value(lines: Lines) -> None:
    loop = asyncio.get_running_loop()
    log_unhandled(loop, {"message": f"Task <{SECRET}>", "exception": RuntimeError(SECRET)})
    (line,) = lines.of("asyncio")
    assert line["exception"] == "RuntimeError"
    assert SECRET not in "".join(lines.written)


def test_an_exception_is_its_kind_and_its_frames(lines: Lines) -> None:
    token = REQUEST_ID.set("abc")
    try:
        raise KeyError(SECRET)
    except KeyError:
        logging.getLogger("x").exception("it failed")
    REQUEST_ID.reset(token)
    (line,) = lines.of("x")
    assert (line["level"], line["message"], line["requestId"]) == ("ERROR", "it failed", "abc")
    assert (line["exception"], len(line["frames"])) == ("KeyError", 1)
    assert SECRET not in "".join(lines.written)
