"""Objects by global id: each leads back to itself, and a bad id costs its own place alone."""

import asyncio
import base64
import json
from typing import Any

import pytest

from graph.demo.model import ACCOUNT
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_RUN
from graph.operation import OperationScope
from graph.resolvers.kinds import decode_id
from graph.resolvers.nodes import gather_settled
from graph.tables import ids
from graph.tables.catalogue import DATABASES, EXECUTIONS, PIPELINES
from tests.demo.reading import ITEMS
from tests.harness import SCHEMA, Graph
from tests.resolvers.model import expected, parents
from tests.resolvers.test_map_runs import tiles
from tests.resolvers.walks import connections, walk
from tests.schema.places import TYPES, leaves

NODES = sorted(kind.name for kind in SCHEMA.core.get_possible_types(SCHEMA.core.type_map["Node"]))  # type: ignore[arg-type]
SCALARS = {name: " ".join(leaf for leaf in leaves(name) if not TYPES[name].fields[leaf].args) for name in NODES}
REFETCH = (
    "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id "
    + " ".join(
        f"... on {name} {{ {' '.join(f'{name}_{leaf}: {leaf}' for leaf in scalars.split())} }}"
        for name, scalars in SCALARS.items()
    )
    + " } }"
)
MALFORMED = (
    "",
    "!!!",
    "x" * 5000,
    base64.urlsafe_b64encode(b"Execution").decode(),
    base64.urlsafe_b64encode(b"Nothing:a:b").decode(),
    base64.urlsafe_b64encode(b"Asset::a").decode(),
    ids.encode("Database", "plant-models") + "=",
    ids.encode("Database", "plant-models")[:-1],
)


async def _everything(graph: Graph) -> dict[str, set[str]]:
    """The ids of all objects of the demo, by type."""
    found: dict[str, set[str]] = {name: set() for name in NODES}
    for name in ("Execution", "PipelineExecution", "Workflow", "Asset", "ExecutionGroup"):
        found[name].update(parents(name))
    found["Database"] = {ids.encode("Database", item["databaseId"]) for item in ITEMS[DATABASES]}
    found["Pipeline"] = {ids.encode("Pipeline", item["databaseId"], item["pipelineId"]) for item in ITEMS[PIPELINES]}
    runs = [item["workflowExecutionId"] for item in ITEMS[EXECUTIONS] if item.get("workflow_execution_arn")]
    found["EngineExecution"] = {ids.encode("RunEngineExecution", run) for run in runs}
    found["Stage"] = {ids.encode("RunStage", SAMPLE_EXECUTION_ID, one.job) for one in SAMPLE_RUN.workflow.specified}
    found["MapRun"] = {(await tiles(graph))["id"]}
    kinds = {"MigratedInputFile": "InputFile"}
    for connection in connections():
        if connection.argument is not None or connection.type == "Query" or connection.identity != "id":
            continue
        for parent in parents(connection.type):
            for one in expected(connection.type, connection.field, parent, {}) or ():
                kind = decode_id(one).kind
                found[kinds.get(kind, kind)].add(one)
        if connection.field == "availableLogs":
            for walked in await walk(graph, connection, parents(connection.type), 100, together=60):
                found["RegisteredLog"].update(walked.nodes)
    return found


async def test_every_object_is_found_again_by_its_id(quick: Graph) -> None:
    everything = await _everything(quick)
    assert all(everything.values()), "a type without an object to try"
    for name, known in everything.items():
        chosen = sorted(known)[:200]
        for start in range(0, len(chosen), 100):
            asked = chosen[start : start + 100]
            answer = await quick.ask(REFETCH, ids=asked)
            assert answer.data is not None
            assert [(node["__typename"], node["id"]) for node in answer.data["nodes"]] == [(name, one) for one in asked]
            assert set(answer.codes) <= {"MALFORMED_VALUE"}


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("executions(first: 100) { nodes { ...N } }", "Execution"),
        ("executions(first: 30) { nodes { pipelineExecutions(first: 5) { nodes { ...N } } } }", "PipelineExecution"),
        ("executions(first: 30) { nodes { inputFiles(first: 5) { nodes { ...N } } } }", "InputFile"),
        ("executions(first: 30) { nodes { inputMetadata(first: 5) { nodes { ...N } } } }", "InputMetadata"),
        ("executions(first: 30) { nodes { outputFiles(first: 5) { nodes { ...N } } } }", "OutputFile"),
        ("executions(first: 30) { nodes { outputMetadata(first: 5) { nodes { ...N } } } }", "OutputMetadata"),
        ("executions(first: 30) { nodes { outputResults(first: 5) { nodes { ...N } } } }", "OutputResult"),
        (
            "executions(first: 30) { nodes { endPipelineExecution { availableLogs { nodes { ...N } } } } }",
            "RegisteredLog",
        ),
        ("executions(first: 30) { nodes { outputTarget { asset { ...N } } } }", "Asset"),
        ("executions(first: 30) { nodes { outputTarget { asset { database { ...N } } } } }", "Database"),
        ("executions(first: 30) { nodes { workflow { ...N } } }", "Workflow"),
        ("executions(first: 30) { nodes { endPipelineExecution { pipeline { ...N } } } }", "Pipeline"),
        ("executions(first: 100) { nodes { group { ...N } } }", "ExecutionGroup"),
        (
            'asset(databaseId: "plant-models", assetId: "old-asset") { migratedInputFiles { nodes { ...N } } }',
            "InputFile",
        ),
    ],
)
async def test_an_object_is_the_same_wherever_it_is_met(quick: Graph, document: str, name: str) -> None:
    document = document.replace("[ID]", json.dumps(parents("Asset")))
    met = await quick.ask(f"{{ {document} }} fragment N on {name} {{ __typename {SCALARS[name]} }}")
    objects = {one["id"]: one for one in _objects(met.data)}
    assert objects
    found = await quick.ask(
        f"query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on {name} {{ __typename {SCALARS[name]} }} }} }}",
        ids=list(objects)[:100],
    )
    assert found.data is not None
    assert found.data["nodes"] == list(objects.values())[:100]


def _objects(data: Any) -> list[Any]:
    if isinstance(data, list):
        return [found for element in data for found in _objects(element)]
    if isinstance(data, dict):
        return [data] if "__typename" in data else _objects(list(data.values()))
    return []


async def test_ids_hold_no_arn_and_no_account(quick: Graph) -> None:
    for known in (await _everything(quick)).values():
        for one in known:
            plain = base64.urlsafe_b64decode(one + "=" * (-len(one) % 4)).decode()
            assert "arn:" not in plain
            assert ACCOUNT not in plain


async def test_nodes_keep_their_places_whatever_their_neighbours_are(quick: Graph) -> None:
    known = ids.encode("Database", "plant-models")
    asked = [known, *MALFORMED, ids.encode("Database", "no-such-one"), known]
    answer = await quick.ask("query($ids: [ID!]!) { nodes(ids: $ids) { id } none: nodes(ids: []) { id } }", ids=asked)
    assert answer.data == {
        "nodes": [{"id": known}, *[None] * (len(MALFORMED) + 1), {"id": known}],
        "none": [],
    }
    assert answer.codes == ["INVALID_ID"] * len(MALFORMED)
    assert [error["path"] for error in answer.errors] == [["nodes", place] for place in range(1, len(MALFORMED) + 1)]


@pytest.mark.parametrize("malformed", MALFORMED)
async def test_a_malformed_id_costs_its_own_field_alone(quick: Graph, malformed: str) -> None:
    known = ids.encode("Database", "plant-models")
    answer = await quick.ask(
        "query($a: ID!, $b: ID!) { bad: node(id: $a) { id } good: node(id: $b) { id } }", a=malformed, b=known
    )
    assert answer.data == {"bad": None, "good": {"id": known}}
    assert answer.codes == ["INVALID_ID"]


@pytest.mark.parametrize(
    "name", ["Execution", "PipelineExecution", "InputFile", "OutputFile", "Asset", "Workflow", "Pipeline"]
)
async def test_what_does_not_exist_is_null_without_an_error(quick: Graph, name: str) -> None:
    assert await quick.data(
        "query($id: ID!) { node(id: $id) { id } }", id=ids.encode(name, "f" * 32, "no:such:one")
    ) == {"node": None}


async def test_nodes_takes_at_most_a_hundred_ids(quick: Graph) -> None:
    document = 'query($ids: [ID!]!) { nodes(ids: $ids) { id } execution(executionId: "x") { id } }'
    answer = await quick.ask(document, ids=[ids.encode("Database", "plant-models")] * 101)
    assert answer.codes == ["BAD_USER_INPUT"]
    assert not answer.calls


async def test_a_page_of_nodes_is_read_with_one_call_a_table(quick: Graph) -> None:
    answer = await quick.ask("query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=parents("Execution"))
    assert answer.cost == {"batch_get_item WorkflowExecutionsStorageTableV2": 1}


async def test_what_is_given_up_before_it_begins_never_begins() -> None:
    begun = []

    async def find() -> None:
        begun.append(find)

    together = asyncio.create_task(gather_settled(OperationScope(), [find, find]))
    await asyncio.sleep(0)
    together.cancel()
    with pytest.raises(asyncio.CancelledError):
        await together
    assert begun == []
