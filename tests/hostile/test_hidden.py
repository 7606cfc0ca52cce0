"""Hidden is as absent to whoever asks: the same bytes, headers, cost and rate, by every filter and on every way.

The same questions are asked of two worlds, one of which lacks all that is hidden in the other. The ways and the filters
are derived from the schema: a new one fails here until this file knows it.
"""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, cast

import httpx
import pytest
from graphql import GraphQLInputObjectType, GraphQLObjectType, get_named_type

from graph.app import create_app, make_services
from graph.auth.policies import Policies
from graph.demo.logs import log_clients
from graph.demo.model import Run, Workflow
from graph.demo.rows import Row, asset_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.rate_limits import LocalTokenBuckets
from graph.settings import Settings
from graph.tables import ids
from graph.tables.writer import ChangeWriter
from tests.harness import SCHEMA
from tests.http.test_endpoint import Named
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import WORKFLOW, GivenPolicies, asset, deny, everything_but, graph_for, ids_in, items, run, viewer

SHARED, KEPT, SECRET = asset("plant", "shared"), asset("plant", "kept"), asset("hidden", "secret")
OF_VAULT = Workflow("vault", "nightly", "Nightly", "conversion", "Hidden by its ids", WORKFLOW.specified)
OF_CATEGORY = Workflow("home", "ciphers", "Ciphers", "secret", "Hidden by its category", WORKFLOW.specified)
POLICIES = {
    "bob": everything_but(
        deny("workflow", "databaseId", "equals", "vault"),
        deny("workflow", "category", "equals", "secret"),
        deny("asset", "databaseId", "equals", "hidden"),
        deny("database", "databaseId", "equals", "closed"),
    ),
    "admin": everything_but(),
}
REASONS: Sequence[Mapping[str, Any]] = (
    {"workflow": OF_VAULT},
    {"workflow": OF_CATEGORY},
    {"named_database": "closed"},
    {"inputs": (SHARED, SECRET)},
)
STATES = (("SUCCEEDED", "Manual", "ana@example.com"), ("FAILED", "File-Upload", "carla@example.com"))


def _run(name: str, number: int, **changes: Any) -> Run:
    status, trigger, user = STATES[number % len(STATES)]
    inputs = changes.pop("inputs", (SHARED,))
    of_run = {"status": status, "trigger": trigger, "triggered_by": user} | changes
    return run(f"{name}-{number}", *inputs, minute=number, **of_run)


SHOWN = [_run("shown", 10 * n, group_id="mixed", output_asset=SHARED) for n in range(3)]
HIDDEN = [
    _run("hidden", 5 + n, group_id=("mixed", "hidden")[n // 12], output_asset=SHARED, **REASONS[n % len(REASONS)])
    for n in range(24)
]


def _rows(shown: Sequence[Run], hidden: Sequence[Run]) -> Iterator[Row]:
    yield workflow_row(WORKFLOW)
    yield from map(asset_row, (SHARED, KEPT))
    if hidden:
        yield from map(workflow_row, (OF_VAULT, OF_CATEGORY))
        yield from map(asset_row, {one.asset: None for of in hidden for one in of.inputs if one.asset != SHARED})
    for of in (*shown, *hidden):
        yield from run_rows(of)


WORLDS = {
    "hidden": MemoryDatabase(items(_rows(SHOWN, HIDDEN))),
    "absent": MemoryDatabase(items(_rows(SHOWN, ()))),
}

# ---------------------------------------------------------------------------------------------- every filter and way

EXECUTIONS = "executions(filter: $filter, {page}) {{ nodes {{ executionId }} ...Page }}"
WAYS = {
    "Query.executions": EXECUTIONS,
    "Workflow.executions": f'workflow(databaseId: "home", workflowId: "nightly") {{{{ {EXECUTIONS} }}}}',
    "ExecutionGroup.executions": f'executionGroup(groupId: "mixed") {{{{ {EXECUTIONS} }}}}',
    "Asset.executions": f'asset(databaseId: "plant", assetId: "shared") {{{{ {EXECUTIONS} }}}}',
}
TYPES = {"Asset.executions": "AssetExecutionConnection"}
FILTERS: Mapping[str, Sequence[Any]] = {
    "workflow": [
        {"databaseId": of.database_id, "workflowId": of.workflow_id} for of in (OF_VAULT, OF_CATEGORY, WORKFLOW)
    ],
    "workflowDatabaseId": ["vault", "home"],
    "workflowId": ["nightly", "ciphers"],
    "groupId": ["hidden", "mixed"],
    "status": [["FAILED"], ["SUCCEEDED"], ["RUNNING", "ABORTED"]],
    "triggerType": [["MANUAL"], ["FILE_UPLOAD", "UNKNOWN"]],
    "triggeredBy": ["carla@example.com", "nobody@example.com"],
    "startedFrom": ["2026-07-14T00:12:00.000Z"],
    "startedTo": ["2026-07-14T00:12:00.000Z"],
}
PAGES = ("first: 1", "first: 100", "last: 2")

# What is asked by a key of something that is hidden, beside lists of executions.
FIRST = HIDDEN[0]
BY_KEY = {
    "execution": f'execution(executionId: "{FIRST.execution_id}") {{ id }}',
    "step": f'pipelineExecution(pipelineExecutionId: "{FIRST.steps[0].step_id}") {{ id }}',
    "group": 'executionGroup(groupId: "hidden") { id executions(first: 2) { nodes { id } } }',
    "workflow": 'workflow(databaseId: "vault", workflowId: "nightly") { id executions { nodes { id } } }',
    "workflow by category": 'workflow(databaseId: "home", workflowId: "ciphers") { id }',
    "asset": 'asset(databaseId: "hidden", assetId: "secret") { id executions { nodes { id } } }',
    "node": f'node(id: "{ids.encode("ExecutionGroup", "hidden")}") {{ id }}',
    "nodes": f'nodes(ids: ["{ids.encode("Asset", "hidden", "secret")}"]) {{ id }}',
    "asset of an input": f"""execution(executionId: "{SHOWN[0].execution_id}") {{
        inputFiles(asset: {{ databaseId: "hidden", assetId: "secret" }}) {{ totalCount nodes {{ id }} }} }}""",
    "readers": 'asset(databaseId: "plant", assetId: "shared") { executions(role: READ) { nodes { id } } }',
    "writers": 'asset(databaseId: "plant", assetId: "shared") { executions(role: WROTE) { edges { roles } } }',
}


def _arguments_of(kind: str) -> set[str]:
    """The fields that take an input of a type."""
    objects = (one for one in SCHEMA.core.type_map.values() if isinstance(one, GraphQLObjectType))
    return {
        f"{of.name}.{name}"
        for of in objects
        for name, field in of.fields.items()
        for argument in field.args.values()
        if get_named_type(argument.type).name == kind
    }


def test_every_filter_and_every_way_is_asked() -> None:
    kind = SCHEMA.core.type_map["ExecutionFilter"]
    assert isinstance(kind, GraphQLInputObjectType)
    assert set(FILTERS) == set(kind.fields)
    assert set(WAYS) == _arguments_of("ExecutionFilter")
    assert _arguments_of("AssetRef") == {"Execution.inputFiles"}
    assert _arguments_of("WorkflowRef") == set()


@asynccontextmanager
async def _serving(
    database: MemoryDatabase, changes: ChangeWriter | None = None, **settings: Any
) -> AsyncIterator[httpx.AsyncClient]:
    given = Settings(cursor_secrets=["a secret of the tests"], **settings)
    services = make_services(given, database, NAMES, log_clients(), lambda *_: [Named()], changes=changes)
    app = create_app(replace(services, policies=cast("Policies", GivenPolicies(POLICIES))))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield client


async def ask(client: httpx.AsyncClient, query: str, user: str = "bob", **variables: Any) -> httpx.Response:
    headers = {"X-User": user, "GraphQL-Cost": "1"}
    return await client.post("/graphql", json={"query": query, "variables": variables}, headers=headers)


def told(response: httpx.Response) -> tuple[int, dict[str, str], str]:
    """All that a client is told; of sealed cursors, which differ each time, and of the request's id the length."""
    headers = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    return (
        response.status_code,
        headers,
        re.sub(r'(Cursor":")([^"]+)', lambda seal: seal[1] + "*" * len(seal[2]), response.text),
    )


def question(way: str, page: str) -> str:
    kind = TYPES.get(way, "ExecutionConnection")
    fields = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor } shortPageReason"
    return f"query($filter: ExecutionFilter) {{ {WAYS[way].format(page=page)} }} fragment Page on {kind} {{ {fields} }}"


@pytest.mark.parametrize("way", WAYS)
async def test_every_filter_tells_the_same_of_hidden_runs_and_of_none(way: str) -> None:
    filters = [{}, *({name: value} for name, values in FILTERS.items() for value in values)]
    filters += [{"workflow": one, "status": ["FAILED"], "groupId": "hidden"} for one in FILTERS["workflow"]]
    async with _serving(WORLDS["hidden"]) as hidden, _serving(WORLDS["absent"]) as absent:
        for page, wanted in product(PAGES, filters):
            document = question(way, page)
            answer = await ask(hidden, document, filter=wanted)
            assert told(answer) == told(await ask(absent, document, filter=wanted)), (page, wanted)
            assert set(answer.json()["extensions"]["cost"]) == {"requested", "maximum"}
            assert "errors" not in answer.json()


async def test_every_key_tells_the_same_of_what_is_hidden_and_of_nothing() -> None:
    async with _serving(WORLDS["hidden"]) as hidden, _serving(WORLDS["absent"]) as absent:
        for name, asked in BY_KEY.items():
            assert told(await ask(hidden, f"{{ {asked} }}")) == told(await ask(absent, f"{{ {asked} }}")), name


MUTATIONS = {
    "abortExecution": 'abortExecution(input: { executionId: "%s" }) { outcome warnings { code } }',
    "abortExecutionGroup": 'abortExecutionGroup(input: { groupId: "%s" }) { isComplete results { outcome } }',
    "deleteExecution": 'deleteExecution(input: { executionId: "%s", confirm: true }) { executionId }',
}


class _Unwritable:
    """A client that changes the database, and is asked for nothing."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was called")


@pytest.mark.parametrize("mutation", MUTATIONS)
async def test_every_mutation_tells_the_same_of_what_is_hidden_and_of_nothing(mutation: str) -> None:
    changes = ChangeWriter(_Unwritable(), NAMES, attempts=1)
    settings: dict[str, Any] = {"changes": changes, "actions": True, "delete_executions": True}
    keys = ["hidden"] if "Group" in mutation else [of.execution_id for of in HIDDEN]
    async with _serving(WORLDS["hidden"], **settings) as hidden, _serving(WORLDS["absent"], **settings) as absent:
        for key in keys:
            document = f"mutation {{ {MUTATIONS[mutation] % key} }}"
            answer = await ask(hidden, document)
            assert answer.json()["data"] == {mutation: None}
            assert told(answer) == told(await ask(absent, document))


def test_every_mutation_is_asked() -> None:
    mutation = SCHEMA.core.mutation_type
    assert mutation is not None
    assert set(mutation.fields) == set(MUTATIONS)


async def test_whom_nothing_is_hidden_from_sees_all_of_it_and_what_it_took() -> None:
    async with _serving(WORLDS["hidden"]) as client:
        answer = (await ask(client, "{ executions(first: 100) { nodes { executionId } } }", "admin")).json()
        assert set(ids_in(answer)) == {of.execution_id for of in (*SHOWN, *HIDDEN)}
        assert answer["extensions"]["cost"] == {
            "requested": 300, "maximum": 150_000, "charged": 154, "calls": 1, "rounds": 1, "capacity": 0.0,
            "engineCalls": 0, "logCalls": 0, "fileCalls": 0,
        }  # fmt: skip


async def test_what_did_not_run_tells_no_more() -> None:
    broken = (
        "{",
        "{ nothing }",
        "query a { __typename } query b { __typename }",
        "query($n: Int!) { nodes(ids: $n) { id } }",
    )
    async with _serving(WORLDS["hidden"]) as client:
        for document, user in product(broken, ("bob", "admin", "nobody")):
            cost = (await ask(client, document, user)).json().get("extensions", {}).get("cost", {})
            assert set(cost) <= {"requested", "maximum"}, (document, user)


@pytest.mark.parametrize("way", ["Query.executions", "Asset.executions"])
@pytest.mark.parametrize("wanted", [{}, {"workflow": FILTERS["workflow"][0]}, {"groupId": "hidden"}], ids=str)
async def test_the_rate_ends_at_the_same_question(
    way: str, wanted: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.app.LocalTokenBuckets", partial(LocalTokenBuckets, clock=lambda: 0.0))

    async def answered(world: str) -> list[tuple[int, dict[str, str], str]]:
        limits: dict[str, Any] = {"max_price": 1_000, "rate_points": 1_000, "rate_points_per_second": 1}
        async with _serving(WORLDS[world], **limits) as client:
            answers = [await ask(client, question(way, "first: 2"), filter=wanted)]
            while answers[-1].status_code != 429:
                answers.append(await ask(client, question(way, "first: 2"), filter=wanted))
        return [told(answer) for answer in answers]

    assert await answered("hidden") == await answered("absent")


# ------------------------------------------------------------------------------------------- the same reads, and many

NAMED = """query($of: WorkflowRef!, $group: String) {
  executions(filter: { workflow: $of, groupId: $group }) { nodes { id } }
  asset(databaseId: "plant", assetId: "shared") { executions(filter: { workflow: $of }) { nodes { id } } }
}"""


@pytest.mark.parametrize("group", [None, "hidden", "mixed"])
@pytest.mark.parametrize("of", [OF_VAULT, OF_CATEGORY], ids=lambda of: of.category)
async def test_a_hidden_workflow_in_a_filter_takes_the_reads_of_an_absent_one(of: Workflow, group: str | None) -> None:
    async def calls(database_id: str, workflow_id: str) -> tuple[dict[str, int], list[str]]:
        with graph_for(WORLDS["hidden"], POLICIES) as graph:
            named = {"databaseId": database_id, "workflowId": workflow_id}
            answer = await graph.ask(NAMED, viewer=viewer("bob"), of=named, group=group)
        assert not ids_in(answer.data)
        return answer.cost, [str(call.request) for call in answer.calls]

    cost, requests = await calls(of.database_id, of.workflow_id)
    assert cost == (await calls(of.database_id, "no-such"))[0]
    assert not any("ByWorkflow" in request and of.workflow_id in request for request in requests)


async def test_as_many_as_a_page_may_read_are_hidden_like_none() -> None:
    """Two hundred reads; and five hundred assets of runs that their assets hide, while others' do not count."""
    many = [asset("hidden", f"a{n}") for n in range(499)]
    runs = [_run("many", n, group_id="many", inputs=many[n * 5 : n * 5 + 5] or (SHARED,)) for n in range(100)]
    runs += [
        _run(
            "more", 100 + n, group_id="many", workflow=OF_VAULT, inputs=[asset("plant", f"m{n}-{k}") for k in range(6)]
        )
        for n in range(99)
    ]
    worlds = [MemoryDatabase(items(_rows(SHOWN, hidden))) for hidden in (runs, ())]
    async with _serving(worlds[0]) as hidden, _serving(worlds[1]) as absent:
        for way, page, wanted in product(("Query.executions", "Asset.executions"), PAGES, ({}, {"groupId": "many"})):
            answers = [await ask(client, question(way, page), filter=wanted) for client in (hidden, absent)]
            assert told(answers[0]) == told(answers[1]), (way, page, wanted)
