"""Statuses and headers of responses."""

from collections.abc import Mapping

from starlette.responses import Response

from graph.errors import GraphError, Overloaded, RateLimited
from graph.http.encoding import encode
from graph.http.requests import GRAPHQL_RESPONSE, HTTPError

# The HTTP status of request errors, for either media type.
_STATUSES = {
    "PERSISTED_QUERY_NOT_FOUND": 200,  # as Apollo's clients expect
    "PERSISTED_QUERY_NOT_SUPPORTED": 200,
    "UNAUTHENTICATED": 401,
    "TIMEOUT": 408,
    "PAYLOAD_TOO_LARGE": 413,
    "RATE_LIMITED": 429,
    "OVERLOADED": 503,
    "THROTTLED": 503,
    "UPSTREAM_UNAVAILABLE": 503,
}
_ALWAYS = {
    "Cache-Control": "private, no-store",
    "Vary": "Accept, Accept-Encoding, Authorization",
    "X-Content-Type-Options": "nosniff",
}


def response(body: bytes, status: int, media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that no cache keeps and no browser guesses the type of."""
    return Response(body, status, {**_ALWAYS, **(headers or {})}, media_type=media_type)


def refusal(error: GraphError, media_type: str) -> Response:
    """Return the response to a rejected request."""
    body = encode({"errors": [{"message": str(error), "extensions": error.extensions}]})
    if isinstance(error, HTTPError):
        return response(body, error.status, media_type, error.headers)
    status = _STATUSES.get(error.code, request_error_status(media_type))
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, RateLimited | Overloaded):
        headers["Retry-After"] = str(error.seconds)
    if status in (408, 413):
        headers["Connection"] = "close"  # the rest of the body is not wanted
    return response(body, status, media_type, headers)


def request_error_status(media_type: str) -> int:
    """Return the status of a request that did not run; the older media type has 200 for it."""
    return 400 if media_type == GRAPHQL_RESPONSE else 200
