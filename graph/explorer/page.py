"""The page and its files, under a policy that lets nothing in from elsewhere."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from graph.explorer.examples import EXAMPLES, Example
from graph.negotiation import weights

PREFIX = "/explorer"
"""Where the page's files are; the page itself is where the graph is."""

NOT_BUILT = """The explorer's page has not been built: it needs Node.js 20.19, 22.12 or newer, once.

Install Node.js, run "make explorer" in a checkout, and start the server again.
A wheel that is built where Node.js is has the page inside.

The graph does not need the page: it answers POST requests at this address.
"""

STATIC = Path(__file__).parent / "static"
"""What ``explorer/`` is built into."""

LICENSES = "third-party-licenses.txt"

# The editor writes style elements and attributes, so styles may be inline; nothing that runs may.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_GUARDS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_GRAPHQL = ("application/graphql-response+json", "application/json")


class Explorer:
    """The graph as an ASGI application, with the page before it for those who visit with a browser.

    Args:
        graph: Answers everything else.
        examples: What a first visit finds in its tabs.
        static: The folder that the page was built into, looked at once.
    """

    def __init__(self, graph: ASGIApp, examples: Iterable[Example] = EXAMPLES, static: Path = STATIC) -> None:
        self._graph = graph
        self._examples = [example.document for example in examples]
        self._static = static
        self._is_built = (static / "index.html").is_file()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the page, or hand the request to the graph."""
        await (self._page() if _is_visit(Request(scope)) else self._graph)(scope, receive, send)

    @property
    def routes(self) -> list[BaseRoute]:
        """Where the page finds its files and its examples."""
        if not self._is_built:
            return []
        return [
            Route(f"{PREFIX}/examples.json", self._show_examples),
            Route(f"{PREFIX}/{LICENSES}", self._show_licenses),
            Mount(PREFIX, _Assets(directory=self._static / "explorer")),
        ]

    async def _show_examples(self, _request: Request) -> Response:
        return JSONResponse(self._examples, headers=_GUARDS | {"Cache-Control": "no-cache"})

    async def _show_licenses(self, _request: Request) -> Response:
        return FileResponse(self._static / LICENSES, headers=_GUARDS)

    def _page(self) -> Response:
        headers = _GUARDS | {"Cache-Control": "no-cache", "Vary": "Accept"}
        if self._is_built:
            return FileResponse(self._static / "index.html", headers=headers)
        return PlainTextResponse(NOT_BUILT, 404, headers)


class _Assets(StaticFiles):
    """Files whose names change with their content."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # which a mount, unlike a route, is given too
            await WebSocketClose()(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers.update(_GUARDS | {"Cache-Control": "public, max-age=31536000, immutable"})
        return response


def _is_visit(request: Request) -> bool:
    """Return whether a request wants HTML: names it, and likes no answer of the graph better."""
    if request.method not in ("GET", "HEAD"):
        return False
    accepted = weights(request.headers, "accept")
    wanted = accepted.get("text/html", 0)
    return wanted > 0 and all(accepted.get(kind, 0) <= wanted for kind in _GRAPHQL)
