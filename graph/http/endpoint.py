"""The endpoint: authenticate, find the document, validate and price it, admit, execute, deliver.

Each step is cheaper than the next, so a rejected request costs no more than the steps before.
"""

import asyncio
from collections.abc import Callable

from graphql import GraphQLError, OperationType
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from strawberry.types import ExecutionResult

from graph.admission import AdmissionController
from graph.auth.identity import Credentials, Viewer
from graph.auth.policy import Policy
from graph.context import Services
from graph.deadlines import Deadline
from graph.documents import ValidationFailed
from graph.documents.trusted import read_manifest
from graph.errors import GraphError, PersistedQueryNotFound, TimedOut, masked
from graph.http.access_log import Operation as LogEntry
from graph.http.delivery import OneResponse, deliveries, media_type
from graph.http.disconnects import Disconnected
from graph.http.encoding import encode
from graph.http.invocations import invocation_end
from graph.http.prepared import GraphQLRequest, InvalidDocument, PreparedOperation, operation_name
from graph.http.requests import (
    JSON,
    GraphQLParams,
    HTTPError,
    has_preflight_header,
    is_of_another_site,
    read_body,
    read_query_string,
)
from graph.http.responses import refusal, response
from graph.http.runtime import SchemaRuntime
from graph.rate_limits import TokenBuckets
from graph.schema import Schema

COST_HEADER = "graphql-cost"
"""With this request header, at any value but 0, the response has ``extensions.cost``."""

_POINTS_OF_A_GUESS = 10
_CHARACTERS_OF_A_POINT = 10  # of a new text, which takes some 2 us each to parse and validate
_CLIENT_CLOSED_REQUEST = 499  # for the log alone, as in nginx


class GraphQLEndpoint:
    """An ASGI application that answers each request with one operation."""

    def __init__(
        self,
        schema: Schema,
        services: Services,
        buckets: TokenBuckets,
        observe: Callable[[LogEntry], None],
        subgraph: Schema | None = None,
    ) -> None:
        settings = services.settings
        self._services, self._settings = services, settings
        self._buckets, self._observe = buckets, observe
        self._admission = AdmissionController(settings.points_at_once, settings.wait_seconds)
        trusted = read_manifest(settings.trusted_documents)
        self._public = SchemaRuntime(schema, settings, trusted, takes_texts=not settings.trusted_documents_only)
        # Gateways write their documents themselves, so no manifest can list them.
        self._for_gateways = SchemaRuntime(subgraph, settings, {}, takes_texts=True) if subgraph is not None else None
        self._one_response = OneResponse(settings)
        self._deliveries = deliveries(self._one_response)
        self._methods = ("GET", "POST") if settings.is_development or settings.get_queries else ("POST",)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, always with JSON."""
        entry = LogEntry()
        answer = await self._respond(Request(scope, receive), entry)
        entry.end(answer.status_code if answer is not None else _CLIENT_CLOSED_REQUEST)
        self._observe(entry)
        if answer is not None:
            await answer(scope, receive, send)

    async def _respond(self, http: Request, entry: LogEntry) -> Response | None:
        """Return the response to a request; None where its client is gone."""
        accepted = JSON
        try:
            accepted = media_type(http)
            request = await self._read_request(http, accepted)
            try:
                operation = await self._prepare(request, entry)
            except InvalidDocument as invalid:
                return self._one_response.invalid(request, invalid.errors, entry)
            deliver = self._deliveries[operation.node.operation]
            return await deliver(operation, self._run, http.receive, entry)
        except Disconnected:
            entry.codes = ("DISCONNECTED",)
            return None
        except GraphError as error:
            entry.codes = (error.code,)
            return refusal(error, accepted)
        except (Exception, asyncio.CancelledError) as error:
            if _is_cancelled():
                raise
            entry.codes = ("INTERNAL",)
            return response(encode({"errors": [masked(error)]}), 500, accepted)

    async def _read_request(self, http: Request, accepted: str) -> GraphQLRequest:
        """Authenticate the viewer and find the document. Charge for an unknown id, or ids could be guessed for free."""
        if http.method not in self._methods:
            raise _not_allowed(self._methods)
        runtime, viewer = await self._authenticate(http)
        params = await self._read_params(http)
        source = runtime.persisted.text(params.document, viewer.user_id)
        if source is None:
            await self._buckets.charge(viewer.user_id, _POINTS_OF_A_GUESS)
            raise PersistedQueryNotFound
        wants_cost = http.headers.get(COST_HEADER, "0") != "0"
        return GraphQLRequest(
            runtime, viewer, http.method, params, source, accepted, wants_cost, invocation_end(http.scope)
        )

    async def _authenticate(self, http: Request) -> tuple[SchemaRuntime, Viewer]:
        """Return the runtime and the viewer; gateways of supergraphs have a schema with more fields."""
        credentials = Credentials(http.scope["headers"], http.client.host if http.client else None)
        viewer = await self._services.identity.viewer(credentials)
        proof = self._services.federation
        if self._for_gateways is None or proof is None or not proof.is_in(credentials):
            return self._public, viewer
        return self._for_gateways, viewer

    async def _read_params(self, http: Request) -> GraphQLParams:
        if http.method == "POST":
            return await read_body(http, self._settings.max_body_bytes, self._settings.body_seconds)
        is_trusted = self._settings.is_development and not is_of_another_site(http, self._settings.cors_origins)
        if not (is_trusted or has_preflight_header(http)):
            raise HTTPError(400, "A query by GET needs a header such as 'GraphQL-Require-Preflight: 1'.")
        return read_query_string(http)

    async def _prepare(self, request: GraphQLRequest, entry: LogEntry) -> PreparedOperation:
        """Charge the viewer for a new text, parse it, price the operation, charge the rest, validate, in this order.

        The charge for a new text counts towards the price of its operation, so it is only felt when the document does
        not parse, or the operation is cheaper.

        Raises:
            InvalidDocument: for a document that does not parse or is not valid.
        """
        runtime, params, user_id = request.runtime, request.params, request.viewer.user_id
        bound, charged = runtime.documents.known(request.source), 0
        if bound is None:
            charged = _points_of_reading(request.source)
            await self._buckets.charge(user_id, charged)
            try:
                bound = await runtime.documents.read(request.source, user_id)
            except GraphQLError as error:
                raise InvalidDocument([error]) from None
        node = bound.document.operation(params.operation_name)
        entry.name, entry.hash = operation_name(node), bound.document.hash
        if request.method == "GET" and node.operation is not OperationType.QUERY:
            raise _not_allowed(("POST",))
        entry.price = entry.charged = runtime.limits.price(bound.document, node, bound.variables(params.variables))
        await self._buckets.charge(user_id, max(entry.price - charged, 0))
        try:
            bound = await runtime.documents.valid(bound, user_id)
        except ValidationFailed as error:
            raise InvalidDocument(error.errors) from None
        runtime.persisted.keep(params.document, user_id)
        operation = PreparedOperation(request, bound, node, entry.price, charged)
        operation.note(entry)
        return operation

    async def _run(self, operation: PreparedOperation, entry: LogEntry) -> tuple[ExecutionResult, Policy]:
        """Run an operation under its viewer's current policy, once admitted, within the time limit."""
        viewer, seconds = operation.request.viewer, self._settings.operation_seconds
        policy = await self._services.policies.policy_of(viewer.user_id, is_mfa=viewer.is_mfa)
        async with self._admission.admit(operation.price):
            try:
                async with Deadline(seconds):
                    result = await operation.run(self._services, policy, entry)
            except TimeoutError:
                late = TimedOut("operation", seconds)
                return ExecutionResult(None, [GraphQLError(str(late), original_error=late)]), policy
        entry.charged = operation.charge(result)
        if entry.charged < operation.price:
            await self._buckets.refund(viewer.user_id, operation.price - entry.charged)
        return result, policy


def _points_of_reading(text: str) -> int:
    """Return the points that parsing a new text costs, whether or not it is a document."""
    return _POINTS_OF_A_GUESS + len(text) // _CHARACTERS_OF_A_POINT


def _is_cancelled() -> bool:
    """Return whether the request itself was cancelled, and not something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _not_allowed(methods: tuple[str, ...]) -> HTTPError:
    return HTTPError(405, f"Method not allowed; use {' or '.join(methods)}.", {"Allow": ", ".join(methods)})
