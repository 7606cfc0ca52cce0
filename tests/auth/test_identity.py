import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.auth.identity import Credentials, Identity, Unauthenticated, Viewer, checked_user_id

ANA = Viewer("ana@example.com", is_mfa=False, method="token")


class Way:
    """Authenticates one Authorization header; others starting like it are bad."""

    def __init__(self, header: str, viewer: Viewer = ANA) -> None:
        self.header, self.viewer = header, viewer

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        value = credentials.authorization() or ""
        if value == self.header:
            return self.viewer
        if value.startswith(self.header[0]):
            raise Unauthenticated("bad")
        return None


async def test_the_first_way_that_the_credentials_are_for_decides() -> None:
    other = Viewer("bob@example.com", is_mfa=True, method="gateway")
    identity = Identity([Way("abc"), Way("xyz", other), Way("xyz")])
    assert await identity.viewer(Credentials([(b"authorization", b"abc")])) == ANA
    assert await identity.viewer(Credentials([(b"authorization", b"xyz")])) == other


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"authorization", b"")],
        [(b"authorization", b"Basic YTpi")],
        [(b"authorization", b"ab")],
        [(b"authorization", b"abc"), (b"authorization", b"abc")],
        [(b"authorization", b"abc"), (b"authorization", b"xyz")],
        [(b"authorization", b"\xff\xfe")],
        [(b"authorization", b"abc" * 10_000)],
    ],
)
async def test_missing_bad_doubled_undecodable_and_oversized_credentials_are_refused(
    headers: list[tuple[bytes, bytes]],
) -> None:
    with pytest.raises(Unauthenticated):
        await Identity([Way("abc")]).viewer(Credentials(headers))


async def test_the_client_is_not_told_why() -> None:
    with pytest.raises(Unauthenticated, match=r"^Valid credentials are needed\.$") as refused:
        await Identity([]).viewer(Credentials([]))
    assert refused.value.extensions == {"code": "UNAUTHENTICATED"}
    assert refused.value.reason == "no credentials"


async def test_nobody_is_anonymous() -> None:
    with pytest.raises(Unauthenticated):
        await Identity([]).viewer(Credentials([(b"authorization", b"abc")]))


@pytest.mark.parametrize(
    ("header", "token"),
    [(b"Bearer a.b", "a.b"), (b"bEARER   a.b ", "a.b"), (b"Basic a.b", None), (b"a.b", None), (b"Bearer", "")],
)
def test_a_bearer_token_follows_its_scheme(header: bytes, token: str | None) -> None:
    assert Credentials([(b"authorization", header)]).bearer() == token


@pytest.mark.parametrize(
    "user_id",
    [
        None,
        "",
        7,
        ["ana"],
        " ana",
        "ana ",
        "a\nb",
        "a\x00b",
        "\ud800",
        "a" * 257,
        "SYSTEM_USER",
        "system_user",
        "System",
    ],
)
def test_some_user_ids_are_nobodys(user_id: object) -> None:
    with pytest.raises(Unauthenticated):
        checked_user_id(user_id)


@pytest.mark.parametrize("user_id", ["ana@example.com", "a", "Ana Müller", "0a1b-2c", "a" * 256])
def test_other_user_ids_stay_as_they_are(user_id: str) -> None:
    assert checked_user_id(user_id) == user_id


@given(st.lists(st.tuples(st.sampled_from([b"authorization", b"other"]), st.binary(max_size=40))))
async def test_no_header_is_a_crash(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(Unauthenticated):
        await Identity([Way("abc")]).viewer(Credentials(headers))
