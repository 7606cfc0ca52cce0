"""Who is asking."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal, Protocol

from graph.errors import GraphError

Method = Literal["api_key", "token", "gateway", "demo"]

_LONGEST_AUTHORIZATION = 8_192
_LONGEST_USER_ID = 256
# VAMS acts for itself under this name, which may hold any role; nobody from outside is ever it.
_SYSTEM_USERS = frozenset({"system_user", "system"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Viewer:
    """The user on whose behalf an operation runs."""

    user_id: str
    is_mfa: bool
    """The session presented a second factor."""
    method: Method


class Unauthenticated(GraphError):
    """Credentials are missing or bad (HTTP 401).

    The reason is for the log, and quotes nothing of them: the client is told the same of all.
    """

    code = "UNAUTHENTICATED"

    def __init__(self, reason: str) -> None:
        super().__init__("Valid credentials are needed.")
        self.reason = reason


class IdentityUnavailable(GraphError):
    """Credentials cannot be checked at the moment, which says nothing about them (HTTP 503)."""

    code = "UPSTREAM_UNAVAILABLE"
    retryable = True

    def __init__(self, reason: str) -> None:
        super().__init__("Credentials cannot be checked at the moment. Try again shortly.")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request says of its sender.

    Args:
        headers: names in lower case and values, as ASGI gives them.
        peer: the address at the other end of the connection, not one that a header claims.
    """

    headers: Sequence[tuple[bytes, bytes]]
    peer: str | None = None

    @property
    def peer_address(self) -> IPv4Address | IPv6Address | None:
        """The peer as an address; None where it is none, as at the end of a socket in the file system."""
        try:
            address = ip_address(self.peer or "")
        except ValueError:
            return None
        return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address

    def header(self, name: str) -> str | None:
        """Return the value of a header that may come only once.

        Raises:
            Unauthenticated: it comes more than once, since two readers could choose differently, or is no text.
        """
        values = [value for key, value in self.headers if key == name.encode()]
        if len(values) > 1:
            raise Unauthenticated(f"{len(values)} headers {name}")
        try:
            return values[0].decode().strip() if values else None
        except UnicodeDecodeError as error:
            raise Unauthenticated(f"{name} is no UTF-8") from error

    def authorization(self) -> str | None:
        """Return the Authorization header, its size checked."""
        value = self.header("authorization")
        if value is not None and len(value) > _LONGEST_AUTHORIZATION:
            raise Unauthenticated(f"Authorization has {len(value)} characters")
        return value

    def bearer(self) -> str | None:
        """Return the bearer token; None of no or another kind of authorization."""
        scheme, _, token = (self.authorization() or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None


class Authenticator(Protocol):
    """One way to tell who is asking."""

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        """Return None when the credentials are not of the kind that this way is for.

        Raises:
            Unauthenticated: they are of the kind, and bad.
            IdentityUnavailable: they are of the kind and cannot be checked at the moment.
        """
        ...


class Identity:
    """Identifies the viewer by the first authenticator that the credentials are for."""

    def __init__(self, authenticators: Iterable[Authenticator]) -> None:
        self._authenticators = tuple(authenticators)

    async def viewer(self, credentials: Credentials) -> Viewer:
        """Identify the sender of a request; there is no anonymous viewer.

        Raises:
            Unauthenticated: credentials are missing or bad.
            IdentityUnavailable: they cannot be checked at the moment.
        """
        try:
            return await self._viewer(credentials)
        except (Unauthenticated, IdentityUnavailable) as error:
            _log.info("Authentication failed: %s", error.reason)
            raise

    async def _viewer(self, credentials: Credentials) -> Viewer:
        credentials.authorization()  # a doubled or oversized header is bad even if no way looks at it
        for authenticator in self._authenticators:
            viewer = await authenticator.authenticate(credentials)
            if viewer is not None:
                return viewer
        raise Unauthenticated("no credentials")


def checked_user_id(user_id: object) -> str:
    """Return a user id that may be used as one.

    Raises:
        Unauthenticated: it is no text of 1 to 256 characters, has control characters or outer blanks, or is the
            name under which VAMS itself acts.
    """
    if not isinstance(user_id, str) or not 1 <= len(user_id) <= _LONGEST_USER_ID:
        raise Unauthenticated("no user id, or one that is too long")
    if not user_id.isprintable() or user_id != user_id.strip():
        raise Unauthenticated("a user id with control characters or outer blanks")
    if user_id.casefold() in _SYSTEM_USERS:
        raise Unauthenticated("a user id that is reserved")
    return user_id
