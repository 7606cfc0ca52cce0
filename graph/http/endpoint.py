"""The endpoint: authenticate, find the document, validate and price it, admit, execute, deliver.

What is refused on the way has cost nothing that comes later.
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
from graph.documents import NotValid
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
    in_query_string,
    is_of_another_site,
    posted,
)
from graph.http.responses import refusal, response
from graph.http.runtime import SchemaRuntime
from graph.rate_limits import TokenBuckets
from graph.schema import Schema

COST_HEADER = "graphql-cost"
"""A request that carries it, with any value but 0, is told in ``extensions.cost`` what it cost."""

_POINTS_OF_A_GUESS = 10
_CHARACTERS_OF_A_POINT = 10  # of a new text, which takes some 2 us each to parse and validate
_CLIENT_CLOSED_REQUEST = 499  # as nginx logs it; it is never sent


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
        self._to_all = SchemaRuntime(schema, settings, trusted, takes_texts=not settings.trusted_documents_only)
        # What gateways send they wrote themselves, from what their own clients may ask.
        self._to_gateways = SchemaRuntime(subgraph, settings, {}, takes_texts=True) if subgraph is not None else None
        self._one_response = OneResponse(settings)
        self._deliveries = deliveries(self._one_response)
        self._methods = ("GET", "POST") if settings.is_development or settings.get_queries else ("POST",)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Whatever happens, the answer is JSON."""
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
            request = await self._find(http, accepted)
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

    async def _find(self, http: Request, accepted: str) -> GraphQLRequest:
        """Return who asks for which document. Guessing the ids of documents costs points too."""
        if http.method not in self._methods:
            raise _not_allowed(self._methods)
        runtime, viewer = await self._authenticate(http)
        asked = await self._read(http)
        source = runtime.persisted.text(asked.wanted, viewer.user_id)
        if source is None:
            await self._buckets.charge(viewer.user_id, _POINTS_OF_A_GUESS)
            raise PersistedQueryNotFound
        wants_cost = http.headers.get(COST_HEADER, "0") != "0"
        return GraphQLRequest(
            runtime, viewer, http.method, asked, source, accepted, wants_cost, invocation_end(http.scope)
        )

    async def _authenticate(self, http: Request) -> tuple[SchemaRuntime, Viewer]:
        """Return who asks, and the schema that they may know: gateways of supergraphs have fields of their own."""
        credentials = Credentials(http.scope["headers"], http.client.host if http.client else None)
        viewer = await self._services.identity.viewer(credentials)
        proof = self._services.federation
        if self._to_gateways is None or proof is None or not proof.is_in(credentials):
            return self._to_all, viewer
        return self._to_gateways, viewer

    async def _read(self, http: Request) -> GraphQLParams:
        if http.method == "POST":
            return await posted(http, self._settings.max_body_bytes, self._settings.body_seconds)
        is_trusted = self._settings.is_development and not is_of_another_site(http, self._settings.cors_origins)
        if not (is_trusted or has_preflight_header(http)):
            raise HTTPError(400, "A query by GET needs a header such as 'GraphQL-Require-Preflight: 1'.")
        return in_query_string(http)

    async def _prepare(self, request: GraphQLRequest, entry: LogEntry) -> PreparedOperation:
        """Charge the viewer for a new text, parse it, price the operation, charge the rest, validate, in this order.

        What a new text costs is part of the price of its operation, so only one that is broken, or asks for less, costs
        more than a known one.

        Raises:
            InvalidDocument: for what GraphQL finds fault with.
        """
        runtime, asked, user_id = request.runtime, request.asked, request.viewer.user_id
        sent, paid = runtime.documents.known(request.source), 0
        if sent is None:
            paid = _points_of_reading(request.source)
            await self._buckets.charge(user_id, paid)
            try:
                sent = await runtime.documents.read(request.source, user_id)
            except GraphQLError as error:
                raise InvalidDocument([error]) from None
        node = sent.document.operation(asked.operation_name)
        entry.name, entry.hash = operation_name(node), sent.document.hash
        if request.method == "GET" and node.operation is not OperationType.QUERY:
            raise _not_allowed(("POST",))
        entry.price = runtime.limits.price(sent.document, node, sent.variables(asked.variables))
        await self._buckets.charge(user_id, max(entry.price - paid, 0))
        try:
            sent = await runtime.documents.valid(sent, user_id)
        except NotValid as error:
            raise InvalidDocument(error.errors) from None
        runtime.persisted.keep(asked.wanted, user_id)
        operation = PreparedOperation(request, sent, node, entry.price)
        operation.note(entry)
        return operation

    async def _run(self, operation: PreparedOperation, entry: LogEntry) -> tuple[ExecutionResult, Policy]:
        """Run an operation under the policy that its viewer has now, in its turn and in its time."""
        viewer, seconds = operation.request.viewer, self._settings.operation_seconds
        policy = await self._services.policies.policy_of(viewer.user_id, is_mfa=viewer.is_mfa)
        async with self._admission.admit(operation.price):
            try:
                async with Deadline(seconds):
                    return await operation.run(self._services, policy, entry), policy
            except TimeoutError:
                late = TimedOut("operation", seconds)
                return ExecutionResult(None, [GraphQLError(str(late), original_error=late)]), policy


def _points_of_reading(text: str) -> int:
    """Return the points that reading a new text costs, whether or not it is a document."""
    return _POINTS_OF_A_GUESS + len(text) // _CHARACTERS_OF_A_POINT


def _is_cancelled() -> bool:
    """Return whether the request itself was cancelled, and not something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _not_allowed(methods: tuple[str, ...]) -> HTTPError:
    return HTTPError(405, f"Method not allowed; use {' or '.join(methods)}.", {"Allow": ", ".join(methods)})
