"""Lists that change while they are read."""

from collections.abc import Iterator

import pytest

from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.demo.shapes import LONG_CHAIN_ID
from graph.demo.sizes import MANY_OUTPUTS_ID
from graph.resolvers.kinds import decode_id
from graph.tables import ids
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, INPUTS, OUTPUT_FILES, STEPS, Table
from graph.tables.reader import Reader
from tests.demo.reading import ITEMS, configuration, execution, rows
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase
from tests.resolvers.walks import Connection, node_names, read_page, walk

ASSET = ids.encode("Asset", "plant-models", "pump-station")
WORKFLOW = ids.encode("Workflow", "plant-models", "convert-qa-thumb")
GROUP = ids.encode("ExecutionGroup", "batch-2026-07")
ALL = Connection("Query", "executions")

each_list = pytest.mark.parametrize(
    ("connection", "parent"),
    [
        (ALL, ""),
        (Connection("Workflow", "executions"), WORKFLOW),
        (Connection("ExecutionGroup", "executions"), GROUP),
        (Connection("Asset", "executions"), ASSET),
        (Connection("Asset", "executions", ("role", "READ")), ASSET),
        (Connection("Asset", "executions", ("role", "WROTE")), ASSET),
    ],
    ids=str,
)


@pytest.fixture
def changing() -> MemoryDatabase:
    return MemoryDatabase(ITEMS)


@pytest.fixture
def graph(changing: MemoryDatabase) -> Iterator[Graph]:
    graph = Graph(changing, NAMES, reader=Reader)
    yield graph
    graph.close()


def launch(database: MemoryDatabase, number: int, started_at: str = "") -> None:
    """Writes a run like the sample, newer than all others and, unless told, than the one before it."""
    changes = {
        "workflowExecutionId": f"{number:032x}",
        "executionStartDate": started_at or f"2027-01-01T00:00:{number:02}Z",
    }
    database.put(EXECUTIONS, execution(SAMPLE_EXECUTION_ID) | changes)
    database.put(CONFIGURATIONS, configuration(SAMPLE_EXECUTION_ID) | changes)
    for row in rows(INPUTS, workflowExecutionId=SAMPLE_EXECUTION_ID):
        database.put(INPUTS, row | changes)


@each_list
async def test_runs_that_start_meanwhile_neither_repeat_nor_hide_a_row(
    graph: Graph, changing: MemoryDatabase, connection: Connection, parent: str
) -> None:
    (before,) = await walk(graph, connection, [parent], 100)
    seen: list[str] = []
    cursor: str | None = None
    for number in range(100):
        page = await read_page(graph, connection, parent, first=2, after=cursor)
        seen += node_names(page)
        launch(changing, number)
        cursor = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == before.nodes


@each_list
async def test_going_back_shows_the_runs_that_started_meanwhile_last(
    graph: Graph, changing: MemoryDatabase, connection: Connection, parent: str
) -> None:
    (before,) = await walk(graph, connection, [parent], 100)
    page = await read_page(graph, connection, parent, first=1)
    for number in range(5):
        launch(changing, number)
    newer = await read_page(graph, connection, parent, last=100, before=page["pageInfo"]["startCursor"])
    assert [decode_id(node).parts[0] for node in node_names(newer)] == [f"{number:032x}" for number in range(4, -1, -1)]
    (after,) = await walk(graph, connection, [parent], 3, forward=False)
    assert after.nodes[5:] == before.nodes


@each_list
async def test_runs_of_one_second_are_all_seen_in_both_directions(
    graph: Graph, changing: MemoryDatabase, connection: Connection, parent: str
) -> None:
    for number in range(9):
        launch(changing, number, "2027-02-01T00:00:00Z")
    (whole,) = await walk(graph, connection, [parent], 100)
    assert {decode_id(node).parts[0] for node in whole.nodes[:9]} == {f"{number:032x}" for number in range(9)}
    for size in (1, 2, 3, 7):
        for forward in (True, False):
            (walked,) = await walk(graph, connection, [parent], size, forward=forward)
            assert walked.nodes == whole.nodes


@pytest.mark.parametrize(
    ("connection", "parent", "table"),
    [
        (ALL, "", EXECUTIONS),
        (Connection("Workflow", "executions"), WORKFLOW, EXECUTIONS),
        (Connection("Asset", "executions"), ASSET, EXECUTIONS),
        (
            Connection("PipelineExecution", "outputFiles"),
            ids.encode("PipelineExecution", SAMPLE_STEP_IDS[0], SAMPLE_EXECUTION_ID),
            OUTPUT_FILES,
        ),
        (
            Connection("Execution", "outputFiles"),
            ids.encode("Execution", SAMPLE_EXECUTION_ID, "plant-models:convert-qa-thumb"),
            OUTPUT_FILES,
        ),
    ],
    ids=str,
)
async def test_the_cursor_of_a_row_that_was_deleted_since_still_leads_on(
    graph: Graph, changing: MemoryDatabase, connection: Connection, parent: str, table: Table
) -> None:
    (whole,) = await walk(graph, connection, [parent], 100)
    gone = len(whole.nodes) // 2
    changing.delete(table, *decode_id(whole.nodes[gone]).parts)
    after = await read_page(graph, connection, parent, first=100, after=whole.cursors[gone])
    assert node_names(after) == whole.nodes[gone + 1 :][:100]
    before = await read_page(graph, connection, parent, last=100, before=whole.cursors[gone])
    assert node_names(before) == whole.nodes[:gone][-100:]


async def test_the_cursor_of_a_last_step_that_was_deleted_since_still_leads_on(
    graph: Graph, changing: MemoryDatabase
) -> None:
    connection = Connection("Execution", "pipelineExecutions")
    parent = ids.encode("Execution", LONG_CHAIN_ID, "plant-models:commissioning")
    (whole,) = await walk(graph, connection, [parent], 100)
    changing.delete(STEPS, *decode_id(whole.nodes[-1]).parts)
    assert node_names(await read_page(graph, connection, parent, first=100, after=whole.cursors[-1])) == []
    assert (
        node_names(await read_page(graph, connection, parent, last=2, before=whole.cursors[-1])) == whole.nodes[-3:-1]
    )


async def test_the_cursor_of_a_step_that_was_deleted_since_leads_on_through_the_rows_of_the_others(
    graph: Graph, changing: MemoryDatabase
) -> None:
    connection = Connection("Execution", "outputFiles")
    parent = ids.encode("Execution", MANY_OUTPUTS_ID, "city-scans:city-tiles")
    page = await read_page(graph, connection, parent, first=100)
    first, second = sorted(rows(STEPS, workflowExecutionId=MANY_OUTPUTS_ID), key=lambda step: step["endStatePipeline"])
    changing.delete(STEPS, first["pipelineExecutionId"], MANY_OUTPUTS_ID)
    rest = await read_page(graph, connection, parent, first=1, after=page["pageInfo"]["endCursor"])
    assert decode_id(node_names(rest)[0]).parts[0] == second["pipelineExecutionId"]
