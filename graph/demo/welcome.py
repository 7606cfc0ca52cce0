"""What the demo says when it is ready: where it is, what to ask, and where that leads."""

from graph.demo.live import LIVE_ID
from graph.demo.notable import NOTABLE_RUNS
from graph.demo.permissions import ADMIN, ANA, API_KEY_OF, AUDITOR, BOB, LISTER, NOBODY, READER
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
        "Every log of a step, how its reading went, and its last lines.",
        f"""query LogsOfSteps {{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ pipelineExecutions {{ nodes {{ name
    availableLogs {{ nodes {{ label events(last: 20) {{ status nodes {{ time message }} }} }} }} }} }} }} }}""",
    ),
    Example(
        "The history of an asset, from both directions.",
        """query AssetHistory { asset(databaseId: "plant-models", assetId: "pump-station") { name
    executions(first: 5) { edges { roles node { executionId startedAt status } } } } }""",
    ),
)

SEES = {
    ADMIN: "sees everything",
    BOB: "sees one database, and no logs",
    ANA: "sees what bob does; her other role needs a second factor",
    READER: "reads everything but logs",
    LISTER: "reads lists of runs, but of no run the details",
    AUDITOR: "reads everything but the metadata of runs",
    NOBODY: "holds no role, and is refused",
}


def welcome(url: str, token: str) -> str:
    """Return the text, for a server at a URL, with a token for a user who has shown a second factor."""
    queries = "\n\n".join(f"  # {example.leads_to}\n  {example.query}" for example in EXAMPLES)
    keys = "\n".join(f"  {key:<18} {user:<20} {SEES[user]}" for user, key in API_KEY_OF.items())
    live = f"  {LIVE_ID}  started with the server, and goes on for two minutes"
    runs = "\n".join([live, *(f"  {run.execution_id}  {run.shows}" for run in NOTABLE_RUNS)])
    return f"""VAMS Graph serves its sample data at {url}

Open it in a browser to explore the graph, or POST queries as JSON: {{"query": "..."}}. Four to try:

{queries}

You are its administrator unless you show an Authorization header. Keys to be somebody else by:

{keys}

For an hour, {ANA} with a second factor, which no key counts as:

  {token}

Runs worth a look, by executionId:

{runs}

Stop it with Ctrl+C."""
