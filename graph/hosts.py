"""Hosts and origins, as settings name them and as requests do."""

import re
from ipaddress import IPv4Address, IPv6Address

ANY = "*"

_HOST = r"(?:[{letters}0-9_-]+(?:\.[{letters}0-9_-]+)*\.?|\[[{hex}0-9:.]+\])"
_NAME = re.compile(_HOST.format(letters="A-Za-z", hex="A-Fa-f"))
# A browser writes an origin in lower case, and without the port that its scheme has anyway.
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://" + _HOST.format(letters="a-z", hex="a-f") + r"(?::([1-9][0-9]{0,4}))?")
_OWN_PORTS = {"http": "80", "https": "443"}
_LAST_PORT = 65_535
_PORT = re.compile(r":[0-9]*$")


def allowed_host(text: str) -> str:
    """Return a name that the Host header may have, or ``*`` for any, in lower case.

    Raises:
        ValueError: when it can never match.
    """
    if text != ANY and not _NAME.fullmatch(text):
        raise ValueError(
            f"{text!r} can never match; name a host alone, without a scheme, a port, a path or a wildcard, such as "
            "graph.example.com or [::1]"
        )
    return text.lower()


def allowed_origin(text: str) -> str:
    """Return an origin as browsers write it, or ``*`` for any.

    Raises:
        ValueError: when it can never match.
    """
    if text != ANY and not _is_origin(text):
        raise ValueError(
            f"{text!r} can never match; write an origin as browsers do, in lower case, without a path, a slash at its "
            "end, a wildcard or its scheme's own port, such as https://app.example.com"
        )
    return text


def _is_origin(text: str) -> bool:
    match = _ORIGIN.fullmatch(text)
    if match is None:
        return False
    scheme, port = match.groups()
    return port is None or (port != _OWN_PORTS.get(scheme) and int(port) <= _LAST_PORT)


def host_of(header: str) -> str:
    """Return the host that a Host header names, without its port, in lower case."""
    return _PORT.sub("", header).lower()


def is_address(host: str) -> bool:
    """Return whether a host is an IP address, which no page can rebind as it can its own name."""
    try:
        IPv6Address(host[1:-1]) if host.startswith("[") and host.endswith("]") else IPv4Address(host)
    except ValueError:
        return False
    return True
