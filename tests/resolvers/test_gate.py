"""What the gate costs and where it stops, on whole lists; and that it tells nothing of what it hides."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

import pytest

from graph.auth.policies import Policies
from graph.demo import gaps, world
from graph.demo.permissions import ADMIN, ANA, BOB, NOBODY, READER
from graph.demo.rows import Row, asset_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.errors import Throttled
from graph.loaders.permissions import PermissionRows
from graph.tables import ids
from graph.tables.catalogue import ASSETS, CONFIGURATIONS, CONSTRAINTS, EXECUTIONS, INPUTS, STEPS, USER_ROLES
from graph.tables.queries import Query
from graph.tables.reader import ItemPage, Reader
from graph.tables.tally import Tally
from tests.auth.rows import Clock
from tests.auth.rule import allows_execution
from tests.demo.reading import ITEMS
from tests.harness import SUBGRAPH, Answer, Graph
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import WORKFLOW, MemoryReader, asset, deny, everything_but, graph_for, ids_in, items, run, viewer

LIST = """
query($group: String, $first: Int, $after: String, $last: Int, $before: String) {
  list: executions(filter: { groupId: $group }, first: $first, after: $after, last: $last, before: $before) {
    nodes { executionId }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    shortPageReason
  }
}
"""
HISTORY = """
query($first: Int, $after: String, $last: Int, $before: String) {
  asset(databaseId: "shared", assetId: "shared") {
    list: executions(first: $first, after: $after, last: $last, before: $before) {
      nodes { executionId }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      shortPageReason
    }
  }
}
"""
LEAN = {EXECUTIONS, CONFIGURATIONS, INPUTS}
SHARED = asset("shared", "shared")
TEN = range(10)

# A hundred runs of three assets each; and sixty of ten each, which also read one that they share, every third hidden.
BATCH = [
    run(f"batch-{n}", *(asset("plant", f"b{n}-{place}") for place in range(3)), minute=n, group_id="batch")
    for n in range(100)
]
BOUND = [
    run(
        f"bound-{n}",
        *(asset("hidden" if n % 3 == 0 else "plant", f"c{n}-{place}") for place in TEN),
        SHARED,
        minute=200 + n,
        group_id="bound",
    )
    for n in range(60)
]
HIDDEN = [run(f"hidden-{n}", asset("hidden", f"d{n}"), minute=300 + n, group_id="all-hidden") for n in range(30)]
VISIBLE = [of.execution_id for of in reversed(BOUND) if of.inputs[0].asset.database_id == "plant"]


def _rows() -> Iterator[Row]:
    yield workflow_row(WORKFLOW)
    runs = [*BATCH, *BOUND, *HIDDEN]
    for of in runs:
        yield from (row for row in run_rows(of) if row.table in LEAN)
    yield from map(asset_row, {selection.asset: None for of in runs for selection in of.inputs})


POLICIES = {
    "admin": everything_but(),
    "watched": everything_but(deny("asset", "databaseId", "equals", "elsewhere")),
    "limited": everything_but(deny("asset", "databaseId", "equals", "hidden")),
}


LISTS = MemoryDatabase(items(_rows()))
DEMO = MemoryDatabase(ITEMS)


@pytest.fixture
def listed() -> Iterator[Graph]:
    with graph_for(LISTS, POLICIES, reader=Reader) as graph:
        yield graph


@pytest.fixture
def graph() -> Iterator[Graph]:
    graph = Graph(DEMO, NAMES, schema=SUBGRAPH)
    yield graph
    graph.close()


# ------------------------------------------------------------------------------------------------------ what it costs


async def test_a_page_of_a_hundred_executions_with_three_hundred_assets_takes_two_more_rounds() -> None:
    with graph_for(LISTS, POLICIES) as graph:
        unguarded = await graph.ask(LIST, viewer=viewer("admin"), group="batch", first=100)
        guarded = await graph.ask(LIST, viewer=viewer("watched"), group="batch", first=100)
    assert guarded.data == _with_cursors_of(guarded, unguarded)
    assert len(ids_in(guarded.data)) == 100
    assert guarded.tally.rounds == unguarded.tally.rounds + 2
    by_group = "query WorkflowExecutionsStorageTableV2.WorkflowExecutionsByGroupGSI"
    assert unguarded.cost == {by_group: 1}
    assert guarded.cost == {
        by_group: 1,
        "batch_get_item WorkflowExecutionConfigurationStorageTable": 1,
        "get_item WorkflowStorageTableV2": 1,
        "query WorkflowExecutionInputsStorageTable": 100,
        "batch_get_item AssetStorageTable": 6,  # in use and archived, 600 keys
    }


def _with_cursors_of(answer: Answer, other: Answer) -> Any:
    """Another answer's data under this one's cursors, which are sealed anew each time."""
    assert answer.data is not None
    assert other.data is not None
    page_info = {
        **other.data["list"]["pageInfo"],
        **{name: answer.data["list"]["pageInfo"][name] for name in ("startCursor", "endCursor")},
    }
    return {"list": {**other.data["list"], "pageInfo": page_info}}


# ----------------------------------------------------------------------------------------------------- where it stops


async def pages(
    graph: Graph, document: str, *, forward: bool, size: int = 100, **variables: Any
) -> list[dict[str, Any]]:
    """Every page of a list, walked from one end to the other."""
    walked: list[dict[str, Any]] = []
    turn = {"first": size} if forward else {"last": size}
    while True:
        data = await graph.data(document, viewer=viewer("limited"), **turn, **variables)
        page = (data.get("asset") or data)["list"]
        walked.append(page)
        info = page["pageInfo"]
        if not info["hasNextPage" if forward else "hasPreviousPage"]:
            return walked
        assert len(walked) < 30
        cursor = {"after": info["endCursor"]} if forward else {"before": info["startCursor"]}
        turn = {"first": size, **cursor} if forward else {"last": size, **cursor}


@pytest.mark.parametrize("forward", [True, False], ids=["forwards", "backwards"])
@pytest.mark.parametrize(("document", "variables"), [(LIST, {"group": "bound"}), (HISTORY, {})], ids=["group", "asset"])
async def test_a_page_stops_at_five_hundred_assets_and_the_next_goes_on_from_there(
    document: str, variables: dict[str, Any], forward: bool, listed: Graph
) -> None:
    walked = await pages(listed, document, forward=forward, **variables)
    in_order = walked if forward else walked[::-1]
    assert ids_in([page["nodes"] for page in in_order]) == VISIBLE
    assert [page["shortPageReason"] for page in walked] == ["PERMISSION_BUDGET", None]
    # Fifty runs of ten assets, or forty-nine with the one that they share; a third of them is hidden.
    assert len(walked[0]["nodes"]) in (32, 33, 34)


@pytest.mark.parametrize("forward", [True, False], ids=["forwards", "backwards"])
@pytest.mark.parametrize("size", [7, 20])
@pytest.mark.parametrize(("document", "variables"), [(LIST, {"group": "bound"}), (HISTORY, {})], ids=["group", "asset"])
async def test_pages_are_filled_with_what_is_visible(
    document: str, variables: dict[str, Any], size: int, forward: bool, listed: Graph
) -> None:
    walked = await pages(listed, document, forward=forward, size=size, **variables)
    in_order = walked if forward else walked[::-1]
    assert ids_in([page["nodes"] for page in in_order]) == VISIBLE
    assert {len(page["nodes"]) for page in walked[:-1]} == {size}


async def test_a_list_of_hidden_executions_is_an_empty_list(listed: Graph) -> None:
    hidden = await listed.ask(LIST, viewer=viewer("limited"), group="all-hidden", first=5)
    absent = await listed.ask(LIST, viewer=viewer("limited"), group="of-nothing", first=5)
    assert hidden.data == absent.data
    assert hidden.data == {
        "list": {
            "nodes": [],
            "pageInfo": {"hasNextPage": False, "hasPreviousPage": False, "startCursor": None, "endCursor": None},
            "shortPageReason": None,
        }
    }
    assert hidden.errors == absent.errors == []


async def test_a_page_that_ends_before_hidden_rows_promises_nothing(listed: Graph) -> None:
    """The oldest run of the group is hidden: the page of all others is the last."""
    data = await listed.data(LIST, viewer=viewer("limited"), group="bound", first=34)
    after = data["list"]["pageInfo"]["endCursor"]
    rest = await listed.data(LIST, viewer=viewer("limited"), group="bound", first=34, after=after)
    assert BOUND[0].inputs[0].asset.database_id == "hidden"
    assert rest["list"]["pageInfo"]["hasNextPage"] is False


async def test_no_list_of_executions_has_a_total(listed: Graph) -> None:
    for name in ("ExecutionConnection", "AssetExecutionConnection"):
        data = await listed.data("query($name: String!) { __type(name: $name) { fields { name } } }", name=name)
        assert "totalCount" not in [field["name"] for field in data["__type"]["fields"]]


async def test_a_group_of_hidden_executions_is_no_group(listed: Graph) -> None:
    document = '{ executionGroup(groupId: "all-hidden") { id } }'
    assert await listed.data(document, viewer=viewer("limited")) == {"executionGroup": None}
    assert (await listed.data(document, viewer=viewer("admin")))["executionGroup"] is not None


# ------------------------------------------------------------------------------------------ the demo, for all its users

EVERY = """
query($after: String) {
  executions(first: 100, after: $after) { nodes { executionId } pageInfo { hasNextPage endCursor } }
}
"""
OF_WORKFLOW = """
query($database: String!, $workflow: String!) {
  executions(first: 100, filter: { workflow: { databaseId: $database, workflowId: $workflow } }) {
    nodes { executionId } pageInfo { hasNextPage }
  }
}
"""
OF_GROUP = "query($group: String!) { executions(first: 100, filter: { groupId: $group }) { nodes { executionId } } }"
OF_ASSET = """
query($database: String!, $asset: String!) {
  asset(databaseId: $database, assetId: $asset) {
    executions(first: 100) { nodes { executionId } pageInfo { hasNextPage } shortPageReason }
  }
}
"""
USERS = [(BOB, False), (ANA, False), (ANA, True), (READER, False), (ADMIN, False), (NOBODY, False)]


@pytest.mark.parametrize(("user", "is_mfa"), USERS)
async def test_every_list_shows_what_the_rule_allows(user: str, is_mfa: bool, graph: Graph) -> None:
    asking = viewer(user, is_mfa=is_mfa)
    policy = await graph.services.policies.policy_of(user, is_mfa=is_mfa)
    if user == NOBODY:
        answer = await graph.ask(EVERY, viewer=asking)
        assert (answer.data, answer.codes) == ({"executions": None}, ["FORBIDDEN"])
        return
    visible = {item["workflowExecutionId"]: item for item in ITEMS[EXECUTIONS] if allows_execution(policy, item)}
    dated = {key for key, item in visible.items() if item.get("executionStartDate")}

    seen: list[str] = []
    after = None
    while True:
        page = (await graph.data(EVERY, viewer=asking, after=after))["executions"]
        seen += ids_in(page["nodes"])
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert sorted(seen) == sorted(dated)

    def name(item: dict[str, Any]) -> tuple[str, str]:
        return item["workflowDatabaseId"], item["workflowId"]

    for (database, workflow), of in groupby(sorted(ITEMS[EXECUTIONS], key=name), name):
        data = await graph.data(OF_WORKFLOW, viewer=asking, database=database, workflow=workflow)
        assert set(ids_in(data)) == {item["workflowExecutionId"] for item in of} & dated

    for group in {item["executionGroupId"] for item in ITEMS[EXECUTIONS] if "executionGroupId" in item}:
        of_group = {key for key in dated if visible[key].get("executionGroupId") == group}
        assert set(ids_in(await graph.data(OF_GROUP, viewer=asking, group=group))) == of_group

    for one in world.ASSETS:
        data = await graph.data(OF_ASSET, viewer=asking, database=one.database_id, asset=one.asset_id)
        history = data["asset"]
        is_open = policy.allows("asset", _stored(one.database_id, one.asset_id), "GET")
        assert (history is not None) == bool(is_open), one
        if history is not None:
            assert set(ids_in(history)) == _touching(one.database_id, one.asset_id) & set(visible)


def _stored(database_id: str, asset_id: str) -> dict[str, Any]:
    (item,) = (
        item
        for item in ITEMS[ASSETS]
        if item["databaseId"].removesuffix("#deleted") == database_id and item["assetId"] == asset_id
    )
    return item | {"databaseId": database_id}


def _touching(database_id: str, asset_id: str) -> set[str]:
    """The runs with a start date that read or wrote an asset, as the two indexes tell."""
    key = f"{database_id}:{asset_id}"
    return {
        item["workflowExecutionId"]
        for table, attribute in ((INPUTS, "databaseId:assetId"), (CONFIGURATIONS, "outputDatabaseId:outputAssetId"))
        for item in ITEMS[table]
        if item.get(attribute) == key and item.get("executionStartDate")
    }


@pytest.mark.parametrize(("user", "is_mfa"), USERS)
async def test_every_execution_is_opened_by_those_whom_the_rule_allows(user: str, is_mfa: bool, graph: Graph) -> None:
    policy = await graph.services.policies.policy_of(user, is_mfa=is_mfa)
    runs = [item["workflowExecutionId"] for item in ITEMS[EXECUTIONS]]
    document = (
        "{" + " ".join(f'e{n}: execution(executionId: "{run}") {{ executionId }}' for n, run in enumerate(runs)) + "}"
    )
    data = await graph.data(document, viewer=viewer(user, is_mfa=is_mfa))
    allowed = [item["workflowExecutionId"] for item in ITEMS[EXECUTIONS] if allows_execution(policy, item)]
    assert ids_in(data) == (allowed if user != NOBODY else [])


async def test_a_run_with_unknown_sources_is_seen_by_those_who_see_every_asset(graph: Graph) -> None:
    document = f'{{ execution(executionId: "{gaps.TRUNCATED_SOURCES_ID}") {{ executionId }} }}'
    assert (await graph.data(document, viewer=viewer(BOB)))["execution"] is None
    assert (await graph.data(document, viewer=viewer(READER)))["execution"] is not None


# --------------------------------------------------------------------------- not yours is the same as not there at all

# A run of the city's scans, of which bob sees nothing, and how to ask for it and for what is not there.
FOREIGN = next(item for item in ITEMS[EXECUTIONS] if item.get("executionGroupId") == "night-2026-06-21")
FOREIGN_ID, FOREIGN_WORKFLOW = FOREIGN["workflowExecutionId"], FOREIGN["workflowDatabaseId:workflowId"]
FOREIGN_STEP = next(item["pipelineExecutionId"] for item in ITEMS[STEPS] if item["workflowExecutionId"] == FOREIGN_ID)
NOTHING = "0" * 32
GUARDS = {
    "get_item WorkflowExecutionConfigurationStorageTable": 1,
    "get_item WorkflowStorageTableV2": 1,
    "query WorkflowExecutionInputsStorageTable": 1,
}
RUN_OF_STEP = {"query WorkflowExecutionsStorageTableV2": 1}


def by_id(kind: str, *parts: str) -> str:
    return f'node(id: "{ids.encode(kind, *parts)}") {{ id }}'


def by_key(kind: str, **key: str) -> str:
    named = ", ".join(f'{name}: "{value}"' for name, value in key.items())
    return f'_entities(representations: [{{ __typename: "{kind}", {named} }}]) {{ ... on {kind} {{ id }} }}'


# What is asked of something that is hidden and of something that is not there, and what the former costs more.
PAIRS: dict[str, tuple[str, str, dict[str, int]]] = {
    "execution": (
        f'execution(executionId: "{FOREIGN_ID}") {{ id status log {{ content }} inputFiles {{ totalCount }} }}',
        f'execution(executionId: "{NOTHING}") {{ id status log {{ content }} inputFiles {{ totalCount }} }}',
        GUARDS,
    ),
    "pipelineExecution": (
        f'pipelineExecution(pipelineExecutionId: "{FOREIGN_STEP}") {{ id }}',
        f'pipelineExecution(pipelineExecutionId: "{NOTHING}") {{ id }}',
        GUARDS | RUN_OF_STEP,
    ),
    "executionGroup": (
        'executionGroup(groupId: "night-2026-06-21") { id }',
        'executionGroup(groupId: "no-such-group") { id }',
        {
            "batch_get_item WorkflowExecutionConfigurationStorageTable": 1,
            "get_item WorkflowExecutionConfigurationStorageTable": 1,
            "get_item WorkflowStorageTableV2": 1,
            "query WorkflowExecutionInputsStorageTable": 3,
            "query WorkflowExecutionsStorageTableV2.WorkflowExecutionsByGroupGSI": 1,
        },
    ),
    "asset": (
        'asset(databaseId: "city-scans", assetId: "town-hall") { id executions { nodes { id } } }',
        'asset(databaseId: "city-scans", assetId: "no-such") { id executions { nodes { id } } }',
        {},
    ),
    "database": ('database(databaseId: "city-scans") { id }', 'database(databaseId: "no-such") { id }', {}),
    "workflow": (
        'workflow(databaseId: "city-scans", workflowId: "city-tiles") { id executions { nodes { id } } }',
        'workflow(databaseId: "city-scans", workflowId: "no-such") { id executions { nodes { id } } }',
        {},
    ),
    "pipeline": (
        'pipeline(databaseId: "city-scans", pipelineId: "classify-points") { id }',
        'pipeline(databaseId: "city-scans", pipelineId: "no-such") { id }',
        {},
    ),
    "node of an execution": (
        by_id("Execution", FOREIGN_ID, FOREIGN_WORKFLOW),
        by_id("Execution", NOTHING, FOREIGN_WORKFLOW),
        GUARDS,
    ),
    "node of a step": (
        by_id("PipelineExecution", FOREIGN_STEP, FOREIGN_ID),
        by_id("PipelineExecution", NOTHING, FOREIGN_ID),
        {},  # the run is looked at whether or not it has the step
    ),
    "node of an asset": (by_id("Asset", "city-scans", "town-hall"), by_id("Asset", "city-scans", "no-such"), {}),
    "node of a database": (by_id("Database", "city-scans"), by_id("Database", "no-such"), {}),
    "node of a workflow": (
        by_id("Workflow", "city-scans", "city-tiles"),
        by_id("Workflow", "city-scans", "no-such"),
        {},
    ),
    "node of a pipeline": (
        by_id("Pipeline", "city-scans", "classify-points"),
        by_id("Pipeline", "city-scans", "no-such"),
        {},
    ),
    "nodes": (
        f'nodes(ids: ["{ids.encode("Asset", "city-scans", "town-hall")}"]) {{ id }}',
        f'nodes(ids: ["{ids.encode("Asset", "city-scans", "no-such")}"]) {{ id }}',
        {},
    ),
    "entity of an execution": (
        by_key("Execution", executionId=FOREIGN_ID),
        by_key("Execution", executionId=NOTHING),
        GUARDS,
    ),
    "entity of a step": (
        by_key("PipelineExecution", pipelineExecutionId=FOREIGN_STEP),
        by_key("PipelineExecution", pipelineExecutionId=NOTHING),
        GUARDS | RUN_OF_STEP,
    ),
    "entity of an asset": (
        by_key("Asset", databaseId="city-scans", assetId="town-hall"),
        by_key("Asset", databaseId="city-scans", assetId="no-such"),
        {},
    ),
    "entity of a database": (by_key("Database", databaseId="city-scans"), by_key("Database", databaseId="no-such"), {}),
    "entity of a workflow": (
        by_key("Workflow", databaseId="city-scans", workflowId="city-tiles"),
        by_key("Workflow", databaseId="city-scans", workflowId="no-such"),
        {},
    ),
    "entity of a pipeline": (
        by_key("Pipeline", databaseId="city-scans", pipelineId="classify-points"),
        by_key("Pipeline", databaseId="city-scans", pipelineId="no-such"),
        {},
    ),
}


@pytest.mark.parametrize("name", PAIRS)
async def test_what_is_hidden_answers_like_what_is_not_there(name: str, graph: Graph) -> None:
    hidden_document, absent_document, more = PAIRS[name]
    hidden = await graph.ask(f"{{ {hidden_document} }}", viewer=viewer(BOB))
    absent = await graph.ask(f"{{ {absent_document} }}", viewer=viewer(BOB))
    assert json.dumps(hidden.data) == json.dumps(absent.data)
    assert hidden.errors == absent.errors == []
    assert Counter(hidden.cost) - Counter(absent.cost) == Counter(more)
    assert Counter(absent.cost) - Counter(hidden.cost) == Counter()


@pytest.mark.parametrize("name", PAIRS)
async def test_what_is_hidden_is_there(name: str, graph: Graph) -> None:
    document, _, _ = PAIRS[name]
    assert ids_in(await graph.data(f"{{ {document} }}"))


@pytest.mark.parametrize("name", ["execution", "node of an execution", "entity of an execution"])
async def test_without_the_route_nothing_of_an_execution_is_looked_at(name: str) -> None:
    closed = everything_but(deny("api", "route__path", "ends_with", "/details"))
    with graph_for(DEMO, {"closed": closed}, schema=SUBGRAPH) as graph:
        hidden, absent = [await graph.ask(f"{{ {document} }}", viewer=viewer("closed")) for document in PAIRS[name][:2]]
    assert hidden.data == absent.data
    assert hidden.cost == absent.cost


async def test_what_cannot_be_read_is_an_error_and_not_a_verdict() -> None:
    """A list fails whole: to leave out the run in doubt would tell that it is hidden."""
    with graph_for(DEMO, {"watched": POLICIES["watched"]}) as graph:
        throttled = ThrottledInputs(graph.services.reader)
        graph.services = replace(graph.services, reader=cast("Reader", throttled))
        one = await graph.ask(
            f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id }} }}', viewer=viewer("watched")
        )
        many = await graph.ask("{ executions { nodes { id } } }", viewer=viewer("watched"))
    assert (one.data, one.codes) == ({"execution": None}, ["THROTTLED"])
    assert (many.data, many.codes) == ({"executions": None}, ["THROTTLED"])


class ThrottledInputs:
    """A reader whose table of inputs is throttled."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.get_items, self.close = reader.get_items, reader.close

    async def query(self, query: Query, tally: Tally) -> ItemPage:
        if query.table is INPUTS:
            raise Throttled
        return await self._reader.query(query, tally)


# ------------------------------------------------------------------------------------------------- policies that change


async def test_a_change_of_policy_is_seen_within_a_minute(graph: Graph) -> None:
    rows, clock = MemoryReader({table: list(held) for table, held in ITEMS.items()}), Clock()
    graph.services = replace(graph.services, policies=Policies(PermissionRows(rows), clock=clock))
    document = f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id }} }}'

    async def is_seen() -> bool:
        return (await graph.data(document, viewer=viewer(BOB)))["execution"] is not None

    assert await is_seen()
    rows.held[CONSTRAINTS] = [row for row in rows.held[CONSTRAINTS] if row["name"] != "plant-user-assets"]
    clock.time += 59
    assert await is_seen()
    clock.time += 1
    assert not await is_seen()
    rows.held[USER_ROLES].append({"userId": BOB, "roleName": "demo-reader"})
    clock.time += 60
    assert await is_seen()


async def test_the_second_factor_of_a_session_counts_at_once(graph: Graph) -> None:
    document = '{ database(databaseId: "plant-scans") { id } viewer { roles } }'
    without, with_it = [await graph.data(document, viewer=viewer(ANA, is_mfa=is_mfa)) for is_mfa in (False, True)]
    assert without == {"database": None, "viewer": {"roles": ["plant-user"]}}
    assert with_it["database"] is not None
    assert sorted(with_it["viewer"]["roles"]) == ["plant-admin", "plant-user"]


# ---------------------------------------------------------------------------------------------- rows and their fields


async def test_the_row_of_a_list_is_seen_without_its_details() -> None:
    closed = everything_but(deny("api", "route__path", "ends_with", "/details"))
    document = """{ executions(first: 1) { nodes {
        executionId workflowId status startedAt triggeredBy groupId durationMs isMigrated viewerCanReadLogs
        error stepCount } } }"""
    with graph_for(DEMO, {"closed": closed}) as graph:
        answer = await graph.ask(document, viewer=viewer("closed"))
    assert answer.data is not None
    (row,) = answer.data["executions"]["nodes"]
    assert row["executionId"]
    assert (row["error"], row["stepCount"], row["viewerCanReadLogs"]) == (None, None, False)
    assert answer.codes == ["FORBIDDEN", "FORBIDDEN"]


async def test_a_field_that_is_refused_for_many_is_refused_once(graph: Graph) -> None:
    document = """{ executions(first: 5) { nodes { log { content } again: log { content } status } } }"""
    answer = await graph.ask(document, viewer=viewer(BOB))
    assert answer.data is not None
    rows = answer.data["executions"]["nodes"]
    assert [(row["log"], row["again"]) for row in rows] == [(None, None)] * 5
    assert all(row["status"] for row in rows)
    assert sorted(error["path"] for error in answer.errors) == [
        ["executions", "nodes", 0, "again"],
        ["executions", "nodes", 0, "log"],
    ]


async def test_one_refused_field_leaves_the_others(graph: Graph) -> None:
    document = f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ status log {{ content }} }} }}'
    answer = await graph.ask(document, viewer=viewer(BOB))
    assert answer.data == {"execution": {"status": "SUCCEEDED", "log": None}}
    assert [(error["path"], error["extensions"]) for error in answer.errors] == [
        (["execution", "log"], {"code": "FORBIDDEN"})
    ]


async def test_inputs_of_migrated_runs_are_counted_only_where_none_is_hidden(graph: Graph) -> None:
    document = """{ asset(databaseId: "plant-models", assetId: "old-asset") {
        migratedInputFiles { totalCount nodes { execution { executionId } } } } }"""
    counts = {
        user: (await graph.data(document, viewer=viewer(user)))["asset"]["migratedInputFiles"]["totalCount"]
        for user in (ADMIN, BOB, READER)
    }
    assert counts == {ADMIN: 4, BOB: None, READER: None}
