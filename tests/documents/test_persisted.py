"""Documents that requests name, by the ids of a manifest and by hashes, over HTTP."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from graph.auth.identity import Credentials, Viewer
from graph.documents.persisted import DocumentRef, PersistedDocuments
from graph.documents.trusted import BadManifest, sha256
from graph.settings import Settings
from tests.memory import MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, make_app, serving

TRUSTED = "query Trusted { __typename }"
FREE = "query Free { viewer { userId } }"
ANSWER = {"data": {"__typename": "Query"}}
PREFLIGHT = {"apollo-require-preflight": "true"}


def hashed(text: str) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": sha256(text)}}


def codes(response: httpx.Response) -> list[str]:
    return [error["extensions"]["code"] for error in response.json()["errors"]]


class Named:
    """Takes whoever asks for whom a header names."""

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        headers = dict(credentials.headers)
        return Viewer(headers.get(b"x-user", b"ana@example.com").decode(), is_mfa=True, method="api_key")


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"d0c": TRUSTED}))
    return path


@pytest.fixture
async def client(memory: MemoryDatabase) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(memory, authenticators=[Named()], get_queries=True) as client:
        yield client


@pytest.fixture
async def trusting(memory: MemoryDatabase, manifest: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(memory, trusted_documents=manifest) as client:
        yield client


async def test_a_gateway_that_proves_itself_writes_its_own_documents(memory: MemoryDatabase, manifest: Path) -> None:
    settings: dict[str, Any] = {"trusted_documents": manifest, "trusted_documents_only": True}
    gateway = GRAPHQL_RESPONSE | {"X-Vams-Federation-Secret": "the secret of the gateway"}
    asked = {"query": "{ _entities(representations: []) { __typename } }"}
    async with serving(memory, federation_secret="the secret of the gateway", **settings) as client:
        assert (await client.post("/graphql", json=asked, headers=gateway)).json() == {"data": {"_entities": []}}
        refused = await client.post("/graphql", json=asked, headers=GRAPHQL_RESPONSE)
        assert codes(refused) == ["PERSISTED_QUERY_ID_REQUIRED"]


@pytest.fixture(params=["production", "development"])
async def closed(
    memory: MemoryDatabase, manifest: Path, request: pytest.FixtureRequest
) -> AsyncIterator[httpx.AsyncClient]:
    options = {"trusted_documents": manifest, "trusted_documents_only": True, "get_queries": True}
    async with serving(memory, environment=request.param, **options) as client:
        yield client


async def ask(client: httpx.AsyncClient, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    return await client.post("/graphql", json=body, headers=headers)


# What clients of Apollo do: the hash first, then the text with its hash, then hashes alone.


@pytest.mark.parametrize("headers", [{}, GRAPHQL_RESPONSE])
async def test_a_text_is_left_once_and_then_known_by_its_hash(
    client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    body = {"operationName": "Trusted", "variables": {}, "extensions": hashed(TRUSTED)}
    unknown = await ask(client, headers, **body)
    assert (unknown.status_code, unknown.headers["cache-control"]) == (200, "private, no-store")
    assert unknown.json() == {
        "errors": [{"message": "PersistedQueryNotFound", "extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"}}]
    }
    assert (await ask(client, headers, **body, query=TRUSTED)).json() == ANSWER
    assert (await ask(client, headers, **body)).json() == ANSWER


async def test_a_hash_is_asked_for_by_get_too(client: httpx.AsyncClient) -> None:
    await ask(client, query=TRUSTED, extensions=hashed(TRUSTED))
    parameters = {"operationName": "Trusted", "variables": "{}", "extensions": json.dumps(hashed(TRUSTED))}
    assert (await client.get("/graphql", params=parameters, headers=PREFLIGHT)).json() == ANSWER


async def test_an_id_with_a_prefix_is_a_hash(client: httpx.AsyncClient) -> None:
    await ask(client, query=TRUSTED, extensions=hashed(TRUSTED))
    assert (await ask(client, documentId=f"sha256:{sha256(TRUSTED)}")).json() == ANSWER


@pytest.mark.parametrize("text", ["{", "{ nothing }", "{ executions(first: 1000000) { nodes { id } } }"])
async def test_a_document_that_does_not_run_is_not_kept(client: httpx.AsyncClient, text: str) -> None:
    assert "data" not in (await ask(client, query=text, extensions=hashed(text))).json()
    assert codes(await ask(client, extensions=hashed(text))) == ["PERSISTED_QUERY_NOT_FOUND"]


async def test_a_text_with_the_hash_of_another_is_refused_and_not_kept(client: httpx.AsyncClient) -> None:
    response = await ask(client, query=FREE, extensions=hashed(TRUSTED))
    assert (response.status_code, codes(response)) == (400, ["BAD_USER_INPUT"])
    assert response.json()["errors"][0]["message"] == "provided sha does not match query"
    assert codes(await ask(client, extensions=hashed(TRUSTED))) == ["PERSISTED_QUERY_NOT_FOUND"]


@pytest.mark.parametrize(
    "persisted",
    [
        5,
        [],
        {},
        {"version": 2, "sha256Hash": "0" * 64},
        {"version": True, "sha256Hash": "0" * 64},
        {"version": 1},
        {"version": 1, "sha256Hash": 5},
        {"version": 1, "sha256Hash": "z" * 64},
        {"version": 1, "sha256Hash": "0" * 20},
        {"version": 1, "sha256Hash": "0" * 200},
        {"version": 1, "sha256Hash": "A" * 64},
        {"version": 1, "sha256Hash": "0" * 63 + "\n"},
    ],
)
async def test_what_is_no_hash_is_refused(client: httpx.AsyncClient, persisted: Any) -> None:
    for text in (None, TRUSTED):
        response = await ask(client, query=text, extensions={"persistedQuery": persisted})
        assert (response.status_code, codes(response)) == (400, ["BAD_USER_INPUT"])


@pytest.mark.parametrize(
    "body",
    [
        {"documentId": 5},
        {"documentId": ""},
        {"documentId": "x" * 300},
        {"documentId": "d0c", "query": TRUSTED},
        {"documentId": "d0c", "query": 5},
        {"documentId": "d0c", "extensions": hashed(TRUSTED)},
        {"doc_id": ["d0c"]},
        {"query": ""},
        {},
    ],
)
async def test_a_request_names_one_document(trusting: httpx.AsyncClient, body: dict[str, Any]) -> None:
    response = await ask(trusting, **body)
    assert (response.status_code, codes(response)) == (400, ["BAD_USER_INPUT"])


async def test_a_text_with_strings_is_known_to_its_user_alone(client: httpx.AsyncClient) -> None:
    secret = 'query S { node(id: "nonsense") { id } }'
    ana, ben = {"x-user": "ana@example.com"}, {"x-user": "ben@example.com"}
    assert "data" in (await ask(client, ana, query=secret, extensions=hashed(secret))).json()
    assert "data" in (await ask(client, ana, extensions=hashed(secret))).json()
    assert codes(await ask(client, ben, extensions=hashed(secret))) == ["PERSISTED_QUERY_NOT_FOUND"]
    await ask(client, ana, query=TRUSTED, extensions=hashed(TRUSTED))
    assert (await ask(client, ben, extensions=hashed(TRUSTED))).json() == ANSWER


async def test_guessing_costs_points(memory: MemoryDatabase) -> None:
    async with serving(memory, rate_points=100, max_price=100, rate_points_per_second=1) as client:
        found = [codes(await ask(client, documentId=str(number))) for number in range(12)]
    assert found == [["PERSISTED_QUERY_NOT_FOUND"]] * 10 + [["RATE_LIMITED"]] * 2


async def test_where_nothing_is_kept_clients_are_told_so(memory: MemoryDatabase) -> None:
    async with serving(memory, apq_documents=0) as client:
        for body in ({"extensions": hashed(TRUSTED)}, {"documentId": "d0c"}):
            response = await ask(client, **body)
            assert (response.status_code, codes(response)) == (200, ["PERSISTED_QUERY_NOT_SUPPORTED"])
            assert response.json()["errors"][0]["message"] == "PersistedQueryNotSupported"
        assert (await ask(client, query=TRUSTED, extensions=hashed(TRUSTED))).json() == ANSWER
        assert codes(await ask(client, extensions=hashed(TRUSTED))) == ["PERSISTED_QUERY_NOT_SUPPORTED"]


def test_the_longest_unused_make_room() -> None:
    kept = PersistedDocuments({}, Settings(apq_documents=2))
    for number in range(3):
        kept.keep(DocumentRef(f"{{ a{number} }}", hash=str(number)), "ana")
        kept.text(DocumentRef(hash="0"), "ana")
    assert [kept.text(DocumentRef(hash=str(number)), "ana") for number in range(3)] == ["{ a0 }", None, "{ a2 }"]


def test_a_megabyte_is_kept_at_most() -> None:
    kept = PersistedDocuments({}, Settings())
    for number in range(100):
        kept.keep(DocumentRef(f"{number}" + "x" * 60_000, hash=str(number)), "ana")
        kept.keep(DocumentRef(f"{number}" + "x" * 60_000, hash=str(number)), "ana")
    assert kept.text(DocumentRef(hash="99"), "ana")
    assert sum(map(len, kept._registered.values())) == kept._characters <= 1024 * 1024


# What an operator trusts.


@pytest.mark.parametrize(
    "body",
    [
        {"documentId": "d0c"},
        {"doc_id": "d0c"},
        {"documentId": f"sha256:{sha256(TRUSTED)}"},
        {"extensions": hashed(TRUSTED)},
    ],
)
async def test_a_trusted_document_is_known_beside_others(trusting: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await ask(trusting, **body)).json() == ANSWER
    assert "data" in (await ask(trusting, query=FREE)).json()


async def test_an_unknown_id_is_not_found_and_not_repeated(trusting: httpx.AsyncClient) -> None:
    response = await ask(trusting, GRAPHQL_RESPONSE, documentId="no-such-document")
    assert (response.status_code, codes(response)) == (200, ["PERSISTED_QUERY_NOT_FOUND"])
    assert "no-such" not in response.text


async def test_only_trusted_documents_are_taken(closed: httpx.AsyncClient) -> None:
    for body in ({"documentId": "d0c"}, {"doc_id": "d0c"}, {"extensions": hashed(TRUSTED)}):
        assert (await ask(closed, **body)).json() == ANSWER
    parameters = {"documentId": "d0c"}
    assert (await closed.get("/graphql", params=parameters, headers=PREFLIGHT)).json() == ANSWER


@pytest.mark.parametrize("text", [FREE, TRUSTED, "{ __schema { types { name } } }", "{"])
async def test_texts_are_refused_over_every_transport(closed: httpx.AsyncClient, text: str) -> None:
    with_hash = {"query": text, "extensions": hashed(text)}
    as_json = {"query": text, "extensions": json.dumps(hashed(text))}
    for headers in ({}, GRAPHQL_RESPONSE):
        for response in (
            await ask(closed, headers, query=text),
            await ask(closed, headers, **with_hash),
            await closed.get("/graphql", params={"query": text}, headers=headers | PREFLIGHT),
            await closed.get("/graphql", params=as_json, headers=headers | PREFLIGHT),
        ):
            assert codes(response) == ["PERSISTED_QUERY_ID_REQUIRED"]
            assert response.status_code == (400 if headers else 200)
    for kind in ("application/graphql", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded"):
        response = await closed.post("/graphql", content=text, headers={"Content-Type": kind})
        assert response.status_code == 415
    assert codes(await ask(closed, extensions=hashed(FREE))) == ["PERSISTED_QUERY_NOT_FOUND"]


async def test_the_explorer_is_not_shown_where_it_could_ask_nothing(closed: httpx.AsyncClient) -> None:
    response = await closed.get("/graphql", headers={"Accept": "text/html"})
    assert response.status_code == 406
    assert (await closed.get("/")).status_code == 404


def test_trusting_nothing_alone_stops_the_start() -> None:
    with pytest.raises(ValidationError, match="TRUSTED_DOCUMENTS_ONLY needs the manifest"):
        Settings(trusted_documents_only=True)


def test_a_manifest_that_does_not_fit_the_schema_stops_the_start(memory: MemoryDatabase, manifest: Path) -> None:
    manifest.write_text('{"d0c": "{ nothing }"}')
    with pytest.raises(BadManifest, match="d0c: Cannot query field 'nothing'"):
        make_app(memory, trusted_documents=manifest)


@pytest.mark.parametrize("others", [{"query": ""}, {"documentId": ""}, {"query": "", "documentId": ""}, {}])
async def test_an_empty_text_is_as_none_by_post_and_by_get(client: httpx.AsyncClient, others: dict[str, str]) -> None:
    extensions = hashed(TRUSTED)
    await client.post("/graphql", json={"query": TRUSTED, "extensions": extensions})
    posted = await client.post("/graphql", json=others | {"extensions": extensions})
    by_get = others | {"extensions": json.dumps(extensions)}
    got = await client.get("/graphql", params=by_get, headers=PREFLIGHT)
    assert posted.json() == got.json() == ANSWER
    for parameters in (others, others | {"extensions": None}):
        posted = await client.post("/graphql", json=parameters)
        got = await client.get("/graphql", params=others, headers=PREFLIGHT)
        assert posted.status_code == got.status_code == 400
        assert posted.json() == got.json()


@pytest.mark.parametrize("query", [0, False, [], {}])
async def test_a_document_that_is_no_text_is_refused_beside_a_hash_too(client: httpx.AsyncClient, query: Any) -> None:
    response = await client.post("/graphql", json={"query": query, "extensions": hashed(TRUSTED)})
    assert (response.status_code, codes(response)) == (400, ["BAD_USER_INPUT"])
