"""The documents that a first visit finds in its tabs."""

from dataclasses import dataclass

from graphql import parse, print_ast


@dataclass(frozen=True, slots=True)
class Example:
    """A query and what it leads to, in a sentence."""

    leads_to: str
    query: str

    @property
    def document(self) -> str:
        """The query as people read it, below a comment that says what it is for."""
        return f"# {self.leads_to}\n{print_ast(parse(self.query))}\n"


EXAMPLES = (
    Example(
        "The newest runs. Select more of each with the explorer, on the left.",
        """query NewestRuns { executions(first: 10) {
    nodes { executionId status startedAt durationMs workflow { name } triggeredBy }
    pageInfo { hasNextPage endCursor } } }""",
    ),
    Example(
        "The newest failures, with the reason and the steps that led there.",
        """query NewestFailures { executions(first: 5, filter: { status: [FAILED, TIMED_OUT] }) {
    nodes { executionId startedAt error workflow { name } pipelineExecutions { nodes { name status } } } } }""",
    ),
)
"""Documents that suit every deployment."""
