from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from graph.explorer import EXAMPLES, Explorer
from graph.explorer.page import _is_visit

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """A page, one file of it and its licences; and a file that is none of its business."""
    static = tmp_path / "static"
    (static / "explorer").mkdir(parents=True)
    (static / "index.html").write_text("<title>the page</title>")
    (static / "explorer" / "index-4f2a.js").write_text("export {}")
    (static / "third-party-licenses.txt").write_text("licences")
    (tmp_path / "secret.txt").write_text("secret")
    return static


def client_of(static: Path) -> httpx.AsyncClient:
    explorer = Explorer(PlainTextResponse("the graph"), static=static)
    app = Starlette(routes=[Route("/graphql", explorer, methods=["GET", "POST"]), *explorer.routes])
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://graph")


@pytest.fixture
async def client(static: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(static) as client:
        yield client


@pytest.mark.parametrize(
    "accept",
    [
        BROWSER,
        "text/html",
        "TEXT/HTML; charset=utf-8",
        "application/json;q=0.5, text/html;q=0.9",
        "application/json, text/html",
    ],
)
async def test_who_wants_html_gets_the_page(client: httpx.AsyncClient, accept: str) -> None:
    response = await client.get("/graphql", headers={"Accept": accept})
    assert response.text == "<title>the page</title>"
    assert response.headers["Content-Type"].startswith("text/html")
    assert response.headers["Vary"] == "Accept"
    assert response.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "text/*",
        "",
        "application/json",
        "application/graphql-response+json, application/json;q=0.9",
        "text/html;q=0",
        "text/html;q=high",
        "text/html;q=1e9",
        "text/html;q=0.5, application/json",
        "text/htmlx",
    ],
)
async def test_everybody_else_gets_the_graph(client: httpx.AsyncClient, accept: str) -> None:
    assert (await client.get("/graphql", headers={"Accept": accept})).text == "the graph"


async def test_a_request_without_an_accept_header_gets_the_graph(client: httpx.AsyncClient) -> None:
    del client.headers["Accept"]
    assert (await client.get("/graphql")).text == "the graph"


async def test_a_post_is_a_question_whatever_it_accepts(client: httpx.AsyncClient) -> None:
    assert (await client.post("/graphql", headers={"Accept": BROWSER})).text == "the graph"


async def test_several_accept_headers_count_as_one(client: httpx.AsyncClient) -> None:
    headers = [("Accept", "text/html;q=0.5"), ("Accept", "application/json")]
    assert (await client.get("/graphql", headers=headers)).text == "the graph"


@given(st.lists(st.binary(max_size=60), max_size=3))
def test_no_accept_header_is_too_odd(values: list[bytes]) -> None:
    scope = {"type": "http", "method": "GET", "headers": [(b"accept", value) for value in values]}
    assert _is_visit(Request(scope)) in (True, False)


@pytest.mark.parametrize(
    "path", ["/graphql", "/explorer/index-4f2a.js", "/explorer/examples.json", "/explorer/third-party-licenses.txt"]
)
async def test_nothing_runs_or_loads_from_elsewhere(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path, headers={"Accept": BROWSER})).headers
    policy = dict(directive.split(" ", 1) for directive in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["worker-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"].replace(policy["style-src"], "")
    assert "http" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_files_named_for_their_content_are_kept_for_good(client: httpx.AsyncClient) -> None:
    response = await client.get("/explorer/index-4f2a.js")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


async def test_the_page_finds_its_examples(client: httpx.AsyncClient) -> None:
    assert (await client.get("/explorer/examples.json")).json() == [example.document for example in EXAMPLES]


@pytest.mark.parametrize(
    "path",
    [
        "/explorer/",
        "/explorer/missing.js",
        "/explorer/../index.html",
        "/explorer/../../secret.txt",
        "/explorer/%2e%2e/%2e%2e/secret.txt",
        "/explorer/..%2f..%2fsecret.txt",
        "/explorer//etc/passwd",
        "/explorer/index-4f2a.js%00",
    ],
)
async def test_no_other_file_is_served(client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(path)
    assert response.status_code == 404
    assert "secret" not in response.text


async def test_without_a_build_the_page_says_how_to_get_it_and_the_graph_answers(tmp_path: Path) -> None:
    async with client_of(tmp_path) as client:
        visit = await client.get("/graphql", headers={"Accept": BROWSER})
        assert visit.status_code == 404
        assert visit.headers["Content-Type"].startswith("text/plain")
        assert "make explorer" in visit.text
        assert (await client.post("/graphql")).text == "the graph"
        assert (await client.get("/explorer/examples.json")).status_code == 404
