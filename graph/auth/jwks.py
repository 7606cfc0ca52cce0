"""The public keys of an issuer of tokens (RFC 7517), fetched as rarely as possible."""

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from graph.auth.cache import Clock
from graph.auth.fetch import Fetch, check_address, fetch_document
from graph.auth.identity import IdentityUnavailable, Unauthenticated

_FRESH_SECONDS = 300
_USABLE_SECONDS = 3_600
_RETRY_SECONDS = 30  # between refreshes that fail while the keys at hand are usable
_QUIET_SECONDS = 5
_LONGEST_FETCH = 10  # of a configuration and of the keys that it names
_MOST_KEYS = 100
_RSA_ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
ALGORITHMS = _RSA_ALGORITHMS | {"ES256", "ES384", "ES512", "EdDSA"}
"""The asymmetric algorithms: a public key never serves as the secret of another."""

_log = logging.getLogger(__name__)


def uptime() -> float:
    """Return seconds that never run backwards, with those for which the machine slept where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key and the algorithms for which its issuer uses it."""

    key: Any
    algorithms: frozenset[str]


class SigningKeys:
    """The keys of one issuer.

    From the first use on they are refreshed every 5 minutes, in the background, so that a key that the issuer withdraws
    is refused from then on and no request waits. While the issuer cannot be reached that is tried every 30 seconds, and
    the keys stay in use until they are an hour old.

    A key id that is not known makes the keys be fetched at once, since issuers rotate keys without notice. So do keys
    that are missing or too old. Such a fetch that failed, or did not find the key for which it was made, is followed by
    another after 5 seconds at the earliest, so that made-up key ids cannot hammer the issuer and a rotated key is still
    picked up within seconds. All who wait share one fetch.

    Args:
        issuer: the issuer's address; where the keys are is then discovered (OpenID Connect Discovery 1.0).
        url: the address of the keys if it is known.
    """

    def __init__(
        self, issuer: str, url: str | None = None, *, fetch: Fetch | None = None, clock: Clock = uptime
    ) -> None:
        self._issuer = issuer
        self._url = url
        self._fetch = fetch or fetch_document
        self._clock = clock
        self._keys: Mapping[str, SigningKey] = {}
        self._fetched_at = float("-inf")
        self._failed = False
        self._due_at = float("-inf")
        self._quiet_until = float("-inf")
        self._running: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        for address in (issuer, url):
            if address is not None:
                check_address(address)

    async def find(self, key_id: str) -> SigningKey:
        """Return a key by its id.

        Raises:
            Unauthenticated: the issuer has no such key.
            IdentityUnavailable: no keys could be fetched that might tell.
        """
        if key := self._usable_key(key_id):
            if self._clock() >= self._due_at:
                self._begin()
            return key
        if self._running or self._clock() >= min(self._quiet_until, self._due_at):
            await asyncio.shield(self._begin(key_id))
        if key := self._usable_key(key_id):
            return key
        if self._failed or not self._are_usable():
            raise IdentityUnavailable(f"no keys of {self._issuer}")
        raise Unauthenticated(f"no key of that id at {self._issuer}")

    def _usable_key(self, key_id: str) -> SigningKey | None:
        return self._keys.get(key_id) if self._are_usable() else None

    def _are_usable(self) -> bool:
        return self._clock() - self._fetched_at < _USABLE_SECONDS

    def _begin(self, wanted: str | None = None) -> "asyncio.Task[None]":
        """Return the fetch that is going on; without one, it begins, for a key id or as it is due."""
        if self._running is None:
            self._running = asyncio.create_task(self._refresh(wanted))
        return self._running

    async def _refresh(self, wanted: str | None) -> None:
        try:
            async with asyncio.timeout(_LONGEST_FETCH):
                document = await self._fetch(self._url or await self._discover())
            self._keys = await asyncio.to_thread(_signing_keys, document)
            self._fetched_at = self._clock()
            self._failed = False
        except Exception as error:  # whatever a document makes its readers raise
            _log.warning("Fetching the keys of %s failed: %r", self._issuer, error)
            self._failed = True
        finally:
            self._running = None
        self._schedule(is_vain=self._failed or (wanted is not None and wanted not in self._keys))

    def _schedule(self, *, is_vain: bool) -> None:
        """Schedule the next fetch: when one may begin, and when one begins even if nobody asks."""
        now = self._clock()
        if is_vain:
            self._quiet_until = now + _QUIET_SECONDS
        if not self._failed:
            self._due_at = now + _FRESH_SECONDS
        elif now >= self._due_at:  # else it was made for a key id, which puts off no refresh
            self._due_at = now + _RETRY_SECONDS
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._due_at - now, self._begin)

    async def _discover(self) -> str:
        """Return the address of the keys, asked for each time: an issuer may move them."""
        document = await self._fetch(self._issuer.rstrip("/") + "/.well-known/openid-configuration")
        configuration = _json_object(document)
        url = configuration.get("jwks_uri")
        if configuration.get("issuer") != self._issuer or not isinstance(url, str):
            raise ValueError("its configuration names another issuer or no keys")
        check_address(url)
        return url


def _signing_keys(document: bytes) -> dict[str, SigningKey]:
    keys = _json_object(document).get("keys")
    if not isinstance(keys, list) or len(keys) > _MOST_KEYS:
        raise ValueError("it is no set of keys")
    found = {}
    for key in keys:
        if not isinstance(key, dict) or not isinstance(key.get("kid"), str) or not _is_for_signatures(key):
            continue
        try:
            parsed = jwt.PyJWK(key)
        except Exception:  # noqa: S112 - one of a kind that is not supported, or odd, says nothing of the others
            continue
        declared = key.get("alg") is not None
        algorithms = _RSA_ALGORITHMS if key["kty"] == "RSA" and not declared else {parsed.algorithm_name}
        if algorithms & ALGORITHMS:
            found[key["kid"]] = SigningKey(parsed.key, frozenset(algorithms & ALGORITHMS))
    return found


def _is_for_signatures(key: Mapping[str, Any]) -> bool:
    """Return whether its issuer does not say that a key has another use (RFC 7517, sections 4.2 and 4.3)."""
    operations = key.get("key_ops", ["verify"])
    return key.get("use", "sig") == "sig" and isinstance(operations, list) and "verify" in operations


def _json_object(document: bytes) -> dict[str, Any]:
    try:
        value = json.loads(document)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value
