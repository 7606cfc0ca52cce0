"""What decides about permissions and is of another kind than VAMS writes closes, on every way, for every attribute."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from graph.auth.policy import Policy
from graph.demo.model import Metadata
from graph.demo.rows import asset_row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.tables import ids
from graph.tables.catalogue import TABLES, Table
from graph.tables.records import definitions, executions, inputs, outputs, steps
from graph.tables.records.definitions import AssetRow, PipelineRow, WorkflowRow
from graph.tables.records.executions import ConfigurationRow
from graph.tables.records.inputs import InputAssetRow
from graph.tables.rows import ObjectRow, Row, deciding_fields
from tests.harness import SUBGRAPH, Answer, Graph
from tests.memory import MemoryDatabase
from tests.worlds import (
    PIPELINE,
    WORKFLOW,
    Constraint,
    asset,
    deny,
    everything_but,
    graph_for,
    ids_in,
    items,
    run,
    viewer,
)

PUMP, SPEC, MODEL = asset("plant", "pump"), asset("specs", "spec"), asset("plant", "model")
RUN = run(
    "one",
    PUMP,
    source_assets=(SPEC,),
    output_asset=MODEL,
    named_database="named",
    metadata=(Metadata("captured", None),),
    group_id="group",
)
ITEMS = items(run_rows(RUN), [workflow_row(WORKFLOW), pipeline_row(PIPELINE)], map(asset_row, (PUMP, SPEC, MODEL)))

# Each hides the run where it says "secret" in place of what it says, or "true" in place of a flag that is not set.
TEXT, TEXT_OR_NULL = frozenset({"S"}), frozenset({"S", "NULL"})
FLAG, TEXTS, TEXTS_OR_NULL = frozenset({"BOOL"}), frozenset({"L", "L of S"}), frozenset({"L", "L of S", "NULL"})
ASSETS, MAP_OR_NULL = frozenset({"L", "L of assets"}), frozenset({"M", "M of assets", "M of S", "M of NULL", "NULL"})
KINDS: Mapping[type[Row], Mapping[str, frozenset[str]]] = {
    AssetRow: {"assetName": TEXT_OR_NULL, "assetType": TEXT_OR_NULL, "tags": TEXTS_OR_NULL},
    ConfigurationRow: {
        "inputMetadataDatabaseId": TEXT,
        "metadataSourceAssets": ASSETS,
        "metadataSourceAssetsTruncated": FLAG,
        "metadataSourceDatabases": TEXTS,
        "metadataSourceDatabasesTruncated": FLAG,
        "outputAssetId": TEXT,
        "outputDatabaseId": TEXT,
    },
    InputAssetRow: {"assetId": TEXT, "databaseId": TEXT},
    PipelineRow: {"category": TEXT_OR_NULL, "executionConfig": MAP_OR_NULL, "pipelineName": TEXT_OR_NULL},
    WorkflowRow: {"category": TEXT_OR_NULL, "workflowName": TEXT_OR_NULL},
}
_ASSET = {"databaseId": "secret", "assetId": "secret"}
_NO_TEXTS: list[Any] = [1, b"secret", True, ["secret"], {"S": "secret"}, {"a"}]
VALUES: list[tuple[str, Any]] = [
    *(("S", text) for text in ("secret", "true", "false", "1", '["secret"]', '[{"databaseId":"secret"}]')),
    *(("N", number) for number in (0, 1)),
    ("B", b"secret"),
    *(("BOOL", flag) for flag in (True, False)),
    ("NULL", None),
    ("M", {}),
    ("M of assets", _ASSET),
    ("M of S", {"executionType": "secret", "0": "secret"}),
    ("M of NULL", {"executionType": None}),
    *(("M of others", {"executionType": other}) for other in _NO_TEXTS),
    ("L", []),
    ("L of S", ["secret"]),
    ("L of assets", [_ASSET]),
    *(("L of others", [other]) for other in (*_NO_TEXTS, None, {}, [_ASSET], {1})),
    *(("L of half an asset", [{"databaseId": "secret"} | other]) for other in ({}, {"assetId": None}, {"assetId": 1})),
    *(("L of half an asset", [_ASSET | {name: value}]) for name in _ASSET for value in (b"secret", ["secret"], "")),
    ("L of some", [_ASSET, "secret"]),
    ("L of some", ["secret", 1]),
    ("SS", {"secret"}),
    ("NS", {1}),
    ("BS", {b"secret"}),
]
ATTRIBUTES = [(row, attribute) for row, attributes in KINDS.items() for attribute in attributes]
OF_RUN = [(row, attribute) for row, attribute in ATTRIBUTES if row is not PipelineRow]
OF_ASSETS = ("tags", "metadataSourceAssets", "metadataSourceAssetsTruncated", "outputDatabaseId", "databaseId")


def all_but(*denials: Constraint) -> Policy:
    """A policy that allows everything that is not denied, by rules that are told apart."""
    return everything_but(*(rule | {"constraintId": str(number)} for number, rule in enumerate(denials)))


LIMITED = all_but(
    deny("database", "databaseId", "equals", "secret"),
    *(deny("asset", field, "equals", "secret") for field in ("databaseId", "assetName", "assetType")),
    *(deny("workflow", field, "equals", "secret") for field in ("category", "name")),
    *(deny("pipeline", field, "equals", "secret") for field in ("category", "name", "pipelineExecutionType")),
    deny("asset", "tags", "is_one_of", "secret"),
)
ABORTING = all_but(
    deny("asset", "tags", "is_one_of", "secret", "POST"), deny("asset", "databaseId", "equals", "secret", "POST")
)
POLICIES = {"admin": everything_but(), "limited": LIMITED, "aborting": ABORTING}

EXECUTION_ID = ids.encode("Execution", RUN.execution_id, "home:nightly")
STEP_ID = ids.encode("PipelineExecution", RUN.steps[0].step_id, RUN.execution_id)
EVERY_WAY = f"""{{
  execution(executionId: "{RUN.execution_id}") {{ executionId }}
  pipelineExecution(pipelineExecutionId: "{RUN.steps[0].step_id}") {{ id execution {{ executionId }} }}
  executionGroup(groupId: "group") {{ id executions(first: 5) {{ nodes {{ executionId }} }} }}
  node(id: "{EXECUTION_ID}") {{ id }}
  nodes(ids: ["{EXECUTION_ID}", "{STEP_ID}"]) {{ id }}
  executions(first: 5) {{ nodes {{ executionId }} }}
  ofGroup: executions(first: 5, filter: {{ groupId: "group" }}) {{ nodes {{ executionId }} }}
  workflow(databaseId: "home", workflowId: "nightly") {{ executions(first: 5) {{ nodes {{ executionId }} }} }}
  asset(databaseId: "plant", assetId: "pump") {{ executions(first: 5) {{ nodes {{ executionId }} }} }}
  _entities(representations: [
    {{ __typename: "Execution", executionId: "{RUN.execution_id}" }}
    {{ __typename: "PipelineExecution", pipelineExecutionId: "{RUN.steps[0].step_id}" }}
  ]) {{ ... on Node {{ id }} }}
}}"""


def stored_fields(row: Any) -> Mapping[str, Mapping[str, Any]]:
    """What is declared of the fields of a row, by their names."""
    return {field.name: field.metadata for field in dataclasses.fields(row)}


@pytest.fixture(scope="module")
def database() -> MemoryDatabase:
    return MemoryDatabase(ITEMS)


@pytest.fixture
def graph(database: MemoryDatabase) -> Iterator[Graph]:
    with graph_for(database, POLICIES, schema=SUBGRAPH) as graph:
        yield graph
    for table in TABLES:
        for item in ITEMS[table]:
            database.put(table, item)


def store(database: MemoryDatabase, table: Table, attribute: str, value: Any) -> None:
    """Puts a value into the first item of a table."""
    database.put(table, ITEMS[table][0] | {attribute: value})


async def seen(graph: Graph, user: str) -> tuple[int, list[str]]:
    """How many objects every way leads a user to, and the codes of the errors on the way."""
    answer: Answer = await graph.ask(EVERY_WAY, viewer=viewer(user))
    return len(ids_in(answer.data)), answer.codes


def of_other_kinds(row: type[Row], attribute: str) -> list[Any]:
    """Values of every kind but the right one."""
    return [value for kind, value in VALUES if kind not in KINDS[row][attribute]]


def test_every_attribute_that_a_rule_looks_at_is_tried() -> None:
    for row, attributes in KINDS.items():
        declared = stored_fields(row)
        assert {declared[name]["attribute"] for name in deciding_fields(row)} == set(attributes)
        # What is always read, and so within reach of a rule, is a key, which is always a text, or decides.
        assert all(name in deciding_fields(row) or held.get("key") for name, held in declared.items() if held["always"])
    rows = [*vars(definitions).values(), *vars(executions).values(), *vars(inputs).values(), *vars(outputs).values()]
    declared_rows = (row for row in [*rows, *vars(steps).values()] if isinstance(row, type) and issubclass(row, Row))
    assert {row for row in declared_rows if row not in (Row, ObjectRow) and deciding_fields(row)} == KINDS.keys()


async def test_the_run_as_it_is_stored_is_seen_by_all_on_every_way(graph: Graph) -> None:
    assert await seen(graph, "limited") == await seen(graph, "admin") == (14, [])


@pytest.mark.parametrize(
    ("row", "attribute", "value"),
    [
        (AssetRow, "assetName", "secret"),
        (AssetRow, "assetType", "secret"),
        (AssetRow, "tags", ["open", "secret"]),
        (ConfigurationRow, "inputMetadataDatabaseId", "secret"),
        (ConfigurationRow, "metadataSourceAssets", [_ASSET]),
        (ConfigurationRow, "metadataSourceAssetsTruncated", True),
        (ConfigurationRow, "metadataSourceDatabases", ["secret"]),
        (ConfigurationRow, "metadataSourceDatabasesTruncated", True),
        (ConfigurationRow, "outputDatabaseId", "secret"),
        (InputAssetRow, "databaseId", "secret"),
        (WorkflowRow, "category", "secret"),
        (WorkflowRow, "workflowName", "secret"),
    ],
)
async def test_the_right_kind_closes_by_what_it_says(
    row: type[Row], attribute: str, value: Any, graph: Graph, database: MemoryDatabase
) -> None:
    store(database, row.table, attribute, value)
    assert await seen(graph, "limited") == (0, [])


@pytest.mark.parametrize(("row", "attribute"), OF_RUN)
async def test_another_kind_hides_the_run_on_every_way_from_whom_anything_of_the_sort_is_hidden(
    row: type[Row], attribute: str, graph: Graph, database: MemoryDatabase
) -> None:
    wrong = {}
    for value in of_other_kinds(row, attribute):
        store(database, row.table, attribute, value)
        if (found := (await seen(graph, "limited"), await seen(graph, "admin"))) != ((0, []), (14, [])):
            wrong[repr(value)] = found
    assert not wrong


@pytest.mark.parametrize(("row", "attribute"), [each for each in OF_RUN if each[1] in OF_ASSETS])
async def test_another_kind_lets_nobody_abort_from_whom_anything_of_the_sort_is_kept(
    row: type[Row], attribute: str, graph: Graph, database: MemoryDatabase
) -> None:
    document = f'{{ execution(executionId: "{RUN.execution_id}") {{ viewerCanAbort }} }}'
    may, may_not = ({"execution": {"viewerCanAbort": answer}} for answer in (True, False))
    assert await graph.data(document, viewer=viewer("aborting")) == may
    for value in of_other_kinds(row, attribute):
        store(database, row.table, attribute, value)
        assert await graph.data(document, viewer=viewer("aborting")) == may_not, value
        assert await graph.data(document, viewer=viewer("admin")) == may, value


@pytest.mark.parametrize("attribute", KINDS[PipelineRow])
async def test_another_kind_hides_a_pipeline_and_its_name(
    attribute: str, graph: Graph, database: MemoryDatabase
) -> None:
    document = f"""{{
      pipeline(databaseId: "home", pipelineId: "convert") {{ id }}
      pipelineExecution(pipelineExecutionId: "{RUN.steps[0].step_id}") {{ name pipeline {{ id }} }}
    }}"""
    hidden = {"pipeline": None, "pipelineExecution": {"name": "convert", "pipeline": None}}
    for value in of_other_kinds(PipelineRow, attribute):
        store(database, PipelineRow.table, attribute, value)
        assert await graph.data(document, viewer=viewer("limited")) == hidden, value
        of_admin = await graph.data(document, viewer=viewer("admin"))
        assert of_admin["pipeline"] is not None
        assert of_admin["pipelineExecution"]["name"] == ("convert" if attribute == "pipelineName" else "Converter")


@pytest.mark.parametrize(
    ("row", "attribute"),
    [(AssetRow, name) for name in ("assetName", "assetType", "tags")]
    + [(WorkflowRow, name) for name in ("category", "workflowName")],
)
async def test_a_null_that_constraints_compare_is_as_good_as_absent(
    row: type[Row], attribute: str, graph: Graph, database: MemoryDatabase
) -> None:
    store(database, row.table, attribute, None)
    assert await seen(graph, "limited") == (14, [])


@pytest.mark.parametrize(("row", "attribute"), [each for each in OF_RUN if each[0] is not InputAssetRow])
async def test_an_attribute_that_is_absent_names_nothing(
    row: type[Row], attribute: str, graph: Graph, database: MemoryDatabase
) -> None:
    item = ITEMS[row.table][0]
    database.put(row.table, {name: value for name, value in item.items() if name != attribute})
    assert await seen(graph, "limited") == (14, [])


SHOWN: Mapping[str, tuple[type[Row], str]] = {
    "metadataSourceAssets": (ConfigurationRow, "metadataSourceAssets { nodes { assetId } }"),
    "metadataSourceAssetsTruncated": (ConfigurationRow, "metadataSourcesTruncated"),
    "metadataSourceDatabases": (ConfigurationRow, "metadataSourceDatabases { databaseId }"),
    "metadataSourceDatabasesTruncated": (ConfigurationRow, "metadataSourcesTruncated"),
    "inputMetadataDatabaseId": (ConfigurationRow, "namedMetadataSource { databaseId }"),
    "outputDatabaseId": (ConfigurationRow, "outputTarget { databaseId }"),
    "outputAssetId": (ConfigurationRow, "outputTarget { asset { id } }"),
    "workflowName": (WorkflowRow, "workflow { name }"),
    "category": (WorkflowRow, "workflow { category }"),
}


@pytest.mark.parametrize("attribute", SHOWN)
@pytest.mark.parametrize("value", [7, b"secret", {"a": "secret"}, {"secret"}], ids=repr)
async def test_who_may_see_it_is_told_that_the_value_is_malformed(
    attribute: str, value: Any, graph: Graph, database: MemoryDatabase
) -> None:
    row, selection = SHOWN[attribute]
    store(database, row.table, attribute, value)
    answer = await graph.ask(
        f'{{ execution(executionId: "{RUN.execution_id}") {{ executionId {selection} }} }}', viewer=viewer("admin")
    )
    assert answer.codes == ["MALFORMED_VALUE"]
    assert answer.data is not None
    assert answer.data["execution"]["executionId"] == RUN.execution_id
    assert "secret" not in str(answer.errors)
