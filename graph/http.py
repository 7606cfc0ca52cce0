"""GraphQL over HTTP: Strawberry's view, with our own reading, limits, statuses, encoding and errors.

A request passes, in this order: who asks, its form, its document, the operation in it, the price, the viewer's rate,
validation, its turn, execution. What is refused on the way has cost nothing that comes later.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphql import FieldNode, GraphQLError, OperationDefinitionNode, OperationType
from starlette.requests import Request
from starlette.responses import Response
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse
from strawberry.types import ExecutionResult

from graph.auth.identity import Credentials, Viewer
from graph.concealment import Concealment
from graph.context import Context, Services
from graph.documents import Document, Documents, NotValid
from graph.documents.persisted import Persisted
from graph.documents.trusted import check_manifest, read_manifest
from graph.encoding import TooLong, encode, encode_in_turns
from graph.errors import (
    GraphError,
    Overloaded,
    PersistedQueryNotFound,
    RateLimited,
    ResponseTooLong,
    TimedOut,
    masked,
    original_of,
    present,
)
from graph.journal import Operation
from graph.limits import Limits
from graph.rates import Buckets
from graph.requests import (
    GRAPHQL_RESPONSE,
    JSON,
    Asked,
    Refused,
    has_preflight_header,
    in_query_string,
    media_type,
    posted,
)
from graph.schema import Schema
from graph.settings import Settings
from graph.turns import Turns

COST_HEADER = "graphql-cost"
"""A request that carries it, with any value but 0, is told in ``extensions.cost`` what it cost."""

# Request errors that HTTP has a status for, whatever the media type of the response.
_STATUSES = {
    "PERSISTED_QUERY_NOT_FOUND": 200,  # what Apollo's clients want of these two
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
_LONGEST_NAME = 100
_POINTS_OF_A_GUESS = 10
_SHORT = 20_000, 1_000  # points, for which an answer without long texts and one with them takes few megabytes


class GraphQLView(GraphQL[Context, None]):
    """Answers each operation in a context of its own."""

    schema: Schema

    def __init__(
        self,
        schema: Schema,
        services: Services,
        buckets: Buckets,
        observe: Callable[[Operation], None],
        subgraph: Schema | None = None,
    ) -> None:
        super().__init__(schema, graphql_ide=None, subscription_protocols=())
        settings = services.settings
        self._services, self._settings = services, settings
        self._buckets, self._observe = buckets, observe
        self._turns = Turns(settings.points_at_once, settings.wait_seconds)
        trusted = read_manifest(settings.trusted_documents)
        takes_texts = not settings.trusted_documents_only
        self._to_all = _Served(schema, settings, trusted, takes_texts=takes_texts)
        # What gateways send they wrote themselves, from what their own clients may ask.
        self._to_gateways = _Served(subgraph, settings, {}, takes_texts=True) if subgraph is not None else None
        self._methods = ("GET", "POST") if settings.is_development or settings.get_queries else ("POST",)

    async def run(self, request: Request, *_: Any, **__: Any) -> Response:  # type: ignore[override]
        """The response to a request. Whatever happens, it is JSON."""
        operation, kind = Operation(), JSON
        try:
            kind = media_type(request)
            body, status = await self._answer(request, operation, kind)
            response = _response(await self._encoded(body, operation), status, kind)
        except GraphError as error:
            operation.codes = (error.code,)
            response = _refusal(error, kind)
        except Exception as error:
            operation.codes = ("INTERNAL",)
            response = _response(encode({"errors": [masked(error)]}), 500, kind)
        operation.end(response.status_code)
        self._observe(operation)
        return response

    async def _answer(self, request: Request, operation: Operation, kind: str) -> tuple[GraphQLHTTPResponse, int]:
        """The body of a response and its status."""
        if request.method not in self._methods:
            raise _not_allowed(self._methods)
        peer = request.client.host if request.client else None
        credentials = Credentials(request.scope["headers"], peer)
        viewer = await self._services.identity.viewer(credentials)
        served = self._served(credentials)
        asked = await self._read(request)
        source = await self._source(served, asked, viewer)
        result = await self._result(served, request.method, asked, source, viewer, operation)
        body: GraphQLHTTPResponse = {} if result.data is None and _is_request_error(result) else {"data": result.data}
        if result.errors:
            errors = served.presented(result.errors, source)
            body["errors"] = errors
            operation.codes = tuple(error["extensions"]["code"] for error in errors)
        if request.headers.get(COST_HEADER, "0") != "0":
            body["extensions"] = {"cost": self._cost(operation)}
        return body, 200 if "data" in body else _request_error_status(kind)

    def _served(self, credentials: Credentials) -> "_Served":
        """The schema that the sender may know: to all but the gateways of supergraphs their fields do not exist."""
        proof = self._services.federation
        if self._to_gateways is None or proof is None or not proof.is_in(credentials):
            return self._to_all
        return self._to_gateways

    async def _encoded(self, body: GraphQLHTTPResponse, operation: Operation) -> bytes:
        """The text of a response. One that can be long lets others have their turns, and ends at a bound."""
        if not operation.can_be_long:
            return encode(body)
        try:
            return await encode_in_turns(body, self._settings.max_response_bytes)
        except TooLong:
            error = ResponseTooLong(self._settings.max_response_bytes)
            operation.codes = (error.code,)
            return encode({"data": None, "errors": [{"message": str(error), "extensions": error.extensions}]})

    async def _read(self, request: Request) -> Asked:
        if request.method == "POST":
            return await posted(request, self._settings.max_body_bytes, self._settings.body_seconds)
        if not (self._settings.is_development or has_preflight_header(request)):
            raise Refused(400, "A query by GET needs a header such as 'GraphQL-Require-Preflight: 1'.")
        return in_query_string(request)

    async def _source(self, served: "_Served", asked: Asked, viewer: Viewer) -> str:
        """The text of the document that is asked for. Guessing ids costs points too."""
        source = served.persisted.text(asked.wanted, viewer.user_id)
        if source is None:
            await self._buckets.charge(viewer.user_id, _POINTS_OF_A_GUESS)
            raise PersistedQueryNotFound
        return source

    async def _result(
        self, served: "_Served", method: str, asked: Asked, source: str, viewer: Viewer, operation: Operation
    ) -> ExecutionResult:
        """What an operation gives; without data where it did not run."""
        try:
            sent = await served.documents.read(source)
        except GraphQLError as error:
            return ExecutionResult(None, [error])
        chosen = sent.document.operation(asked.operation_name)
        operation.name, operation.hash = _name(chosen), sent.document.hash
        if method == "GET" and chosen.operation is not OperationType.QUERY:
            raise _not_allowed(("POST",))
        operation.price = served.limits.price(sent.document, chosen, sent.variables(asked.variables))
        operation.can_be_long = operation.price > _SHORT[sent.document.once(served.has_long_texts)]
        await self._buckets.charge(viewer.user_id, operation.price)
        try:
            sent = await served.documents.valid(sent)
        except NotValid as error:
            return ExecutionResult(None, error.errors)
        operation.hash = sent.document.hash  # by now that of all texts that differ in their strings alone
        served.persisted.keep(asked.wanted, viewer.user_id)
        operation.root_fields = tuple(served.root_fields & _selected(chosen))
        try:
            async with self._turns.turn(operation.price), asyncio.timeout(self._settings.operation_seconds):
                context = await self._context(viewer, sent.document)
                operation.tally = context.tally
                try:
                    result = await served.schema.answer(
                        sent.document, context, sent.variables(asked.variables), asked.operation_name
                    )
                finally:
                    await context.close()
                result.errors = result.errors and [sent.placed(error) for error in result.errors]
                return result
        except TimeoutError:
            late = TimedOut("operation", self._settings.operation_seconds)
            return ExecutionResult(None, [GraphQLError(str(late), original_error=late)])

    async def _context(self, viewer: Viewer, document: Document) -> Context:
        """A fresh context: loaders, verdicts and counts belong to one operation."""
        policy = await self._services.policies.policy_of(viewer.user_id, is_mfa=viewer.is_mfa)
        return Context(self._services, viewer, policy, document)

    def _cost(self, operation: Operation) -> dict[str, Any]:
        tally = operation.tally
        return {
            "requested": operation.price,
            "maximum": self._settings.max_price,
            "calls": tally.calls,
            "rounds": tally.rounds,
            "capacity": tally.capacity,
        }


class _Served:
    """One schema as it is served: what reads, prices and shows by it."""

    def __init__(self, schema: Schema, settings: Settings, trusted: Mapping[str, str], *, takes_texts: bool) -> None:
        self.schema = schema
        self.documents = Documents(schema.core, settings, sum(map(len, set(trusted.values()))))
        check_manifest(trusted, self.documents)
        self.persisted = Persisted(trusted, settings, takes_texts=takes_texts)
        self.limits = Limits(schema.core, settings)
        self.root_fields = frozenset(schema.core.query_type.fields if schema.core.query_type else ())
        self._concealment = None if settings.is_development else Concealment(schema.core)

    def has_long_texts(self, document: Document) -> bool:
        """Whether a document selects texts that can fill a whole row."""
        return self.limits.has_long_texts(document.once(self.schema.selection).fields)

    def presented(self, errors: Iterable[GraphQLError], source: str) -> list[Any]:
        """Errors as the client may see them."""
        return [
            self._concealment.conceal(present(error), source)
            if self._concealment is not None and original_of(error) is None
            else present(error)
            for error in errors
        ]


def _refusal(error: GraphError, kind: str) -> Response:
    """The response to a request of which nothing runs."""
    body = encode({"errors": [{"message": str(error), "extensions": error.extensions}]})
    if isinstance(error, Refused):
        return _response(body, error.status, kind, error.headers)
    status = _STATUSES.get(error.code, _request_error_status(kind))
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, RateLimited | Overloaded):
        headers["Retry-After"] = str(error.seconds)
    if status in (408, 413):
        headers["Connection"] = "close"  # the rest of the body is not wanted
    return _response(body, status, kind, headers)


def _response(body: bytes, status: int, kind: str, headers: Mapping[str, str] | None = None) -> Response:
    return Response(body, status, {**_ALWAYS, **(headers or {})}, media_type=kind)


def _request_error_status(kind: str) -> int:
    """The older type says 200 to all that is a well-formed request; the newer tells a request that did not run."""
    return 400 if kind == GRAPHQL_RESPONSE else 200


def _not_allowed(methods: tuple[str, ...]) -> Refused:
    return Refused(405, f"This is asked by {' or '.join(methods)}.", {"Allow": ", ".join(methods)})


def _is_request_error(result: ExecutionResult) -> bool:
    """Whether nothing ran, since GraphQL itself found fault with the document or the variables."""
    return all(error.path is None and original_of(error) is None for error in result.errors or ())


def _name(operation: OperationDefinitionNode) -> str | None:
    return operation.name.value[:_LONGEST_NAME] if operation.name else None


def _selected(operation: OperationDefinitionNode) -> set[str]:
    return {node.name.value for node in operation.selection_set.selections if isinstance(node, FieldNode)}
