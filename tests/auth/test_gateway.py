import pytest

from graph.auth.gateway import Gateway
from graph.auth.identity import Credentials, Unauthenticated, Viewer
from graph.auth.mfa import ClaimMfa

SECRET = "correct horse battery"
ANA = Viewer("ana@example.com", is_mfa=False, method="gateway")


def credentials(
    *, user: str | None = "ana@example.com", secret: str | None = SECRET, peer: str | None = "10.1.2.3"
) -> Credentials:
    headers = [(b"x-vams-user", user), (b"x-vams-gateway-secret", secret)]
    return Credentials([(name, value.encode()) for name, value in headers if value is not None], peer)


BY_SECRET = Gateway(mfa=ClaimMfa(), secret=SECRET)
BY_ADDRESS = Gateway(mfa=ClaimMfa(), networks=["10.0.0.0/8", "fd00::/8"])
BY_BOTH = Gateway(mfa=ClaimMfa(), secret=SECRET, networks=["10.0.0.0/8"])


async def test_the_secret_or_the_address_proves_the_gateway() -> None:
    assert await BY_SECRET.authenticate(credentials(peer="203.0.113.9")) == ANA
    assert await BY_ADDRESS.authenticate(credentials(secret=None)) == ANA
    assert await BY_ADDRESS.authenticate(credentials(secret=None, peer="::ffff:10.0.0.1")) == ANA
    assert await BY_ADDRESS.authenticate(credentials(secret=None, peer="fd00::1")) == ANA


async def test_where_both_proofs_are_configured_both_are_asked_for() -> None:
    assert await BY_BOTH.authenticate(credentials()) == ANA
    assert await BY_BOTH.authenticate(credentials(peer="203.0.113.9")) is None
    assert await BY_BOTH.authenticate(credentials(secret=None)) is None


@pytest.mark.parametrize("secret", [None, "", "wrong horse battery", SECRET + "!", "é" * 21])
async def test_without_the_secret_a_claim_is_ignored(secret: str | None) -> None:
    assert await BY_SECRET.authenticate(credentials(secret=secret)) is None


@pytest.mark.parametrize("peer", [None, "", "203.0.113.9", "::1", "unix:/run/x", "10.0.0.1:80"])
async def test_from_another_address_a_claim_is_ignored(peer: str | None) -> None:
    assert await BY_ADDRESS.authenticate(credentials(peer=peer)) is None


async def test_an_address_that_a_header_claims_proves_nothing() -> None:
    claimed = Credentials([*credentials(secret=None).headers, (b"x-forwarded-for", b"10.0.0.1")], "203.0.113.9")
    assert await BY_ADDRESS.authenticate(claimed) is None


@pytest.mark.parametrize("user", [None, ""])
async def test_without_a_user_nobody_is_forwarded(user: str | None) -> None:
    assert await BY_SECRET.authenticate(credentials(user=user)) is None


async def test_the_gateway_forwards_no_system_user_and_no_two_users() -> None:
    with pytest.raises(Unauthenticated):
        await BY_SECRET.authenticate(credentials(user="SYSTEM_USER"))
    doubled = credentials()
    with pytest.raises(Unauthenticated):
        await BY_SECRET.authenticate(Credentials([*doubled.headers, (b"x-vams-user", b"bob@example.com")]))


@pytest.mark.parametrize(
    ("secret", "networks"),
    [
        (None, []),
        ("", []),
        ("short", []),
        (None, ["0.0.0.0/0"]),
        (None, ["8.8.8.0/24"]),
        (None, ["10.0.0.0/7"]),
        (None, ["::/0"]),
    ],
)
def test_a_gateway_without_a_proof_worth_the_name_is_refused(secret: str | None, networks: list[str]) -> None:
    with pytest.raises(ValueError, match=r"gateway|private|host bits"):
        Gateway(mfa=ClaimMfa(), secret=secret, networks=networks)
