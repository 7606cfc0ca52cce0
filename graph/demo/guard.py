"""What stands before the emulator of DynamoDB: it lets in whoever has the key of the demo, and no page of a browser."""

import hmac
import json
import re
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_CREDENTIAL = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/,\s]+)/\d{8}/[a-z0-9-]+/dynamodb/aws4_request,")
_TARGET = re.compile(r"DynamoDB_20120810\.[A-Za-z]{1,64}")


class Guard:
    """A WSGI application before one that emulates AWS: it passes on calls of DynamoDB under one access key alone.

    A page can neither know the key nor send it without asking first, which is refused too. That the Host is the address
    of the server keeps out a page whose name was bound to it; that there is no Origin keeps out any other.

    Args:
        app: what answers the calls.
        access_key: the id of the key, a secret: it is all that is checked of a signature (Signature Version 4).
    """

    def __init__(self, app: WSGIApplication, access_key: str) -> None:
        self._app = app
        self._access_key = access_key.encode()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request: 403 unless it may pass."""
        if refusal := self._refusal(environ):
            return _refuse(start_response, *refusal)
        return self._app(environ, _without_cors(start_response))

    def _refusal(self, environ: WSGIEnvironment) -> tuple[str, str] | None:
        """Return the code and the reason with which a request is refused."""
        denied = "AccessDeniedException"
        if environ.get("HTTP_HOST") != f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}":
            return denied, "The Host must be the address of this server, which its demo tells."
        if "HTTP_ORIGIN" in environ:
            return denied, "No page of a browser is answered."
        place = environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"]
        if place != ("POST", "/", "") or not _TARGET.fullmatch(environ.get("HTTP_X_AMZ_TARGET", "")):
            return denied, "Only calls of DynamoDB, version 2012-08-10, are answered."
        credential = _CREDENTIAL.match(environ.get("HTTP_AUTHORIZATION", ""))
        if not credential or not hmac.compare_digest(credential[1].encode(), self._access_key):
            return (
                "UnrecognizedClientException",
                "The access key must be that of the demo; --environment-file tells it.",
            )
        return None


def _refuse(start_response: StartResponse, code: str, reason: str) -> list[bytes]:
    body = json.dumps({"__type": f"com.amazon.coral.service#{code}", "message": reason}).encode()
    headers = [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))]
    start_response("403 Forbidden", headers)
    return [body]


def _without_cors(start_response: StartResponse) -> StartResponse:
    """Leave out the headers by which the emulator would let any page read its answers."""

    def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
        kept = [header for header in headers if not header[0].lower().startswith("access-control-")]
        return start_response(status, kept, *exc_info)

    return start
