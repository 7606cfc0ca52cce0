"""The doors to actions: a POST of JSON alone, where the deployment allows actions; and clients that hang up."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.documents.trusted import sha256
from tests.actions.conftest import Make
from tests.actions.world import World, run, step, sub_run
from tests.http.test_disconnects import client, until
from tests.server.raw import connected, post
from tests.serving import listening

OF = run("door", step("door", "RUNNING", sub_run("one")))
DOCUMENT = f'mutation {{ abortExecution(input: {{ executionId: "{OF.execution_id}" }}) {{ outcome }} }}'


def _client(here: World, **settings: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(here.app(**settings))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


async def test_a_post_of_json_is_served(world: Make) -> None:
    here = world(OF, inner=("one",))
    async with _client(here) as http:
        answer = await http.post("/graphql", json={"query": DOCUMENT})
    assert answer.json() == {"data": {"abortExecution": {"outcome": "ABORTED"}}}


@pytest.mark.parametrize(
    ("method", "request_", "status"),
    [
        ("GET", {"params": {"query": DOCUMENT}, "headers": {"GraphQL-Require-Preflight": "1"}}, 405),
        ("POST", {"content": json.dumps({"query": DOCUMENT}), "headers": {"Content-Type": "text/plain"}}, 415),
        ("POST", {"data": {"query": DOCUMENT}}, 415),
        ("POST", {"files": {"operations": json.dumps({"query": DOCUMENT})}}, 415),
        ("POST", {"json": [{"query": DOCUMENT}]}, 400),
    ],
    ids=["GET", "text", "form", "multipart", "array"],
)
async def test_no_other_request_acts(world: Make, method: str, request_: dict[str, Any], status: int) -> None:
    here = world(OF, inner=("one",))
    async with _client(here, get_queries=True) as http:
        answer = await http.request(method, "/graphql", **request_)
    assert answer.status_code == status
    assert here.journal == []


async def test_a_mutation_may_be_a_trusted_document(world: Make, tmp_path: Path) -> None:
    here = world(OF, inner=("one",))
    manifest = tmp_path / "trusted.json"
    manifest.write_text(json.dumps({sha256(DOCUMENT): DOCUMENT}))
    async with _client(here, trusted_documents=manifest, trusted_documents_only=True) as http:
        refused = await http.post("/graphql", json={"query": DOCUMENT + " "})
        answer = await http.post("/graphql", json={"documentId": sha256(DOCUMENT)})
    assert refused.json()["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_ID_REQUIRED"
    assert answer.json() == {"data": {"abortExecution": {"outcome": "ABORTED"}}}


async def test_a_server_without_actions_has_no_mutations(world: Make) -> None:
    here = world(OF, inner=("one",))
    async with _client(here, actions=False, environment="development") as http:
        answer = await http.post("/graphql", json={"query": DOCUMENT})
        shown = await http.post("/graphql", json={"query": "{ __schema { mutationType { name } } }"})
    assert answer.json()["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert shown.json() == {"data": {"__schema": {"mutationType": None}}}
    assert here.journal == []


async def test_an_abort_costs_what_the_schema_says(world: Make) -> None:
    here = world(OF, inner=("one",))
    async with _client(here) as http:
        answer = await http.post("/graphql", json={"query": DOCUMENT}, headers={"GraphQL-Cost": "1"})
    assert answer.json()["extensions"]["cost"]["requested"] == 501


async def test_mutations_run_one_after_the_other(world: Make) -> None:
    other = run("door-2", step("door-2", "RUNNING"))
    here = world(OF, other, inner=("one",))
    fields = (
        f'a{place}: abortExecution(input: {{ executionId: "{of.execution_id}" }}) {{ outcome execution {{ status }} }}'
        for place, of in enumerate((OF, other, OF))
    )
    told = await here.graph.data(f"mutation {{ {' '.join(fields)} }}")
    assert [one["outcome"] for one in told.values()] == ["ABORTED", "ABORTED", "ALREADY_TERMINAL"]
    assert [one["execution"]["status"] for one in told.values()] == ["ABORTED"] * 3
    names = [name.split()[-1] for name in here.done]
    assert names.index(other.execution_id) > max(names.index(name) for name in ("one", OF.execution_id))


async def test_what_began_is_finished_when_the_client_hangs_up(world: Make) -> None:
    here = world(OF, inner=("one",))
    gate = threading.Event()
    here.writes.before_write.append(lambda _table, _key: gate.wait(10))
    app = here.app()
    one = client(DOCUMENT)
    answering = asyncio.create_task(app(one.scope, one.receive, one.send))
    await until(lambda: "stop one" in here.journal)
    await asyncio.sleep(0.15)  # the server looks for clients that are gone from then on
    one.hang_up()
    async with asyncio.timeout(5):
        await answering
    assert one.sent == []
    assert set(here.statuses().values()) == {"RUNNING"}
    gate.set()
    await until(lambda: set(here.statuses().values()) == {"ABORTED"})


@pytest.mark.parametrize("ends", ["the client", "the server"])
def test_what_began_is_finished_over_a_socket_that_ends(world: Make, ends: str) -> None:
    """Whether the client hangs up, or the server is told to end as by SIGTERM."""
    here = world(OF, inner=("one",))
    gate = threading.Event()
    here.writes.before_write.append(lambda _table, _key: gate.wait(10))
    with listening(here.app()) as address, connected(address) as connection:
        connection.send(*post(DOCUMENT))
        _wait(lambda: "stop one" in here.journal)
        if ends == "the client":
            connection.sock.close()
            time.sleep(0.3)
            assert set(here.statuses().values()) == {"RUNNING"}
            gate.set()
            _wait(lambda: set(here.statuses().values()) == {"ABORTED"})
        else:
            threading.Timer(0.3, gate.set).start()
    assert set(here.statuses().values()) == {"ABORTED"}


def _wait(condition: Callable[[], bool]) -> None:
    ends_at = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < ends_at
        time.sleep(0.01)


async def test_each_abort_is_a_line_of_the_audit(world: Make, caplog: pytest.LogCaptureFixture) -> None:
    here = world(OF, inner=("one",))
    with caplog.at_level(logging.INFO, "graph.auth.audit"):
        await here.abort(OF)
    lines = [record.getMessage().split(" ", 1) for record in caplog.records if record.name == "graph.auth.audit"]
    told = [(what, json.loads(rest)) for what, rest in lines]
    assert [(what, one["action"], one["object_id"]) for what, one in told] == [
        ("allowed", "abort", OF.execution_id),
        ("done", "abort", OF.execution_id),
    ]
    assert told[1][1]["outcome"] == "ABORTED"
    assert all(one["user_id"] for _, one in told)
