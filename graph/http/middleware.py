"""Middleware: common headers, allowed hosts, CORS, gzip, and the way past the router."""

import os
import re
from collections.abc import Container
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipResponder
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from graph.errors import masked
from graph.hosts import host_of, is_address
from graph.http.access_log import REQUEST_ID
from graph.http.encoding import encode
from graph.http.health import Readiness
from graph.negotiation import prefers_gzip, takes_plain, weights
from graph.settings import Settings

REQUEST_ID_HEADER = "X-Request-Id"
_REQUEST_ID = REQUEST_ID_HEADER.lower().encode()

_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
_GZIP_MINIMUM = 1024
_LEVEL = 5
_HEADS = frozenset({"http.response.start", "websocket.accept", "websocket.http.response.start"})
_POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of the application."""

    graph: str
    probes: frozenset[str]
    metrics: str


def middleware(settings: Settings, readiness: Readiness, paths: Paths, graph: ASGIApp) -> list[Middleware]:
    """Return the middleware, the outermost first; the innermost passes requests of the graph's path to ``graph``."""
    hosts = settings.known_hosts
    origins = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
        expose_headers=[REQUEST_ID_HEADER, "Retry-After"],
    )
    return [
        Middleware(CommonHeaders, readiness),
        *([Middleware(KnownHosts, hosts, paths)] if hosts is not None else ()),
        *([origins] if settings.cors_origins else ()),
        Middleware(SelectiveGZip),
        Middleware(RouterBypass, paths.graph, graph),
    ]


class CommonHeaders:
    """Adds to every response the request's id, the client's if it sent one, and a Cross-Origin-Resource-Policy.

    While the server drains, responses also end their connections, so that no client sends on one that is closing.
    """

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        self.app = app
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its id in the log."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _ID.fullmatch(given) else os.urandom(16).hex()
        own = [(_REQUEST_ID, request_id.encode()), (b"cross-origin-resource-policy", b"same-origin")]

        async def send_with_headers(message: Message) -> None:
            if message["type"] in _HEADS:
                message["headers"] = [*message.get("headers", ()), *own]
                if self._readiness.is_draining and message["type"] != "websocket.accept":
                    MutableHeaders(raw=message["headers"])["Connection"] = "close"
            await send(message)

        token = REQUEST_ID.set(request_id)
        try:
            await self.app(scope, receive, send_with_headers)
        finally:
            REQUEST_ID.reset(token)


class KnownHosts:
    """Rejects requests whose Host header is not allowed, so that no page can rebind its own name to this server.

    Probes reveal nothing and are always answered, since balancers send the address of their target. Metrics are also
    answered by address, as Prometheus requests them.
    """

    def __init__(self, app: ASGIApp, hosts: Container[str], paths: Paths) -> None:
        self.app = app
        self._hosts, self._paths = hosts, paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        if scope["type"] == "lifespan" or scope["path"] in self._paths.probes or self._is_known(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(_POLICY_VIOLATION, "Host not allowed.")(scope, receive, send)
        else:
            await error_response("Host not allowed.", 400)(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        headers = Headers(scope=scope).getlist("host")
        if len(headers) != 1:  # RFC 9112, section 3.2
            return False
        host = host_of(headers[0])
        return host in self._hosts or (scope["path"] == self._paths.metrics and is_address(host))


class SelectiveGZip:
    """Compresses long responses with gzip for clients that prefer it, and passes everything else on.

    Short ones are compressed too when the client accepts no plain ones. When it accepts neither, they are plain.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        app = self.app
        if scope["type"] == "http":
            codings = weights(Headers(scope=scope), "accept-encoding")
            if prefers_gzip(codings):
                app = GZipResponder(app, _GZIP_MINIMUM if takes_plain(codings) else 0, _LEVEL)
        await app(scope, receive, send)


class RouterBypass:
    """Passes requests for the graph by Starlette's router, which takes as long as the smallest operation."""

    def __init__(self, app: ASGIApp, path: str, graph: ASGIApp) -> None:
        self.app = app
        self._path, self._graph = path, graph

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        is_short = scope["type"] == "http" and scope["path"] == self._path
        await (self._graph if is_short else self.app)(scope, receive, send)


def error_response(message: str, status: int, code: str = "BAD_USER_INPUT") -> Response:
    """Return an error in the form of GraphQL."""
    body = {"errors": [{"message": message, "extensions": {"code": code}}]}
    return Response(encode(body), status, media_type="application/json")


def http_error(_request: Request, error: Exception) -> Response:
    """Return the response to a request that no route takes."""
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these alone
    response = error_response(error.detail, error.status_code)
    response.headers.update(error.headers or {})
    return response


def unexpected_error(_request: Request, error: Exception) -> Response:
    """Return the response to an unexpected error."""
    return Response(encode({"errors": [masked(error)]}), 500, media_type="application/json")
