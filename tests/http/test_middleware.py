"""Hosts, origins, request ids, and errors where nothing is served."""

import httpx
import pytest

from tests.memory import MemoryDatabase
from tests.serving import serving

QUERY = {"query": "{ __typename }"}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:1"])
async def test_development_answers_to_the_names_of_loopback(memory: MemoryDatabase, host: str) -> None:
    async with serving(memory, environment="development") as client:
        assert (await client.post("/graphql", json=QUERY, headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8000", ""])
async def test_a_name_that_was_rebound_is_refused(memory: MemoryDatabase, host: str) -> None:
    async with serving(memory, environment="development") as client:
        response = await client.post("/graphql", json=QUERY, headers={"Host": host})
        assert response.status_code == 400
        assert "data" not in response.json()


async def test_production_answers_to_the_names_that_are_set(memory: MemoryDatabase) -> None:
    async with serving(memory, allowed_hosts=["graph.example"]) as client:
        assert (await client.post("/graphql", json=QUERY, headers={"Host": "graph.example"})).status_code == 200
        assert (await client.post("/graphql", json=QUERY, headers={"Host": "other.example"})).status_code == 400


async def test_no_page_of_another_origin_may_ask_unless_it_is_set(memory: MemoryDatabase) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    async with serving(memory) as client:
        response = await client.options("/graphql", headers=asked)
        assert "access-control-allow-origin" not in response.headers
        response = await client.post("/graphql", json=QUERY, headers={"Origin": "https://app.example"})
        assert "access-control-allow-origin" not in response.headers
    async with serving(memory, cors_origins=["https://app.example"]) as client:
        asked["Access-Control-Request-Headers"] = "authorization, content-type"
        response = await client.options("/graphql", headers=asked)
        assert response.headers["access-control-allow-origin"] == "https://app.example"
        response = await client.post("/graphql", json=QUERY, headers={"Origin": "https://app.example"})
        assert response.headers["access-control-allow-origin"] == "https://app.example"
        assert "Origin" in response.headers["vary"]


async def test_a_request_keeps_its_id_and_gets_one_if_it_has_none(memory: MemoryDatabase) -> None:
    async with serving(memory) as client:
        response = await client.post("/graphql", json=QUERY, headers={"X-Request-Id": "trace-1.a"})
        assert response.headers["x-request-id"] == "trace-1.a"
        for bad in ("a b", "x" * 129, '"', "<script>"):
            given = (await client.get("/healthz", headers={"X-Request-Id": bad})).headers["x-request-id"]
            assert len(given) == 32
            assert given != bad


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/", 404), ("POST", "/healthz", 405)])
async def test_what_is_not_served_is_said_in_json(memory: MemoryDatabase, method: str, path: str, status: int) -> None:
    async with serving(memory) as client:
        response: httpx.Response = await client.request(method, path)
        assert response.status_code == status
        assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
