"""Entities by representation: each in its place, at its cost, and nothing told of what is hidden, forged or broken."""

import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.demo.model import Database, Pipeline, Workflow, identifier
from graph.demo.rows import Row, asset_row, database_row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.resolvers import entities
from graph.resolvers.entities import MOST
from graph.resolvers.kinds import ENTITIES, Entity
from graph.tables import ids
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, INPUTS, STEPS
from tests.harness import SUBGRAPH, Answer, Graph
from tests.memory import MemoryDatabase
from tests.worlds import PIPELINE, WORKFLOW, asset, deny, everything_but, graph_for, items, run, viewer

Representation = dict[str, Any]

DOCUMENT = "query ($these: [_Any!]!) { _entities(representations: $these) { __typename ... on Node { id } } }"
MANY = 250
INPUT = asset("home", "input")
RUNS = [run(f"run-{n}", INPUT, minute=n, group_id=f"group-{n % 5}") for n in range(MANY)]
ASSETS = [asset("home", f"asset-{n}") for n in range(MANY)]
DATABASES = ["home", "hidden", *(f"database-{n}" for n in range(MANY))]
PIPELINES = [Pipeline("home", f"pipeline-{n}", "", "", "") for n in range(MANY)]
WORKFLOWS_ = [Workflow("home", f"workflow-{n}", "", "", "", ()) for n in range(MANY)]
HIDDEN = asset("hidden", "asset")
HIDDEN_RUN = run("hidden", HIDDEN, minute=600, group_id="hidden-group")


def _rows() -> Iterator[Row]:
    yield from map(asset_row, (INPUT, HIDDEN, asset("home", "old", archived=True), *ASSETS))
    yield from (database_row(Database(name, "", 1)) for name in DATABASES)
    yield from map(pipeline_row, (PIPELINE, *PIPELINES))
    yield from map(workflow_row, (WORKFLOW, *WORKFLOWS_))
    for of in (*RUNS, HIDDEN_RUN):
        yield from (row for row in run_rows(of) if row.table in {EXECUTIONS, STEPS, CONFIGURATIONS, INPUTS})


DATABASE = MemoryDatabase(items(_rows()))
POLICIES = {
    "admin": everything_but(),
    "watched": everything_but(deny("asset", "databaseId", "equals", "elsewhere")),
    "limited": everything_but(*(deny(kind, "databaseId", "equals", "hidden") for kind in ("asset", "database"))),
}


def representation(kind: str, *key: str) -> Representation:
    return {"__typename": kind, **dict(zip(ENTITIES[kind].key, key, strict=True))}


def steps_of(*runs: Any) -> list[str]:
    return [step.step_id for of in runs for step in of.steps]


ALL: Mapping[str, list[Representation]] = {
    "Asset": [representation("Asset", one.database_id, one.asset_id) for one in ASSETS],
    "Database": [representation("Database", name) for name in DATABASES[2:]],
    "Execution": [representation("Execution", of.execution_id) for of in RUNS],
    "ExecutionGroup": [representation("ExecutionGroup", f"group-{n}") for n in range(5)],
    "Pipeline": [representation("Pipeline", one.database_id, one.pipeline_id) for one in PIPELINES],
    "PipelineExecution": [representation("PipelineExecution", step) for step in steps_of(*RUNS)],
    "Workflow": [representation("Workflow", one.database_id, one.workflow_id) for one in WORKFLOWS_],
}
ONE_OF_EACH = [known[0] for known in ALL.values()]
HIDDEN_ONES = [
    representation("Asset", "hidden", "asset"),
    representation("Database", "hidden"),
    representation("Execution", HIDDEN_RUN.execution_id),
    representation("ExecutionGroup", "hidden-group"),
    representation("PipelineExecution", *steps_of(HIDDEN_RUN)),
]
MALFORMED: list[Any] = [
    None, 7, True, "Asset", [], {},
    {"databaseId": "home", "assetId": "input"},
    {"__typename": None, "databaseId": "home"},
    {"__typename": ["Database"], "databaseId": "home"},
    {"__typename": "Query"},
    {"__typename": "Stage", "id": "x"},
    {"__typename": "Node", "id": "x"},
    {"__typename": "_Entity", "databaseId": "home"},
    {"__typename": "database", "databaseId": "home"},
    {"__typename": "Database"},
    {"__typename": "Database", "id": ids.encode("Database", "home")},
    {"__typename": "Database", "databaseId": None},
    {"__typename": "Database", "databaseId": 7},
    {"__typename": "Database", "databaseId": True},
    {"__typename": "Database", "databaseId": ["home"]},
    {"__typename": "Database", "databaseId": {"S": "home"}},
    {"__typename": "Database", "databaseId": "home", "more": {"deeper": ["still"]}},
    {"__typename": "Asset", "databaseId": "home"},
    {"__typename": "Asset", "databaseId": "home", "assetId": 1},
    {"__typename": "Asset", "databaseId": "home", "asset_id": "input"},
    {"__typename": "Execution", "executionId": {"$ne": ""}},
]  # fmt: skip
ABSENT = [
    *(representation(kind, *("no-such-one",) * len(entity.key)) for kind, entity in ENTITIES.items()),
    *(representation(kind, *("",) * len(entity.key)) for kind, entity in ENTITIES.items()),
    *(representation(kind, *("\0\ud800#:" + "x" * 5000,) * len(entity.key)) for kind, entity in ENTITIES.items()),
    representation("Execution", identifier("run", "nothing")),
    representation("PipelineExecution", identifier("step", "nothing")),
]


@pytest.fixture
def graph() -> Iterator[Graph]:
    with graph_for(DATABASE, POLICIES, schema=SUBGRAPH) as graph:
        yield graph


async def ask(graph: Graph, these: list[Any], user: str = "admin") -> Answer:
    return await graph.ask(DOCUMENT, viewer=viewer(user), these=these)


def found(answer: Answer) -> list[Any]:
    assert answer.data is not None
    result: list[Any] = answer.data["_entities"]
    return result


# ------------------------------------------------------------------------------------------------------- their places


async def test_every_entity_is_found_in_its_place(graph: Graph) -> None:
    answer = await ask(graph, ONE_OF_EACH)
    assert answer.errors == []
    assert [one["__typename"] for one in found(answer)] == list(ALL)
    nodes = await graph.data(
        "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=[one["id"] for one in found(answer)]
    )
    assert nodes["nodes"] == [{"id": one["id"]} for one in found(answer)]


async def test_nothing_is_asked_and_nothing_is_answered(graph: Graph) -> None:
    answer = await ask(graph, [])
    assert (answer.data, answer.errors, answer.calls) == ({"_entities": []}, [], [])


async def test_one_bad_representation_costs_its_own_place_alone(graph: Graph) -> None:
    good = representation("Database", "home")
    these = [one for bad in filter(lambda bad: bad is not None, MALFORMED) for one in (good, bad)]
    answer = await ask(graph, these)
    assert [one is not None for one in found(answer)] == [one is good for one in these]
    assert answer.codes == ["BAD_USER_INPUT"] * (len(MALFORMED) - 1)
    assert [error["path"] for error in answer.errors] == [["_entities", place] for place in range(1, len(these), 2)]


async def test_what_is_not_there_is_null_without_an_error(graph: Graph) -> None:
    answer = await ask(graph, ABSENT)
    assert found(answer) == [None] * len(ABSENT)
    assert answer.errors == []


async def test_what_can_be_the_key_of_nothing_is_not_asked_for(graph: Graph) -> None:
    impossible = [representation(kind, *("#:",) * len(entity.key)) for kind, entity in ENTITIES.items()]
    assert (await ask(graph, impossible)).calls == []


async def test_mixed_representations_keep_their_places(graph: Graph) -> None:
    these = [
        ABSENT[0],
        ONE_OF_EACH[3],
        MALFORMED[4],
        HIDDEN_ONES[0],
        ONE_OF_EACH[0],
        ONE_OF_EACH[3],
        {},
        ONE_OF_EACH[1],
    ]
    answer = await ask(graph, these, "limited")
    kinds = [one and one["__typename"] for one in found(answer)]
    assert kinds == [None, "ExecutionGroup", None, None, "Asset", "ExecutionGroup", None, "Database"]
    assert [error["path"] for error in answer.errors] == [["_entities", 2], ["_entities", 6]]


async def test_an_archived_asset_is_found_as_it_was(graph: Graph) -> None:
    document = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on Asset { databaseId status } } }"
    answer = await graph.data(document, r=[representation("Asset", "home", "old")])
    assert answer == {"_entities": [{"databaseId": "home", "status": "ARCHIVED"}]}


# --------------------------------------------------------------------------------------------------- nothing is echoed


async def test_what_a_representation_claims_beside_its_key_is_not_believed(graph: Graph) -> None:
    forged = representation("Asset", "home", "input") | {"name": "forged", "status": "forged", "id": "forged"}
    document = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on Asset { id name status databaseId } } }"
    answer = await graph.data(document, r=[forged])
    assert answer == {
        "_entities": [
            {"id": ids.encode("Asset", "home", "input"), "name": "input", "status": "ACTIVE", "databaseId": "home"}
        ]
    }


async def test_what_is_forged_of_nothing_is_nothing(graph: Graph) -> None:
    forged = {"__typename": "Execution", "executionId": identifier("run", "nothing"), "status": "SUCCEEDED"}
    document = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on Execution { executionId status } } }"
    assert await graph.data(document, r=[forged]) == {"_entities": [None]}


async def test_no_message_repeats_what_was_sent(graph: Graph) -> None:
    secret = "ZZsecretZZ"
    these = [secret, [secret], {"__typename": secret}, {"__typename": "Asset", "databaseId": [secret], secret: secret}]
    answer = await ask(graph, these)
    assert answer.codes == ["BAD_USER_INPUT"] * len(these)
    assert secret not in json.dumps([answer.data, answer.errors])


async def test_what_was_sent_is_left_as_it_was(graph: Graph) -> None:
    these = [*ONE_OF_EACH, *MALFORMED[1:]]
    before = copy.deepcopy(these)
    await ask(graph, these)
    assert these == before


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=8), below, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["__typename", *sorted({name for entity in ENTITIES.values() for name in entity.key})])
NEARLY = st.dictionaries(FIELDS, st.sampled_from([*ENTITIES, "home", "input", "GLOBAL"]) | ANYTHING, max_size=4)


@given(these=st.lists((ANYTHING | NEARLY).filter(lambda one: one is not None), max_size=8))
@settings(max_examples=60)
async def test_whatever_is_sent_there_is_one_answer_for_each(these: list[Any]) -> None:
    with graph_for(DATABASE, POLICIES, schema=SUBGRAPH) as graph:
        answer = await ask(graph, these)
    assert len(found(answer)) == len(these)
    assert set(answer.codes) <= {"BAD_USER_INPUT"}
    refused = {error["path"][1] for error in answer.errors}
    assert all(found(answer)[place] is None for place in refused)
    for one in found(answer):
        assert one is None or one["__typename"] in ENTITIES


# ---------------------------------------------------------------------------------- not yours is the same as not there


@pytest.mark.parametrize("hidden", HIDDEN_ONES, ids=lambda one: one["__typename"])
async def test_what_is_hidden_answers_like_what_is_not_there(graph: Graph, hidden: Representation) -> None:
    kind = hidden["__typename"]
    absent = representation(kind, *(identifier("no", "such") for _ in ENTITIES[kind].key))
    seen, closed, nothing = [
        await ask(graph, [one], user) for one, user in ((hidden, "admin"), (hidden, "limited"), (absent, "limited"))
    ]
    assert found(seen)[0] is not None
    assert (json.dumps(closed.data), closed.errors) == (json.dumps(nothing.data), nothing.errors)
    assert closed.errors == []


async def test_nobody_sees_anything(graph: Graph) -> None:
    answer = await ask(graph, ONE_OF_EACH, "nobody")
    assert (found(answer), answer.errors) == ([None] * len(ONE_OF_EACH), [])


async def test_a_fault_of_the_server_costs_one_of_some_entities_alone(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    broken = Entity(ENTITIES["Workflow"].key, fail)
    monkeypatch.setattr(entities, "ENTITIES", {**ENTITIES, "Workflow": broken})
    answer = await ask(graph, ONE_OF_EACH)
    assert [one is None for one in found(answer)] == [kind == "Workflow" for kind in ALL]
    assert answer.codes == ["INTERNAL"]


# ------------------------------------------------------------------------------------------------------- what it costs

STEP, RUN = "query PipelineExecutionsStorageTable", "query WorkflowExecutionsStorageTableV2"
OWN = {
    "Asset": {"batch_get_item AssetStorageTable": 5},  # in use and archived, 500 keys
    "Database": {"batch_get_item DatabaseStorageTable": 3},
    "Execution": {RUN: MANY},
    "Pipeline": {"batch_get_item PipelineStorageTableV2": 3},
    "PipelineExecution": {STEP: MANY},
    "Workflow": {"batch_get_item WorkflowStorageTableV2": 3},
}
# What the gate reads besides: the runs of steps, and what runs touched, for one to whom not everything is open.
TOUCHED = {
    "batch_get_item WorkflowExecutionConfigurationStorageTable": 3,
    "get_item WorkflowStorageTableV2": 1,
    "query WorkflowExecutionInputsStorageTable": MANY,
    "batch_get_item AssetStorageTable": 1,
}
GATE: Mapping[tuple[str, str], tuple[dict[str, int], int]] = {
    ("PipelineExecution", "admin"): ({RUN: MANY}, 1),
    ("Execution", "watched"): (TOUCHED, 2),
    ("PipelineExecution", "watched"): ({RUN: MANY} | TOUCHED, 3),
}


@pytest.mark.parametrize("user", ["admin", "watched"])
@pytest.mark.parametrize("kind", OWN)
async def test_a_quarter_of_a_thousand_of_a_type_take_one_round(kind: str, user: str, graph: Graph) -> None:
    answer = await ask(graph, ALL[kind], user)
    reads, rounds = GATE.get((kind, user), ({}, 0))
    assert None not in found(answer)
    assert answer.cost == dict(sorted((Counter(OWN[kind]) + Counter(reads)).items()))
    assert answer.tally.rounds == 1 + rounds


@pytest.mark.parametrize(("user", "rounds"), [("admin", 1), ("watched", 3)])  # the runs of the steps are there already
async def test_no_type_adds_a_round_to_another(user: str, rounds: int, graph: Graph) -> None:
    mixed = [one for at_once in zip(*(ALL[kind] for kind in OWN), strict=True) for one in at_once]
    answer = await ask(graph, mixed[: MOST - MOST % len(OWN)], user)
    assert None not in found(answer)
    assert answer.tally.rounds == rounds


async def test_what_is_asked_for_twice_is_read_once(graph: Graph) -> None:
    these = [ALL[kind][place] for kind in OWN for place in range(3)]
    once = await ask(graph, these, "watched")
    twice = await ask(graph, [*these, *reversed(these)], "watched")
    assert found(twice) == [*found(once), *reversed(found(once))]
    assert twice.cost == once.cost


async def test_several_fields_are_answered_together(graph: Graph) -> None:
    aliased = """query ($a: [_Any!]!, $b: [_Any!]!) {
        a: _entities(representations: $a) { ... on Database { databaseId } ... on Asset { assetId } }
        b: _entities(representations: $b) { ... on Asset { tags } ... on Execution { status } }
        c: _entities(representations: []) { __typename }
    }"""
    assets = ALL["Asset"]
    answer = await graph.ask(
        aliased,
        viewer=viewer("watched"),
        a=[*assets[:30], *ALL["Database"][:5], 7],
        b=[*assets[20:50], ALL["Execution"][0]],
    )
    assert answer.data is not None
    assert answer.data["a"] == [
        *({"assetId": f"asset-{n}"} for n in range(30)), *({"databaseId": f"database-{n}"} for n in range(5)), None
    ]  # fmt: skip
    assert answer.data["b"] == [{"tags": []}] * 30 + [{"status": "SUCCEEDED"}]
    assert answer.data["c"] == []
    assert [error["path"] for error in answer.errors] == [["a", 35]]
    assert answer.cost["batch_get_item AssetStorageTable"] == 1 + 1  # and what the execution touched
    assert answer.cost["batch_get_item DatabaseStorageTable"] == 1


async def test_only_what_is_selected_is_read(graph: Graph) -> None:
    document = """query ($r: [_Any!]!) { _entities(representations: $r) {
        ... on Node { ... on Database { databaseId } } ...Run } }
        fragment Run on Execution { status }"""
    answer = await graph.ask(
        document, viewer=viewer("admin"), r=[*ALL["Execution"][:2], *ALL["Database"][:2], *ALL["Workflow"][:2]]
    )
    read = {call.table: call.attributes for call in answer.calls}
    assert "executionStatus" in read["WorkflowExecutionsStorageTableV2"]
    assert not {"executionLog", "executionError"} & read["WorkflowExecutionsStorageTableV2"]
    assert read["DatabaseStorageTable"] == {"databaseId"}
    assert read["WorkflowStorageTableV2"] == {"databaseId", "workflowId"}


async def test_a_thousand_are_answered_and_one_more_is_refused(graph: Graph) -> None:
    thousand = (ALL["Asset"] + ALL["Database"] + ALL["Pipeline"] + ALL["Workflow"])[:MOST]
    answer = await ask(graph, thousand)
    assert len(found(answer)) == MOST == 1000
    assert None not in found(answer)
    refused = await ask(graph, [*thousand, thousand[0]])
    assert refused.codes == ["BAD_USER_INPUT"]
    assert refused.calls == []
