"""What engines add to logs: destinations of state machines, histories as lines, streams of a stage's jobs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from graph.demo.cloudwatch import EmbeddedLogs
from graph.demo.insides import BAKE_JOB_ID, INSIDES_ID, INSIDES_RUN
from graph.demo.logs import TILES_STREAM, log_clients
from graph.demo.model import ACCOUNT
from graph.demo.permissions import READER
from graph.demo.samples import SAMPLE_STEP_IDS
from graph.resolvers.engine_logs import EngineLogs
from graph.tables.reader import Reader
from tests.harness import Graph
from tests.logs.unruly import Recorded
from tests.memory import NAMES, MemoryDatabase
from tests.resolvers.test_engines import SETTINGS, Faulty
from tests.worlds import viewer

LOGS = """query($id: String!) { pipelineExecution(pipelineExecutionId: $id) {
  availableLogs { nodes { id kind label sourceType stageName logGroupName } }
  registeredLogs { nodes { kind logGroupName } } } }"""
LINES = """query($id: String!, $first: Int, $after: String, $last: Int, $before: String, $filterPattern: String) {
  execution(executionId: $id) {
    logEvents(first: $first, after: $after, last: $last, before: $before, filterPattern: $filterPattern) {
      status warnings { code message } nodes { time message logGroupName }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }"""


async def logs(graph: Graph, step_id: str) -> Any:
    return (await graph.data(LOGS, id=step_id))["pipelineExecution"]


async def lines(graph: Graph, **arguments: Any) -> Any:
    return (await graph.data(LINES, id=INSIDES_ID, **arguments))["execution"]["logEvents"]


async def test_where_a_registered_state_machine_logs_is_an_available_log(quick: Graph) -> None:
    found = (await logs(quick, INSIDES_RUN.steps[2].step_id))["availableLogs"]["nodes"]
    assert found[-1] | {"id": ""} == {
        "id": "",
        "kind": "SUB_STATE_MACHINE",
        "label": "Assemble",
        "sourceType": "STATE_MACHINE",
        "stageName": "Parts",
        "logGroupName": "/aws/vendedlogs/states/Assemble",
    }
    node = await quick.data("query($id: ID!) { node(id: $id) { ... on RegisteredLog { kind } } }", id=found[-1]["id"])
    assert node == {"node": {"kind": "SUB_STATE_MACHINE"}}


async def test_a_place_that_was_registered_too_is_one_log(quick: Graph) -> None:
    of_step = await logs(quick, SAMPLE_STEP_IDS[0])
    groups = [log["logGroupName"] for log in of_step["availableLogs"]["nodes"]]
    assert groups.count("/aws/vendedlogs/VAMSstateMachine-ConversionPipeline") == 1
    assert {log["kind"] for log in of_step["registeredLogs"]["nodes"]} == {"REGISTERED"}


async def test_a_machine_that_does_not_tell_has_no_log(memory: MemoryDatabase) -> None:
    clients = replace(log_clients(), states=Faulty("AccessDeniedException"))
    graph = Graph(memory, NAMES, SETTINGS, logs=clients)
    found = (await logs(graph, INSIDES_RUN.steps[2].step_id))["availableLogs"]["nodes"]
    assert [log["kind"] for log in found] == ["INVOCATION"]
    graph.close()


async def test_what_the_step_registered_needs_no_engine(memory: MemoryDatabase) -> None:
    states = Recorded(log_clients().states)
    graph = Graph(memory, NAMES, SETTINGS, logs=replace(log_clients(), states=states))
    document = "query($id: String!) { pipelineExecution(pipelineExecutionId: $id) { registeredLogs { totalCount } } }"
    await graph.data(document, id=SAMPLE_STEP_IDS[0])
    assert states.requests == []
    graph.close()


@pytest.fixture
def silent(memory: MemoryDatabase) -> Iterator[Graph]:
    """The graph over a deployment that wrote no line of log."""
    graph = Graph(memory, NAMES, SETTINGS, reader=Reader, logs=replace(log_clients(), logs=EmbeddedLogs(())))
    yield graph
    graph.close()


async def test_a_run_without_lines_is_read_from_its_history(silent: Graph) -> None:
    whole = await lines(silent, first=100)
    assert whole["status"] == "READ"
    assert len(whole["nodes"]) == 21
    assert '"type": "ExecutionFailed"' in whole["nodes"][-1]["message"]
    assert {node["logGroupName"] for node in whole["nodes"]} == {None}
    found = await lines(silent, first=100, filterPattern="TaskFailed")
    assert len(found["nodes"]) == 1


@pytest.mark.parametrize("size", [1, 4, 100])
async def test_a_history_is_walked_from_either_end(silent: Graph, size: int) -> None:
    whole = [node["message"] for node in (await lines(silent, first=100))["nodes"]]
    for begin, name, cursor, more in (
        ("first", "after", "endCursor", "hasNextPage"),
        ("last", "before", "startCursor", "hasPreviousPage"),
    ):
        found: list[str] = []
        info: Any = {cursor: None, more: True}
        while info[more]:
            page = await lines(silent, **{begin: size, name: info[cursor]})
            messages = [node["message"] for node in page["nodes"]]
            found, info = (found + messages if begin == "first" else messages + found), page["pageInfo"]
        assert found == whole


async def test_a_history_that_cannot_be_read_is_a_warning(memory: MemoryDatabase) -> None:
    clients = replace(log_clients(), states=Faulty("AccessDeniedException"), logs=EmbeddedLogs([]))
    graph = Graph(memory, NAMES, SETTINGS, logs=clients)
    page = await lines(graph, first=10)
    assert page["nodes"] == []
    text = "Execution history unavailable: AccessDeniedException."
    assert {"code": "LOG_DENIED", "message": text} in page["warnings"]
    graph.close()


async def test_the_stream_of_a_job_comes_from_the_state_that_ran_it(silent: Graph) -> None:
    engines = EngineLogs(silent.services.engines)
    publication = INSIDES_RUN.steps[0].sub_executions
    assert await engines.batch_streams(publication, "Bake") == (TILES_STREAM,)
    assert await engines.batch_streams(publication, "Upload") == ()
    assert await engines.batch_streams([], "Bake") == ()
    assert BAKE_JOB_ID


async def test_the_arn_of_a_log_group_needs_the_permission_to_read_logs(quick: Graph) -> None:
    document = """query($id: String!) { pipelineExecution(pipelineExecutionId: $id) {
        availableLogs { nodes { logGroupName logGroupArn } } } }"""
    step = INSIDES_RUN.steps[2].step_id
    found = (await quick.data(document, id=step))["pipelineExecution"]["availableLogs"]["nodes"]
    assert found
    for log in found:
        assert log["logGroupArn"].startswith(f"arn:aws:logs:us-west-2:{ACCOUNT}:log-group:")
        assert log["logGroupArn"].endswith(f":{log['logGroupName']}")
    refused = await quick.ask(document, id=step, viewer=viewer(READER))
    assert refused.codes in ([], ["FORBIDDEN"])
    assert ACCOUNT not in str(refused.data)
