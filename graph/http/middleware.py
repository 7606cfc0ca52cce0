"""What every request passes on its way in, whatever it asks for."""

import re
import secrets
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.errors import masked
from graph.http.access_log import REQUEST_ID
from graph.http.encoding import encode
from graph.http.health import Readiness
from graph.settings import Settings

REQUEST_ID_HEADER = "X-Request-Id"

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
_PORT = re.compile(r":\d+$")
_WORTH_PACKING = 1024


def middleware(settings: Settings, readiness: Readiness, path: str, graph: ASGIApp) -> list[Middleware]:
    """All of it, the outermost first; the innermost hands what is asked of a path to the graph."""
    hosts = settings.allowed_hosts or (_LOOPBACK if settings.is_development else ("*",))
    origins = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
        expose_headers=[REQUEST_ID_HEADER, "Retry-After"],
    )
    return [
        Middleware(RequestIds, readiness),
        Middleware(KnownHosts, hosts),
        *([origins] if settings.cors_origins else ()),
        Middleware(Packing),
        Middleware(Shortcut, path, graph),
    ]


class RequestIds:
    """Gives each request an id, its own if it brings one, in the log and in the response.

    While the server drains, responses also end their connections, so that no client sends on one that is closing.
    """

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        self.app = app
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _ID.fullmatch(given) else secrets.token_hex(16)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID_HEADER] = request_id
                if self._readiness.is_draining:
                    headers["Connection"] = "close"
            await send(message)

        token = REQUEST_ID.set(request_id)
        try:
            await self.app(scope, receive, send_with_id)
        finally:
            REQUEST_ID.reset(token)


class KnownHosts:
    """Answers only where the Host header names one of some hosts, so that no page can rebind its own name to this."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] == "http" and "*" not in self._hosts:
            host = _PORT.sub("", Headers(scope=scope).get("host", "")).lower()
            if host not in self._hosts:
                refusal = error_response("This server does not go by the name in the Host header.", 400)
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)


class Packing:
    """Packs long responses with gzip for clients that take it, and stands in nobody else's way."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._packing = GZipMiddleware(app, minimum_size=_WORTH_PACKING, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        takes_gzip = scope["type"] == "http" and any(
            name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"]
        )
        await (self._packing if takes_gzip else self.app)(scope, receive, send)


class Shortcut:
    """Leads past the router to the graph: finding the one path takes the router as long as the smallest operation."""

    def __init__(self, app: ASGIApp, path: str, graph: ASGIApp) -> None:
        self.app = app
        self._path, self._graph = path, graph

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        is_short = scope["type"] == "http" and scope["path"] == self._path
        await (self._graph if is_short else self.app)(scope, receive, send)


def error_response(message: str, status: int, code: str = "BAD_USER_INPUT") -> Response:
    """An error in the form of GraphQL."""
    body = {"errors": [{"message": message, "extensions": {"code": code}}]}
    return Response(encode(body), status, media_type="application/json")


def http_error(_request: Request, error: Exception) -> Response:
    """The response where no route answers."""
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these alone
    response = error_response(error.detail, error.status_code)
    response.headers.update(error.headers or {})
    return response


def broken(_request: Request, error: Exception) -> Response:
    """The response to a failure that nobody expected."""
    return Response(encode({"errors": [masked(error)]}), 500, media_type="application/json")
