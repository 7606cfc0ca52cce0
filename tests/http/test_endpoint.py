"""GraphQL over HTTP: media types, methods, statuses, identity, rates, time."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest

from graph.auth.identity import Credentials, IdentityUnavailable, Unauthenticated, Viewer
from graph.demo.insides import INSIDES_ID
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.tables.catalogue import DATABASES
from graph.tables.reader import Reader
from tests.memory import MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, serving

EXECUTION = f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ status }} }}'


@pytest.fixture
async def production(memory: MemoryDatabase) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(memory) as client:
        yield client


@pytest.fixture
async def development(memory: MemoryDatabase) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(memory, environment="development") as client:
        yield client


async def ask(client: httpx.AsyncClient, query: Any, headers: Mapping[str, str] = GRAPHQL_RESPONSE, **rest: Any) -> Any:
    return await client.post("/graphql", json={"query": query, **rest}, headers=headers)


def codes(response: httpx.Response) -> list[str]:
    return [error["extensions"]["code"] for error in response.json()["errors"]]


async def test_an_operation_is_answered(production: httpx.AsyncClient) -> None:
    response = await ask(production, EXECUTION)
    assert response.status_code == 200
    assert response.json() == {"data": {"execution": {"status": "SUCCEEDED"}}}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
        ("application/graphql-response+json", "application/graphql-response+json"),
        ("application/graphql-response+json, application/json;q=0.9", "application/graphql-response+json"),
        ("application/json, application/graphql-response+json;q=0.1", "application/json"),
        ("application/json;q=0, */*", "application/graphql-response+json"),
        ("text/html, application/json", "application/json"),
        ("application/json;q=nonsense, application/graphql-response+json", "application/graphql-response+json"),
        ("application/*;q=0, application/json", "application/json"),
        ("*; q=.2, */*; q=.2", "application/json"),
    ],
)
async def test_the_media_type_is_what_the_client_prefers(
    production: httpx.AsyncClient, accept: str | None, kind: str
) -> None:
    del production.headers["accept"]
    response = await ask(production, EXECUTION, {} if accept is None else {"Accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (200, kind)


@pytest.mark.parametrize(
    ("lines", "status", "kind"),
    [
        (["text/html", "application/json"], 200, "application/json"),
        (["multipart/mixed", "application/graphql-response+json"], 200, "application/graphql-response+json"),
        (["application/json", "text/html"], 200, "application/json"),
        (["application/json;q=0.5", "application/graphql-response+json"], 200, "application/graphql-response+json"),
        (["", "application/graphql-response+json"], 200, "application/graphql-response+json"),
        (["text/html", "image/*", "application/json;q=0.1"], 200, "application/json"),
        (["text/html", "image/*"], 406, "application/json"),
        (["*/*", "application/json;q=0", "application/graphql-response+json;q=0"], 406, "application/json"),
    ],
)
async def test_several_accept_headers_are_one_list(
    production: httpx.AsyncClient, lines: list[str], status: int, kind: str
) -> None:
    del production.headers["accept"]
    headers = [("Accept", line) for line in lines]
    response = await production.post("/graphql", json={"query": EXECUTION}, headers=headers)
    assert (response.status_code, response.headers["content-type"]) == (status, kind)


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "image/*", "*/*, application/*;q=0"])
async def test_nothing_acceptable_is_406(production: httpx.AsyncClient, accept: str) -> None:
    response = await ask(production, EXECUTION, {"Accept": accept})
    assert response.status_code == 406
    assert codes(response) == ["BAD_USER_INPUT"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{", "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("query a { __typename } query b { __typename }", "OPERATION_RESOLUTION_FAILURE"),
        ("fragment f on Query { __typename }", "OPERATION_RESOLUTION_FAILURE"),
        (
            "{ executions(first: 100) { nodes { inputFiles(first: 100) { nodes { asset { " + "name " * 9 + "}" * 6,
            "COST_LIMIT_EXCEEDED",
        ),
        ("query ($id: ID!) { node(id: $id) { id } }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ executions(filter: { triggeredBy: 5 }) { nodes { id } } }", "GRAPHQL_VALIDATION_FAILED"),
    ],
)
async def test_an_operation_that_does_not_run_is_400_for_the_new_type_and_200_for_the_old(
    production: httpx.AsyncClient, query: str, code: str
) -> None:
    for accept, status in (("application/graphql-response+json", 400), ("application/json", 200)):
        response = await ask(production, query, {"Accept": accept})
        assert response.status_code == status
        assert codes(response) == [code]
        assert "data" not in response.json()


async def test_a_variable_of_the_wrong_kind_is_the_clients_mistake(production: httpx.AsyncClient) -> None:
    query = "query ($f: ExecutionFilter) { executions(filter: $f) { nodes { id } } }"
    response = await ask(production, query, variables={"f": {"triggeredBy": 5}})
    assert (response.status_code, codes(response)) == (400, ["GRAPHQL_VALIDATION_FAILED"])


async def test_an_error_of_a_field_leaves_the_data(production: httpx.AsyncClient) -> None:
    response = await ask(production, '{ node(id: "nonsense") { id } __typename }')
    assert response.status_code == 200
    assert response.json()["data"] == {"node": None, "__typename": "Query"}
    assert codes(response) == ["INVALID_ID"]
    assert response.json()["errors"][0]["path"] == ["node"]


async def test_the_operation_is_chosen_by_name(production: httpx.AsyncClient) -> None:
    two = "query a { x: __typename } query b { y: __typename }"
    assert (await ask(production, two, operationName="b")).json() == {"data": {"y": "Query"}}
    assert codes(await ask(production, two, operationName="c")) == ["OPERATION_RESOLUTION_FAILURE"]


async def test_a_method_that_is_not_served_is_405_with_allow(
    production: httpx.AsyncClient, development: httpx.AsyncClient
) -> None:
    for method in ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "MADE-UP"):
        response = await production.request(method, "/graphql?query={__typename}")
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
    response = await development.put("/graphql")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")


async def test_a_query_by_get_is_answered_in_development(development: httpx.AsyncClient) -> None:
    parameters = {"query": "query ($id: String!) { execution(executionId: $id) { status } }"}
    response = await development.get(
        "/graphql", params=parameters | {"variables": json.dumps({"id": SAMPLE_EXECUTION_ID}), "operationName": ""}
    )
    assert response.json() == {"data": {"execution": {"status": "SUCCEEDED"}}}


FROM_ANOTHER_SITE = [
    [("Sec-Fetch-Site", "cross-site")],
    [("Sec-Fetch-Site", "same-site")],
    [("Sec-Fetch-Site", "of a kind that is not known yet")],
    [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")],
    [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
    [("Origin", "https://evil.example")],
    [("Origin", "null")],
    [("Origin", "")],
    [("Origin", "http://127.0.0.1:9999")],
    [("Origin", "https://127.0.0.1")],
    [("Origin", "127.0.0.1")],
    [("Origin", "ftp://127.0.0.1")],
    [("Origin", "http://127.0.0.1.evil.example")],
    [("Origin", "http://["), ("Sec-Fetch-Site", "same-origin")],
    [("Origin", "http://127.0.0.1"), ("Origin", "https://evil.example")],
]
OF_THE_USER = [
    [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
    [("Sec-Fetch-Site", "same-origin")],
    [("Origin", "http://127.0.0.1")],
    [("Sec-Fetch-Site", "cross-site"), ("GraphQL-Require-Preflight", "1")],
    [("Origin", "https://evil.example"), ("Apollo-Require-Preflight", "1")],
]


@pytest.mark.parametrize("headers", FROM_ANOTHER_SITE)
@pytest.mark.parametrize("parameters", [{"query": "{ __typename }"}, {"extensions": '{"persistedQuery": {}}'}, {}])
async def test_a_page_of_another_site_runs_nothing_by_get(
    development: httpx.AsyncClient, headers: list[tuple[str, str]], parameters: dict[str, str]
) -> None:
    response = await development.get("/graphql", params=parameters, headers=headers)
    assert response.status_code == 400
    assert "GraphQL-Require-Preflight" in response.json()["errors"][0]["message"]


@pytest.mark.parametrize("headers", OF_THE_USER)
async def test_the_user_runs_queries_by_get(development: httpx.AsyncClient, headers: list[tuple[str, str]]) -> None:
    response = await development.get("/graphql", params={"query": "{ __typename }"}, headers=headers)
    assert response.json() == {"data": {"__typename": "Query"}}


async def test_a_page_of_an_origin_that_is_named_runs_queries_by_get(memory: MemoryDatabase) -> None:
    query = {"query": "{ __typename }"}
    async with serving(memory, environment="development", cors_origins=["https://ui.example"]) as client:
        for origin, status in (
            ("https://ui.example", 200),
            ("http://ui.example", 400),
            ("https://ui.example.com", 400),
        ):
            headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
            assert (await client.get("/graphql", params=query, headers=headers)).status_code == status


async def test_a_link_of_another_site_leads_to_the_explorer(development: httpx.AsyncClient) -> None:
    headers = {"Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    response = await development.get("/graphql", params={"query": "{ __typename }"}, headers=headers)
    assert "application/json" not in response.headers["content-type"]


async def test_a_mutation_by_get_is_405(development: httpx.AsyncClient) -> None:
    response = await development.get("/graphql", params={"query": "mutation { __typename }"})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_production_answers_get_by_setting_and_with_a_preflight_header(memory: MemoryDatabase) -> None:
    async with serving(memory, get_queries=True) as client:
        query = {"query": "{ __typename }"}
        assert (await client.get("/graphql", params=query)).status_code == 400
        empty = await client.get("/graphql", params=query, headers={"GraphQL-Require-Preflight": " "})
        assert empty.status_code == 400
        for name in ("GraphQL-Require-Preflight", "Apollo-Require-Preflight", "X-Apollo-Operation-Name"):
            response = await client.get("/graphql", params=query, headers={name: "1"})
            assert response.json() == {"data": {"__typename": "Query"}}


async def test_an_error_is_where_it_is_in_the_text_that_was_sent(production: httpx.AsyncClient) -> None:
    for one, other in (("a", "b"), ("a longer one", "b"), ("", "b")):
        response = await ask(production, f'{{ a: node(id: "{one}") {{ id }} b: node(id: "{other}") {{ id }} }}')
        errors = response.json()["errors"]
        assert [error["locations"][0]["column"] for error in errors] == [3, 26 + len(one)]


async def test_answers_are_kept_by_nobody(production: httpx.AsyncClient) -> None:
    response = await ask(production, EXECUTION)
    assert response.headers["cache-control"] == "private, no-store"
    assert {"Accept", "Authorization"} <= set(re.split(", *", response.headers["vary"]))


async def test_a_packed_body_is_read_and_a_long_answer_is_packed(development: httpx.AsyncClient) -> None:
    body = gzip.compress(json.dumps({"query": "{ __schema { types { name description } } }"}).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json", "Accept-Encoding": "gzip"}
    response = await development.post("/graphql", content=body, headers=headers)
    assert response.headers["content-encoding"] == "gzip"
    assert response.json()["data"]["__schema"]["types"]


LONG = "{ __schema { types { name description } } }"


@pytest.mark.parametrize(
    ("lines", "query", "is_packed"),
    [
        (["gzip"], LONG, True),
        (["br", "gzip;q=0.1"], LONG, True),
        (["*"], LONG, True),
        (["gzip"], EXECUTION, False),
        (["gzip, identity;q=0"], EXECUTION, True),
        (["gzip, *;q=0"], EXECUTION, True),
        (["gzip;q=0"], LONG, False),
        (["identity", "gzip;q=0"], LONG, False),
        (["gzip;q=0, *;q=0"], LONG, False),
        (["identity, gzip;q=0.5"], LONG, False),
        (["notgzip"], LONG, False),
        ([""], LONG, False),
    ],
)
async def test_an_answer_is_packed_as_the_client_prefers(
    development: httpx.AsyncClient, lines: list[str], query: str, is_packed: bool
) -> None:
    del development.headers["accept-encoding"]
    headers = [("Accept-Encoding", line) for line in lines]
    response = await development.post("/graphql", json={"query": query}, headers=headers)
    assert response.status_code == 200
    assert response.headers.get("content-encoding") == ("gzip" if is_packed else None)
    assert "Accept-Encoding" in response.headers["vary"]
    assert "data" in response.json()


@pytest.mark.parametrize("query", ["{ __typename }", "\ufeff{ __typename }"])
async def test_a_byte_order_mark_is_read_over(development: httpx.AsyncClient, query: str) -> None:
    body = json.dumps({"query": query, "variables": {}}).encode("utf-8-sig")
    kind = {"Content-Type": "application/json"}
    for sent, headers in ((body, kind), (gzip.compress(body), kind | {"Content-Encoding": "gzip"})):
        response = await development.post("/graphql", content=sent, headers=headers)
        assert response.json() == {"data": {"__typename": "Query"}}
    response = await development.get("/graphql", params={"query": query, "variables": "\ufeff{}"})
    assert response.json() == {"data": {"__typename": "Query"}}


@pytest.mark.parametrize("body", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf{}", b"\xff\xfe{}", b"{}\xef\xbb\xbf"])
async def test_a_mark_alone_or_in_another_place_is_no_json(production: httpx.AsyncClient, body: bytes) -> None:
    response = await production.post("/graphql", content=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, codes(response)) == (400, ["BAD_USER_INPUT"])


async def test_the_cost_is_told_to_who_asks_for_it(production: httpx.AsyncClient) -> None:
    assert "extensions" not in (await ask(production, EXECUTION)).json()
    response = await ask(production, EXECUTION, {"GraphQL-Cost": "1"})
    assert response.json()["extensions"]["cost"] == {
        "requested": 14, "maximum": 150_000, "charged": 14, "calls": 1, "rounds": 1, "capacity": 0.0,
        "engineCalls": 0, "logCalls": 0, "fileCalls": 0,
    }  # fmt: skip


async def test_calls_of_engines_are_told_too(production: httpx.AsyncClient) -> None:
    inside = f"""{{ execution(executionId: "{INSIDES_ID}") {{ pipelineExecutions {{ nodes {{ subExecutions {{ nodes {{
        engineExecution {{ stageSource }} }} }} }} }} }} }}"""
    first, second = [(await ask(production, inside, {"GraphQL-Cost": "1"})).json() for _ in range(2)]
    assert first["extensions"]["cost"]["engineCalls"] > second["extensions"]["cost"]["engineCalls"] > 0
    assert first["data"] == second["data"]


class Failing:
    """Fails to tell who asks, in one way or another."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def authenticate(self, _credentials: Credentials) -> Viewer | None:
        raise self._error


class Named:
    """Believes whoever names himself."""

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        name = credentials.header("x-user")
        return Viewer(name, is_mfa=False, method="token") if name else None


async def test_who_cannot_be_told_is_401_before_anything_is_read(memory: MemoryDatabase) -> None:
    async with serving(memory, authenticators=[Failing(Unauthenticated("a reason"))]) as client:
        for body in (b'{"query": "{ __typename }"}', b"\xff", b"x" * 3_000_000):
            response = await client.post("/graphql", content=body, headers={"Content-Type": "application/json"})
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
            assert codes(response) == ["UNAUTHENTICATED"]
            assert "a reason" not in response.text


async def test_identity_that_cannot_be_checked_is_503(memory: MemoryDatabase) -> None:
    async with serving(memory, authenticators=[Failing(IdentityUnavailable("a reason"))]) as client:
        response = await ask(client, EXECUTION)
        assert (response.status_code, codes(response)) == (503, ["UPSTREAM_UNAVAILABLE"])


async def test_each_user_has_a_rate(memory: MemoryDatabase) -> None:
    settings = {"max_price": 200, "rate_points": 200, "rate_points_per_second": 1}
    dear = "{ executions(first: 45) { nodes { id } } }"
    async with serving(memory, authenticators=[Named()], **settings) as client:
        assert (await ask(client, dear, {"X-User": "a"})).status_code == 200
        refused = await ask(client, dear, {"X-User": "a"})
        assert (refused.status_code, codes(refused)) == (429, ["RATE_LIMITED"])
        assert 85 <= int(refused.headers["retry-after"]) <= 90  # none of 45 rows was there, and 100 points were kept
        assert (await ask(client, dear, {"X-User": "b"})).status_code == 200


async def spent(memory: MemoryDatabase, *texts: str) -> int:
    """What asking for some texts, one after another, takes out of a bucket: told by guesses, of 10 points each."""
    settings = {"max_price": 1000, "rate_points": 1000, "rate_points_per_second": 1}
    async with serving(memory, authenticators=[Named()], **settings) as client:
        for text in texts:
            assert (await ask(client, text, {"X-User": "a"})).status_code == 200
        left = 0
        while codes(await ask(client, None, {"X-User": "a"}, documentId="unknown")) == ["PERSISTED_QUERY_NOT_FOUND"]:
            left += 10
        assert codes(await ask(client, "{", {"X-User": "b"})) == ["GRAPHQL_PARSE_FAILED"]
    return 1000 - left


@pytest.mark.parametrize("text", ["{", "{ nothing }", "{ viewer { userId } } query", "\n", '{ node(id: "a" }'])
async def test_a_text_that_is_no_good_document_costs_points_by_its_length(memory: MemoryDatabase, text: str) -> None:
    assert await spent(memory, text + "#" * (100 - len(text))) == 20
    assert await spent(memory, *[text + "#" * (1000 - len(text))] * 4) == 440


async def test_reading_is_part_of_the_price_of_an_operation(memory: MemoryDatabase) -> None:
    dear = "{ executions(first: 45) { nodes { id } } }"
    assert await spent(memory, dear) == 100
    assert await spent(memory, dear, dear) == 200


async def test_reading_a_good_document_is_paid_for_once(memory: MemoryDatabase) -> None:
    cheap = "{ viewer { userId } }" + "#" * 979
    assert await spent(memory, cheap) == 110
    assert await spent(memory, *[cheap] * 6) == 110 + 5 * 8


class SlowReader(Reader):
    async def get_items(self, table: Any, *rest: Any, **options: Any) -> Any:
        if table is DATABASES:
            await asyncio.sleep(30)
        return await super().get_items(table, *rest, **options)


async def test_an_operation_that_takes_too_long_is_cut_off(memory: MemoryDatabase) -> None:
    async with serving(memory, reader=SlowReader, operation_seconds=0.05) as client:
        response = await ask(client, '{ database(databaseId: "plant-models") { name: databaseId } }')
        assert response.status_code == 200
        assert response.json()["data"] is None
        assert codes(response) == ["TIMEOUT"]
        assert response.json()["errors"][0]["message"] == "The operation took longer than 0.05 s."


async def test_an_operation_that_finds_no_turn_is_refused_and_told_when_to_come_again(memory: MemoryDatabase) -> None:
    dear, cheap = '{ database(databaseId: "plant-models") { databaseId } }', "{ __typename }"
    async with serving(memory, reader=SlowReader, points_at_once=20, wait_seconds=0.05) as client:
        running = asyncio.create_task(ask(client, dear))
        await asyncio.sleep(0.1)
        refused = await ask(client, dear)
        assert (refused.status_code, codes(refused), refused.headers["retry-after"]) == (503, ["OVERLOADED"], "1")
        assert refused.json()["errors"][0]["extensions"]["retryable"] is True
        assert "data" not in refused.json()
        assert (await ask(client, cheap)).json() == {"data": {"__typename": "Query"}}
        running.cancel()


STORED = "a stored secret"


class BrokenReader(Reader):
    async def get_items(self, table: Any, *rest: Any, **options: Any) -> Any:
        if table is DATABASES:
            raise RuntimeError(STORED)
        return await super().get_items(table, *rest, **options)


async def test_what_nobody_expected_is_masked_and_can_be_found_in_the_log(
    memory: MemoryDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(memory, reader=BrokenReader) as client:
        response = await ask(client, '{ database(databaseId: "plant-models") { databaseId } }')
    (error,) = response.json()["errors"]
    assert (error["message"], error["extensions"]["code"]) == ("Internal error.", "INTERNAL")
    assert error["path"] == ["database"]
    assert error["locations"]
    assert error["extensions"]["errorId"] in caplog.text
    assert "in get_items" in caplog.text
    assert STORED not in response.text + "".join(caplog.messages)


async def test_a_failure_of_the_server_itself_is_json_too(memory: MemoryDatabase) -> None:
    async with serving(memory, authenticators=[Failing(RuntimeError(STORED))]) as client:
        response = await ask(client, EXECUTION)
        assert (response.status_code, codes(response)) == (500, ["INTERNAL"])
        assert STORED not in response.text
