"""JSON Web Tokens of OpenID Connect issuers and of Cognito user pools."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from botocore.exceptions import UnknownRegionError

from graph.auth.cache import Clock
from graph.auth.fetch import Fetch
from graph.auth.identity import Credentials, Unauthenticated, Viewer, checked_user_id
from graph.auth.jwks import ALGORITHMS, SigningKeys, uptime
from graph.auth.mfa import MfaCheck
from graph.aws.sessions import Session

_USER_CLAIMS = ("cognito:username", "username", "sub", "upn", "email")


@dataclass(frozen=True, slots=True)
class Issuer:
    """Whose tokens are accepted, and which of them."""

    url: str
    """Exactly as the ``iss`` claim spells it."""
    audiences: frozenset[str]
    """Of which ``aud`` must name one, or ``client_id`` in a token without ``aud``."""
    mfa: MfaCheck
    keys_url: str | None = None
    """Where the public keys are; discovered if not given."""
    token_uses: frozenset[str] = frozenset()
    """Of which ``token_use`` must be one; not looked at if empty."""
    other_urls: frozenset[str] = frozenset()
    """Other forms of ``url`` that the ``iss`` claim may have, signed with the same keys."""


def cognito_issuer(region: str, pool_id: str, client_ids: Iterable[str], mfa: MfaCheck) -> Issuer:
    """Describe a Cognito user pool, of which id and access tokens are accepted.

    A pool writes the original or the updated form of its issuer, as it is set
    (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_IssuerConfigurationType.html), into
    tokens (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-tokens-verifying-a-jwt.html).

    Raises:
        ValueError: the region is of no partition of AWS.
    """
    domain = _domain(region)
    url, updated = (f"https://{host}.{region}.{domain}/{pool_id}" for host in ("cognito-idp", "issuer-cognito-idp"))
    return Issuer(
        url,
        frozenset(client_ids),
        mfa,
        keys_url=f"{url}/.well-known/jwks.json",
        token_uses=frozenset({"id", "access"}),
        other_urls=frozenset({updated}),
    )


def _domain(region: str) -> str:
    """Return the domain that the services of a region are, such as ``amazonaws.com.cn``."""
    session = Session().core
    try:
        partition = session.get_partition_for_region(region)
    except UnknownRegionError as error:
        raise ValueError(f"{region!r} is no region of AWS") from error
    partitions: Iterable[Mapping[str, str]] = session.get_data("endpoints")["partitions"]
    return next(each["dnsSuffix"] for each in partitions if each["partition"] == partition)


class Tokens:
    """Authenticates by a bearer token of any of several issuers; the first counts of those of one address."""

    def __init__(self, issuers: Iterable[Issuer], *, fetch: Fetch | None = None, clock: Clock = uptime) -> None:
        self._issuers: dict[str, tuple[Issuer, SigningKeys]] = {}
        for issuer in issuers:
            keys = SigningKeys(issuer.url, issuer.keys_url, fetch=fetch, clock=clock)
            for url in (issuer.url, *issuer.other_urls):
                self._issuers.setdefault(url, (issuer, keys))

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        """Identify the user of a token."""
        token = credentials.bearer()
        if token is None:
            return None
        try:
            issuer, claims = await self._verify(token)
            user_id = checked_user_id(_user_id(claims))
        except (
            jwt.PyJWTError,
            ValueError,
            TypeError,
            RecursionError,
        ) as error:  # whatever odd JSON makes readers raise
            raise Unauthenticated(f"a bad token: {type(error).__name__}") from error
        return Viewer(user_id, await issuer.mfa(user_id, claims), method="token")

    async def _verify(self, token: str) -> tuple[Issuer, Mapping[str, Any]]:
        unverified = jwt.decode_complete(token, options={"verify_signature": False})
        algorithm, key_id = unverified["header"].get("alg"), unverified["header"].get("kid")
        if algorithm not in ALGORITHMS or not isinstance(key_id, str):
            raise Unauthenticated("a token without a key id, or with an algorithm that is not asymmetric")
        if unverified["payload"].get("iss") not in self._issuers:
            raise Unauthenticated("a token of another issuer")
        issuer, keys = self._issuers[unverified["payload"]["iss"]]
        key = await keys.find(key_id)
        claims = jwt.decode(
            token,
            key.key,
            algorithms=sorted(key.algorithms),
            options={"require": ["exp"], "verify_aud": False, "enforce_minimum_key_length": True},
        )
        if not issuer.audiences & _strings(claims["aud"] if "aud" in claims else claims.get("client_id")):
            raise Unauthenticated("a token for another audience")
        if issuer.token_uses and not issuer.token_uses & _strings(claims.get("token_use")):
            raise Unauthenticated("a token for another use")
        return issuer, claims


def _user_id(claims: Mapping[str, Any]) -> object:
    """Return the claim that VAMS takes for the user id: the first that is present, even if it is empty."""
    if "vams:tokens" in claims:
        tokens = claims["vams:tokens"]
        tokens = json.loads(tokens) if isinstance(tokens, str) else tokens
        return tokens[0] if isinstance(tokens, list) and tokens else None
    return next((claims[claim] for claim in _USER_CLAIMS if claim in claims), None)


def _strings(claim: object) -> set[str]:
    """Read a claim that is one string or a list of them."""
    return {each for each in (claim if isinstance(claim, list) else [claim]) if isinstance(each, str)}
