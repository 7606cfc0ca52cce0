from typing import Any

import pytest

from graph.auth.api_keys import ApiKeys
from graph.auth.authenticators import HINT, NotConfigured, configured_authenticators, federation_proof
from graph.auth.gateway import Gateway
from graph.auth.identity import Credentials, Identity, Viewer
from graph.auth.tokens import Tokens
from graph.aws.sessions import Session
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings
from tests.demo.reading import ITEMS
from tests.worlds import MemoryReader

ROWS = PermissionRows(MemoryReader(ITEMS))
POOL: dict[str, Any] = {"cognito_pool_id": "eu-west-1_AbCdEf123", "cognito_client_ids": ["client"]}
OIDC: dict[str, Any] = {"oidc_issuer": "https://id.example.com", "oidc_audiences": ["vams"]}
SECRET = "a secret of sixteen letters or more"
HOSTS = {"allowed_hosts": ["graph.example.com"]}
NETWORKS = {"gateway_networks": ["10.0.0.0/8"]}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clients of AWS are made, and never used."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")


def kinds(**settings: Any) -> list[type]:
    return [type(way) for way in configured_authenticators(Settings(**settings), ROWS)]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"api_keys": True}, [ApiKeys]),
        (POOL, [Tokens]),
        (OIDC, [Tokens]),
        (POOL | OIDC, [Tokens]),
        ({"gateway_secret": SECRET}, [Gateway]),
        ({"gateway_networks": ["10.0.0.0/8"], "allowed_hosts": ["graph.example.com"]}, [Gateway]),
        ({"gateway_networks": ["10.0.0.0/8"], "environment": "development"}, [Gateway]),
        ({"gateway_networks": ["10.0.0.0/8"], "gateway_secret": SECRET}, [Gateway]),
        ({"gateway_secret": SECRET, "cors_origins": ["*"]}, [Gateway]),
        ({"gateway_secret": SECRET, "api_keys": True} | OIDC, [ApiKeys, Tokens, Gateway]),
    ],
)
def test_each_way_is_configured_by_its_own_settings(settings: dict[str, Any], expected: list[type]) -> None:
    assert kinds(**settings) == expected


def test_without_any_way_it_says_what_to_set() -> None:
    with pytest.raises(NotConfigured) as refused:
        kinds()
    assert str(refused.value) == HINT
    named = {word.strip(".,").partition("=")[0] for word in HINT.split() if word.startswith("VAMS_GRAPH_")}
    assert {name.removeprefix("VAMS_GRAPH_").lower() for name in named} <= set(Settings.model_fields)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"cognito_pool_id": "eu-west-1_A"}, "VAMS_GRAPH_COGNITO_POOL_ID needs VAMS_GRAPH_COGNITO_CLIENT_IDS"),
        ({"cognito_client_ids": ["a"]}, "VAMS_GRAPH_COGNITO_CLIENT_IDS needs VAMS_GRAPH_COGNITO_POOL_ID"),
        ({"oidc_issuer": "https://id.example.com"}, "VAMS_GRAPH_OIDC_ISSUER needs VAMS_GRAPH_OIDC_AUDIENCES"),
        ({"oidc_audiences": ["a"]}, "VAMS_GRAPH_OIDC_AUDIENCES needs VAMS_GRAPH_OIDC_ISSUER"),
        ({"oidc_keys_url": "https://id.example.com/keys"}, "VAMS_GRAPH_OIDC_KEYS_URL needs VAMS_GRAPH_OIDC_ISSUER"),
        (
            {"cognito_pool_id": "pool", "cognito_client_ids": ["a"]},
            "VAMS_GRAPH_COGNITO_POOL_ID is no id of a user pool",
        ),
        (
            {"cognito_pool_id": "nowhere_AbCdEf123", "cognito_client_ids": ["a"]},
            "'nowhere' is no region of AWS",
        ),
        ({"oidc_issuer": "http://id.example.com", "oidc_audiences": ["a"]}, "starts with https://"),
        (OIDC | {"oidc_keys_url": "ftp://id.example.com"}, "starts with https://"),
        ({"gateway_secret": "short"}, "at least 16 characters"),
        (HOSTS | {"gateway_networks": ["0.0.0.0/0"]}, "The gateway in front: 0.0.0.0/0 is not private"),
        (HOSTS | {"gateway_networks": ["the office"]}, "The gateway in front: 'the office'"),
        (NETWORKS, "VAMS_GRAPH_GATEWAY_NETWORKS needs VAMS_GRAPH_ALLOWED_HOSTS or VAMS_GRAPH_GATEWAY_SECRET"),
        (NETWORKS | {"allowed_hosts": ["*"]}, "VAMS_GRAPH_GATEWAY_NETWORKS needs VAMS_GRAPH_ALLOWED_HOSTS"),
        (NETWORKS | {"allowed_hosts": ["*"], "environment": "development"}, "needs VAMS_GRAPH_ALLOWED_HOSTS"),
        (NETWORKS | HOSTS | {"cors_origins": ["*"]}, "VAMS_GRAPH_GATEWAY_NETWORKS needs VAMS_GRAPH_GATEWAY_SECRET"),
    ],
)
def test_a_way_that_lacks_a_part_is_refused_even_beside_a_whole_one(settings: dict[str, Any], says: str) -> None:
    for others in ({}, {"api_keys": True}):
        with pytest.raises(NotConfigured, match=says.replace("(", r"\(")):
            kinds(**(others | settings))


async def test_a_gateway_names_the_user_in_the_header_that_is_set() -> None:
    settings = Settings(gateway_secret=SECRET, gateway_user_header="X-User")
    identity = Identity(configured_authenticators(settings, ROWS))
    headers = [(b"x-user", b"bob@example.com"), (b"x-vams-gateway-secret", SECRET.encode())]
    assert await identity.viewer(Credentials(headers)) == Viewer("bob@example.com", is_mfa=False, method="gateway")


async def test_a_gateway_of_a_supergraph_is_trusted_only_where_the_settings_say_how() -> None:
    assert federation_proof(Settings(gateway_secret=SECRET, gateway_networks=["10.0.0.0/8"])) is None
    proof = federation_proof(Settings(federation_secret=SECRET))
    assert proof is not None
    assert proof.is_in(Credentials([(b"x-vams-federation-secret", SECRET.encode())]))
    assert not proof.is_in(Credentials([(b"x-vams-gateway-secret", SECRET.encode())]))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"federation_secret": ""}, "The gateway of a supergraph: A gateway is trusted only by"),
        ({"federation_secret": "short"}, "The gateway of a supergraph: The gateway's secret must have"),
        ({"federation_networks": ["0.0.0.0/0"]}, "The gateway of a supergraph: 0.0.0.0/0 is not private"),
        ({"federation_networks": ["the office"]}, "The gateway of a supergraph: 'the office'"),
    ],
)
def test_one_without_a_proof_worth_the_name_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(NotConfigured, match=says):
        federation_proof(Settings(**settings))


async def test_the_api_keys_are_those_of_the_table() -> None:
    identity = Identity(configured_authenticators(Settings(api_keys=True), ROWS))
    viewer = await identity.viewer(Credentials([(b"authorization", b"vams_demo_bob")]))
    assert (viewer.user_id, viewer.is_mfa) == ("bob@example.com", False)


def test_the_region_of_a_pool_is_that_in_its_id() -> None:
    (tokens,) = configured_authenticators(Settings(region="us-east-1", **POOL), ROWS)
    assert isinstance(tokens, Tokens)
    assert set(tokens._issuers) == {
        "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123",
        "https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123",
    }


def test_a_secret_is_not_shown_with_the_settings() -> None:
    assert SECRET not in repr(Settings(gateway_secret=SECRET))


def test_cognito_is_asked_with_bounds_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(Session, "client", lambda _, service, **options: made.update({service: options}))
    configured_authenticators(Settings(**POOL), ROWS)
    config = made["cognito-idp"]["config"]
    assert config.connect_timeout + config.read_timeout <= 5
    assert config.retries["total_max_attempts"] <= 2
