"""GraphQL over HTTP: Strawberry's view, with our own context, encoding and errors."""

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse
from strawberry.schema import BaseSchema
from strawberry.types import ExecutionResult

from graph.context import Context, Services
from graph.errors import present


class GraphQLView(GraphQL[Context, None]):
    """Answers each operation in a context of its own."""

    def __init__(self, schema: BaseSchema, services: Services) -> None:
        super().__init__(schema, graphql_ide=None, allow_queries_via_get=False, subscription_protocols=())
        self._services = services

    async def get_context(self, request: Request, response: Response) -> Context:  # type: ignore[override]  # noqa: ARG002
        """A fresh context: loaders and counts belong to one operation."""
        return Context(self._services)

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


def _refuse(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__} cannot be encoded")
