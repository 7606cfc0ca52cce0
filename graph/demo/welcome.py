"""What the demo says when it is ready: where it is, what to ask, and where that leads."""

from graph.demo.notable import NOTABLE_RUNS
from graph.demo.samples import SAMPLE_EXECUTION_ID

_QUERIES = (
    (
        "One execution whole: its steps in chain order, what it read, what it wrote, where it logs.",
        f"""{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ status durationMs
    pipelineExecutions {{ nodes {{ name status availableLogs {{ nodes {{ label logId }} }} }} }}
    inputFiles {{ nodes {{ path selection }} }} outputFiles {{ nodes {{ relativePath assetFileVersionId }} }} }} }}""",
    ),
    (
        "The newest failures, with the reason; endCursor leads to the next page.",
        """{ executions(first: 5, filter: { status: [FAILED, TIMED_OUT] }) {
    nodes { executionId startedAt workflow { name } error } pageInfo { hasNextPage endCursor } } }""",
    ),
    (
        "Every log of a step, how its reading went, and its last lines.",
        f"""{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ pipelineExecutions {{ nodes {{ name
    availableLogs {{ nodes {{ label events(last: 20) {{ status nodes {{ time message }} }} }} }} }} }} }} }}""",
    ),
    (
        "The history of an asset, from both directions.",
        """{ asset(databaseId: "plant-models", assetId: "pump-station") { name
    executions(first: 5) { edges { roles node { executionId startedAt status } } } } }""",
    ),
)


def welcome(url: str) -> str:
    """The text, for a server at a URL."""
    queries = "\n\n".join(f"  # {leads_to}\n  {query}" for leads_to, query in _QUERIES)
    runs = "\n".join(f"  {run.execution_id}  {run.shows}" for run in NOTABLE_RUNS)
    return f"""VAMS Graph serves its sample data at {url}

Four queries to try (POST them as JSON: {{"query": "..."}}):

{queries}

Runs worth a look, by executionId:

{runs}

Stop it with Ctrl+C."""
