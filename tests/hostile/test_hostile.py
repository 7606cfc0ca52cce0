"""Nothing that a client can send costs the server more than a moment, and nothing of it is a fault of the server."""

import gc
import resource
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest

from graph.demo.sizes import LARGE_LOG_ID
from graph.demo.world import CITY_TILES as TILES
from graph.errors import GraphError
from graph.tables import ids
from tests.hostile.bodies import BODIES, JSON, REPRESENTATIONS
from tests.hostile.documents import ADMITTED, INTROSPECTION, REFUSED
from tests.memory import MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, serving

SECONDS = 0.5  # of CPU, the client's own and a busy machine's delays included; bench.hostile measures it
CODES = {
    "UNAUTHENTICATED", "BAD_USER_INPUT", "INVALID_CURSOR", "INVALID_ID", "COST_LIMIT_EXCEEDED", "PAYLOAD_TOO_LARGE",
    "GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "OPERATION_RESOLUTION_FAILURE", "PERSISTED_QUERY_NOT_FOUND",
}  # fmt: skip


@pytest.fixture(params=["production", "development"])
async def client(memory: MemoryDatabase, request: pytest.FixtureRequest) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(memory, environment=request.param, rate_points=0) as client:
        await client.post("/graphql", json={"query": "{ nothing }"})  # what is made once is made here
        gc.collect()
        gc.freeze()  # as a server does when it starts; here the tables of the demo are in the same process
        yield client


async def post(client: httpx.AsyncClient, body: bytes | dict[str, Any], headers: Mapping[str, str]) -> httpx.Response:
    sent = {"json": body} if isinstance(body, dict) else {"content": body}
    begun = time.process_time()
    response = await client.post("/graphql", headers=headers, **sent)
    assert time.process_time() - begun < SECONDS
    assert response.status_code < 500, response.text
    assert len(response.content) < 20_000
    answer = response.json()
    assert {error["extensions"]["code"] for error in answer.get("errors", ())} <= CODES
    return response


def test_the_set_is_large() -> None:
    assert len(REFUSED) + len(ADMITTED) + len(BODIES) >= 120


async def test_hostile_documents_are_refused(client: httpx.AsyncClient) -> None:
    for name, document in REFUSED.items():
        response = await post(client, {"query": document}, GRAPHQL_RESPONSE)
        assert response.status_code in (400, 413), name
        assert "data" not in response.json(), name
        assert 1 <= len(response.json()["errors"]) <= 6, name


async def test_introspection_is_bounded(memory: MemoryDatabase) -> None:
    for environment, status in (("production", 400), ("development", 200)):
        async with serving(memory, environment=environment) as client:
            for document in INTROSPECTION.values():
                response = await client.post("/graphql", json={"query": document}, headers=GRAPHQL_RESPONSE)
                assert response.status_code == status


async def test_strange_documents_are_answered(client: httpx.AsyncClient) -> None:
    for name, document in ADMITTED.items():
        response = await post(client, {"query": document}, GRAPHQL_RESPONSE)
        assert response.status_code == 200, (name, response.text)


async def test_hostile_bodies_are_refused(client: httpx.AsyncClient) -> None:
    for name, (body, headers) in BODIES.items():
        response = await post(client, body, GRAPHQL_RESPONSE | headers)
        assert not any((response.json().get("data") or {}).values()), (name, response.text)
        assert response.json()["errors"], name


async def test_hostile_representations_are_answered_with_nothing(memory: MemoryDatabase) -> None:
    secret = "a secret of the tests"
    headers = GRAPHQL_RESPONSE | JSON | {"X-Vams-Federation-Secret": secret}
    async with serving(memory, federation_secret=secret, rate_points=0) as client:
        await client.post("/graphql", json={"query": "{ nothing }"}, headers=headers)
        for name, body in REPRESENTATIONS.items():
            answer = (await post(client, body, headers)).json()
            found = answer.get("data") or {"a": None, "b": None}
            assert not any(one for field in found.values() for one in field or ()), name


async def test_memory_stays_where_it_is(memory: MemoryDatabase) -> None:
    async with serving(memory) as client:
        used = []
        for _ in range(3):
            for document in REFUSED.values():
                await client.post("/graphql", json={"query": document})
            for body, headers in BODIES.values():
                await client.post("/graphql", content=body, headers=headers)
            gc.collect()
            used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert used[-1] - used[0] < 8 * 1024  # kilobytes


async def test_a_long_text_cannot_be_multiplied_without_bound(memory: MemoryDatabase) -> None:
    same = ", ".join([f'"{ids.encode("Execution", LARGE_LOG_ID, f"{TILES.database_id}:{TILES.workflow_id}")}"'] * 100)
    aliased = " ".join(f"text{number}: content" for number in range(40))
    document = f"{{ nodes(ids: [{same}]) {{ ... on Execution {{ log {{ {aliased} }} }} }} }}"  # 1.6 GB
    async with serving(memory) as client:
        response = await client.post("/graphql", json={"query": document}, headers=GRAPHQL_RESPONSE)
    assert response.json() == {
        "data": None,
        "errors": [
            {
                "message": "The response is longer than 67108864 bytes. Ask for fewer rows, or for less of texts.",
                "extensions": {"code": "RESPONSE_TOO_LARGE"},
            }
        ],
    }


def test_every_code_is_one_that_the_documentation_lists() -> None:
    def codes(kind: type[GraphError]) -> set[str]:
        return {kind.code}.union(*(codes(below) for below in kind.__subclasses__()))

    assert CODES - {"GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED"} <= codes(GraphError)
