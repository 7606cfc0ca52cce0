"""API keys of VAMS: ``vams_`` and a secret, stored as its SHA-256 digest."""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Protocol

from graph.auth.cache import Cache, Clock
from graph.auth.constraints import Row
from graph.auth.identity import (
    Credentials,
    IdentityUnavailable,
    Unauthenticated,
    Viewer,
    checked_user_id,
)
from graph.rate_limits import LocalTokenBuckets

_PREFIX = "vams_"
_SECONDS = 15
_UNKNOWN_AT_ONCE = 200
_UNKNOWN_PER_SECOND = 50


class ApiKeyRows(Protocol):
    """The reads that API keys need. Each answers every page, as plain Python values."""

    async def api_keys_with_hash(self, key_hash: str) -> Sequence[Row]:
        """Return the rows of the API key table, through its index on hexadecimal digests."""
        ...

    async def roles_of_user(self, user_id: str) -> Sequence[Row]:
        """Return the rows of the user-roles table."""
        ...


class ApiKeys:
    """Authenticates by an API key, alone or as a bearer token.

    Answers, that of a key which does not exist among them, are used for 15 seconds, as in VAMS. How many unknown keys
    are looked up for one address in a time is bounded; those that were good before always are.
    """

    def __init__(
        self,
        rows: ApiKeyRows,
        *,
        capacity: int = 4096,
        clock: Clock = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._rows = rows
        self._now = now
        self._keys = Cache(self._find, seconds=_SECONDS, capacity=capacity, clock=clock)
        self._good = OrderedDict[str, None]()
        self._capacity = capacity
        self._unknown = LocalTokenBuckets(_UNKNOWN_AT_ONCE, _UNKNOWN_PER_SECOND, clock)

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        """Identify the user of a key; a session by key never counts as one with a second factor.

        Raises:
            RateLimited: too many unknown keys came from the same address.
        """
        key = credentials.bearer() or credentials.authorization()
        if key is None or not key.startswith(_PREFIX):
            return None
        row = await self._row(sha256(key.encode()).hexdigest(), credentials.peer or "")
        if row is None:
            raise Unauthenticated("an unknown or inactive API key, or one of a user without a role")
        if not self._is_current(row.get("expiresAt")):
            raise Unauthenticated("an expired API key")
        return Viewer(checked_user_id(row.get("userId")), is_mfa=False, method="api_key")

    async def _row(self, key_hash: str, peer: str) -> Row | None:
        """Return the row of a key, charging its sender for a look-up unless the key is good."""
        is_charged = key_hash not in self._good and not self._keys.holds(key_hash)
        if is_charged:
            await self._unknown.charge(peer, 1)
        try:
            row = await self._keys.get(key_hash)
        except Exception as error:
            raise IdentityUnavailable("API keys cannot be read") from error
        if row is None:
            self._good.pop(key_hash, None)
            return None
        if is_charged:
            await self._unknown.refund(peer, 1)
        self._good[key_hash] = None
        self._good.move_to_end(key_hash)
        if len(self._good) > self._capacity:
            self._good.popitem(last=False)
        return row

    async def _find(self, key_hash: str) -> Row | None:
        """Return the row of an active key whose user holds a role."""
        rows = await self._rows.api_keys_with_hash(key_hash)
        row = rows[0] if rows else None
        if row is None or row.get("isActive") != "true" or not isinstance(row.get("userId"), str) or not row["userId"]:
            return None
        return row if await self._rows.roles_of_user(row["userId"]) else None

    def _is_current(self, expires_at: object) -> bool:
        """Return a key without an end never expires; one with an end that cannot be read has."""
        if expires_at is None or expires_at == "":
            return True
        if not isinstance(expires_at, str):
            return False
        try:
            end = datetime.fromisoformat(expires_at)
        except ValueError:
            return False
        return self._now() <= (end if end.tzinfo else end.replace(tzinfo=UTC))
