"""What the standard documents may cost at the database, however large what they show is."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graph.demo import world
from graph.demo.data import Items
from graph.demo.model import Metadata, OutputFile, OutputMetadata, OutputResult, Run, Selection, Specified, Workflow
from graph.demo.rows import asset_row, database_row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.sizes import LARGE_LOG_ID
from graph.demo.timeline import execution_id, played
from graph.tables.catalogue import EXECUTIONS, OUTPUT_FILES, STEPS, STEPS_BY_EXECUTION, TABLES
from tests.harness import Call, Graph
from tests.memory import NAMES, MemoryDatabase

HERE = Path(__file__).parent
EXECUTION_PAGE = (HERE / "execution_page.graphql").read_text()
LIST_PAGE = (HERE / "list_page.graphql").read_text()

# Attributes that may hold 300 KiB and more.
BODIES = {"executionLog", "executionError", "inputMetadata", "metadata", "inputConfiguration", "resultsContent"}
LENGTHS = (1, 3, 10, 40)
PIPELINES = (world.MESH_CONVERT, world.QUALITY_CHECK, world.THUMBNAILER)


def run_of(length: int) -> tuple[Workflow, Run]:
    """A run of some steps, each with inputs, outputs and a log of its own."""
    jobs = [(f"job-{number}", PIPELINES[number % len(PIPELINES)]) for number in range(length)]
    workflow = replace(
        world.CONVERT_QA_THUMB,
        workflow_id=f"chain-of-{length}",
        specified=tuple(Specified(pipeline, job, job) for job, pipeline in jobs),
    )
    run = replace(
        played(execution_id(f"chain of {length}"), workflow, "2026-07-01T00:00:00Z"),
        inputs=(Selection(world.PUMP_STATION, "/models/pump.step", "1"), Selection(world.VALVE_KIT, "/cad/")),
        metadata=(
            Metadata(world.PLANT, world.PUMP_STATION, "/", {"a": "b"}),
            Metadata(world.PLANT, None, "/", {"c": "d"}),
        ),
        source_assets=(world.SPEC_LIBRARY,),
        output_asset=world.TURBINE_HALL,
        output_path="/out/",
    )
    for number in range(length):
        run = run.with_step(
            number,
            files=(OutputFile(f"{number}.bin", 1, version_id="1", asset_version_id=f"v{number} of {length}"),),
            output_metadata=(OutputMetadata("/", f"key {number}", "value", "source"),),
            results=(OutputResult(f"/{number}.txt", "text"),),
        )
    return workflow, run


@pytest.fixture(scope="module")
def chains() -> MemoryDatabase:
    items: Items = {table: [] for table in TABLES}
    rows = [
        *map(database_row, world.DATABASES),
        *map(asset_row, world.ASSETS),
        *map(pipeline_row, world.PIPELINES),
    ]
    for length in LENGTHS:
        workflow, run = run_of(length)
        rows += [workflow_row(workflow), *run_rows(run)]
    for row in rows:
        items[row.table].append(row.attributes)
    return MemoryDatabase(items)


@pytest.fixture
def graph(chains: MemoryDatabase) -> Iterator[Graph]:
    graph = Graph(chains, NAMES)
    chains.served.clear()
    yield graph
    graph.close()


@pytest.mark.parametrize("length", LENGTHS)
async def test_the_page_of_an_execution_takes_three_rounds_whatever_its_length(
    graph: Graph, chains: MemoryDatabase, length: int
) -> None:
    answer = await graph.ask(EXECUTION_PAGE, executionId=execution_id(f"chain of {length}"))
    assert not answer.errors
    assert answer.data is not None
    steps = answer.data["execution"]["pipelineExecutions"]["nodes"]
    assert [step["position"] for step in steps] == list(range(length))
    assert [file["assetFileVersionId"] for file in answer.data["execution"]["outputFiles"]["nodes"]] == [
        f"v{number} of {length}" for number in range(length)
    ]
    assert answer.tally.rounds <= 3
    assert _repeated(answer.calls) == []
    assert [row for row, times in Counter(chains.served).items() if times > 1] == []


def _repeated(calls: Iterable[Call]) -> list[Any]:
    """The keys and slices that were asked for more than once."""
    parts = ("ExpressionAttributeValues", "FilterExpression", "ExclusiveStartKey", "Select")
    asked: list[Any] = []
    for call in calls:
        if call.operation == "query":
            asked.append((str(call), *(str(call.request.get(part)) for part in parts)))
        elif call.operation == "get_item":
            asked.append((call.table, str(call.request["Key"])))
        else:
            (batch,) = call.request["RequestItems"].values()
            asked += [(call.table, str(key)) for key in batch["Keys"]]
    return [one for one, times in Counter(asked).items() if times > 1]


async def test_a_page_of_the_list_takes_three_rounds_and_reads_no_body(demo: Graph) -> None:
    answer = await demo.ask(LIST_PAGE)
    assert answer.data is not None
    assert len(answer.data["executions"]["edges"]) == 50
    assert answer.tally.rounds <= 3
    assert len(answer.calls) <= 4
    assert _attributes(answer.calls) & BODIES == set()


@pytest.fixture
def demo(memory: MemoryDatabase) -> Iterator[Graph]:
    graph = Graph(memory, NAMES)
    yield graph
    graph.close()


async def test_a_log_is_read_only_where_it_is_selected(demo: Graph) -> None:
    document = "query($id: String!) { execution(executionId: $id) { id status error } }"
    plain = await demo.ask(document, id=LARGE_LOG_ID)
    assert "executionLog" not in _attributes(plain.calls)
    logged = await demo.ask(document.replace("error", "log { byteLength }"), id=LARGE_LOG_ID)
    assert "executionLog" in _attributes(logged.calls)


@pytest.mark.parametrize(
    ("field", "most"),
    [("pipelineExecutions", 2), ("inputFiles", 2), ("inputMetadata", 5), ("outputFiles", 5), ("outputResults", 5)],
)
async def test_a_total_alone_reads_no_rows(demo: Graph, field: str, most: int) -> None:
    document = "query($id: String!) { execution(executionId: $id) { list { totalCount } } }".replace("list", field)
    answer = await demo.ask(document, id=SAMPLE_EXECUTION_ID)
    assert answer.data is not None
    assert answer.data["execution"][field]["totalCount"] > 0
    assert len(answer.calls) <= most
    counted = [call for call in answer.calls if call.table not in (EXECUTIONS.name, STEPS.name)]
    assert {call.request.get("Select") for call in counted} <= {"COUNT"}


async def test_a_total_that_is_not_selected_costs_nothing(demo: Graph) -> None:
    document = "query($id: String!) { execution(executionId: $id) { outputFiles { nodes { id } } } }"
    answer = await demo.ask(document, id=SAMPLE_EXECUTION_ID)
    assert answer.cost == {
        f"query {EXECUTIONS.name}": 1,
        f"query {STEPS.name}.{STEPS_BY_EXECUTION.name}": 1,
        f"query {OUTPUT_FILES.name}": 3,
    }


def _attributes(calls: Iterable[Call]) -> set[str]:
    return {attribute for call in calls for attribute in call.attributes}


async def test_a_short_page_of_an_assets_history_decides_no_more_runs_than_it_shows(demo: Graph) -> None:
    document = """
    {
      asset(databaseId: "plant-models", assetId: "pump-station") {
        executions(first: 1) { edges { roles node { id } } }
      }
    }
    """
    answer = await demo.ask(document)
    assert answer.data is not None
    assert len(answer.data["asset"]["executions"]["edges"]) == 1
    assert answer.tally.rounds <= 3
    assert len(answer.calls) <= 9
