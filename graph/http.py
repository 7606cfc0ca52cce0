"""GraphQL over HTTP: Strawberry's view, with our own context, encoding and errors."""

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse
from strawberry.schema import BaseSchema
from strawberry.types import ExecutionResult

from graph.auth.identity import Credentials, IdentityUnavailable, Unauthenticated, Viewer
from graph.context import Context, Services
from graph.errors import GraphError, present


class GraphQLView(GraphQL[Context, None]):
    """Answers each operation in a context of its own, for a viewer who is known before anything is read of it."""

    def __init__(self, schema: BaseSchema, services: Services) -> None:
        super().__init__(schema, graphql_ide=None, allow_queries_via_get=False, subscription_protocols=())
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request; one without good credentials is refused before its body is read."""
        try:
            scope.setdefault("state", {})["viewer"] = await self._services.identity.viewer(_credentials(scope))
        except Unauthenticated as error:
            refusal = _refusal(401, error)
            refusal.headers["WWW-Authenticate"] = "Bearer"
            await refusal(scope, receive, send)
        except IdentityUnavailable as error:
            await _refusal(503, error)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def get_context(self, request: Request, response: Response) -> Context:  # type: ignore[override]  # noqa: ARG002
        """A fresh context: loaders, verdicts and counts belong to one operation."""
        viewer: Viewer = request.state.viewer
        policy = await self._services.policies.policy_of(viewer.user_id, is_mfa=viewer.is_mfa)
        return Context(self._services, viewer, policy)

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:  # noqa: ARG002
        """The response to an operation, its errors as clients may see them."""
        response: GraphQLHTTPResponse = {"data": result.data}
        if result.errors:
            response["errors"] = [present(error) for error in result.errors]
        return response

    def decode_json(self, data: str | bytes) -> object:
        """A request's JSON; anything that is none is the client's mistake."""
        return orjson.loads(data)

    def encode_json(self, data: object) -> bytes:
        """A response as JSON."""
        return orjson.dumps(data, default=_refuse)


def _credentials(scope: Scope) -> Credentials:
    client = scope.get("client")
    return Credentials(scope["headers"], client[0] if client else None)


def _refusal(status: int, error: GraphError) -> JSONResponse:
    return JSONResponse({"errors": [{"message": str(error), "extensions": error.extensions}]}, status)


def _refuse(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__} cannot be encoded")
