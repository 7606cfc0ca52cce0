"""What a request asks, and its operation once that was priced and paid for: it may run as often as delivery needs."""

from dataclasses import dataclass

from graphql import FieldNode, GraphQLError, OperationDefinitionNode
from strawberry.types import ExecutionResult

from graph.auth.identity import Viewer
from graph.auth.policy import Policy
from graph.aws.calls import CALLS
from graph.aws.retries import retry_budget
from graph.context import Context, Services
from graph.documents import BoundDocument
from graph.errors import original_of
from graph.http.access_log import Operation as LogEntry
from graph.http.requests import GraphQLParams
from graph.http.runtime import SchemaRuntime

_LONGEST_NAME = 100
_SHORT = 20_000, 1_000  # points, for which an answer without long texts and one with them takes few megabytes


class InvalidDocument(Exception):
    """A document that cannot run, and what GraphQL finds wrong with it."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__(errors)
        self.errors = errors


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    """Who asks for which document, and how the answer is wanted."""

    runtime: SchemaRuntime
    viewer: Viewer
    method: str
    asked: GraphQLParams
    source: str
    accepted: str
    wants_cost: bool
    ends_at: float | None = None


@dataclass(frozen=True, slots=True)
class PreparedOperation:
    """Everything that running an operation takes. Each run has a context of its own, so verdicts are never reused."""

    request: GraphQLRequest
    sent: BoundDocument
    node: OperationDefinitionNode
    price: int

    @property
    def can_be_long(self) -> bool:
        """Whether its answer may take more than a few megabytes."""
        return self.price > _SHORT[self.sent.document.once(self.request.runtime.has_long_texts)]

    async def run(self, services: Services, policy: Policy, entry: LogEntry) -> ExecutionResult:
        """Run it once. Whatever it begins has ended when this returns or raises."""
        request = self.request
        context = Context(services, request.viewer, policy, self.sent.document, ends_at=request.ends_at)
        entry.tally = context.tally
        CALLS.set(context.tally.services)
        try:
            with retry_budget(services.settings.operation_seconds):
                result = await self.request.runtime.schema.answer(
                    self.sent.document,
                    context,
                    self.sent.variables(self.request.asked.variables),
                    self.request.asked.operation_name,
                )
        finally:
            await context.close()
        result.errors = result.errors and [self.sent.placed(error) for error in result.errors]
        return result

    def note(self, entry: LogEntry) -> None:
        """Tell the log what is run."""
        entry.hash = self.sent.document.hash
        entry.price = self.price
        entry.root_fields = tuple(self.request.runtime.root_fields & _selected(self.node))


def operation_name(node: OperationDefinitionNode) -> str | None:
    """Return the name of an operation, cut to what a log line takes."""
    return node.name.value[:_LONGEST_NAME] if node.name else None


def is_request_error(result: ExecutionResult) -> bool:
    """Return whether nothing ran, since GraphQL itself found fault with the document or the variables."""
    return result.data is None and all(
        error.path is None and original_of(error) is None for error in result.errors or ()
    )


def _selected(node: OperationDefinitionNode) -> set[str]:
    return {one.name.value for one in node.selection_set.selections if isinstance(one, FieldNode)}
