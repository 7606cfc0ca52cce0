"""The public keys of an issuer of tokens (RFC 7517), fetched as rarely as possible."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import jwt

from graph.auth.cache import Clock
from graph.auth.identity import IdentityUnavailable, Unauthenticated

Fetch = Callable[[str], Awaitable[bytes]]
"""Reads the document at an address; raises any exception when it cannot."""

_FRESH_SECONDS = 600
_USABLE_SECONDS = 3_600
_QUIET_SECONDS = 5
_TIMEOUT_SECONDS = 5
_LARGEST_DOCUMENT = 256 * 1024
_MOST_KEYS = 100
_RSA_ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
ALGORITHMS = _RSA_ALGORITHMS | {"ES256", "ES384", "ES512", "EdDSA"}
"""The asymmetric algorithms: a public key never serves as the secret of another."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key and the algorithms for which its issuer uses it."""

    key: Any
    algorithms: frozenset[str]


class SigningKeys:
    """The keys of one issuer.

    A key id that is not known makes the keys be fetched again, since issuers rotate keys without notice; but a fetch
    that failed or did not find the key for which it was made opens a quiet time of 5 seconds, so that made-up key ids
    cannot hammer the issuer and a rotated key is still picked up within seconds. Keys are fetched again after 10
    minutes, and stay in use for an hour while the issuer cannot be reached.

    Args:
        issuer: the issuer's address; where the keys are is then discovered (OpenID Connect Discovery 1.0).
        url: the address of the keys if it is known.
    """

    def __init__(
        self, issuer: str, url: str | None = None, *, fetch: Fetch | None = None, clock: Clock = time.monotonic
    ) -> None:
        self._issuer = issuer
        self._url = url
        self._fetch = fetch or fetch_document
        self._clock = clock
        self._keys: Mapping[str, SigningKey] = {}
        self._fetched_at = float("-inf")
        self._quiet_until = float("-inf")
        self._refreshing: asyncio.Task[None] | None = None
        for address in (issuer, url):
            if address is not None:
                _check_address(address)

    async def find(self, key_id: str) -> SigningKey:
        """Answer a key by its id.

        Raises:
            Unauthenticated: the issuer has no such key.
            IdentityUnavailable: no keys could be fetched.
        """
        age = self._clock() - self._fetched_at
        if key_id not in self._keys or age >= _FRESH_SECONDS:
            await self._refresh()
        if self._clock() - self._fetched_at >= _USABLE_SECONDS:
            raise IdentityUnavailable(f"no keys of {self._issuer}")
        key = self._keys.get(key_id)
        if key is None:
            self._keep_quiet()
            raise Unauthenticated(f"no key of that id at {self._issuer}")
        return key

    async def _refresh(self) -> None:
        """Fetch the keys, together with all who want them now, unless it is a quiet time."""
        if self._refreshing is None:
            if self._clock() < self._quiet_until:
                return
            self._refreshing = asyncio.create_task(self._fetch_keys())
        await asyncio.shield(self._refreshing)

    async def _fetch_keys(self) -> None:
        try:
            if self._url is None:
                self._url = await self._discover()
            document = await self._fetch(self._url)
            self._keys = await asyncio.to_thread(_signing_keys, document)
            self._fetched_at = self._clock()
        except Exception as error:  # whatever a document makes its readers raise
            _log.warning("The keys of %s cannot be fetched: %r", self._issuer, error)
            self._keep_quiet()
        finally:
            self._refreshing = None

    async def _discover(self) -> str:
        document = await self._fetch(self._issuer.rstrip("/") + "/.well-known/openid-configuration")
        configuration = _json_object(document)
        url = configuration.get("jwks_uri")
        if configuration.get("issuer") != self._issuer or not isinstance(url, str):
            raise ValueError("its configuration names another issuer or no keys")
        _check_address(url)
        return url

    def _keep_quiet(self) -> None:
        self._quiet_until = max(self._quiet_until, self._clock() + _QUIET_SECONDS)


async def fetch_document(url: str) -> bytes:
    """Read a small document over HTTPS, in a thread.

    Raises:
        OSError, HTTPException: it cannot be read, is too large, or the server redirects, times out or answers an error.
    """
    return await asyncio.to_thread(_read, url)


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_args: object) -> None:
        return None


def _read(url: str) -> bytes:
    request = Request(url, headers={"Accept": "application/json"})  # noqa: S310 - the scheme was checked
    with build_opener(_NoRedirects).open(request, timeout=_TIMEOUT_SECONDS) as response:
        document: bytes = response.read(_LARGEST_DOCUMENT + 1)
    if len(document) > _LARGEST_DOCUMENT:
        raise URLError(f"more than {_LARGEST_DOCUMENT} bytes")
    return document


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    is_local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not (parts.hostname and (parts.scheme == "https" or is_local)):
        raise ValueError(f"{url!r} is no address that starts with https://")


def _signing_keys(document: bytes) -> dict[str, SigningKey]:
    keys = _json_object(document).get("keys")
    if not isinstance(keys, list) or len(keys) > _MOST_KEYS:
        raise ValueError("it is no set of keys")
    found = {}
    for key in keys:
        if not isinstance(key, dict) or not isinstance(key.get("kid"), str) or key.get("use", "sig") != "sig":
            continue
        try:
            parsed = jwt.PyJWK(key)
        except jwt.PyJWTError:  # of a kind that is not supported
            continue
        declared = key.get("alg") is not None
        algorithms = _RSA_ALGORITHMS if key["kty"] == "RSA" and not declared else {parsed.algorithm_name}
        if algorithms & ALGORITHMS:
            found[key["kid"]] = SigningKey(parsed.key, frozenset(algorithms & ALGORITHMS))
    return found


def _json_object(document: bytes) -> dict[str, Any]:
    try:
        value = json.loads(document)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value
