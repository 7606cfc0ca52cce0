"""What the demo's runs and users show through the graph."""

from typing import Any

import pytest

from graph.demo.insides import INSIDES_ID
from graph.demo.permissions import AUDITOR, LISTER
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.shapes import FAILED_ID, STOPPED_OUTSIDE_ID
from tests.harness import Graph
from tests.worlds import viewer


async def test_a_run_that_was_stopped_outside_vams_is_told_as_aborted(quick: Graph) -> None:
    document = """query($id: String!) { execution(executionId: $id) { status statusSource error
      pipelineExecutions { nodes { status statusSource } }
      engineExecution { status error stages { nodes { name status } } } } }"""
    run = (await quick.data(document, id=STOPPED_OUTSIDE_ID))["execution"]
    assert (run["status"], run["statusSource"]) == ("ABORTED", "LIVE")
    assert run["error"] == "Stopped: by hand, in the console"
    steps = [(step["status"], step["statusSource"]) for step in run["pipelineExecutions"]["nodes"]]
    assert steps == [("SUCCEEDED", "STORED"), ("ABORTED", "DERIVED"), ("ABORTED", "DERIVED")]
    assert [stage["status"] for stage in run["engineExecution"]["stages"]["nodes"]] == [
        "SUCCEEDED",
        "ABORTED",
        "NOT_STARTED",
        "NOT_STARTED",
    ]


LOGS = """query($id: String!) { execution(executionId: $id) { pipelineExecutions { nodes { status
  availableLogs { nodes { label events(last: 5) { status nodes { message } } } } } } } }"""


@pytest.mark.parametrize(
    ("execution_id", "reason"), [(INSIDES_ID, "part 137 has no surface"), (FAILED_ID, "3 holes and 12 flipped faces")]
)
async def test_a_failed_step_has_lines_that_say_why(quick: Graph, execution_id: str, reason: str) -> None:
    nodes = (await quick.data(LOGS, id=execution_id))["execution"]["pipelineExecutions"]["nodes"]
    failed = next(step for step in nodes if step["status"] == "FAILED")
    read = [log["events"] for log in failed["availableLogs"]["nodes"] if log["events"]["status"] == "READ"]
    assert any(reason in line["message"] for events in read for line in events["nodes"])


async def as_user(graph: Graph, user: str, fields: str) -> Any:
    answer = await graph.ask(
        f'{{ executions(first: 1) {{ nodes {{ executionId }} }} execution(executionId: "{SAMPLE_EXECUTION_ID}") '
        f"{{ executionId {fields} }} }}",
        viewer=viewer(user),
    )
    assert answer.data is not None
    assert len(answer.data["executions"]["nodes"]) == 1
    return answer


async def test_the_lister_sees_lists_and_no_details(quick: Graph) -> None:
    answer = await as_user(quick, LISTER, "pipelineExecutions { totalCount }")
    assert (answer.data["execution"] or {}).get("pipelineExecutions") is None


async def test_the_auditor_sees_everything_but_metadata(quick: Graph) -> None:
    answer = await as_user(quick, AUDITOR, "pipelineExecutions { totalCount } inputMetadata { totalCount }")
    assert answer.data["execution"]["pipelineExecutions"] == {"totalCount": 3}
    assert answer.data["execution"]["inputMetadata"] is None
    assert answer.codes == ["FORBIDDEN"]
    assert (await as_user(quick, AUDITOR, "log { content }")).codes == []
