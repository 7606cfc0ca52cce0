"""GraphQL over real HTTP, from a server on a loopback port."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import httpx
import pytest
import uvicorn

from graph.app import create_app, make_services
from graph.auth.identity import Authenticator
from graph.aws.database import Client
from graph.demo.identity import LoopbackAdministrator
from graph.demo.logs import log_clients
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.loaders.permissions import PermissionRows
from graph.server import configuration
from graph.settings import Settings
from graph.tables.catalogue import EXECUTIONS, WORKFLOWS
from tests import faults
from tests.memory import NAMES, MemoryDatabase

SETTINGS = Settings(cursor_secrets=["a secret of the tests"])
BY_ID = "query($id: String!) { execution(executionId: $id) { executionId status workflow { name } } }"
SAMPLE = {
    "executionId": SAMPLE_EXECUTION_ID,
    "status": "SUCCEEDED",
    "workflow": {"name": "Convert, check and thumbnail"},
}


class Slow:
    """A client whose reads of one table wait until they are let go."""

    def __init__(self, client: MemoryDatabase, table: str) -> None:
        self.go = threading.Event()
        self._client = client
        self._table = table

    def query(self, **request: Any) -> Any:
        return self._when_free(request["TableName"], self._client.query, request)

    def get_item(self, **request: Any) -> Any:
        return self._when_free(request["TableName"], self._client.get_item, request)

    def batch_get_item(self, **request: Any) -> Any:
        return self._when_free(next(iter(request["RequestItems"])), self._client.batch_get_item, request)

    def _when_free(self, name: str, method: Any, request: Any) -> Any:
        if name == self._table:
            self.go.wait(10)
        return method(**request)


def _ways(_settings: Settings, _rows: PermissionRows) -> Sequence[Authenticator]:
    return [LoopbackAdministrator()]


class Served:
    """A server in a thread, while entered."""

    def __init__(self, client: Client) -> None:
        app = create_app(make_services(SETTINGS, client, NAMES, log_clients(), _ways))
        self._server = uvicorn.Server(configuration(app, Settings(), timeout_graceful_shutdown=1))
        self._socket = socket.socket()
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> str:
        self._socket.bind(("127.0.0.1", 0))
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(5)


@pytest.fixture(scope="module")
def address(memory: MemoryDatabase) -> Iterator[str]:
    with Served(memory) as address:
        yield address


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address, trust_env=False) as client:
        yield client


async def ask(http: httpx.AsyncClient, query: str, **variables: Any) -> httpx.Response:
    return await http.post("/graphql", json={"query": query, "variables": variables})


async def test_a_query_is_answered(http: httpx.AsyncClient) -> None:
    response = await ask(http, BY_ID, id=SAMPLE_EXECUTION_ID)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/")
    assert response.json() == {"data": {"execution": SAMPLE}}


async def test_big_numbers_and_letters_of_all_scripts_arrive_whole(http: httpx.AsyncClient) -> None:
    response = await ask(
        http,
        '{ asset(databaseId: "museum-twins", assetId: "Große Halle") { name executions { nodes { durationMs } } } }',
    )
    asset = response.json()["data"]["asset"]
    assert asset["name"] == "Große Halle"
    assert all(isinstance(node["durationMs"], int) for node in asset["executions"]["nodes"])


async def test_an_error_has_its_code_beside_the_data(http: httpx.AsyncClient) -> None:
    query = 'query($id: String!) { bad: node(id: "?") { id } execution(executionId: $id) { status } }'
    response = await ask(http, query, id=SAMPLE_EXECUTION_ID)
    assert response.status_code == 200
    assert response.json()["data"] == {"bad": None, "execution": {"status": "SUCCEEDED"}}
    (error,) = response.json()["errors"]
    assert (error["path"], error["extensions"]) == (["bad"], {"code": "INVALID_ID"})


@pytest.mark.parametrize(
    ("query", "code"), [("{ nothing }", "GRAPHQL_VALIDATION_FAILED"), ("{", "GRAPHQL_PARSE_FAILED")]
)
async def test_what_is_no_operation_is_refused_with_a_code(http: httpx.AsyncClient, query: str, code: str) -> None:
    response = await ask(http, query)
    assert response.status_code in (200, 400)
    assert response.json().get("data") is None
    assert [error["extensions"]["code"] for error in response.json()["errors"]] == [code]


async def test_twenty_operations_at_once_get_their_own_answers(http: httpx.AsyncClient) -> None:
    listed = await ask(http, "{ executions(first: 20) { nodes { executionId status workflow { name } } } }")
    runs = listed.json()["data"]["executions"]["nodes"]
    answers = await asyncio.gather(*(ask(http, BY_ID, id=run["executionId"]) for run in runs))
    assert [answer.json() for answer in answers] == [{"data": {"execution": run}} for run in runs]


async def test_operations_share_no_rows(memory: MemoryDatabase) -> None:
    client = faults.FaultyClient(memory, NAMES, faults.in_order())
    with Served(client) as address:
        async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
            await asyncio.gather(*(ask(http, BY_ID, id=SAMPLE_EXECUTION_ID) for _ in range(5)))
    reads = [request["TableName"] for request in client.requests]
    assert reads.count(NAMES[EXECUTIONS]) == reads.count(NAMES[WORKFLOWS]) == 5


async def test_a_slow_table_holds_up_only_those_who_read_it(memory: MemoryDatabase) -> None:
    slow = Slow(memory, NAMES[WORKFLOWS])
    with Served(slow) as address:
        async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
            waiting = asyncio.create_task(ask(http, BY_ID, id=SAMPLE_EXECUTION_ID))
            quick = "query($id: String!) { execution(executionId: $id) { status } }"
            for _ in range(5):
                answer = await asyncio.wait_for(ask(http, quick, id=SAMPLE_EXECUTION_ID), 3)
                assert answer.json() == {"data": {"execution": {"status": "SUCCEEDED"}}}
            assert not waiting.done()
            slow.go.set()
            assert (await waiting).json() == {"data": {"execution": SAMPLE}}


async def test_a_client_that_leaves_takes_nothing_with_it(memory: MemoryDatabase) -> None:
    slow = Slow(memory, NAMES[WORKFLOWS])
    with Served(slow) as address:
        async with httpx.AsyncClient(base_url=address, trust_env=False) as http:
            with pytest.raises(httpx.ReadTimeout):
                await http.post(
                    "/graphql", json={"query": BY_ID, "variables": {"id": SAMPLE_EXECUTION_ID}}, timeout=0.2
                )
            slow.go.set()
            assert (await ask(http, BY_ID, id=SAMPLE_EXECUTION_ID)).json() == {"data": {"execution": SAMPLE}}
