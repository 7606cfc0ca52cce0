"""Who asks and what they see, as a client meets it: the demo's application over HTTP."""

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx
import jwt
import pytest
import uvicorn
from botocore.exceptions import ClientError
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from graph.app import PATH, create_app, make_services
from graph.auth.api_keys import ApiKeys
from graph.auth.identity import Authenticator
from graph.auth.mfa import ClaimMfa
from graph.auth.tokens import Issuer, Tokens
from graph.demo.identity import DemoIssuer, LoopbackAdministrator
from graph.demo.logs import log_clients
from graph.demo.permissions import ADMIN, ANA, API_KEY_OF, BOB, NOBODY, READER
from graph.demo.registrations import PLANTED_SECRETS, SECRETS_ID
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.loaders.permissions import PermissionRows
from graph.server import configuration
from graph.settings import Settings
from graph.tables import ids
from graph.tables.catalogue import ASSETS, EXECUTIONS, STEPS
from tests.auth import issuer as other
from tests.auth.rows import Clock
from tests.demo.reading import ITEMS
from tests.memory import NAMES, MemoryDatabase

SETTINGS = Settings(cursor_secrets=["a secret of the tests"])
AUDIENCE = "vams-graph-demo"


@contextmanager
def served(client: Any, names: Any, authenticators: Any) -> Iterator[str]:
    """The application on a free port of the loopback address."""
    app = create_app(make_services(SETTINGS, client, names, log_clients(), authenticators))
    server = uvicorn.Server(configuration(app, Settings(), host="127.0.0.1", port=0))
    thread = Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}{PATH}"
    finally:
        server.should_exit = True
        thread.join()


class Demo:
    """The demo as it is served, with its database to change."""

    def __init__(self, url: str, database: MemoryDatabase, issuer: DemoIssuer) -> None:
        self.url, self.database, self.issuer = url, database, issuer

    def post(self, document: str, headers: Any = None, **variables: Any) -> httpx.Response:
        return httpx.post(self.url, json={"query": document, "variables": variables}, headers=headers, timeout=30)

    def data(self, document: str, headers: Any = None, **variables: Any) -> dict[str, Any]:
        answer = self.post(document, headers, **variables).json()
        assert "errors" not in answer, answer
        data: dict[str, Any] = answer["data"]
        return data

    def as_user(self, user: str) -> dict[str, str]:
        return {"Authorization": API_KEY_OF[user]}

    def with_token(self, user: str, *, is_mfa: bool) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.issuer.token(user, is_mfa=is_mfa)}"}


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    database = MemoryDatabase(ITEMS)
    with DemoIssuer() as issuer, served(database, NAMES, issuer.authenticators) as url:
        yield Demo(url, database, issuer)


# ---------------------------------------------------------------------------------------------------- who is who


WHO = "{ viewer { userId roles } }"


def test_without_a_header_the_demo_takes_the_caller_for_its_administrator(demo: Demo) -> None:
    assert demo.data(WHO) == {"viewer": {"userId": ADMIN, "roles": ["demo-admin"]}}


@pytest.mark.parametrize("spelling", ["{}", "Bearer {}", "bearer {}"])
@pytest.mark.parametrize("user", [ADMIN, BOB, ANA, READER])
def test_a_key_is_its_user(user: str, spelling: str, demo: Demo) -> None:
    viewer = demo.data(WHO, {"Authorization": spelling.format(API_KEY_OF[user])})["viewer"]
    assert viewer["userId"] == user


def test_a_user_without_roles_is_refused(demo: Demo) -> None:
    assert demo.post(WHO, demo.as_user(NOBODY)).status_code == 401


def test_a_role_that_needs_a_second_factor_counts_with_one_alone(demo: Demo) -> None:
    roles = [
        sorted(demo.data(WHO, headers)["viewer"]["roles"])
        for headers in (
            demo.as_user(ANA),
            demo.with_token(ANA, is_mfa=False),
            demo.with_token(ANA, is_mfa=True),
        )
    ]
    assert roles == [["plant-user"], ["plant-user"], ["plant-admin", "plant-user"]]


def test_a_user_whom_nobody_knows_sees_nothing(demo: Demo) -> None:
    headers = demo.with_token("stranger@example.com", is_mfa=True)
    assert demo.data(f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id }} }}', headers) == {"execution": None}
    assert demo.data(WHO, headers)["viewer"]["roles"] == []


# --------------------------------------------------------------------------------- what VAMS itself says of its sample

SAMPLE = f"""
{{
  executions(first: 100) {{ nodes {{ executionId }} }}
  execution(executionId: "{SAMPLE_EXECUTION_ID}") {{
    status
    pipelineExecutions {{ nodes {{ name resultLog {{ content }} }} }}
    inputMetadata {{ nodes {{ path }} }}
    log {{ content }}
    viewerCanReadLogs
    viewerCanAbort
  }}
}}
"""


def verdicts(demo: Demo, headers: dict[str, str]) -> dict[str, Any]:
    """What a user may do with the sample run, by field."""
    answer = demo.post(SAMPLE, headers).json()
    execution = answer["data"]["execution"] or {}
    listed = answer["data"]["executions"] or {"nodes": []}
    refused = {str(error["path"][1]) for error in answer.get("errors", ()) if len(error["path"]) == 2}
    assert all(error["extensions"]["code"] == "FORBIDDEN" for error in answer.get("errors", ()))
    return {
        "list": SAMPLE_EXECUTION_ID in [node["executionId"] for node in listed["nodes"]],
        "details": execution.get("pipelineExecutions") is not None,
        "metadata": execution.get("inputMetadata") is not None,
        "logs": execution.get("log") is not None and "log" not in refused and execution["viewerCanReadLogs"],
        "abort": execution.get("viewerCanAbort", False),
    }


READS = {"list": True, "details": True, "metadata": True, "logs": False, "abort": False}
SPEC = next(item for item in ITEMS[ASSETS] if item["assetId"] == "spec-library")


@pytest.fixture(params=["in use", "archived", "deleted"])
def spec_library(request: pytest.FixtureRequest, demo: Demo) -> Iterator[str]:
    """The asset that the sample run read for its metadata, tagged as locked; where it is kept."""
    demo.database.delete(ASSETS, "plant-models", "spec-library")
    if request.param == "in use":
        demo.database.put(ASSETS, SPEC)
    elif request.param == "archived":
        demo.database.put(ASSETS, SPEC | {"databaseId": "plant-models#deleted", "status": "archived"})
    yield request.param
    if request.param == "archived":
        demo.database.delete(ASSETS, "plant-models#deleted", "spec-library")
    demo.database.put(ASSETS, SPEC)


def test_bob_reads_the_sample_but_no_log_and_aborts_nothing(spec_library: str, demo: Demo) -> None:
    """VAMS itself denies the details while the asset is archived: here it is the asset it was."""
    for headers in (
        demo.as_user(BOB),
        demo.with_token(BOB, is_mfa=False),
        demo.with_token(BOB, is_mfa=True),
    ):
        assert verdicts(demo, headers) == READS


def test_ana_without_a_second_factor_is_what_bob_is(spec_library: str, demo: Demo) -> None:
    assert verdicts(demo, demo.as_user(ANA)) == READS
    assert verdicts(demo, demo.with_token(ANA, is_mfa=False)) == READS


def test_ana_with_a_second_factor_aborts_unless_the_locked_asset_is_there(spec_library: str, demo: Demo) -> None:
    """The denials of her lesser role still hold: of logs, and of what is locked, archived or not."""
    assert verdicts(demo, demo.with_token(ANA, is_mfa=True)) == READS | {"abort": spec_library == "deleted"}


def test_the_reader_reads_everything_but_logs(spec_library: str, demo: Demo) -> None:
    assert verdicts(demo, demo.as_user(READER)) == READS


def test_the_administrator_may_do_everything(spec_library: str, demo: Demo) -> None:
    assert verdicts(demo, demo.as_user(ADMIN)) == dict.fromkeys(READS, True)


# ------------------------------------------------------------------------------------------- not yours, or not there

FOREIGN = next(item for item in ITEMS[EXECUTIONS] if item.get("executionGroupId") == "night-2026-06-21")
FOREIGN_ID = FOREIGN["workflowExecutionId"]
FOREIGN_STEP = next(item["pipelineExecutionId"] for item in ITEMS[STEPS] if item["workflowExecutionId"] == FOREIGN_ID)


@pytest.mark.parametrize(
    ("field", "hidden", "absent"),
    [
        ("execution(executionId: $a) { id status }", [FOREIGN_ID], ["0" * 32]),
        ("pipelineExecution(pipelineExecutionId: $a) { id }", [FOREIGN_STEP], ["0" * 32]),
        ("executionGroup(groupId: $a) { id }", ["night-2026-06-21"], ["night-2026-06-31"]),
        ("asset(databaseId: $a, assetId: $b) { id }", ["city-scans", "town-hall"], ["city-scans", "town-hell"]),
        ("database(databaseId: $a) { id }", ["city-scans"], ["city-scars"]),
        ("workflow(databaseId: $a, workflowId: $b) { id }", ["city-scans", "city-tiles"], ["city-scans", "city-tides"]),
        ("pipeline(databaseId: $a, pipelineId: $b) { id }", ["city-scans", "classify-points"], ["city-scans", "none"]),
        ("executions(filter: { groupId: $a }) { nodes { id } pageInfo { endCursor } }", ["night-2026-06-21"], ["none"]),
    ],
)
def test_what_is_hidden_is_answered_in_the_same_bytes_as_what_is_not_there(
    field: str, hidden: list[str], absent: list[str], demo: Demo
) -> None:
    names = "ab"[: len(hidden)]
    document = f"query({', '.join(f'${name}: String!' for name in names)}) {{ {field} }}"
    answers = [
        demo.post(document, demo.as_user(BOB), **dict(zip(names, values, strict=True))) for values in (hidden, absent)
    ]
    assert answers[0].content == answers[1].content
    assert (
        len(
            {
                tuple((name, value) for name, value in one.headers.items() if name not in ("date", "x-request-id"))
                for one in answers
            }
        )
        == 1
    )
    admin = demo.data(document, demo.as_user(ADMIN), **dict(zip(names, hidden, strict=True)))
    assert "null" not in json.dumps(admin).replace('"endCursor": null', "")


@pytest.mark.parametrize("kind", ["Execution", "PipelineExecution", "Asset", "Database", "Workflow", "Pipeline"])
def test_a_node_that_is_hidden_is_answered_in_the_same_bytes_as_one_that_is_not_there(kind: str, demo: Demo) -> None:
    parts = {
        "Execution": ((FOREIGN_ID, "city-scans:city-tiles"), ("0" * 32, "city-scans:city-tiles")),
        "PipelineExecution": ((FOREIGN_STEP, FOREIGN_ID), ("0" * 32, "0" * 32)),
        "Asset": (("city-scans", "town-hall"), ("city-scans", "none")),
        "Database": (("city-scans",), ("none",)),
        "Workflow": (("city-scans", "city-tiles"), ("city-scans", "none")),
        "Pipeline": (("city-scans", "classify-points"), ("city-scans", "none")),
    }
    hidden, absent = (ids.encode(kind, *one) for one in parts[kind])
    for document in ("query($id: ID!) { node(id: $id) { id } }", "query($id: ID!) { nodes(ids: [$id]) { id } }"):
        answers = [demo.post(document, demo.as_user(BOB), id=one).content for one in (hidden, absent)]
        assert answers[0] == answers[1]
        assert hidden in demo.post(document, demo.as_user(ADMIN), id=hidden).text


# ------------------------------------------------------------------------------------------------ many at the same time


async def test_users_who_ask_for_the_same_at_the_same_time_see_their_own(demo: Demo) -> None:
    document = f"""{{
        viewer {{ userId }}
        mine: execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id viewerCanReadLogs }}
        others: execution(executionId: "{FOREIGN_ID}") {{ id }}
        city: database(databaseId: "city-scans") {{ databaseId }}
    }}"""
    async with httpx.AsyncClient(timeout=30) as client:

        async def ask(user: str) -> dict[str, Any]:
            answer = await client.post(demo.url, json={"query": document}, headers=demo.as_user(user))
            data: dict[str, Any] = answer.json()["data"]
            return data

        users = [ADMIN, BOB, READER] * 10
        answers = await asyncio.gather(*map(ask, users))
    for user, answer in zip(users, answers, strict=True):
        assert answer["viewer"]["userId"] == user
        assert (answer["others"] is None) == (answer["city"] is None) == (user == BOB)
        assert answer["mine"]["viewerCanReadLogs"] is (user == ADMIN)


# ------------------------------------------------------------------------------------------------- tokens that are bad


def signed(demo: Demo, key: Any = None, algorithm: str = "RS256", kid: str = "demo", **changes: Any) -> str:
    now = int(time.time())
    claims = {"iss": demo.issuer.url, "aud": AUDIENCE, "sub": ADMIN, "iat": now, "exp": now + 300} | changes
    body = json.dumps({name: value for name, value in claims.items() if value is not None}).encode()
    return jwt.api_jws.encode(body, key or demo.issuer._key, algorithm, {"kid": kid})


def by_hand(header: dict[str, str], claims: dict[str, Any], secret: bytes | None) -> str:
    """A token that no library would make."""

    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    text = f"{part(json.dumps(header).encode())}.{part(json.dumps(claims).encode())}"
    signature = hmac.digest(secret, text.encode(), hashlib.sha256) if secret is not None else b""
    return f"{text}.{part(signature)}"


def public_pem(demo: Demo) -> bytes:
    pem: bytes = demo.issuer._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return pem


def claims_of(demo: Demo) -> dict[str, Any]:
    return {"iss": demo.issuer.url, "aud": AUDIENCE, "sub": ADMIN, "exp": int(time.time()) + 300}


BAD_TOKENS: dict[str, Callable[["Demo"], str]] = {
    "expired": lambda demo: signed(demo, exp=int(time.time()) - 60),
    "not yet valid": lambda demo: signed(demo, nbf=int(time.time()) + 600),
    "of a wrong issuer": lambda demo: signed(demo, iss="https://elsewhere.example.com"),
    "for a wrong audience": lambda demo: signed(demo, aud="somebody-else"),
    "for no audience": lambda demo: signed(demo, aud=None),
    "without exp": lambda demo: signed(demo, exp=None),
    "with an odd exp": lambda demo: signed(demo, exp="tomorrow"),
    "of nobody": lambda demo: signed(demo, sub=None),
    "of the system": lambda demo: signed(demo, sub="SYSTEM_USER"),
    "of an unknown key": lambda demo: signed(demo, kid="unknown"),
    "of another's key": lambda demo: signed(demo, key=other.private_key("rsa-2")),
    "with alg none": lambda demo: by_hand({"alg": "none", "kid": "demo"}, claims_of(demo), None),
    "signed with the public key": lambda demo: by_hand(
        {"alg": "HS256", "kid": "demo"}, claims_of(demo), public_pem(demo)
    ),
    "signed with nothing": lambda demo: by_hand({"alg": "RS256", "kid": "demo"}, claims_of(demo), None),
    "oversized": lambda demo: signed(demo, padding="x" * 10_000),
    "no token": lambda demo: "a.b",
    "half a token": lambda demo: signed(demo).rpartition(".")[0],
    "nested deeply": lambda demo: by_hand({"alg": "RS256", "kid": "demo"}, {}, None).replace(".", "." + "W1t" * 800, 1),
}


def test_a_good_token_is_taken(demo: Demo) -> None:
    assert demo.data(WHO, {"Authorization": f"Bearer {signed(demo)}"})["viewer"]["userId"] == ADMIN


@pytest.mark.parametrize("kind", BAD_TOKENS)
def test_a_bad_token_is_refused(kind: str, demo: Demo, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    token = BAD_TOKENS[kind](demo)
    answer = demo.post(WHO, {"Authorization": f"Bearer {token}"})
    assert_refused(answer)
    assert (
        not token
        or len(token) < 8
        or token not in "".join(record.getMessage() for record in caplog.records if record.name.startswith("graph"))
    )
    assert "Authentication failed: " in caplog.text


def assert_refused(answer: httpx.Response) -> None:
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json() == {
        "errors": [{"message": "Valid credentials are needed.", "extensions": {"code": "UNAUTHENTICATED"}}]
    }


@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", "vams_demo_admin"), ("Authorization", "vams_demo_admin")],
        [("Authorization", "vams_demo_bob"), ("authorization", "vams_demo_admin")],
        [("Authorization", "vams_demo_unknown")],
        [("Authorization", "Basic YWRtaW46YWRtaW4=")],
        [("Authorization", "")],
        [("Authorization", "Bearer")],
        [("Authorization", b"Bearer \xff\xfe")],
        [("Authorization", "vams_" + "x" * 9_000)],
    ],
    ids=["twice", "two", "unknown", "basic", "empty", "bare", "no UTF-8", "oversized"],
)
def test_other_bad_credentials_are_refused(headers: list[tuple[str, Any]], demo: Demo) -> None:
    assert_refused(demo.post(WHO, headers))


def test_credentials_are_asked_for_before_the_body_is_read(demo: Demo) -> None:
    answer = httpx.post(demo.url, content=b"{" * 1000, headers={"Authorization": "vams_demo_unknown"}, timeout=30)
    assert_refused(answer)


def test_made_up_key_ids_do_not_hammer_the_issuer() -> None:
    site = other.KeysSite("rsa-1")

    def authenticators(_settings: Settings, rows: PermissionRows) -> Sequence[Authenticator]:
        issuer = Issuer(other.URL, frozenset({other.AUDIENCE}), ClaimMfa(), keys_url=other.KEYS_URL)
        return [ApiKeys(rows), Tokens([issuer], fetch=site), LoopbackAdministrator()]

    with served(MemoryDatabase(ITEMS), NAMES, authenticators) as url, httpx.Client(timeout=30) as client:

        def status(token: str) -> int:
            return client.post(url, json={"query": WHO}, headers={"Authorization": f"Bearer {token}"}).status_code

        assert status(other.token()) == 200
        assert len(site.fetched) == 1
        assert {status(other.token(kid=f"made-up-{number}")) for number in range(20)} == {401}
        assert len(site.fetched) <= 2
        assert status(other.token()) == 200


def test_a_rotated_key_is_accepted_within_seconds_although_made_up_key_ids_go_on_arriving() -> None:
    site, clock = other.KeysSite("rsa-1"), Clock()

    def authenticators(_settings: Settings, _rows: PermissionRows) -> Sequence[Authenticator]:
        issuer = Issuer(other.URL, frozenset({other.AUDIENCE}), ClaimMfa(), keys_url=other.KEYS_URL)
        return [Tokens([issuer], fetch=site, clock=clock)]

    with served(MemoryDatabase(ITEMS), NAMES, authenticators) as url, httpx.Client(timeout=30) as client:

        def status(token: str) -> int:
            return client.post(url, json={"query": WHO}, headers={"Authorization": f"Bearer {token}"}).status_code

        assert status(other.token("rsa-1")) == 200
        for second in range(12):
            assert status(other.token(kid=f"made-up-{second}")) == 401
            clock.time += 1
        site.publish(other.jwk("rsa-2"))
        seconds = 0
        while status(other.token("rsa-2")) == 401:
            assert (seconds := seconds + 1) <= 5
            clock.time += 1
            assert status(other.token(kid=f"made-up-{seconds}")) == 401
        assert status(other.token("rsa-1")) == 401
        assert len(site.fetched) <= 6


# ------------------------------------------------------------------------------------------------- faults on the way


class ThrottledKeys:
    """A database in memory whose table of API keys is throttled."""

    def __init__(self) -> None:
        self._database = MemoryDatabase(ITEMS)
        self.get_item, self.batch_get_item = self._database.get_item, self._database.batch_get_item

    def query(self, **request: Any) -> Any:
        if request["TableName"] == "ApiKeyStorageTable":
            raise ClientError({"Error": {"Code": "InternalServerError"}}, "Query")
        return self._database.query(**request)


def test_credentials_that_cannot_be_checked_are_neither_good_nor_bad() -> None:
    with DemoIssuer() as issuer, served(ThrottledKeys(), NAMES, issuer.authenticators) as url:
        answer = httpx.post(url, json={"query": WHO}, headers={"Authorization": "vams_demo_bob"}, timeout=60)
        assert httpx.post(url, json={"query": WHO}, timeout=60).status_code == 200
    assert answer.status_code == 503
    assert answer.json()["errors"][0]["extensions"] == {"code": "UPSTREAM_UNAVAILABLE", "retryable": True}


TEXTS = f"""{{
  execution(executionId: "{SECRETS_ID}") {{
    error log {{ content cut: content(maxBytes: 300) }}
    pipelineExecutions {{ nodes {{ resultLog {{ content }} errorLog {{ content }} }} }}
    metadataEnvelope {{ content }}
  }}
  executions(first: 100, filter: {{ status: [FAILED] }}) {{ nodes {{ error }} }}
}}"""


@pytest.mark.parametrize("user", [ADMIN, READER, BOB])
def test_planted_secrets_are_in_no_answer_and_no_log(user: str, demo: Demo, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    headers = demo.as_user(user)
    answers = [
        demo.post(TEXTS, headers),
        demo.post("{ nonsense }", headers),
        demo.post(f'{{ execution(executionId: "{PLANTED_SECRETS[0]}") {{ id }} }}', headers),
        demo.post("query($a: String!) { execution(executionId: $a) { id } }", headers, a=list(PLANTED_SECRETS)),
    ]
    assert answers[0].json()["data"]["executions"]["nodes"]
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith(("graph", "uvicorn")))
    for secret in PLANTED_SECRETS:
        assert secret not in answers[0].text
        assert secret not in logged
    assert API_KEY_OF[user] not in logged
    assert API_KEY_OF[user] not in "".join(answer.text for answer in answers)


def test_the_administrator_reads_the_texts_without_their_secrets(demo: Demo) -> None:
    data = demo.data(TEXTS, demo.as_user(ADMIN))
    assert "<redacted>" in data["execution"]["error"]
    assert "<redacted>" in data["execution"]["log"]["content"]


def test_a_denial_is_in_the_log_and_not_in_the_answer(demo: Demo, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    answer = demo.post(f'{{ execution(executionId: "{FOREIGN_ID}") {{ id }} }}', demo.as_user(BOB))
    (line,) = (record.getMessage() for record in caplog.records if record.name == "graph.auth.audit")
    assert json.loads(line.removeprefix("denied ")) == {
        "user_id": BOB,
        "object_type": "workflow",
        "object_id": "city-scans:city-tiles",
        "action": "GET",
        "rule": "not allowed by any constraint",
    }
    assert answer.json() == {"data": {"execution": None}}
