"""Gateways: how one proves itself, and one in front that has identified the user already."""

import hmac
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

from graph.auth.identity import Credentials, Viewer, checked_user_id
from graph.auth.mfa import MfaCheck

_SHORTEST_SECRET = 16
_PRIVATE_NETWORKS = [
    ip_network(network)
    for network in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8"),
        *("fc00::/7", "fe80::/10", "::1/128"),
    )
]


class Proof:
    """How a request proves that a gateway sent it: by a secret in a header, by a private address, or by both.

    Args:
        header: the header with the secret.
        secret: what it must be; at least 16 characters.
        networks: private networks from which the gateway connects, such as ``10.0.0.0/8``.

    Where both proofs are configured, both are asked for.
    """

    def __init__(self, header: str, *, secret: str | None = None, networks: Iterable[str] = ()) -> None:
        self._header = header
        self._secret = secret.encode() if secret is not None else None
        self._networks = [_private(network) for network in networks]
        if self._secret is None and not self._networks:
            raise ValueError("A gateway is trusted only by a shared secret or a private address: configure one.")
        if self._secret is not None and len(self._secret) < _SHORTEST_SECRET:
            raise ValueError(f"The gateway's secret must have at least {_SHORTEST_SECRET} characters.")

    def is_in(self, credentials: Credentials) -> bool:
        """Return whether a request has it.

        Raises:
            Unauthenticated: the header comes more than once.
        """
        if self._secret is not None:
            presented = credentials.header(self._header) or ""
            if not hmac.compare_digest(presented.encode(), self._secret):
                return False
        address = credentials.peer_address
        return not self._networks or (address is not None and any(address in each for each in self._networks))


class Gateway:
    """Believes a header about the user when the request provably comes from the gateway.

    Args:
        mfa: whether the user's session counts as one with a second factor.
        secret: what the gateway sends in ``X-Vams-Gateway-Secret``.
        networks: private networks from which the gateway connects.
        user_header: the header with the user id; the gateway must overwrite what clients send in it.
    """

    def __init__(
        self,
        *,
        mfa: MfaCheck,
        secret: str | None = None,
        networks: Iterable[str] = (),
        user_header: str = "x-vams-user",
    ) -> None:
        self._mfa = mfa
        self._proof = Proof("x-vams-gateway-secret", secret=secret, networks=networks)
        self._user_header = user_header.lower()

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        """Identify the forwarded user; what an untrusted sender claims is ignored."""
        user_id = credentials.header(self._user_header)
        if not user_id or not self._proof.is_in(credentials):
            return None
        user_id = checked_user_id(user_id)
        return Viewer(user_id, await self._mfa(user_id, {}), method="gateway")


def _private(network: str) -> IPv4Network | IPv6Network:
    parsed = ip_network(network)
    # Not `is_private`, which looks at both ends of a network alone and so holds 0.0.0.0/0 to be private.
    if not any(parsed.network_address in each and parsed.broadcast_address in each for each in _PRIVATE_NETWORKS):
        raise ValueError(f"{network} is not private: anybody there could claim to be any user.")
    return parsed
