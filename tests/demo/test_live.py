"""The run that starts with the server."""

from datetime import UTC, datetime
from typing import Any

import pytest

from graph.demo.data import demo_items
from graph.demo.live import LIVE_ID, LIVE_SECONDS, LiveRun
from graph.demo.logs import log_clients
from graph.settings import Settings
from graph.tables.catalogue import EXECUTIONS
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
