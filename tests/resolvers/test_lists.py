"""Lists of executions under every filter, held to a model in plain Python."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.demo.routine import UPLOAD_GROUP_ID
from graph.resolvers.kinds import decode_id
from graph.settings import Settings
from graph.tables import ids
from graph.tables.catalogue import EXECUTIONS
from graph.tables.reader import Reader
from tests.demo.reading import ITEMS, Item
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase
from tests.resolvers.model import execution_id_of, listed, parents, roles

Filter = Mapping[str, Any]

STATUSES = ("NEW", "RUNNING", "SUCCEEDED", "FAILED", "ABORTED", "TIMED_OUT", "PENDING_REDRIVE")
TRIGGERS = {"Manual": "MANUAL", "File-Upload": "FILE_UPLOAD", "System-Reindex": "SYSTEM_REINDEX"}
DATED = listed(ITEMS[EXECUTIONS])

PAGING = "first: $first, after: $after, last: $last, before: $before"
VARIABLES = "$filter: ExecutionFilter, $first: Int, $after: String, $last: Int, $before: String"
PAGE_INFO = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor } shortPageReason"
FRAGMENT = f"fragment Page on ExecutionConnection {{ edges {{ node {{ id }} }} {PAGE_INFO} }}"
ALL = f"query({VARIABLES}) {{ page: executions(filter: $filter, {PAGING}) {{ ...Page }} }} {FRAGMENT}"
OF_NODE = f"""
query($id: ID!, $role: AssetRole, {VARIABLES}) {{
  node(id: $id) {{
    ... on Workflow {{ page: executions(filter: $filter, {PAGING}) {{ ...Page }} }}
    ... on ExecutionGroup {{ page: executions(filter: $filter, {PAGING}) {{ ...Page }} }}
    ... on Asset {{
      history: executions(role: $role, filter: $filter, {PAGING}) {{ edges {{ node {{ id }} roles }} {PAGE_INFO} }}
    }}
  }}
}}
{FRAGMENT}
"""


def matches(item: Item, wanted: Filter) -> bool:
    """Whether an execution meets every condition of a filter."""
    workflow = wanted.get("workflow") or {}
    status = item["executionStatus"] if item["executionStatus"] in STATUSES else "UNKNOWN"
    second = item["executionStartDate"][:19]
    return all(
        (
            wanted.get("workflowDatabaseId") in (None, item["workflowDatabaseId"]),
            wanted.get("workflowId") in (None, item["workflowId"]),
            workflow.get("databaseId") in (None, item["workflowDatabaseId"]),
            workflow.get("workflowId") in (None, item["workflowId"]),
            wanted.get("groupId") in (None, item.get("executionGroupId")),
            wanted.get("status") is None or status in wanted["status"],
            wanted.get("triggerType") is None or TRIGGERS.get(item["triggerType"], "UNKNOWN") in wanted["triggerType"],
            wanted.get("triggeredBy") in (None, item["triggeredByUserId"]),
            wanted.get("startedFrom") is None or second >= _seconds(wanted["startedFrom"], up=True),
            wanted.get("startedTo") is None or second <= _seconds(wanted["startedTo"], up=False),
        )
    )


def _seconds(text: str, *, up: bool) -> str:
    """The whole second of an instant in UTC, as rows hold it."""
    instant = datetime.fromisoformat(text).astimezone(UTC)
    if up and instant.microsecond:
        instant += timedelta(seconds=1)
    return instant.strftime("%Y-%m-%dT%H:%M:%S")


def _one_of(attribute: str) -> st.SearchStrategy[str]:
    return st.sampled_from(sorted({item[attribute] for item in DATED if attribute in item}))


@st.composite
def instants(draw: st.DrawFn) -> str:
    """An instant at or near the start of a run, spelled in one of the ways there are."""
    start = draw(
        st.sampled_from([item["executionStartDate"] for item in DATED if "T25" not in item["executionStartDate"]])
    )
    near = datetime.fromisoformat(start) + timedelta(seconds=draw(st.sampled_from([-1, -0.5, 0, 0, 0, 0.25, 1])))
    hours = draw(st.sampled_from([None, 0, 2, -7]))
    if hours is None:
        return near.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return (near + timedelta(hours=hours)).replace(tzinfo=None).isoformat(timespec="milliseconds") + f"{hours:+03}:00"


FIELDS: Mapping[str, st.SearchStrategy[Any]] = {
    "workflow": st.fixed_dictionaries(
        {"databaseId": _one_of("workflowDatabaseId"), "workflowId": _one_of("workflowId")}
    ),
    "workflowDatabaseId": _one_of("workflowDatabaseId"),
    "workflowId": _one_of("workflowId"),
    "groupId": _one_of("executionGroupId"),
    "status": st.lists(st.sampled_from((*STATUSES, "UNKNOWN")), max_size=4),
    "triggerType": st.lists(st.sampled_from((*TRIGGERS.values(), "UNKNOWN")), max_size=3),
    "triggeredBy": _one_of("triggeredByUserId"),
    "startedFrom": instants(),
    "startedTo": instants(),
}
FILTERS = st.fixed_dictionaries({}, optional={name: st.none() | values for name, values in FIELDS.items()})
SOME_FIELDS = st.lists(st.sampled_from(sorted(FIELDS)), max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names})
)

quickly = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def read(
    graph: Graph, parent: str, wanted: Filter | None, size: int, *, forward: bool = True, role: str | None = None
) -> list[str]:
    """The ids of a whole list, walked by pages of a size."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        paging = {"first": size, "after": cursor} if forward else {"last": size, "before": cursor}
        if parent:
            node = (await graph.data(OF_NODE, id=parent, role=role, filter=wanted, **paging))["node"]
            page = node.get("page") or node["history"]
        else:
            page = (await graph.data(ALL, filter=wanted, **paging))["page"]
        nodes = [edge["node"]["id"] for edge in page["edges"]]
        found = found + nodes if forward else nodes + found
        info = page["pageInfo"]
        assert page["shortPageReason"] is None
        if not info["hasNextPage" if forward else "hasPreviousPage"]:
            return found
        assert len(nodes) == size
        cursor = info["endCursor" if forward else "startCursor"]


@quickly
@given(wanted=FILTERS | SOME_FIELDS, size=st.sampled_from([2, 9, 100]), forward=st.booleans())
async def test_a_filtered_list_holds_what_the_filter_says(
    quick: Graph, wanted: Filter, size: int, forward: bool
) -> None:
    expected = [execution_id_of(item) for item in DATED if matches(item, wanted)]
    assert await read(quick, "", wanted, size, forward=forward) == expected


@pytest.mark.parametrize("name", sorted(FIELDS))
async def test_each_field_of_the_filter_narrows_the_list_alone(quick: Graph, name: str) -> None:
    samples = {
        "workflow": {"databaseId": "plant-models", "workflowId": "convert-qa-thumb"},
        "workflowDatabaseId": "city-scans",
        "workflowId": "as-built",
        "groupId": UPLOAD_GROUP_ID,
        "status": ["FAILED", "UNKNOWN"],
        "triggerType": ["FILE_UPLOAD", "UNKNOWN"],
        "triggeredBy": "bob@example.com",
        "startedFrom": "2026-07-01T00:00:00.000Z",
        "startedTo": "2026-06-01T00:00:00.000+02:00",
    }
    expected = [execution_id_of(item) for item in DATED if matches(item, {name: samples[name]})]
    assert 0 < len(expected) < len(DATED)
    assert await read(quick, "", {name: samples[name]}, 5) == expected


@quickly
@given(
    parent=st.sampled_from([*parents("Workflow"), *parents("ExecutionGroup")]),
    wanted=FILTERS | SOME_FIELDS,
    size=st.sampled_from([1, 4, 100]),
    forward=st.booleans(),
)
async def test_a_filter_holds_together_with_the_condition_of_the_parent(
    quick: Graph, parent: str, wanted: Filter, size: int, forward: bool
) -> None:
    kind, *key = decode_id(parent).kind, *decode_id(parent).parts
    own = {"workflow": {"databaseId": key[0], "workflowId": key[1]}} if kind == "Workflow" else {"groupId": key[0]}
    expected = [execution_id_of(item) for item in DATED if matches(item, wanted) and matches(item, own)]
    assert await read(quick, parent, wanted, size, forward=forward) == expected


@quickly
@given(
    parent=st.sampled_from(parents("Asset")),
    wanted=st.none() | FILTERS | SOME_FIELDS,
    role=st.sampled_from([None, "READ", "WROTE"]),
    size=st.integers(1, 30),
    forward=st.booleans(),
)
async def test_the_history_of_an_asset_unites_what_it_gave_and_what_it_got(
    quick: Graph, parent: str, wanted: Filter | None, role: str | None, size: int, forward: bool
) -> None:
    chosen = {role} if role else {"READ", "WROTE"}
    expected = [
        execution_id_of(item)
        for item in DATED
        if matches(item, wanted or {}) and chosen & roles(item, *decode_id(parent).parts)
    ]
    assert await read(quick, parent, wanted, size, forward=forward, role=role) == expected


async def test_edges_of_an_assets_history_tell_every_role_whatever_was_asked_for(quick: Graph) -> None:
    asset = ids.encode("Asset", "plant-models", "pump-station")
    for role in (None, "READ", "WROTE"):
        data = await quick.data(OF_NODE, id=asset, first=100, role=role)
        told = {edge["node"]["id"]: set(edge["roles"]) for edge in data["node"]["history"]["edges"]}
        expected = {
            execution_id_of(item): roles(item, "plant-models", "pump-station")
            for item in DATED
            if roles(item, "plant-models", "pump-station") & ({role} if role else {"READ", "WROTE"})
        }
        assert told == expected
        assert {frozenset(roles) for roles in told.values()} >= {frozenset({"READ", "WROTE"})}


CONTRADICTIONS: tuple[Filter, ...] = (
    {"status": []},
    {"triggerType": []},
    {"workflowId": "as-built", "workflow": {"databaseId": "plant-models", "workflowId": "convert-qa-thumb"}},
    {"workflowDatabaseId": "GLOBAL", "workflow": {"databaseId": "plant-models", "workflowId": "convert-qa-thumb"}},
    {"startedFrom": "2026-07-01T00:00:01.000Z", "startedTo": "2026-07-01T00:00:00.000Z"},
    {"groupId": ""},
    {"groupId": "a:b"},
    {"workflowId": "no workflow"},
    {"workflowDatabaseId": "global\ud800"},
    {"triggeredBy": "\ud800"},
)


@pytest.mark.parametrize("wanted", CONTRADICTIONS, ids=repr)
async def test_a_contradiction_matches_nothing_and_asks_nothing(quick: Graph, wanted: Filter) -> None:
    asset = ids.encode("Asset", "plant-models", "pump-station")
    answer = await quick.ask(ALL, filter=wanted)
    assert not answer.errors
    assert not answer.calls
    assert await read(quick, "", wanted, 100) == await read(quick, asset, wanted, 100) == []


async def test_runs_without_a_start_date_are_in_no_list(quick: Graph) -> None:
    undated = {execution_id_of(item) for item in ITEMS[EXECUTIONS] if "executionStartDate" not in item}
    assert undated
    assert not undated & set(await read(quick, "", None, 100))


def _thousand(number: int) -> Item:
    item = next(item for item in ITEMS[EXECUTIONS] if item["workflowId"] == "as-built")
    return item | {
        "workflowExecutionId": f"{number:032x}",
        "executionStartDate": f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z",
        "triggeredByUserId": "rare@example.com" if number % 300 == 7 else "common@example.com",
    }


@pytest.fixture(scope="module")
def sparse() -> Iterator[Callable[..., Graph]]:
    """The graph over 1,000 runs of which few match, with a given read budget."""
    database = MemoryDatabase({EXECUTIONS: [_thousand(number) for number in range(1_000)]})
    made: list[Graph] = []

    def make(**limits: Any) -> Graph:
        settings = Settings(cursor_secrets=["a secret of the tests"], **limits)
        made.append(Graph(database, NAMES, settings, reader=Reader))
        return made[-1]

    yield make
    for graph in made:
        graph.close()


@pytest.mark.parametrize(
    ("limits", "reason"), [({"read_budget_pages": 2}, "READ_BUDGET"), ({"read_budget_seconds": 1e-9}, "TIME_BUDGET")]
)
@pytest.mark.parametrize("forward", [True, False], ids=["forward", "backward"])
async def test_a_spent_budget_gives_a_short_page_with_a_cursor_that_leads_on(
    sparse: Callable[..., Graph], limits: dict[str, Any], reason: str, forward: bool
) -> None:
    graph, cursor = sparse(**limits), None
    found: list[int] = []
    reasons: list[str | None] = []
    size, start, goes_on, end = ("first", "after", "hasNextPage", "endCursor")
    if not forward:
        size, start, goes_on, end = ("last", "before", "hasPreviousPage", "startCursor")
    for _ in range(10):
        page = (await graph.data(ALL, filter={"triggeredBy": "rare@example.com"}, **{size: 3, start: cursor}))["page"]
        numbers = [int(decode_id(edge["node"]["id"]).parts[0], 16) for edge in page["edges"]]
        found = found + numbers if forward else numbers + found
        reasons.append(page["shortPageReason"])
        cursor = page["pageInfo"][end]
        if not page["pageInfo"][goes_on]:
            break
    assert found == [907, 607, 307, 7]
    assert reasons[0] == reason
    assert reasons[-1] is None


async def test_a_full_page_has_no_reason_to_be_short(sparse: Callable[..., Graph]) -> None:
    graph = sparse(read_budget_pages=1)
    page = (await graph.data(ALL, filter={"triggeredBy": "common@example.com"}, first=50))["page"]
    assert (len(page["edges"]), page["shortPageReason"], page["pageInfo"]["hasNextPage"]) == (50, None, True)
