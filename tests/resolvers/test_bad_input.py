"""Arguments that cannot be served: the field is null with a code, and the rest is answered."""

from typing import Any

import pytest

from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.tables import ids
from tests.harness import Answer, Graph
from tests.resolvers.model import parents
from tests.resolvers.walks import Connection, ask_page, connections, page_of, read_page

CONNECTIONS = [connection for connection in connections() if connection.argument is None]
EXECUTION = ids.encode("Execution", SAMPLE_EXECUTION_ID, "plant-models:convert-qa-thumb")
STEP = ids.encode("PipelineExecution", SAMPLE_STEP_IDS[0], SAMPLE_EXECUTION_ID)
FILES = Connection("PipelineExecution", "outputFiles")

FILTERED = """
query($c: String, $f: ExecutionFilter) {
  page: executions(first: 1, after: $c, filter: $f) { pageInfo { endCursor } }
}
"""

each_connection = pytest.mark.parametrize("connection", CONNECTIONS, ids=str)


def assert_refused(answer: Answer, connection: Connection, code: str) -> None:
    assert answer.codes == [code], answer.errors
    assert answer.data is not None
    assert page_of(connection, answer.data["p"]) is None


@each_connection
@pytest.mark.parametrize(
    "paging",
    [{"first": -1}, {"first": 101}, {"last": -1}, {"last": 101}, {"first": 2**31 - 1}, {"first": 1, "last": 1}],
    ids=str,
)
async def test_a_page_size_that_cannot_be_served_is_refused(
    quick: Graph, connection: Connection, paging: dict[str, int]
) -> None:
    assert_refused(
        await ask_page(quick, connection, parents(connection.type)[0], **paging), connection, "BAD_USER_INPUT"
    )


@each_connection
@pytest.mark.parametrize("cursor", ["", "x", "!!!", "YXJyYXljb25uZWN0aW9uOi01", "AQA", "Z" * 9000, "ü", "\ud800"])
async def test_what_is_no_cursor_is_refused(quick: Graph, connection: Connection, cursor: str) -> None:
    for argument in ("after", "before"):
        answer = await ask_page(quick, connection, parents(connection.type)[0], **{argument: cursor})
        assert_refused(answer, connection, "INVALID_CURSOR")
        assert cursor not in answer.errors[0]["message"] or not cursor or len(cursor) == 1


async def test_a_cursor_of_another_list_is_refused(quick: Graph) -> None:
    cursor = (await read_page(quick, FILES, STEP, first=1))["pageInfo"]["endCursor"]
    assert (await read_page(quick, FILES, STEP, after=cursor))["edges"]
    other_step = ids.encode("PipelineExecution", SAMPLE_STEP_IDS[1], SAMPLE_EXECUTION_ID)
    for connection, parent in (
        (FILES, other_step),
        (Connection("PipelineExecution", "outputMetadata"), STEP),
        (Connection("PipelineExecution", "outputFiles", ("fileType", "FILE")), STEP),
        (Connection("Execution", "outputFiles"), EXECUTION),
        (Connection("Query", "executions"), ""),
    ):
        assert_refused(await ask_page(quick, connection, parent, after=cursor), connection, "INVALID_CURSOR")


async def test_a_cursor_is_bound_to_the_filter_and_the_role(quick: Graph) -> None:
    wanted = {"status": ["FAILED"]}
    cursor = (await quick.data(FILTERED, f=wanted))["page"]["pageInfo"]["endCursor"]
    assert (await quick.ask(FILTERED, c=cursor, f=wanted)).codes == []
    for other in (
        None,
        {},
        {"status": ["FAILED", "ABORTED"]},
        {"status": ["FAILED"], "triggeredBy": "ana@example.com"},
    ):
        assert (await quick.ask(FILTERED, c=cursor, f=other)).codes == ["INVALID_CURSOR"]
    history, asset = Connection("Asset", "executions"), ids.encode("Asset", "plant-models", "pump-station")
    cursor = (await read_page(quick, history, asset, first=1))["pageInfo"]["endCursor"]
    read = Connection("Asset", "executions", ("role", "READ"))
    assert_refused(await ask_page(quick, read, asset, after=cursor), read, "INVALID_CURSOR")


async def test_statuses_in_another_order_are_the_same_filter(quick: Graph) -> None:
    cursor = (await quick.data(FILTERED, f={"status": ["FAILED", "ABORTED"]}))["page"]["pageInfo"]["endCursor"]
    assert (await quick.ask(FILTERED, c=cursor, f={"status": ["ABORTED", "FAILED"]})).codes == []


async def test_a_cursor_that_was_tampered_with_is_refused(quick: Graph) -> None:
    cursor = (await read_page(quick, FILES, STEP, first=1))["pageInfo"]["endCursor"]
    for place in range(0, len(cursor), 7):
        other = "A" if cursor[place] != "A" else "B"
        tampered = cursor[:place] + other + cursor[place + 1 :]
        assert_refused(await ask_page(quick, FILES, STEP, after=tampered), FILES, "INVALID_CURSOR")


async def test_a_bad_page_costs_no_sibling(quick: Graph) -> None:
    answer = await quick.ask(
        "query($id: String!) { execution(executionId: $id) {"
        " id bad: outputFiles(first: -1) { nodes { id } } good: outputFiles(first: 1) { nodes { id } } } }",
        id=SAMPLE_EXECUTION_ID,
    )
    assert answer.data is not None
    assert answer.data["execution"]["bad"] is None
    assert len(answer.data["execution"]["good"]["nodes"]) == 1
    assert answer.errors[0]["path"] == ["execution", "bad"]


@pytest.mark.parametrize(
    "date",
    [
        "2026-07-14T09:30:00",
        "2026-07-14",
        "yesterday",
        "",
        "2026-02-30T00:00:00.000Z",
        "2026-07-14T09:30:00.000+99:00",
        "٢٠٢٦-07-14T09:30:00.000Z",
    ],
)
async def test_a_date_without_a_zone_is_refused(quick: Graph, date: str) -> None:
    answer = await quick.ask(
        "query($d: DateTime, $id: String!) { bad: executions(filter: { startedFrom: $d }) { nodes { id } }"
        " good: execution(executionId: $id) { id } }",
        d=date,
        id=SAMPLE_EXECUTION_ID,
    )
    assert answer.codes == ["BAD_USER_INPUT"]
    assert answer.data is not None
    assert answer.data["bad"] is None
    assert answer.data["good"]


ROOTS = {
    "execution": "execution(executionId: $key)",
    "pipelineExecution": "pipelineExecution(pipelineExecutionId: $key)",
    "executionGroup": "executionGroup(groupId: $key)",
    "database": "database(databaseId: $key)",
    "workflow": 'workflow(databaseId: $key, workflowId: "convert-qa-thumb")',
    "workflow's id": 'workflow(databaseId: "plant-models", workflowId: $key)',
    "pipeline": 'pipeline(databaseId: $key, pipelineId: "quality-check")',
    "pipeline's id": 'pipeline(databaseId: "plant-models", pipelineId: $key)',
    "asset": 'asset(databaseId: $key, assetId: "pump-station")',
    "asset's id": 'asset(databaseId: "plant-models", assetId: $key)',
}


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("key", ["", "a:b", "a/b", "\x00", "x" * 2000, "\ud800", "plant-models:", "?"])
async def test_a_malformed_key_is_null_without_a_call(quick: Graph, root: str, key: str) -> None:
    answer = await quick.ask(f"query($key: String!) {{ found: {ROOTS[root]} {{ id }} }}", key=key)
    assert answer.data == {"found": None}
    assert not answer.errors
    assert not answer.calls


@pytest.mark.parametrize("root", ROOTS)
async def test_an_unknown_key_is_null_without_an_error(quick: Graph, root: str) -> None:
    assert await quick.data(f"query($key: String!) {{ found: {ROOTS[root]} {{ id }} }}", key="0" * 32) == {
        "found": None
    }


@pytest.mark.parametrize(
    "key",
    ["9B1C0F5E7D6A4B3C8E2F1A0D9C8B7A65", "9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a6", "c41e9d70-2b68-4f05-9f7a-8e10d3b5a6c2"],
)
async def test_ids_of_runs_are_compared_exactly(quick: Graph, key: str) -> None:
    assert await quick.data("query($key: String!) { execution(executionId: $key) { id } }", key=key) == {
        "execution": None
    }


@pytest.mark.parametrize(
    ("document", "variables"),
    [
        ("{ nothing }", {}),
        ("query($n: Int!) { executions(first: $n) { nodes { id } } }", {"n": "three"}),
        ("{ executions(first: 3.5) { nodes { id } } }", {}),
        ('{ executions(filter: { status: ["FAILED"] }) { nodes { id } } }', {}),
        ("{", {}),
    ],
)
async def test_what_is_no_operation_of_this_schema_is_refused_whole(
    quick: Graph, document: str, variables: Any
) -> None:
    answer = await quick.ask(document, **variables)
    assert answer.data is None
    assert set(answer.codes) <= {"GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED", "BAD_USER_INPUT"}
    assert answer.codes
    assert not answer.calls
