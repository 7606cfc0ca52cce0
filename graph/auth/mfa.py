"""Whether a session was opened with a second factor. VAMS withholds some roles from sessions without one."""

import time
from collections.abc import Mapping
from typing import Any, Protocol

from botocore.config import Config

from graph.auth.cache import Cache, Clock
from graph.auth.identity import IdentityUnavailable
from graph.aws.calls import Caller, CallFailed

CLIENT = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 1}, tcp_keepalive=True)
"""Of a client: requests wait for the answer, so that an outage is told within seconds."""

_SECONDS = 60
_ATTEMPTS, _CONCURRENCY = 2, 8
# Cognito says by them that the pool knows no such user, or can know none.
_UNKNOWN_USER = frozenset({"UserNotFoundException", "InvalidParameterException"})


class MfaCheck(Protocol):
    """Tells whether a session counts as one with a second factor."""

    async def __call__(self, user_id: str, claims: Mapping[str, Any], /) -> bool:
        """Judge by the user's id and the claims of a verified token, none for a session without a token.

        Raises:
            IdentityUnavailable: when it cannot be told at the moment.
        """
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
        self._caller = Caller(concurrency=_CONCURRENCY, attempts=_ATTEMPTS, name="cognito")
        self._pool_id = pool_id
        self._has_mfa = Cache(self._ask, seconds=_SECONDS, capacity=capacity, clock=clock)

    async def __call__(self, user_id: str, claims: Mapping[str, Any], /) -> bool:
        """Ask about the user by the name that the pool knows; VAMS may know the user by another claim.

        Raises:
            IdentityUnavailable: when Cognito does not answer or refuses the server, which is not remembered.
        """
        name = claims.get("cognito:username") or claims.get("username") or user_id
        try:
            return isinstance(name, str) and await self._has_mfa.get(name)
        except Exception as error:
            raise IdentityUnavailable("a second factor that cannot be asked for") from error

    async def _ask(self, name: str) -> bool:
        request = {"UserPoolId": self._pool_id, "Username": name}
        try:
            user = await self._caller.call(
                "cognito-idp.AdminGetUser", self._client.admin_get_user, request, expected=_UNKNOWN_USER
            )
        except CallFailed as failure:
            if failure.code in _UNKNOWN_USER:
                return False
            raise
        return bool(user.get("UserMFASettingList"))
