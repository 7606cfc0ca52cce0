import base64
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import boto3
import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.auth.identity import Credentials, Identity, IdentityUnavailable, Unauthenticated, Viewer
from graph.auth.mfa import ClaimMfa
from graph.auth.tokens import Issuer, Tokens, cognito_issuer
from tests.auth.issuer import AUDIENCE, KEYS_URL, URL, KeysSite, claims, private_key, public_pem, token
from tests.auth.rows import Clock

ISSUER = Issuer(URL, frozenset({AUDIENCE}), ClaimMfa(), KEYS_URL)


def tokens(site: KeysSite | None = None, *issuers: Issuer, clock: Clock | None = None) -> Tokens:
    return Tokens(issuers or [ISSUER], fetch=site or KeysSite(), clock=clock or Clock())


async def viewer(presented: str, authenticator: Tokens | None = None) -> Viewer:
    """Whom a server that knows tokens only takes the bearer of a token for."""
    credentials = Credentials([(b"authorization", f"Bearer {presented}".encode())])
    return await Identity([authenticator or tokens()]).viewer(credentials)


def unsigned(header: object, payload: object, signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(payload).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


async def test_a_good_token_identifies_its_user() -> None:
    assert await viewer(token()) == Viewer("ana@example.com", is_mfa=False, method="token")
    assert await viewer(token(amr=["pwd", "mfa"])) == Viewer("ana@example.com", is_mfa=True, method="token")


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [("rsa-1", "RS256"), ("rsa-1", "RS512"), ("rsa-1", "PS256"), ("ec-1", "ES256"), ("ed-1", "EdDSA")],
)
async def test_asymmetric_algorithms_are_accepted(key: str, algorithm: str) -> None:
    assert (await viewer(token(key, algorithm), tokens(KeysSite(key)))).user_id == "ana@example.com"


NOW = int(time.time())
BAD_CLAIMS: dict[str, dict[str, Any]] = {
    "expired": {"exp": NOW - 1},
    "long expired": {"exp": 0},
    "no expiry": {"exp": None},
    "an expiry that is no number": {"exp": "soon"},
    "an endless expiry": {"exp": float("inf")},
    "not yet valid": {"nbf": NOW + 3600},
    "issued in the future": {"iat": NOW + 3600},
    "another issuer": {"iss": "https://evil.example.com"},
    "almost the issuer": {"iss": URL + "/"},
    "no issuer": {"iss": None},
    "a list of issuers": {"iss": [URL]},
    "another audience": {"aud": "other"},
    "other audiences": {"aud": ["other", "another"]},
    "no audience": {"aud": None},
    "another client": {"aud": None, "client_id": "other"},
    "another audience for our client": {"aud": "other", "client_id": AUDIENCE},
    "an audience that is no text": {"aud": {"a": 1}},
    "no user": {"sub": None},
    "an empty user": {"username": ""},
    "VAMS itself": {"username": "SYSTEM_USER"},
    "a user that is no text": {"username": ["ana"]},
    "an empty list of users": {"vams:tokens": "[]"},
    "a broken list of users": {"vams:tokens": "["},
    "an object of users": {"vams:tokens": "{}"},
    "a deep list of users": {"vams:tokens": "[" * 5_000},
}


@pytest.mark.parametrize("changes", BAD_CLAIMS.values(), ids=BAD_CLAIMS.keys())
async def test_tokens_with_bad_claims_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated):
        await viewer(token(**changes))


GOOD_HEADER = {"alg": "RS256", "kid": "rsa-1"}
BAD_TOKENS = {
    "empty": "",
    "no token": "abc",
    "two parts": "a.b",
    "five parts": "a.b.c.d.e",
    "no base64": "!.!.!",
    "algorithm none": unsigned({"alg": "none", "kid": "rsa-1"}, claims()),
    "no algorithm": unsigned({"kid": "rsa-1"}, claims()),
    "an algorithm that is no text": unsigned({"alg": ["RS256"], "kid": "rsa-1"}, claims()),
    "no signature": unsigned(GOOD_HEADER, claims()),
    "a wrong signature": unsigned(GOOD_HEADER, claims(), b"x" * 256),
    "no key id": jwt.encode(claims(), private_key("rsa-1"), "RS256"),
    "a key id that is no text": unsigned({"alg": "RS256", "kid": 7}, claims(), b"x"),
    "an unknown key id": token(kid="made-up"),
    "another key": token("rsa-2", kid="rsa-1"),
    "another kind of key": token("ec-1", "ES256", kid="rsa-1"),
    "claims that are no object": unsigned(GOOD_HEADER, [1], b"x"),
    "deep claims": unsigned(GOOD_HEADER, claims(), b"x").replace(".", "." + "W1tb" * 1_500, 1),
    "oversized": token(padding="x" * 10_000),
    "an unknown critical header": unsigned({**GOOD_HEADER, "crit": ["x"]}, claims(), b"x"),
    "a detached payload": unsigned({**GOOD_HEADER, "b64": False, "crit": ["b64"]}, claims(), b"x"),
}


@pytest.mark.parametrize("presented", BAD_TOKENS.values(), ids=BAD_TOKENS.keys())
async def test_bad_tokens_are_refused(presented: str) -> None:
    with pytest.raises(Unauthenticated):
        await viewer(presented)


async def test_the_public_key_is_no_secret() -> None:
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "rsa-1"}).encode()).rstrip(b"=")
    payload = base64.urlsafe_b64encode(json.dumps(claims()).encode()).rstrip(b"=")
    hmac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    signature = base64.urlsafe_b64encode(hmac.sign(header + b"." + payload, public_pem("rsa-1"))).rstrip(b"=")
    with pytest.raises(Unauthenticated):
        await viewer(b".".join([header, payload, signature]).decode())


async def test_a_short_key_is_refused() -> None:
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        signed = token("short-1")
    with pytest.raises(Unauthenticated):
        await viewer(signed, tokens(KeysSite("short-1")))


async def test_twenty_unknown_key_ids_cause_one_fetch() -> None:
    site = KeysSite()
    authenticator = tokens(site)
    for n in range(20):
        with pytest.raises(Unauthenticated):
            await viewer(token(kid=f"made-up-{n}"), authenticator)
    assert len(site.fetched) == 1


async def test_keys_are_not_fetched_for_tokens_that_are_bad_anyway() -> None:
    site = KeysSite()
    for presented in (token(iss="https://evil.example.com"), BAD_TOKENS["algorithm none"], "a.b.c"):
        with pytest.raises(Unauthenticated):
            await viewer(presented, tokens(site))
    assert site.fetched == []


async def test_while_the_issuer_is_away_tokens_cannot_be_checked() -> None:
    site = KeysSite()
    site.error = ConnectionError("away")
    with pytest.raises(IdentityUnavailable):
        await viewer(token(), tokens(site))


async def test_a_client_id_stands_for_a_missing_audience() -> None:
    assert (await viewer(token(aud=None, client_id=AUDIENCE))).user_id == "ana@example.com"
    assert (await viewer(token(aud=["other", AUDIENCE]))).user_id == "ana@example.com"


@pytest.mark.parametrize(
    ("changes", "user_id"),
    [
        (
            {
                "email": "e",
                "upn": "u",
                "sub": "s",
                "username": "n",
                "cognito:username": "c",
                "vams:tokens": '["t", "x"]',
            },
            "t",
        ),
        ({"email": "e", "upn": "u", "sub": "s", "username": "n", "cognito:username": "c", "vams:tokens": ["t"]}, "t"),
        ({"email": "e", "upn": "u", "sub": "s", "username": "n", "cognito:username": "c"}, "c"),
        ({"email": "e", "upn": "u", "sub": "s", "username": "n"}, "n"),
        ({"email": "e", "upn": "u", "sub": "s"}, "s"),
        ({"email": "e", "upn": "u", "sub": None}, "u"),
        ({"email": "e", "sub": None}, "e"),
    ],
)
async def test_the_first_claim_present_names_the_user(changes: dict[str, Any], user_id: str) -> None:
    assert (await viewer(token(**changes))).user_id == user_id


async def test_cognito_tokens_must_be_for_a_use_and_a_client() -> None:
    pool = cognito_issuer("eu-west-1", "eu-west-1_abc", ["client"], ClaimMfa())
    assert pool.url == "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc"
    site = KeysSite()
    site.documents[f"{pool.url}/.well-known/jwks.json"] = site.documents[KEYS_URL]
    authenticator = tokens(site, pool, ISSUER)
    access: dict[str, Any] = {
        "iss": pool.url,
        "aud": None,
        "client_id": "client",
        "token_use": "access",
        "username": "ana",
    }
    assert (await viewer(token(**access), authenticator)).user_id == "ana"
    assert (await viewer(token(**access | {"aud": "client", "token_use": "id"}), authenticator)).user_id == "ana"
    bad: list[dict[str, Any]] = [
        {"token_use": "refresh"},
        {"token_use": None},
        {"token_use": {}},
        {"client_id": "other"},
    ]
    for changes in bad:
        with pytest.raises(Unauthenticated):
            await viewer(token(**access | changes), authenticator)


@pytest.mark.parametrize("host", ["cognito-idp", "issuer-cognito-idp"])
async def test_both_forms_of_the_issuer_of_a_pool_are_its_own_with_one_set_of_keys(host: str) -> None:
    async def is_set_up(_user_id: str, _claims: Mapping[str, Any]) -> bool:
        return True

    pool = cognito_issuer("eu-west-1", "eu-west-1_abc", ["client"], is_set_up)
    site = KeysSite()
    site.documents[f"{pool.url}/.well-known/jwks.json"] = site.documents[KEYS_URL]
    url = f"https://{host}.eu-west-1.amazonaws.com/eu-west-1_abc"
    claims: dict[str, Any] = {"aud": None, "client_id": "client", "token_use": "access", "username": "ana"}
    beside = Issuer(url, frozenset({AUDIENCE}), ClaimMfa(), KEYS_URL)  # as it was set before both were known
    for authenticator in (tokens(site, pool), tokens(site, pool, beside)):
        assert (await viewer(token(iss=url, **claims), authenticator)).is_mfa
        for other in (f"{url}x", url.replace("eu-west-1.", "eu-west-2."), url.replace(".com", ".com.cn")):
            with pytest.raises(Unauthenticated):
                await viewer(token(iss=other, **claims), authenticator)


@pytest.mark.parametrize(
    "region", ["us-west-2", "us-gov-west-1", "cn-north-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1"]
)
def test_a_pool_is_in_the_domain_of_its_partition(region: str) -> None:
    client = boto3.Session().client(
        "cognito-idp", region_name=region, aws_access_key_id="none", aws_secret_access_key="none"
    )
    assert cognito_issuer(region, f"{region}_abc", ["client"], ClaimMfa()).url == (
        f"{client.meta.endpoint_url}/{region}_abc"
    )


async def test_other_credentials_are_left_to_others() -> None:
    for value in (b"Basic YTpi", b"vams_x", b""):
        assert await tokens().authenticate(Credentials([(b"authorization", value)])) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2)
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["exp", "nbf", "iat", "iss", "aud", "sub", "jti", "amr", "vams:tokens"]), json_values
    )
)
async def test_no_claim_is_a_crash(changes: dict[str, Any]) -> None:
    payload = json.dumps({**claims(), **changes}).encode()
    signed = jwt.api_jws.encode(payload, private_key("rsa-1"), "RS256", {"kid": "rsa-1"})
    with suppress(Unauthenticated):
        await viewer(signed)


async def test_a_token_is_checked_in_under_a_millisecond() -> None:
    authenticator, signed = tokens(), token()
    await viewer(signed, authenticator)
    durations = []
    for _ in range(50):
        started = time.thread_time()
        await viewer(signed, authenticator)
        durations.append(time.thread_time() - started)
    assert min(durations) < 0.001
