"""Signature Version 4 for the one form of request that reads take: a POST of JSON to the root of an endpoint.

botocore signs any request of any service, in a tenth of a millisecond. Here all but the name of the operation and the
digest of the body stays as it is for a second, and the key for a day.
"""

import hashlib
import hmac
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from botocore.credentials import ReadOnlyCredentials

_SERVICE = "dynamodb"
_TARGET = "DynamoDB_20120810"
_CONTENT_TYPE = "application/x-amz-json-1.0"
_PORTS = {"http": 80, "https": 443}


class Signer:
    """Signs with the credentials of one identity for one endpoint."""

    def __init__(
        self, credentials: ReadOnlyCredentials, region: str, endpoint: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._access_key = credentials.access_key
        self._secret = credentials.secret_key or ""
        self._region = region
        self._clock = clock
        self._second = -1
        self._day = ""
        self._key = b""
        token = credentials.token
        self._headers = {"content-type": _CONTENT_TYPE, "host": host_of(endpoint)}
        self._token = {"x-amz-security-token": token} if token else {}

    def request(self, operation: str, body: bytes) -> bytes:
        """Return the whole request, signed for this second."""
        second = int(self._clock())
        if second != self._second:
            self._begin(second)
        digest = hashlib.sha256(body).hexdigest()
        canonical = f"{self._canonical_start}{operation}{self._canonical_end}{digest}"
        to_sign = self._to_sign + hashlib.sha256(canonical.encode()).hexdigest()
        signature = hmac.digest(self._key, to_sign.encode(), "sha256").hex()
        head = f"{self._head}{operation}{self._authorization}{signature}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def _begin(self, second: int) -> None:
        """Make what all requests of a second have in common."""
        instant = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        day = instant[:8]
        if day != self._day:
            self._key = _derived_key(self._secret, day, self._region)
            self._day = day
        scope = f"{day}/{self._region}/{_SERVICE}/aws4_request"
        headers = self._headers | {"x-amz-date": instant} | self._token
        names = ";".join((*headers, "x-amz-target"))  # in the order of the alphabet, as they must be
        lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
        self._canonical_start = f"POST\n/\n\n{lines}x-amz-target:{_TARGET}."
        self._canonical_end = f"\n\n{names}\n"
        self._to_sign = f"AWS4-HMAC-SHA256\n{instant}\n{scope}\n"
        sent = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._head = f"POST / HTTP/1.1\r\n{sent}x-amz-target: {_TARGET}."
        self._authorization = (
            f"\r\nAuthorization: AWS4-HMAC-SHA256 Credential={self._access_key}/{scope}, "
            f"SignedHeaders={names}, Signature="
        )
        self._second = second


def host_of(endpoint: str) -> str:
    """Return the Host header for an endpoint, which names the port where it is not the scheme's own."""
    parts = urlsplit(endpoint)
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else f"{parts.hostname}"
    return name if parts.port in (None, _PORTS[parts.scheme]) else f"{name}:{parts.port}"


def _derived_key(secret: str, day: str, region: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in (day, region, _SERVICE, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
