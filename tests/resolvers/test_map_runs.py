"""What the Map runs of a run started: found, walked and told, and by nobody through another run."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph.demo.insides import FAILING_TILE, INSIDES_ID, TILES_RUN
from graph.demo.logs import log_clients
from graph.demo.model import ACCOUNT
from graph.demo.permissions import BOB, NOBODY
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.settings import Settings
from graph.tables import ids
from tests.harness import Graph
from tests.logs.unruly import Recorded, refused
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import viewer

Make = Callable[..., Graph]

OF_TILES = """
query($id: String!, $status: [ExecutionStatus!], $first: Int, $after: String) {
  execution(executionId: $id) { pipelineExecutions { nodes { subExecutions { nodes { stages { nodes { name mapRun {
    id status startedAt redriveCount counts { total succeeded failed aborted }
    executions(status: $status, first: $first, after: $after) {
      nodes { id name flowName status startedAt stoppedAt parentMapRun { id stage { name } }
        failure { error cause stage { name } } }
      pageInfo { hasNextPage endCursor } shortPageReason warnings { code message }
    } } } } } } } } } }
"""
LISTED = """
query($id: ID!, $status: [ExecutionStatus!], $first: Int, $after: String) { node(id: $id) { ... on MapRun {
  executions(status: $status, first: $first, after: $after) {
    edges { cursor node { id name status startedAt } } pageInfo { hasNextPage endCursor } shortPageReason
    warnings { code message } } } } }
"""


@pytest.fixture
def make(memory: MemoryDatabase) -> Iterator[Make]:
    made: list[Graph] = []

    def graph(*, clients: Any = None, **settings: Any) -> Graph:
        chosen = Settings(cursor_secrets=["a secret of the tests"], **settings)
        made.append(Graph(memory, NAMES, chosen, logs=clients))
        return made[-1]

    yield graph
    for one in made:
        one.close()


async def tiles(graph: Graph, **variables: Any) -> Any:
    """The run of the demo's distributed Map."""
    data = await graph.data(OF_TILES, id=INSIDES_ID, **variables)
    steps = data["execution"]["pipelineExecutions"]["nodes"]
    stages = [one for step in steps for sub in step["subExecutions"]["nodes"] for one in sub["stages"]["nodes"]]
    (found,) = (one["mapRun"] for one in stages if one["mapRun"] is not None)
    return found


async def walked(graph: Graph, map_run: str, first: int, **variables: Any) -> list[list[Any]]:
    """The edges of each page of what a Map run started."""
    pages, after = list[list[Any]](), None
    while True:
        data = await graph.data(LISTED, id=map_run, first=first, after=after, **variables)
        page = data["node"]["executions"]
        assert page["warnings"] == []
        pages.append(page["edges"])
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return pages


async def test_the_failed_execution_is_found_by_its_status_with_the_state_that_failed_it(make: Make) -> None:
    run = await tiles(make(), status=["FAILED"])
    assert (run["status"], run["redriveCount"]) == ("SUCCEEDED", 0)
    assert run["counts"] == {"total": 64, "succeeded": 62, "failed": 1, "aborted": 1}
    (failed,) = run["executions"]["nodes"]
    assert (failed["status"], failed["flowName"]) == ("FAILED", "Publish")
    assert failed["failure"] == {
        "error": "TileError",
        "cause": f"tile {FAILING_TILE} is empty",
        "stage": {"name": "Tile"},
    }
    assert failed["parentMapRun"] == {"id": run["id"], "stage": {"name": "Tiles"}}


@pytest.mark.parametrize("first", [1, 7, 10, 63, 64, 65, 1000])
async def test_all_are_walked_once_each_newest_first(make: Make, first: int) -> None:
    graph = make()
    run = await tiles(graph)
    pages = await walked(graph, run["id"], first)
    nodes = [edge["node"] for page in pages for edge in page]
    assert len({node["id"] for node in nodes}) == len(nodes) == 64
    assert [node["startedAt"] for node in nodes] == sorted((node["startedAt"] for node in nodes), reverse=True)
    assert [len(page) for page in pages[:-1]] == [first] * (len(pages) - 1)


async def test_any_cursor_leads_on(make: Make) -> None:
    graph = make()
    run = await tiles(graph)
    ((*edges,),) = await walked(graph, run["id"], 64)
    for place in (0, 30, 62):
        page = await graph.data(LISTED, id=run["id"], first=5, after=edges[place]["cursor"])
        found = [edge["node"]["id"] for edge in page["node"]["executions"]["edges"]]
        assert found == [edge["node"]["id"] for edge in edges[place + 1 : place + 6]]


@pytest.mark.parametrize(
    ("status", "count"),
    [(["FAILED", "ABORTED"], 2), (["RUNNING"], 0), (["NEW"], 0), ([], 0), (["SUCCEEDED", "UNKNOWN"], 62), (None, 64)],
)
async def test_those_of_some_statuses_are_walked_alone(make: Make, status: list[str] | None, count: int) -> None:
    graph = make()
    run = await tiles(graph)
    found = [edge["node"] for page in await walked(graph, run["id"], 9, status=status) for edge in page]
    assert len({node["id"] for node in found}) == len(found) == count
    assert status is None or {node["status"] for node in found} <= set(status)


async def test_what_a_list_says_of_each_is_asked_once(make: Make) -> None:
    clients = log_clients()
    states = Recorded(clients.states)
    graph = make(clients=replace(clients, states=states))
    run = await tiles(graph)
    states.requests.clear()
    await walked(graph, run["id"], 64)
    assert [name for name, _ in states.requests] == ["describe_map_run", "list_executions"]


@pytest.mark.parametrize("kind", ["execution", "stage", "map run"])
async def test_each_is_found_by_its_id_which_holds_no_account(make: Make, kind: str) -> None:
    graph = make()
    run = await tiles(graph, status=["FAILED"])
    of = {"map run": run["id"], "execution": run["executions"]["nodes"][0]["id"]}
    document = "query($id: ID!) { node(id: $id) { id ... on EngineExecution { stages { nodes { id name status } } } } }"
    child = (await graph.data(document, id=of["execution"]))["node"]
    (stage,) = child["stages"]["nodes"]
    assert (stage["name"], stage["status"]) == ("Tile", "FAILED")
    of["stage"] = stage["id"]
    plain = base64.urlsafe_b64decode(of[kind] + "==").decode()
    assert ACCOUNT not in plain
    assert "arn:" not in plain
    found = await graph.data("query($id: ID!) { node(id: $id) { id __typename } }", id=of[kind])
    assert found["node"] == {
        "id": of[kind],
        "__typename": {"execution": "EngineExecution", "stage": "Stage", "map run": "MapRun"}[kind],
    }


async def test_a_name_leads_to_an_execution_of_this_map_run_alone(make: Make) -> None:
    graph = make()
    run = await tiles(graph, status=["FAILED"])
    (failed,) = run["executions"]["nodes"]
    document = """query($id: ID!, $name: String!) { node(id: $id) { ... on MapRun {
        execution(name: $name) { id status } } } }"""
    found = await graph.data(document, id=run["id"], name=failed["name"])
    assert found["node"]["execution"] == {"id": failed["id"], "status": "FAILED"}
    of_map_run = TILES_RUN.rpartition(":")[2]
    for name in ("publish-1", "", "x" * 500, f"{failed['name']}:x", "a/b", "\ud800", of_map_run, TILES_RUN):
        assert (await graph.data(document, id=run["id"], name=name))["node"] == {"execution": None}, name


@pytest.mark.parametrize("user", [BOB, NOBODY])
async def test_nobody_finds_what_runs_started_that_they_do_not_see(make: Make, user: str) -> None:
    graph = make()
    run = await tiles(graph, status=["FAILED"])
    seen = await graph.ask(f'{{ execution(executionId: "{INSIDES_ID}") {{ id }} }}', viewer=viewer(user))
    assert seen.data is not None
    for one in (run["id"], run["executions"]["nodes"][0]["id"]):
        answer = await graph.ask("query($id: ID!) { node(id: $id) { id } }", viewer=viewer(user), id=one)
        expected = None if seen.data["execution"] is None else {"id": one}
        assert (answer.data, answer.codes) == ({"node": expected}, [])


# -------------------------------------------------------------------------------------------- machines of the tests

ITEM = {"StartAt": "Do", "States": {"Do": {"Type": "Task", "Resource": "r", "End": True}}}


def _map(label: str = "", item: Any = ITEM) -> dict[str, Any]:
    processor = {"ProcessorConfig": {"Mode": "DISTRIBUTED"}, **item}
    return {"Type": "Map", "ItemProcessor": processor, "End": True, **({"Label": label} if label else {})}


PUBLISH = Machine(
    TILES_RUN.partition(":mapRun:")[0] + ":stateMachine:Publish", {"StartAt": "T", "States": {"T": _map("Tiles")}}
)
BEGUN = datetime(2026, 6, 10, 15, 2, 20, tzinfo=UTC)


def _child(name: str, number: int = 0, status: str = "SUCCEEDED", map_run: str = TILES_RUN) -> Played:
    script = Script(BEGUN + timedelta(milliseconds=number))
    last = script.leave("Task", "Do", script.work(script.enter("Task", "Do", 0)))
    script.add("ExecutionSucceeded" if status == "SUCCEEDED" else "ExecutionFailed", last)
    return Played(PUBLISH, name, status, script.events, map_run=map_run)


def _publish(name: str = "publish-1", map_run: str = TILES_RUN) -> Played:
    script = Script(BEGUN)
    started = script.add("MapStateStarted", script.enter("Map", "T", 0), length=0)
    script.add("MapRunStarted", started, mapRunArn=map_run)
    told = {"status": "RUNNING", "executionCounts": {"total": 1, "running": 1}}
    return Played(PUBLISH, name, "RUNNING", script.events, map_runs={map_run: told})


def _clients(*executions: Played, clock: Callable[[], float] = lambda: 0.0) -> Any:
    return replace(log_clients(), states=EmbeddedStepFunctions(executions, clock=clock))


@pytest.mark.slow
@pytest.mark.parametrize("first", [1000, 333])
async def test_ten_thousand_are_walked_once_each(make: Make, first: int) -> None:
    children = [_child(f"c-{number}", number, "FAILED" if number == 4_321 else "SUCCEEDED") for number in range(10_000)]
    graph = make(clients=_clients(_publish(), *children))
    run = await tiles(graph, status=["FAILED"])
    assert [one["name"] for one in run["executions"]["nodes"]] == ["c-4321"]
    names = [edge["node"]["name"] for page in await walked(graph, run["id"], first) for edge in page]
    assert names == [f"c-{number}" for number in reversed(range(10_000))]


async def test_a_status_among_many_others_is_found_on_short_pages_that_say_so(make: Make) -> None:
    children = [_child(f"c-{number}", number, "FAILED" if number == 0 else "SUCCEEDED") for number in range(6_000)]
    graph = make(clients=_clients(_publish(), *children))
    run = await tiles(graph)
    data = await graph.data(LISTED, id=run["id"], first=5, status=["FAILED", "ABORTED"])
    page = data["node"]["executions"]
    assert (page["edges"], page["shortPageReason"], page["pageInfo"]["hasNextPage"]) == ([], "READ_BUDGET", True)
    pages = await walked(graph, run["id"], 5, status=["FAILED", "ABORTED"])
    assert [edge["node"]["name"] for page in pages for edge in page] == ["c-0"]


async def test_a_cursor_of_the_day_before_is_told(make: Make) -> None:
    now = [0.0]
    graph = make(clients=_clients(_publish(), *(_child(f"c-{n}", n) for n in range(10)), clock=lambda: now[0]))
    run = await tiles(graph)
    data = await graph.data(LISTED, id=run["id"], first=3)
    after = data["node"]["executions"]["pageInfo"]["endCursor"]
    now[0] = 24 * 3600 + 1
    answer = await graph.ask(LISTED, id=run["id"], first=3, after=after)
    assert answer.codes == ["INVALID_CURSOR"]


async def test_a_cursor_holds_for_its_map_run_and_its_statuses(make: Make) -> None:
    graph = make()
    run = await tiles(graph)
    after = (await graph.data(LISTED, id=run["id"], first=3))["node"]["executions"]["pageInfo"]["endCursor"]
    answer = await graph.ask(LISTED, id=run["id"], first=3, after=after, status=["FAILED"])
    assert answer.codes == ["INVALID_CURSOR"]


async def test_what_another_run_of_the_machine_started_is_nobodys(make: Make) -> None:
    """An id is made of names, which anybody can write down."""
    other = TILES_RUN.replace("8f0e1d2c", "9f0e1d2c")
    executions = (_publish(), _publish("publish-2", other), _child("own"), _child("others", map_run=other))
    graph = make(clients=_clients(*executions))
    run = await tiles(graph)
    (own,) = run["executions"]["nodes"]
    kind, *parts = base64.urlsafe_b64decode(own["id"] + "==").decode().split(":")
    assert own["name"] == parts[-1] == "own"
    step, digest, label = parts[:3]
    for name, found in (("own", own["id"]), ("others", None), ("publish-2", None), ("nothing", None)):
        one = ids.encode(kind, step, digest, f"{label}:{name}")
        told = await graph.data("query($id: ID!) { node(id: $id) { id } }", id=one)
        assert told["node"] == (found and {"id": found}), name
    own_run = base64.urlsafe_b64decode(run["id"] + "==").decode().rpartition(":")[2]
    for name in (own_run, other.rpartition(":")[2], "x"):
        one = ids.encode("MapRun", step, digest, f"mapRun/Tiles:{name}")
        told = await graph.data("query($id: ID!) { node(id: $id) { id } }", id=one)
        assert (told["node"] is not None) == (name == own_run)


async def test_maps_within_maps_lead_to_their_executions(make: Make) -> None:
    inner = TILES_RUN.replace("Tiles:8f0e", "Inner:7f0e")
    machine = Machine(
        PUBLISH.arn,
        {"StartAt": "T", "States": {"T": _map("Tiles", {"StartAt": "I", "States": {"I": _map("Inner")}})}},
    )
    script = Script(BEGUN)
    started = script.add("MapStateStarted", script.enter("Map", "I", 0), length=0)
    script.add("MapRunStarted", started, mapRunArn=inner)
    told = {"status": "RUNNING", "executionCounts": {"total": 1, "running": 1}}
    outer = Played(machine, "outer", "RUNNING", script.events, map_runs={inner: told}, map_run=TILES_RUN)
    top = replace(_publish(), machine=machine)
    leaf = replace(_child("leaf", map_run=inner), machine=machine)
    graph = make(clients=_clients(top, outer, leaf))
    (found,) = (await tiles(graph))["executions"]["nodes"]
    document = """query($id: ID!) { node(id: $id) { ... on EngineExecution { stages { nodes { id name mapRun { id
        executions { nodes { id name stages { nodes { id name } }
          parentMapRun { id stage { engineExecution { name } } } } } } } } } } }"""
    (stage,) = (await graph.data(document, id=found["id"]))["node"]["stages"]["nodes"][:1]
    assert stage["name"] == "I"
    (deepest,) = stage["mapRun"]["executions"]["nodes"]
    assert (deepest["name"], [one["name"] for one in deepest["stages"]["nodes"]]) == ("leaf", ["Do"])
    assert deepest["parentMapRun"] == {
        "id": stage["mapRun"]["id"],
        "stage": {"engineExecution": {"name": "outer"}},
    }
    for one in (stage["id"], stage["mapRun"]["id"], deepest["id"], deepest["stages"]["nodes"][0]["id"]):
        assert (await graph.data("query($id: ID!) { node(id: $id) { id } }", id=one))["node"] == {"id": one}


async def test_an_express_execution_says_that_no_history_is_kept(make: Make) -> None:
    child = _child("a:b")
    express = f"{TILES_RUN.replace(':mapRun:', ':express:').rpartition(':')[0]}:a:b"

    class States(EmbeddedStepFunctions):
        def list_executions(self, **request: Any) -> Any:
            told = super().list_executions(**request)
            return told | {"executions": [one | {"executionArn": express} for one in told["executions"]]}

        def describe_execution(self, *, executionArn: str) -> Any:  # noqa: N803
            asked = child.arn if executionArn == express else executionArn
            return super().describe_execution(executionArn=asked)

        def describe_state_machine_for_execution(self, *, executionArn: str) -> Any:  # noqa: N803
            asked = child.arn if executionArn == express else executionArn
            return super().describe_state_machine_for_execution(executionArn=asked)

    graph = make(clients=replace(log_clients(), states=States([_publish(), child])))
    (found,) = (await tiles(graph))["executions"]["nodes"]
    document = """query($id: ID!) { node(id: $id) { ... on EngineExecution { name status stages { nodes { name status }
        warnings { code } } history { nodes { eventId } warnings { code } } } } }"""
    told = (await graph.data(document, id=found["id"]))["node"]
    assert (told["name"], told["status"]) == ("a:b", "SUCCEEDED")
    assert told["stages"]["nodes"] == [{"name": "Do", "status": "UNKNOWN"}]
    assert {one["code"] for one in told["stages"]["warnings"]} == {"HISTORY_NOT_KEPT"}
    assert (told["history"]["nodes"], told["history"]["warnings"]) == ([], [{"code": "HISTORY_NOT_KEPT"}])


@pytest.mark.parametrize(
    ("code", "told"), [("AccessDeniedException", "ENGINE_DENIED"), ("ThrottlingException", "ENGINE_UNAVAILABLE")]
)
async def test_a_list_that_is_refused_says_so(make: Make, code: str, told: str) -> None:
    clients = log_clients()

    class States:
        def list_executions(self, **_: Any) -> Any:
            raise refused(code)

        def __getattr__(self, name: str) -> Any:
            return getattr(clients.states, name)

    graph = make(clients=replace(clients, states=States()), engines_attempts=1)
    page = (await tiles(graph))["executions"]
    assert page["nodes"] == []
    assert [one["code"] for one in page["warnings"]] == [told]
    assert "arn:" not in page["warnings"][0]["message"]
