"""Hosts, origins, request ids, and errors where nothing is served."""

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from graph.http.health import Readiness
from graph.http.middleware import CommonHeaders
from tests.memory import MemoryDatabase
from tests.serving import make_app, serving

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


@pytest.mark.parametrize("environment", ["development", "production"])
@pytest.mark.parametrize("host", ["10.0.3.7:8000", "[fd00::7]:8000", "ip-10-0-3-7.internal", "evil.example", ""])
async def test_probes_are_answered_whatever_host_they_name(memory: MemoryDatabase, environment: str, host: str) -> None:
    async with serving(memory, environment=environment, allowed_hosts=["graph.example"]) as client:
        for path in ("/healthz", "/readyz"):
            response = await client.get(path, headers={"Host": host})
            assert set(response.json()) == {"status"}
            assert response.status_code in (200, 503)  # what is in memory describes no table


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("graph.example", 200),
        ("graph.example:9090", 200),
        ("10.0.3.7:8000", 200),
        ("[fd00::7]:8000", 200),
        ("evil.example", 400),
        ("10.0.3.7.evil.example", 400),
        ("localhost", 400),
        ("", 400),
    ],
)
async def test_metrics_are_told_by_the_names_that_are_set_and_by_address(
    memory: MemoryDatabase, host: str, status: int
) -> None:
    async with serving(memory, allowed_hosts=["graph.example"]) as client:
        assert (await client.get("/metrics", headers={"Host": host})).status_code == status
        by_address = await client.post("/graphql", json=QUERY, headers={"Host": host})
        assert by_address.status_code == (200 if host.startswith("graph.example") else 400)


async def test_two_hosts_are_none(memory: MemoryDatabase) -> None:
    async with serving(memory, allowed_hosts=["graph.example"]) as client:
        hosts = [("Host", "graph.example"), ("Host", "evil.example")]
        for headers in (hosts, hosts[::-1], hosts[:1] * 2):
            assert (await client.post("/graphql", json=QUERY, headers=headers)).status_code == 400


@pytest.mark.parametrize("environment", ["development", "production"])
@pytest.mark.parametrize("path", ["/graphql/", "/healthz/", "/readyz/", "/metrics/", "/explorer", "/graphql//", "/a/"])
async def test_nobody_is_sent_where_the_host_header_says(memory: MemoryDatabase, environment: str, path: str) -> None:
    settings = {"environment": environment, "allowed_hosts": ["graph.example"]}
    headers = {"Host": "graph.example", "X-Forwarded-Proto": "https"}
    async with serving(memory, **settings) as client:
        for response in (
            await client.get(path, headers=headers),
            await client.post(path, json=QUERY, headers=headers),
            await client.get(path, headers=headers | {"Accept": "text/html"}),
        ):
            assert response.status_code == 404
            assert "location" not in response.headers
            assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


async def test_a_browser_is_led_to_the_explorer_by_a_relative_location(memory: MemoryDatabase) -> None:
    async with serving(memory, environment="development") as client:
        response = await client.get("/", headers={"X-Forwarded-Proto": "https"})
        assert (response.status_code, response.headers["location"]) == (307, "./graphql")


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


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/graphql"), ("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/nothing"), ("PUT", "/graphql")],
)
async def test_no_page_of_another_origin_embeds_an_answer(memory: MemoryDatabase, method: str, path: str) -> None:
    async with serving(memory) as client:
        response = await client.request(method, path)
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert response.headers["x-request-id"]


@pytest.mark.parametrize("environment", ["development", "production"])
@pytest.mark.parametrize("path", ["/graphql", "/", "/healthz", "/metrics", "/explorer/x.js", "/explorer/", "/nothing"])
@pytest.mark.parametrize("host", ["127.0.0.1", "graph.example", "evil.example"])
async def test_a_websocket_is_refused(
    memory: MemoryDatabase, caplog: pytest.LogCaptureFixture, environment: str, path: str, host: str
) -> None:
    app = make_app(memory, environment=environment)
    scope = {
        "type": "websocket", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "ws", "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "subprotocols": ["graphql-transport-ws"],
        "headers": [(b"host", host.encode()), (b"origin", b"http://evil.example")], "state": {}, "extensions": {},
    }  # fmt: skip
    sent = list[Message]()

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    assert [message["type"] for message in sent] == ["websocket.close"]
    assert not caplog.records


async def test_what_upgrades_to_websockets_has_the_headers_of_all(memory: MemoryDatabase) -> None:
    sent = list[Message]()

    async def accept(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})

    async def send(message: Message) -> None:
        sent.append(message)

    readiness = Readiness(_is_given)
    readiness.is_draining = True
    scope = {"type": "websocket", "path": "/", "headers": [(b"x-request-id", b"trace-1.a")]}
    await CommonHeaders(accept, readiness)(scope, _never, send)
    assert dict(sent[0]["headers"]) == {b"x-request-id": b"trace-1.a", b"cross-origin-resource-policy": b"same-origin"}


async def _is_given() -> bool:
    return True


async def _never() -> Message:
    raise AssertionError
