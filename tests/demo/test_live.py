"""The run that starts with the server."""

from datetime import UTC, datetime
from typing import Any

import pytest

from graph.app import make_changes
from graph.demo.data import demo_items
from graph.demo.database import EmbeddedDatabase
from graph.demo.live import LIVE_ID, LIVE_SECONDS, LiveRun
from graph.demo.logs import log_clients
from graph.settings import Settings
from graph.tables.catalogue import EXECUTIONS, TABLES
from graph.tables.reader import Reader
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase

START = datetime(2026, 9, 1, 12, tzinfo=UTC)
LIVE = LiveRun(START)
DOCUMENT = """query($id: String!) { execution(executionId: $id) { status statusSource startedAt stoppedAt
  pipelineExecutions { nodes { status subExecutions { nodes { status
    engineExecution { status history(last: 1) { totalCount } stages { nodes { name status } } } } }
    availableLogs { nodes { label events(last: 100) { nodes { time } } } } } } } }"""


async def told(after: float) -> Any:
    clients = log_clients(LIVE, lambda: START.timestamp() + after)
    graph = Graph(
        MemoryDatabase(demo_items(LIVE)), NAMES, Settings(cursor_secrets=["a secret of the tests"]), logs=clients
    )
    try:
        return (await graph.data(DOCUMENT, id=LIVE_ID))["execution"]
    finally:
        graph.close()


def moved(run: Any) -> tuple[int, int]:
    """The events and the lines of what is inside its step."""
    (step,) = run["pipelineExecutions"]["nodes"]
    (sub,) = step["subExecutions"]["nodes"]
    lines = sum(len(log["events"]["nodes"]) for log in step["availableLogs"]["nodes"])
    return sub["engineExecution"]["history"]["totalCount"], lines


async def test_it_moves_for_its_two_minutes_and_ends() -> None:
    runs = [await told(after) for after in (4, 30, 60, 110)]
    assert {run["status"] for run in runs} == {"RUNNING"}
    events, lines = zip(*map(moved, runs), strict=True)
    assert list(events) == sorted(set(events))
    assert list(lines) == sorted(set(lines))
    ended = await told(LIVE_SECONDS + 1)
    assert (ended["status"], ended["statusSource"]) == ("SUCCEEDED", "LIVE")
    assert datetime.fromisoformat(ended["stoppedAt"]) <= datetime.fromtimestamp(START.timestamp() + LIVE_SECONDS, UTC)
    (step,) = ended["pipelineExecutions"]["nodes"]
    (sub,) = step["subExecutions"]["nodes"]
    assert (step["status"], sub["status"]) == ("SUCCEEDED", "SUCCEEDED")
    assert await told(LIVE_SECONDS + 3600) == ended


async def test_it_stops_where_it_is_when_it_is_stopped() -> None:
    states: Any = log_clients(LIVE, lambda: START.timestamp() + 20).states
    arn = LIVE.executions()[1].arn
    before = len(states.get_execution_history(executionArn=arn)["events"])
    states.stop_execution(executionArn=arn, error="Stopped", cause="by hand")
    events = states.get_execution_history(executionArn=arn)["events"]
    assert (len(events), events[-1]["type"]) == (before + 1, "ExecutionAborted")
    assert states.describe_execution(executionArn=arn)["status"] == "ABORTED"


@pytest.mark.parametrize("live", [None, LIVE])
def test_the_items_hold_it_only_where_there_is_one(live: LiveRun | None) -> None:
    assert (LIVE_ID in str(demo_items(live)[EXECUTIONS])) is (live is not None)


ABORT = """mutation($id: String!) { abortExecution(input: { executionId: $id }) { outcome warnings { code }
  execution { status engineExecution { status } pipelineExecutions { nodes { status
    subExecutions { nodes { label status } } } } } } }"""


async def test_it_can_be_aborted_with_all_that_it_started() -> None:
    items = {table: [row.attributes for row in LIVE.rows() if row.table is table] for table in TABLES}
    with EmbeddedDatabase(items) as database:
        settings = Settings(cursor_secrets=["a secret of the tests"], actions=True)
        changes = make_changes(settings, database.client, database.names)
        clients = log_clients(LIVE, lambda: START.timestamp() + 20)
        graph = Graph(database.client, database.names, settings, reader=Reader, logs=clients, changes=changes)
        told = (await graph.data(ABORT, id=LIVE_ID))["abortExecution"]
        again = (await graph.data(ABORT, id=LIVE_ID))["abortExecution"]
        graph.close()
    assert (told["outcome"], told["warnings"], again["outcome"]) == ("ABORTED", [], "ALREADY_TERMINAL")
    run = told["execution"]
    (step,) = run["pipelineExecutions"]["nodes"]
    assert (run["status"], run["engineExecution"]["status"], step["status"]) == ("ABORTED",) * 3
    assert step["subExecutions"]["nodes"] == [{"label": "Stills", "status": "ABORTED"}]
    assert again["execution"] == run
