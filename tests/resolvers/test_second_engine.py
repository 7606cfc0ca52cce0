"""An engine beside Step Functions is a module and one line: nothing else reads what it calls a run."""

from collections.abc import Iterator
from typing import Any

import pytest

from graph.demo.model import Run, Step, identifier
from graph.demo.run_rows import run_rows
from graph.tables.catalogue import EXECUTIONS
from tests.engines.flows import Flows
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import PIPELINE, items, run

ENTRIES = (
    {"resourceType": "flowExecution", "flowName": "baking", "executionName": "night", "stageName": "Ovens"},
    {"resourceType": "flowExecution", "flowName": "idle"},
)
STEP = Step(step_id=identifier("step", "flows"), pipeline=PIPELINE, sub_executions=ENTRIES)
RUN = run("flows", minute=0, steps=(STEP,))
DOCUMENT = """query($id: String!) { execution(executionId: $id) {
  engineExecution { ...Told }
  pipelineExecutions { nodes {
    subExecutions { nodes { resourceName status stageSource statusWarning { code } engineExecution { ...Told } } }
    availableLogs { nodes { logGroupName stageName } } } } } }
fragment Told on EngineExecution { id engine name flowName executionArn stateMachineArn status statusWarning { code }
  stages { nodes { name status } } history { totalCount } }"""


def database(of: Run, reference: str) -> MemoryDatabase:
    """The rows of a run, whose engine calls it by a reference."""
    rows = items(run_rows(of))
    rows[EXECUTIONS] = [row | {"workflow_execution_arn": reference} for row in rows[EXECUTIONS]]
    return MemoryDatabase(rows)


@pytest.fixture
def flows() -> Flows:
    return Flows()


@pytest.fixture
def graph(flows: Flows) -> Iterator[Graph]:
    graph = Graph(database(RUN, "flow:convert/2026-07-14"), NAMES)
    engines = graph.services.engines
    engines.engines = (*engines.engines, flows)
    yield graph
    graph.close()


def told(flow: str, name: str) -> dict[str, Any]:
    return {
        "engine": "SERVERLESS_WORKFLOW",
        "name": name,
        "flowName": flow,
        "executionArn": None,
        "stateMachineArn": None,
        "status": "SUCCEEDED",
        "statusWarning": None,
        "stages": {"nodes": [{"name": "Bake", "status": "NOT_STARTED"}]},
        "history": {"totalCount": 2},
    }


async def test_runs_of_a_second_engine_are_told_wherever_runs_are(graph: Graph) -> None:
    execution = (await graph.data(DOCUMENT, id=RUN.execution_id))["execution"]
    own = execution["engineExecution"]
    assert own.items() >= told("convert", "2026-07-14").items()
    (step,) = execution["pipelineExecutions"]["nodes"]
    baking, idle = step["subExecutions"]["nodes"]
    assert (baking["resourceName"], baking["status"], baking["stageSource"]) == ("baking", "SUCCEEDED", "DEFINITION")
    assert baking["engineExecution"].items() >= told("baking", "night").items()
    assert (idle["resourceName"], idle["status"], idle["engineExecution"]) == ("idle", "UNKNOWN", None)
    assert [log for log in step["availableLogs"]["nodes"] if log["logGroupName"].startswith("/flows/")] == [
        {"logGroupName": "/flows/baking", "stageName": "Ovens"},
        {"logGroupName": "/flows/idle", "stageName": None},
    ]
    for found in (own, baking["engineExecution"]):
        node = await graph.data("query($id: ID!) { node(id: $id) { ... on EngineExecution { name } } }", id=found["id"])
        assert node == {"node": {"name": found["name"]}}


async def test_each_reference_is_asked_of_its_own_engine(graph: Graph, flows: Flows) -> None:
    await graph.data(DOCUMENT, id=RUN.execution_id)
    assert sorted(flows.asked) == ["flow:baking/night", "flow:convert/2026-07-14"]


@pytest.mark.parametrize("reference", ["", "flow:", "flow:convert", "pipe:convert/1", "arn:aws:states:x", "x" * 9999])
async def test_a_reference_that_no_engine_recognises_leads_to_no_run(graph: Graph, reference: str) -> None:
    elsewhere = Graph(database(RUN, reference), NAMES)
    document = "query($id: String!) { execution(executionId: $id) { engineExecution { id } } }"
    assert await elsewhere.data(document, id=RUN.execution_id) == {"execution": {"engineExecution": None}}
    elsewhere.close()
