"""Read a request under limits: its body or query string, and the GraphQL parameters in it."""

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from graph.deadlines import Deadline
from graph.documents.persisted import DocumentRef
from graph.documents.trusted import sha256
from graph.errors import BadUserInput, PayloadTooLarge, TimedOut
from graph.http.gunzip import Gunzip

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"

_HASH = re.compile(r"[0-9a-f]{32,128}")
_LONGEST_ID = 256
_OWN_SITES = {"same-origin", "none"}  # none: the user's own doing, such as an address that was typed
_PREFLIGHT = ("graphql-require-preflight", "apollo-require-preflight", "x-apollo-operation-name")


class HTTPError(BadUserInput):
    """An error with an HTTP status of its own."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class GraphQLParams:
    """The parameters of a GraphQL request: a document, the operation in it, and its variables."""

    document: DocumentRef
    operation_name: str | None = None
    variables: dict[str, Any] | None = None


def has_preflight_header(request: Request) -> bool:
    """Return whether the request has a header that a page cannot send to another origin without a CORS preflight."""
    return any(request.headers.get(name, "").strip() for name in _PREFLIGHT)


def is_of_another_site(request: Request, known: Container[str]) -> bool:
    """Return whether a browser sends the request for a page that is neither this server's nor of a known origin.

    Browsers say so in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header), of another port of
    this machine too, and in Origin where the page wants to read the answer.
    """
    if origins := request.headers.getlist("origin"):
        own = f"{request.scope['scheme']}://{request.headers.get('host')}"
        return not all(origin in known or origin == own for origin in origins)
    return not _OWN_SITES.issuperset(request.headers.getlist("sec-fetch-site"))


async def read_body(request: Request, maximum: int, seconds: float) -> GraphQLParams:
    """Return the parameters in a JSON body of at most ``maximum`` bytes, that must arrive within ``seconds``.

    Raises:
        HTTPError: 415 for another type, charset or encoding, 400 for what is no GraphQL request.
        PayloadTooLarge: for a longer body, also when it is longer only once decompressed.
        TimedOut: for a body that comes too slowly.
    """
    if not _is_json(request.headers.get("content-type", "")):
        raise HTTPError(415, f"Unsupported Content-Type; send {JSON} in UTF-8.", {"Accept-Post": JSON})
    try:
        async with Deadline(seconds):
            body = await _received_body(request, maximum)
    except TimeoutError:
        raise TimedOut("request", seconds) from None
    except ClientDisconnect:
        raise HTTPError(400, "The body ended early.") from None
    return _parameters(_parse_json(body, "body"))


def read_query_string(request: Request) -> GraphQLParams:
    """Return the parameters in a URL.

    Raises:
        HTTPError: 400 for what is no GraphQL request.
    """
    given: dict[str, Any] = dict(request.query_params)
    for name in ("variables", "extensions"):
        if given.get(name):
            given[name] = _parse_json(given[name].encode(errors="replace"), name)
    return _parameters({name: value for name, value in given.items() if value != ""})


@lru_cache(maxsize=64)  # clients of one kind send the same
def _is_json(content_type: str) -> bool:
    """Return whether a Content-Type is JSON in UTF-8."""
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    pairs = (map(str.strip, parameter.partition("=")) for parameter in parameters)
    charset = next((value.strip('"') for name, _, value in pairs if name == "charset"), "utf-8")
    return kind == JSON and charset in ("utf-8", "utf8")


async def _received_body(request: Request, maximum: int) -> bytes:
    """Read a body. The limit bounds the bytes received as well as the bytes decompressed."""
    encoding = ", ".join(request.headers.getlist("content-encoding")).strip().lower() or "identity"
    if encoding not in ("identity", "gzip", "x-gzip"):  # RFC 9110, section 8.4.1.3, has the two be one
        raise HTTPError(415, "Unsupported Content-Encoding; send gzip or none.", {"Accept-Encoding": "gzip"})
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > maximum:
        raise PayloadTooLarge("body", maximum, "bytes")
    gunzip = None if encoding == "identity" else Gunzip()
    body, received = bytearray(), 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > maximum:
            raise PayloadTooLarge("body", maximum, "bytes")
        try:
            body += gunzip.unpack(chunk, maximum + 1 - len(body)) if gunzip else chunk
        except zlib.error:
            raise HTTPError(400, "The body is not valid gzip.") from None
        if len(body) > maximum:
            raise PayloadTooLarge("body", maximum, "bytes")
    if gunzip is not None and not gunzip.is_whole:
        raise HTTPError(400, "The gzip body is incomplete.")
    return bytes(body)


def _parse_json(text: bytes, what: str) -> Any:
    try:
        return orjson.loads(text.removeprefix(BOM_UTF8))  # which RFC 8259, section 8.1, lets a reader ignore
    except orjson.JSONDecodeError:
        raise HTTPError(400, f"The {what} must be JSON in UTF-8.") from None


def _parameters(given: Any) -> GraphQLParams:
    if not isinstance(given, dict):
        raise HTTPError(400, "The body must be one JSON object.")
    name, variables = given.get("operationName"), given.get("variables")
    if not isinstance(name, str | None):
        raise HTTPError(400, "'operationName' must be a string.")
    if not isinstance(variables, dict | None):
        raise HTTPError(400, "'variables' must be an object.")
    return GraphQLParams(_document_ref(given), name or None, variables)


def _document_ref(given: Mapping[str, Any]) -> DocumentRef:
    text, extensions = _unless_empty(given.get("query")), given.get("extensions")
    if not isinstance(extensions, dict | None):
        raise HTTPError(400, "'extensions' must be an object.")
    if not isinstance(text, str | None):
        raise HTTPError(400, "'query' must be the document, a string.")
    identifier = _unless_empty(given.get("documentId", given.get("doc_id")))
    if identifier is not None and not (isinstance(identifier, str) and len(identifier) <= _LONGEST_ID):
        raise HTTPError(400, f"'documentId' must be a string of at most {_LONGEST_ID} characters.")
    hashed = _hash((extensions or {}).get("persistedQuery"))
    if text is None and identifier is None and hashed is None:
        raise HTTPError(400, "'query' must be the document, a string, or 'documentId' must name one.")
    if identifier is not None and (text is not None or hashed is not None):
        raise HTTPError(400, "'documentId' must stand alone, without 'query' and 'persistedQuery'.")
    if text is not None and hashed is not None and hashed != sha256(text):
        raise HTTPError(400, "provided sha does not match query")  # the words that Apollo's clients know
    return DocumentRef(text, identifier, hashed)


def _unless_empty(value: Any) -> Any:
    """Return a value; None for the empty text, by which forms and query strings omit a value."""
    return None if value == "" else value


def _hash(persisted: Any) -> str | None:
    """Return the hash in ``extensions.persistedQuery``, which may be another's than SHA-256 in a manifest."""
    if persisted is None:
        return None
    if not isinstance(persisted, dict) or persisted.get("version") != 1 or persisted.get("version") is True:
        raise HTTPError(400, "Unsupported persisted query version")
    found = persisted.get("sha256Hash")
    if not isinstance(found, str) or not _HASH.fullmatch(found):
        raise HTTPError(400, "'sha256Hash' must be a hash in lower-case hexadecimal.")
    return found
