"""A request, and its operation once it was priced and charged; a delivery may run it several times."""

from dataclasses import dataclass

from graphql import FieldNode, GraphQLError, OperationDefinitionNode
from strawberry.types import ExecutionResult

from graph.auth.identity import Viewer
from graph.auth.policy import Policy
from graph.aws.calls import CALLS
from graph.aws.retries import retry_budget
from graph.context import Context, Services
from graph.documents import BoundDocument
from graph.errors import Forbidden, original_of
from graph.http.access_log import Operation as LogEntry
from graph.http.requests import GraphQLParams
from graph.http.runtime import SchemaRuntime

_LONGEST_NAME = 100
_SHORT = 20_000, 1_000  # points, for which an answer without long texts and one with them takes few megabytes


class InvalidDocument(Exception):
    """A document that does not parse or is not valid, with the errors of GraphQL."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__(errors)
        self.errors = errors


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    """A request whose viewer and document are known; ``accepted`` is the media type of the response."""

    runtime: SchemaRuntime
    viewer: Viewer
    method: str
    params: GraphQLParams
    source: str
    accepted: str
    wants_cost: bool
    ends_at: float | None = None


@dataclass(frozen=True, slots=True)
class PreparedOperation:
    """An operation that is ready to run. Each run has a context of its own, so no verdict is reused."""

    request: GraphQLRequest
    bound: BoundDocument
    node: OperationDefinitionNode
    price: int
    least: int = 0
    """Points that are kept whatever the answer: what its text cost to read, where it was new."""

    @property
    def can_be_long(self) -> bool:
        """Whether its answer may take more than a few megabytes."""
        return self.price > _SHORT[self.bound.document.once(self.request.runtime.has_long_texts)]

    async def run(self, services: Services, policy: Policy, entry: LogEntry) -> ExecutionResult:
        """Run it once. All its tasks have ended when this returns or raises."""
        request = self.request
        context = Context(services, request.viewer, policy, self.bound.document, ends_at=request.ends_at)
        entry.tally = context.tally
        CALLS.set(context.tally.services)
        try:
            with retry_budget(services.settings.operation_seconds):
                result = await self.request.runtime.schema.answer(
                    self.bound.document,
                    context,
                    self.bound.variables(self.request.params.variables),
                    self.request.params.operation_name,
                )
        finally:
            await context.close()
        result.errors = result.errors and [self.bound.relocated(error) for error in result.errors]
        return result

    def charge(self, result: ExecutionResult) -> int:
        """Return the points that it cost by its answer: its whole price where that has another error than a refusal."""
        errors = result.errors or ()
        if result.data is None or not all(isinstance(original_of(error), Forbidden) for error in errors):
            return self.price
        charges = self.request.runtime.limits.charges
        return max(charges.charge(self.bound.document, self.node, result.data, self.price), self.least)

    def note(self, entry: LogEntry) -> None:
        """Write the operation into its log entry."""
        entry.hash = self.bound.document.hash
        entry.price = self.price
        entry.root_fields = tuple(self.request.runtime.root_fields & _selected(self.node))


def operation_name(node: OperationDefinitionNode) -> str | None:
    """Return the name of an operation, cut to what a log line takes."""
    return node.name.value[:_LONGEST_NAME] if node.name else None


def is_request_error(result: ExecutionResult) -> bool:
    """Return whether nothing ran, because GraphQL rejected the document or the variables."""
    return result.data is None and all(
        error.path is None and original_of(error) is None for error in result.errors or ()
    )


def _selected(node: OperationDefinitionNode) -> set[str]:
    return {one.name.value for one in node.selection_set.selections if isinstance(one, FieldNode)}
