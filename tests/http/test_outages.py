"""Permissions that cannot be read: an outage, told as one to everybody and for everything, and never "not found"."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from graph.app import create_app, make_services
from graph.auth import policies
from graph.auth.api_keys import ApiKeys
from graph.auth.gateway import Gateway
from graph.auth.mfa import CognitoMfa
from graph.demo.logs import log_clients
from graph.demo.permissions import ADMIN, API_KEY_OF, BOB
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.settings import Settings
from graph.tables import ids
from graph.tables.catalogue import API_KEYS, CONSTRAINTS, ROLES, USER_ROLES, Table
from tests.faults import Answer, Call, FaultyClient, broken, denied, throttled, truly, unreachable, without_pauses
from tests.memory import NAMES, MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, listening

SECRET = "correct horse battery"
SAMPLE, NOTHING = SAMPLE_EXECUTION_ID, "0" * 32
DOCUMENTS = [
    *(f'{{ execution(executionId: "{each}") {{ executionId }} }}' for each in (SAMPLE, NOTHING)),
    *(f'{{ node(id: "{ids.encode("Asset", "plant-models", each)}") {{ id }} }}' for each in ("pump-station", "none")),
    f'{{ nodes(ids: ["{ids.encode("Database", "plant-models")}", "rubbish"]) {{ id }} }}',
    "{ executions(first: 5) { nodes { executionId } } }",
    f'{{ _entities(representations: [{{ __typename: "Execution", executionId: "{SAMPLE}" }}]) {{ __typename }} }}',
    "{ viewer { userId } }",
    "{ __typename }",
]


each_fault = pytest.mark.parametrize(
    "fault", [throttled, broken, denied, unreachable], ids=["throttled", "broken", "denied", "away"]
)


class Deployment:
    """A database of which some tables fail, and the address at which it is served."""

    def __init__(self, memory: MemoryDatabase) -> None:
        self.failing: dict[str, Any] = {}
        self.client = FaultyClient(memory, NAMES, self._of)
        self.url = ""

    def fail(self, fault: Any, *tables: Table) -> None:
        """Lets every read of some tables, and of no others, meet a fault."""
        self.failing = {NAMES[table]: fault for table in tables}

    def ask(self, document: str, headers: dict[str, str]) -> httpx.Response:
        sent = {**GRAPHQL_RESPONSE, "X-Vams-Federation-Secret": SECRET, **headers}
        return httpx.post(f"{self.url}/graphql", json={"query": document}, headers=sent, timeout=60)

    def _of(self, request: dict[str, Any]) -> Any:
        name = request.get("TableName") or next(iter(request["RequestItems"]))
        return self.failing.get(name, truly)


class Pool:
    """A user pool that does not answer."""

    def admin_get_user(self, **_: str) -> Any:
        raise ConnectionError("away")


@contextmanager
def deployed(memory: MemoryDatabase) -> Iterator[Deployment]:
    deployment = Deployment(memory)
    settings = Settings(cursor_secrets=["a secret of the tests"], federation_secret=SECRET, points_at_once=1)

    def authenticators(_settings: Settings, rows: Any) -> Any:
        return [ApiKeys(rows), Gateway(mfa=CognitoMfa(Pool(), "pool"), secret=SECRET)]

    services = make_services(settings, deployment.client, NAMES, log_clients(), authenticators)
    with listening(create_app(services)) as deployment.url:
        yield deployment


@pytest.fixture
def deployment(memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    without_pauses(monkeypatch)
    monkeypatch.setattr(policies, "_PAUSE_SECONDS", 0.0)
    with deployed(memory) as deployment:
        yield deployment


def by_key(user: str) -> dict[str, str]:
    return {"Authorization": API_KEY_OF[user]}


def assert_outage(answer: httpx.Response) -> None:
    assert answer.status_code == 503
    (error,) = answer.json()["errors"]
    assert error["extensions"] == {"code": "UPSTREAM_UNAVAILABLE", "retryable": True}
    assert "data" not in answer.json()


@each_fault
@pytest.mark.parametrize("table", [CONSTRAINTS, ROLES, USER_ROLES], ids=repr)
def test_a_table_of_permissions_that_fails_is_an_outage_for_every_document(
    table: Table, fault: Any, deployment: Deployment
) -> None:
    assert deployment.ask("{ __typename }", by_key(BOB)).status_code == 200
    deployment.fail(fault, table)
    answers = [deployment.ask(document, by_key(ADMIN)) for document in DOCUMENTS]
    for answer in answers:
        assert_outage(answer)
    assert len({answer.content for answer in answers}) == 1  # of what is there and of what is not, alike
    # What is at hand is used.
    assert deployment.ask(DOCUMENTS[0], by_key(BOB)).json() == {"data": {"execution": {"executionId": SAMPLE}}}
    deployment.fail(fault)
    assert deployment.ask(DOCUMENTS[0], by_key(ADMIN)).json() == {"data": {"execution": {"executionId": SAMPLE}}}


@each_fault
@pytest.mark.parametrize("table", [API_KEYS, USER_ROLES], ids=repr)
@pytest.mark.parametrize("key", [API_KEY_OF[BOB], "vams_no_such_key"], ids=["good", "bad"])
def test_keys_that_cannot_be_looked_up_are_an_outage_where_they_might_be_good(
    key: str, table: Table, fault: Any, deployment: Deployment
) -> None:
    deployment.fail(fault, table)
    answer = deployment.ask(DOCUMENTS[0], {"Authorization": key})
    if table is USER_ROLES and key != API_KEY_OF[BOB]:
        assert answer.status_code == 401  # a key that does not exist is bad whatever the roles are
    else:
        assert_outage(answer)


def test_a_second_factor_that_cannot_be_asked_for_is_an_outage(deployment: Deployment) -> None:
    assert_outage(deployment.ask(DOCUMENTS[0], {"X-Vams-User": BOB, "X-Vams-Gateway-Secret": SECRET}))


def test_a_request_that_waits_for_its_permissions_takes_no_turn(deployment: Deployment) -> None:
    """Whoever waits for a policy keeps nobody from the turns, of which there is one."""
    assert deployment.ask(DOCUMENTS[0], by_key(BOB)).status_code == 200
    waits, go_on = threading.Event(), threading.Event()

    def slow(call: Call) -> Answer:
        waits.set()
        assert go_on.wait(30)
        return truly(call)

    deployment.fail(slow, CONSTRAINTS)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(deployment.ask, DOCUMENTS[0], by_key(ADMIN))
        assert waits.wait(30)
        assert deployment.ask(DOCUMENTS[0], by_key(BOB)).status_code == 200
        go_on.set()
        assert waiting.result().status_code == 200
