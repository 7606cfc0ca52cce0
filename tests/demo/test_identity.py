import json
import urllib.request
from collections.abc import Iterator

import pytest

from graph.auth.identity import Credentials, Identity, Unauthenticated, Viewer
from graph.demo.identity import DemoIssuer, LoopbackAdministrator
from graph.demo.permissions import ADMIN, ANA, API_KEY_OF
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings
from tests.demo.reading import ITEMS
from tests.worlds import MemoryReader


@pytest.fixture(scope="module")
def issuer() -> Iterator[DemoIssuer]:
    with DemoIssuer() as issuer:
        yield issuer


@pytest.fixture
def identity(issuer: DemoIssuer) -> Identity:
    return Identity(issuer.authenticators(Settings(), PermissionRows(MemoryReader(ITEMS))))


def shown(value: str) -> list[tuple[bytes, bytes]]:
    return [(b"authorization", value.encode())]


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
async def test_who_shows_nothing_and_is_here_is_the_administrator(peer: str, identity: Identity) -> None:
    assert await identity.viewer(Credentials([], peer)) == Viewer(ADMIN, is_mfa=False, method="demo")


@pytest.mark.parametrize("peer", [None, "", "10.0.0.1", "192.0.2.1", "::ffff:10.0.0.1", "fe80::1", "/run/a.socket"])
async def test_who_shows_nothing_and_is_elsewhere_is_refused(peer: str | None, identity: Identity) -> None:
    with pytest.raises(Unauthenticated):
        await identity.viewer(Credentials([], peer))


@pytest.mark.parametrize("value", ["", "Basic YTpi", "vams_wrong", "Bearer a.b.c", "admin"])
async def test_who_shows_something_bad_is_refused_here_too(value: str, identity: Identity) -> None:
    with pytest.raises(Unauthenticated):
        await identity.viewer(Credentials(shown(value), "127.0.0.1"))


async def test_the_administrator_is_taken_for_nobody_else() -> None:
    assert await LoopbackAdministrator().authenticate(Credentials(shown("vams_demo_bob"), "127.0.0.1")) is None


@pytest.mark.parametrize("is_mfa", [False, True])
async def test_a_token_is_its_user_with_or_without_a_second_factor(
    is_mfa: bool, issuer: DemoIssuer, identity: Identity
) -> None:
    token = issuer.token(ANA, is_mfa=is_mfa)
    assert await identity.viewer(Credentials(shown(f"Bearer {token}"))) == Viewer(ANA, is_mfa=is_mfa, method="token")


async def test_keys_are_never_a_second_factor(identity: Identity) -> None:
    assert not (await identity.viewer(Credentials(shown(API_KEY_OF[ANA])))).is_mfa


async def test_a_token_of_another_demo_is_refused(identity: Identity) -> None:
    with DemoIssuer() as other, pytest.raises(Unauthenticated):
        await identity.viewer(Credentials(shown(f"Bearer {other.token(ANA, is_mfa=True)}")))


def test_the_public_key_is_served_on_the_loopback_address_and_nothing_secret_with_it(issuer: DemoIssuer) -> None:
    assert issuer.url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{issuer.url}/jwks.json") as answer:  # noqa: S310 - the issuer's own address
        (key,) = json.load(answer)["keys"]
    assert {"kty", "n", "e", "kid"} <= set(key)
    assert not set(key) & {"d", "p", "q", "dp", "dq", "qi"}
