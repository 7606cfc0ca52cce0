"""What the demo says when it is ready: where it is, what to ask, and where that leads."""

from graph.demo.notable import NOTABLE_RUNS
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.explorer import Example

EXAMPLES = (
    Example(
        "One execution whole: its steps in chain order, what it read, what it wrote, where it logs.",
        f"""query WholeExecution {{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ status durationMs
    pipelineExecutions {{ nodes {{ name status availableLogs {{ nodes {{ label logId }} }} }} }}
    inputFiles {{ nodes {{ path selection }} }} outputFiles {{ nodes {{ relativePath assetFileVersionId }} }} }} }}""",
    ),
    Example(
        "The newest failures, with the reason; endCursor leads to the next page.",
        """query NewestFailures { executions(first: 5, filter: { status: [FAILED, TIMED_OUT] }) {
    nodes { executionId startedAt workflow { name } error } pageInfo { hasNextPage endCursor } } }""",
    ),
    Example(
        "The history of an asset, from both directions.",
        """query AssetHistory { asset(databaseId: "plant-models", assetId: "pump-station") { name
    executions(first: 5) { edges { roles node { executionId startedAt status } } } } }""",
    ),
)


def welcome(url: str) -> str:
    """The text, for a server at a URL."""
    queries = "\n\n".join(f"  # {example.leads_to}\n  {example.query}" for example in EXAMPLES)
    runs = "\n".join(f"  {run.execution_id}  {run.shows}" for run in NOTABLE_RUNS)
    return f"""VAMS Graph serves its sample data at {url}

Open it in a browser to explore the graph, or POST queries as JSON: {{"query": "..."}}. Three to try:

{queries}

Runs worth a look, by executionId:

{runs}

Stop it with Ctrl+C."""
