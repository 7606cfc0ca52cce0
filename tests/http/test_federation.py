"""Who is known as the gateway of a supergraph, and what everybody else finds in its place: nothing."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from graph.app import create_app, make_services
from graph.auth.api_keys import ApiKeys
from graph.auth.gateway import Gateway
from graph.auth.identity import Authenticator
from graph.auth.mfa import ClaimMfa
from graph.demo.logs import log_clients
from graph.demo.permissions import ADMIN, API_KEY_OF, BOB, NOBODY
from graph.loaders.permissions import PermissionRows
from graph.schema import federated_sdl
from graph.schema.costs import ANSWER_COST
from graph.settings import Settings
from tests.harness import SUBGRAPH
from tests.memory import NAMES, MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, listening

SECRET = "correct horse battery"
OTHER_SECRET = "battery horse correct"
PROOF = ("X-Vams-Federation-Secret", SECRET)
SDL = "{ _service { sdl } }"
TOWN_HALL = {"__typename": "Asset", "databaseId": "city-scans", "assetId": "town-hall"}
ENTITIES = "query ($these: [_Any!]!) { _entities(representations: $these) { ... on Asset { name } } }"
FROM_GATEWAYS: Sequence[tuple[str, dict[str, Any]]] = (
    (SDL, {}),
    (ENTITIES, {"these": [TOWN_HALL]}),
    ("{ _entities(representations: []) { __typename } }", {}),
    ("query ($any: _Any) { __typename }", {}),
    ("{ node(id: 1) { ... on _Entity { __typename } } }", {}),
    ("{ __typename ... on _Service { sdl } }", {}),
    ("{ _entitie }", {}),
    ("{ _services { sdl } }", {}),
)

Headers = Sequence[tuple[str, str]]


class Client:
    """Somebody who asks, with the key of a user of the demo."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/graphql"

    def post(
        self,
        document: str,
        *headers: tuple[str, str],
        user: str | None = ADMIN,
        variables: dict[str, Any] | None = None,
    ) -> httpx.Response:
        shown = [("Authorization", API_KEY_OF[user])] if user else []
        sent = {"query": document, "variables": variables}
        return httpx.post(self._url, json=sent, headers=[*shown, *GRAPHQL_RESPONSE.items(), *headers], timeout=30)


@contextmanager
def serving(memory: MemoryDatabase, **settings: Any) -> Iterator[Client]:
    """The application for users of the demo, who may also come through a gateway in front."""
    given = Settings(cursor_secrets=["a secret of the tests"], **settings)
    with listening(create_app(make_services(given, memory, NAMES, log_clients(), authenticators))) as url:
        yield Client(url)


def authenticators(_settings: Settings, rows: PermissionRows) -> Sequence[Authenticator]:
    """API keys, and a gateway in front that has a secret of its own."""
    return ApiKeys(rows), Gateway(mfa=ClaimMfa(), secret=OTHER_SECRET)


@pytest.fixture(scope="module", params=["production", "development"])
def pair(memory: MemoryDatabase, request: pytest.FixtureRequest) -> Iterator[tuple[Client, Client]]:
    """A graph that is part of a supergraph, and one that is not."""
    with (
        serving(memory, environment=request.param, federation_secret=SECRET) as subgraph,
        serving(memory, environment=request.param) as alone,
    ):
        yield subgraph, alone


@pytest.fixture
def subgraph(pair: tuple[Client, Client]) -> Client:
    return pair[0]


def test_the_gateway_is_told_the_definitions(subgraph: Client) -> None:
    answer = subgraph.post(SDL, PROOF).json()
    assert answer == {"data": {"_service": {"sdl": federated_sdl(with_node=True, with_actions=False)}}}


def test_without_node_and_nodes_where_the_setting_says_so(memory: MemoryDatabase) -> None:
    with serving(memory, federation_secret=SECRET, federation_node=False) as client:
        answer = client.post(SDL, PROOF).json()
    assert answer == {"data": {"_service": {"sdl": federated_sdl(with_node=False, with_actions=False)}}}


def test_the_gateway_asks_for_its_users_and_each_sees_what_is_theirs(subgraph: Client) -> None:
    these = {"these": [TOWN_HALL, TOWN_HALL | {"assetId": "no-such"}, TOWN_HALL | {"assetId": 7}]}
    seen = subgraph.post(ENTITIES, PROOF, variables=these).json()
    hidden = subgraph.post(ENTITIES, PROOF, user=BOB, variables=these).json()
    assert seen["data"] == {"_entities": [{"name": "Town hall"}, None, None]}
    assert hidden["data"] == {"_entities": [None, None, None]}
    for answer in (seen, hidden):
        (error,) = answer["errors"]
        assert (error["path"], error["extensions"]) == (["_entities", 2], {"code": "BAD_USER_INPUT"})


@pytest.mark.parametrize("document", [SDL, "{ viewer { userId } }"])
def test_the_gateway_is_nobody_itself(subgraph: Client, document: str) -> None:
    """A request that lost its user on the way is refused, and a user who is only claimed is not believed."""
    assert subgraph.post(document, PROOF, user=None).status_code == 401
    assert subgraph.post(document, PROOF, user=NOBODY).status_code == 401
    assert subgraph.post(document, PROOF, ("X-Vams-User", ADMIN), user=None).status_code == 401
    claimed = subgraph.post("{ viewer { userId } }", PROOF, ("X-Vams-User", ADMIN), user=BOB).json()
    assert claimed["data"]["viewer"] == {"userId": BOB}


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("X-Vams-Federation-Secret", "")],
        [("X-Vams-Federation-Secret", SECRET[:-1])],
        [("X-Vams-Federation-Secret", SECRET + "!")],
        [("X-Vams-Federation-Secret", SECRET.upper())],
        [("X-Vams-Federation-Secret", OTHER_SECRET)],
        [("X-Vams-Gateway-Secret", SECRET)],
        [("X-Vams-Gateway-Secret", OTHER_SECRET), ("X-Vams-User", ADMIN)],
        [("X-Forwarded-For", "127.0.0.1")],
    ],
    ids=str,
)
def test_to_all_others_the_fields_of_gateways_do_not_exist(pair: tuple[Client, Client], headers: Headers) -> None:
    subgraph, alone = pair
    for document, variables in FROM_GATEWAYS:
        answer = subgraph.post(document, *headers, variables=variables)
        known_nowhere = alone.post(document, *headers, variables=variables)
        assert (answer.status_code, answer.content) == (known_nowhere.status_code, known_nowhere.content)
        assert answer.status_code == 400


def test_where_none_is_trusted_none_is_a_gateway(memory: MemoryDatabase) -> None:
    with serving(memory) as alone:
        for document, variables in FROM_GATEWAYS:
            answer = alone.post(document, PROOF, variables=variables)
            assert answer.content == alone.post(document, variables=variables).content
            assert answer.status_code == 400


def test_a_secret_that_comes_twice_is_bad(subgraph: Client) -> None:
    assert subgraph.post(SDL, PROOF, PROOF).status_code == 401


@pytest.mark.parametrize(
    ("settings", "headers", "is_known"),
    [
        ({"federation_networks": ["127.0.0.0/8"]}, [], True),
        ({"federation_networks": ["10.0.0.0/8"]}, [PROOF], False),
        ({"federation_networks": ["127.0.0.0/8"], "federation_secret": SECRET}, [PROOF], True),
        ({"federation_networks": ["127.0.0.0/8"], "federation_secret": SECRET}, [], False),
        ({"federation_networks": ["10.0.0.0/8"], "federation_secret": SECRET}, [PROOF], False),
    ],
)
def test_a_private_network_proves_the_gateway_too(
    memory: MemoryDatabase, settings: dict[str, Any], headers: Headers, *, is_known: bool
) -> None:
    with serving(memory, **settings) as client:
        assert (client.post(SDL, *headers).status_code == 200) == is_known


def test_the_gateway_asks_whatever_others_may(subgraph: Client) -> None:
    document = (
        '{ asset(databaseId: "city-scans", assetId: "town-hall") { name executions(first: 1) { nodes { id } } } }'
    )
    answer = subgraph.post(document, PROOF)
    assert answer.json()["data"]["asset"]["name"] == "Town hall"
    assert answer.content == subgraph.post(document).content


def test_many_representations_have_their_price(subgraph: Client) -> None:
    thousand = {"these": [TOWN_HALL] * 1_000}
    answer = subgraph.post(ENTITIES, PROOF, ("GraphQL-Cost", "1"), variables=thousand).json()
    assert len(answer["data"]["_entities"]) == 1_000
    assert answer["extensions"]["cost"]["requested"] == 1_000 * (ANSWER_COST + 1)
    dear = ENTITIES.replace("name", "executions(first: 100) { nodes { id } }")
    assert subgraph.post(dear, PROOF, variables=thousand).json()["errors"][0]["extensions"]["code"] == (
        "COST_LIMIT_EXCEEDED"
    )


def test_in_production_messages_tell_the_gateway_no_names_either(memory: MemoryDatabase) -> None:
    known = {*SUBGRAPH.core.type_map, *(SUBGRAPH.core.query_type.fields if SUBGRAPH.core.query_type else ())}
    with serving(memory, federation_secret=SECRET) as client:
        for document in (
            "{ __schema { types { name } } }",
            "{ _entitiex }",
            "{ _entities }",
            "{ _entities { x } }",
            "{ _entities(representations: 1) }",
            "{ _entities(representationx: 1) { x } }",
            "query ($r: [ID]) { _entities(representations: $r) { __typename } }",
            "query ($r: [_Anx]) { _entities(representations: $r) { __typename } }",
            "{ _entities(representations: []) { name } }",
            "{ _entities(representations: []) { ... on Assex { name } } }",
            "{ _service }",
            "{ _service { sdx } }",
        ):
            answer = client.post(document, PROOF)
            assert answer.status_code == 400, document
            for error in answer.json()["errors"]:
                words = set(re.findall(r"\w+", error["message"]))
                assert words & known <= set(re.findall(r"\w+", document)), (document, error["message"])
