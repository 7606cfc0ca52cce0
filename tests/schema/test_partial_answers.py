"""What fails costs its own place alone: a sibling is never lost, and no failure is anybody else's."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.demo.gaps import MALFORMED_DATE_ID
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.settings import Settings
from graph.tables import ids
from graph.tables.catalogue import (
    ASSETS,
    CONFIGURATIONS,
    DATABASES,
    EXECUTIONS,
    FILE_VERSIONS,
    INPUT_CONFIGURATIONS,
    INPUT_METADATA,
    INPUTS,
    OUTPUT_FILES,
    OUTPUT_METADATA,
    OUTPUT_RESULTS,
    PIPELINES,
    STEPS,
    WORKFLOWS,
    Table,
)
from graph.tables.reader import Reader
from tests import faults
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase

EXECUTION_PAGE = (Path(__file__).parent.parent / "documents" / "execution_page.graphql").read_text()

# Where the page of an execution shows an error when a table cannot be read. Names of pipelines fall back to ids.
HURT = {
    EXECUTIONS: {"execution"},
    STEPS: {
        "pipelineExecutions",
        "assetMetadata",
        "databaseMetadata",
        "outputFiles",
        "outputMetadata",
        "outputResults",
    },
    INPUTS: {"inputFiles"},
    CONFIGURATIONS: {
        "outputTarget",
        "namedMetadataSource",
        "metadataSourceDatabases",
        "metadataSourceAssets",
        "asset",
        "assetFileVersionId",
    },
    INPUT_METADATA: {"assetMetadata", "databaseMetadata"},
    INPUT_CONFIGURATIONS: {"inputConfiguration"},
    OUTPUT_FILES: {"outputFiles"},
    OUTPUT_METADATA: {"outputMetadata"},
    OUTPUT_RESULTS: {"outputResults"},
    ASSETS: {"asset"},
    WORKFLOWS: {"workflow"},
    PIPELINES: {"pipeline"},
    FILE_VERSIONS: {"assetFileVersionId"},
    DATABASES: set(),
}

Failing = Callable[[Table, faults.Fault], Graph]


@pytest.fixture
def failing(memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> Iterator[Failing]:
    """The graph over the demo's items, where every call to one table meets a fault."""
    faults.without_pauses(monkeypatch)
    made: list[Graph] = []

    def make(table: Table, fault: faults.Fault) -> Graph:
        def plan(request: faults.Request) -> faults.Fault:
            name = request.get("TableName") or next(iter(request["RequestItems"]))
            return fault if name == NAMES[table] else faults.truly

        settings = Settings(cursor_secrets=["a secret of the tests"], dynamodb_attempts=2)
        made.append(Graph(faults.FaultyClient(memory, NAMES, plan), NAMES, settings, reader=Reader))
        return made[-1]

    yield make
    for graph in made:
        graph.close()


@pytest.mark.parametrize("table", HURT, ids=repr)
@pytest.mark.parametrize(
    ("fault", "code"),
    [(faults.throttled, "THROTTLED"), (faults.broken, "UPSTREAM_UNAVAILABLE")],
    ids=["slow", "broken"],
)
async def test_a_table_that_fails_costs_the_fields_that_read_it(
    quick: Graph, failing: Failing, table: Table, fault: faults.Fault, code: str
) -> None:
    whole = await quick.data(EXECUTION_PAGE, executionId=SAMPLE_EXECUTION_ID)
    answer = await failing(table, fault).ask(EXECUTION_PAGE, executionId=SAMPLE_EXECUTION_ID)
    assert {error["path"][-1] for error in answer.errors} == HURT[table]
    assert set(answer.codes) <= {code}
    assert not any(secret in str(answer.errors) for secret in faults.SECRETS)
    paths = [tuple(error["path"]) for error in answer.errors]
    _compare(whole, answer.data, (), paths, renamed=table is PIPELINES)


def _compare(whole: Any, partial: Any, path: tuple[Any, ...], failed: list[Any], *, renamed: bool) -> None:
    """Holds the partial answer to the whole one, but for the places of the errors, which are null."""
    if path in failed:
        assert partial is None
    elif isinstance(whole, dict):
        assert partial.keys() == whole.keys()
        for name in whole:
            if not (renamed and name == "name"):
                _compare(whole[name], partial[name], (*path, name), failed, renamed=renamed)
    elif isinstance(whole, list):
        assert len(partial) == len(whole)
        for place, element in enumerate(whole):
            _compare(element, partial[place], (*path, place), failed, renamed=renamed)
    else:
        assert partial == whole


@pytest.mark.parametrize(
    "document",
    [
        "{ a: execution(executionId: $a) { startedAt x: id } b: execution(executionId: $b) { id } }",
        "{ b: execution(executionId: $b) { id } a: execution(executionId: $a) { x: id startedAt } }",
        (
            "{ a: execution(executionId: $a) { ...F } b: execution(executionId: $b) { ...F } }"
            " fragment F on Execution { startedAt id }"
        ),
    ],
)
async def test_a_malformed_date_costs_itself(quick: Graph, document: str) -> None:
    answer = await quick.ask(f"query($a: String!, $b: String!) {document}", a=MALFORMED_DATE_ID, b=SAMPLE_EXECUTION_ID)
    assert answer.data is not None
    assert answer.data["a"]["startedAt"] is None
    assert answer.data["a"].get("x") or answer.data["a"]["id"]
    assert answer.data["b"]["id"]
    assert answer.codes == ["MALFORMED_VALUE"]
    assert [error["path"] for error in answer.errors] == [["a", "startedAt"]]


async def test_a_non_null_failure_goes_up_to_the_next_field_that_may_be_null(failing: Failing) -> None:
    """The text of a result is never null, but where it lies is in the row of its step."""
    document = """
    query($node: ID!, $id: String!) {
      node(id: $node) { ... on OutputResult { content { content } } }
      execution(executionId: $id) {
        status
        inputFiles { nodes { id } }
        outputResults { nodes { content { content } } }
      }
    }
    """

    result = ids.encode("OutputResult", "3c4d5e6f708142939a4b5c6d7e8f9012", "/qa-summary.txt")
    answer = await failing(STEPS, faults.broken).ask(document, node=result, id=SAMPLE_EXECUTION_ID)
    assert answer.data is not None
    assert answer.data["node"] is None
    assert answer.data["execution"]["outputResults"] is None
    assert answer.data["execution"]["status"] == "SUCCEEDED"
    assert len(answer.data["execution"]["inputFiles"]["nodes"]) == 2
    assert set(answer.codes) == {"UPSTREAM_UNAVAILABLE"}


async def test_many_aliases_of_one_failing_field_fail_alike(failing: Failing) -> None:
    aliases = " ".join(f"a{number}: workflow {{ name }}" for number in range(50))
    answer = await failing(WORKFLOWS, faults.throttled).ask(
        f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id {aliases} }} }}'
    )
    assert answer.data is not None
    assert answer.data["execution"].pop("id")
    assert set(answer.data["execution"].values()) == {None}
    assert answer.codes == ["THROTTLED"] * 50
    assert all(error["extensions"]["retryable"] for error in answer.errors)


async def test_a_list_whose_table_fails_is_null_beside_its_siblings(failing: Failing) -> None:
    answer = await failing(EXECUTIONS, faults.timed_out).ask(
        '{ executions { nodes { id } } workflow(databaseId: "plant-models", workflowId: "convert-qa-thumb") {'
        " name executions { nodes { id } } } }"
    )
    assert answer.data == {"executions": None, "workflow": {"name": "Convert, check and thumbnail", "executions": None}}
    assert answer.codes == ["UPSTREAM_UNAVAILABLE"] * 2
