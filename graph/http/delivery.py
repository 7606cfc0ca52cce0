"""Deliver results: choose the media type, and run and respond as the kind of operation needs."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias

from graphql import GraphQLError, OperationType
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive
from strawberry.types import ExecutionResult

from graph.auth.policy import Policy
from graph.errors import ResponseTooLong
from graph.http.access_log import Operation as LogEntry
from graph.http.disconnects import UntilDisconnect
from graph.http.encoding import TooLong, encode, encode_in_turns
from graph.http.prepared import GraphQLRequest, PreparedOperation, is_request_error
from graph.http.requests import GRAPHQL_RESPONSE, JSON, HTTPError
from graph.http.responses import request_error_status, response
from graph.negotiation import media_type_weight, weights
from graph.settings import Settings

Run: TypeAlias = Callable[[PreparedOperation, LogEntry], Awaitable[tuple[ExecutionResult, Policy]]]
"""Runs an operation once, admitted and within its time; returns the result and the policy that it ran under."""


_CALLS_OF = {
    "engineCalls": ("states", "batch", "deadline"),
    "logCalls": ("logs",),
    "fileCalls": ("s3",),
}
"""The counts of calls beside those of DynamoDB, each with its services."""


class Delivery(Protocol):
    """Runs an operation, once or several times, and responds with what that gives."""

    async def __call__(self, operation: PreparedOperation, run: Run, receive: Receive, entry: LogEntry, /) -> Response:
        """Return the response.

        Raises:
            Disconnected: when the client is gone before the response is known.
        """


class OneResponse:
    """Runs an operation once, and puts its result into one response."""

    def __init__(self, settings: Settings) -> None:
        self._most_bytes, self._most_points = settings.max_response_bytes, settings.max_price

    async def __call__(self, operation: PreparedOperation, run: Run, receive: Receive, entry: LogEntry) -> Response:
        """Return the response that holds the operation's result."""
        async with UntilDisconnect(receive):
            result, policy = await run(operation, entry)
        request = operation.request
        body = self.body(request, result, entry, policy)
        if not operation.can_be_long:
            return _response(request, body, encode(body))
        try:
            return _response(request, body, await encode_in_turns(body, self._most_bytes))
        except TooLong:
            error = ResponseTooLong(self._most_bytes)
            entry.codes = (error.code,)
            told = {"message": str(error), "extensions": error.extensions}
            return _response(request, body, encode({"data": None, "errors": [told]}))

    def invalid(self, request: GraphQLRequest, errors: list[GraphQLError], entry: LogEntry) -> Response:
        """Return the response to a document that cannot run."""
        body = self.body(request, ExecutionResult(None, errors), entry)
        return _response(request, body, encode(body))

    def body(
        self, request: GraphQLRequest, result: ExecutionResult, entry: LogEntry, policy: Policy | None = None
    ) -> dict[str, object]:
        """Return the body of a response; ``policy`` is the one that the operation ran under, if it ran."""
        body: dict[str, object] = {} if is_request_error(result) else {"data": result.data}
        if result.errors:
            errors = request.runtime.presented(result.errors, request.source)
            body["errors"] = errors
            entry.codes = tuple(error["extensions"]["code"] for error in errors)
        if request.wants_cost:
            body["extensions"] = {"cost": self._cost(entry, policy)}
        return body

    def _cost(self, entry: LogEntry, policy: Policy | None) -> dict[str, object]:
        """Return the cost of an operation for its client.

        Counts of calls include reads of hidden rows, so only a viewer from whom nothing is hidden gets them.
        """
        cost: dict[str, object] = {"requested": entry.price, "maximum": self._most_points}
        if policy is None or not policy.hides_nothing:
            return cost
        tally = entry.tally
        others = {name: sum(map(tally.services.__getitem__, of)) for name, of in _CALLS_OF.items()}
        read = {"charged": entry.charged, "calls": tally.calls, "rounds": tally.rounds, "capacity": tally.capacity}
        return {**cost, **read, **others}


def deliveries(one: OneResponse) -> Mapping[OperationType, Delivery]:
    """Return the delivery of each kind of operation."""
    return {OperationType.QUERY: one, OperationType.MUTATION: one}


def media_type(request: Request) -> str:
    """Return the media type of the response; JSON when the client does not choose.

    Raises:
        HTTPError: 406, when neither is acceptable.
    """
    accepted = weights(request.headers, "accept")
    if not accepted:
        return JSON
    older, newer = media_type_weight(accepted, JSON), media_type_weight(accepted, GRAPHQL_RESPONSE)
    if max(older, newer) <= 0:
        raise HTTPError(406, f"Not acceptable; accept {GRAPHQL_RESPONSE} or {JSON}.")
    # The newer type wins only where it is named: a client that takes anything may know nothing of it.
    return GRAPHQL_RESPONSE if newer > older or (newer == older and GRAPHQL_RESPONSE in accepted) else JSON


def _response(request: GraphQLRequest, body: Mapping[str, object], encoded: bytes) -> Response:
    status = 200 if "data" in body else request_error_status(request.accepted)
    return response(encoded, status, request.accepted)
