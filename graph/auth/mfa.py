"""Whether a session was opened with a second factor. VAMS withholds some roles from sessions without one."""

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any, Protocol

from graph.auth.cache import Cache, Clock

_SECONDS = 60

_log = logging.getLogger(__name__)


class MfaCheck(Protocol):
    """Tells whether a session counts as one with a second factor; never fails, but answers no."""

    async def __call__(self, user_id: str, claims: Mapping[str, Any], /) -> bool:
        """Judge by the user's id and the claims of a verified token, none for a session without a token."""
        ...


class ClaimMfa:
    """Looks for a value in a claim; by default for ``mfa`` among the authentication methods of RFC 8176."""

    def __init__(self, claim: str = "amr", value: str = "mfa") -> None:
        self._claim = claim
        self._value = value

    async def __call__(self, _user_id: str, claims: Mapping[str, Any], /) -> bool:
        """Find the value as the claim, an element of it, or ``true`` or ``false`` for a boolean."""
        found = claims.get(self._claim)
        if isinstance(found, bool):
            return self._value == str(found).lower()
        return found == self._value or (isinstance(found, list) and self._value in found)


class CognitoClient(Protocol):
    """The one call of boto3's ``cognito-idp`` client that is made."""

    def admin_get_user(self, *, UserPoolId: str, Username: str) -> Mapping[str, Any]:  # noqa: N803
        """Read a user; see the API reference of Amazon Cognito user pools."""
        ...


class CognitoMfa:
    """Asks a Cognito user pool whether a second factor is set up for the user, as VAMS does; at most once a minute."""

    def __init__(
        self, client: CognitoClient, pool_id: str, *, capacity: int = 4096, clock: Clock = time.monotonic
    ) -> None:
        self._client = client
        self._pool_id = pool_id
        self._has_mfa = Cache(self._ask, seconds=_SECONDS, capacity=capacity, clock=clock)

    async def __call__(self, user_id: str, claims: Mapping[str, Any], /) -> bool:
        """Ask about the user by the name that the pool knows; VAMS may know the user by another claim."""
        name = claims.get("cognito:username") or claims.get("username") or user_id
        try:
            return isinstance(name, str) and await self._has_mfa.get(name)
        except Exception:
            _log.exception("AdminGetUser failed; the session counts as one without a second factor")
            return False

    async def _ask(self, name: str) -> bool:
        user = await asyncio.to_thread(self._client.admin_get_user, UserPoolId=self._pool_id, Username=name)
        return bool(user.get("UserMFASettingList"))
