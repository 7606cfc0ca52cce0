"""What a page of a run asks for: visits found without walking, iterations as rows, events around an event."""

from dataclasses import replace
from typing import Any

import pytest

from graph.demo.insides import FAILING_ITERATION, INSIDES_ID, ITERATIONS
from graph.demo.logs import log_clients
from graph.demo.permissions import AUDITOR, LISTER
from graph.demo.samples import SAMPLE_EXECUTION_ID
from tests.harness import Graph
from tests.logs.unruly import Recorded
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import viewer

MACHINES = """query ($id: String!) { execution(executionId: $id) { pipelineExecutions { nodes { subExecutions { nodes {
    engineExecution { id flowName } } } } } } }"""


async def machine(graph: Graph, name: str) -> str:
    data = await graph.data(MACHINES, id=INSIDES_ID)
    runs = [
        sub["engineExecution"]
        for step in data["execution"]["pipelineExecutions"]["nodes"]
        for sub in step["subExecutions"]["nodes"]
    ]
    return next(str(run["id"]) for run in runs if run is not None and run["flowName"] == name)


async def stages(graph: Graph, name: str, selection: str) -> dict[str, Any]:
    document = f"""query ($id: ID!) {{ node(id: $id) {{ ... on EngineExecution {{ stages {{ nodes {{
        name {selection} }} }} }} }} }}"""
    data = await graph.data(document, id=await machine(graph, name))
    return {stage["name"]: stage for stage in data["node"]["stages"]["nodes"]}


async def test_the_failed_visit_is_found_by_its_status_and_by_its_iteration(quick: Graph) -> None:
    found = await stages(
        quick,
        "Assemble",
        f"""failed: visits(status: [FAILED]) {{ totalCount nodes {{ enteredEventId scope {{ iteration }} }} }}
        there: visits(iteration: {FAILING_ITERATION}) {{ totalCount nodes {{ enteredEventId status }} }}
        both: visits(iteration: 0, status: [FAILED]) {{ totalCount }}
        visits(first: 1000) {{ totalCount nodes {{ status }} }}""",
    )
    failed = found["Convert"]["failed"]["nodes"]
    assert [one["scope"][0]["iteration"] for one in failed] == [FAILING_ITERATION]
    assert found["Convert"]["there"]["nodes"] == [{"enteredEventId": failed[0]["enteredEventId"], "status": "FAILED"}]
    assert found["Convert"]["both"]["totalCount"] == 0
    assert len(found["Convert"]["visits"]["nodes"]) == ITERATIONS - 19
    assert len(found["Fetch"]["visits"]["nodes"]) == ITERATIONS


async def test_visits_of_a_branch_are_those_of_it(quick: Graph) -> None:
    found = await stages(quick, "Assemble", "isStart branch one: visits(branch: 1) { totalCount }")
    assert found["Materials"]["one"]["totalCount"] == 1
    assert found["Geometry"]["one"]["totalCount"] == 0
    assert {name: stage["branch"] for name, stage in found.items() if stage["branch"] is not None} == {
        "Geometry": 0,
        "Materials": 1,
        "Assume steel": 1,
    }
    assert [name for name, stage in found.items() if stage["isStart"]] == ["Checks", "Geometry", "Materials", "Fetch"]


async def test_cursors_of_visits_hold_for_their_filter_alone(quick: Graph) -> None:
    document = """query ($id: ID!, $after: String, $status: [StageStatus!]) { node(id: $id) { ... on Stage {
        visits(first: 2, after: $after, status: $status) { pageInfo { endCursor } nodes { enteredEventId } } } } }"""
    stage = (await stages(quick, "Assemble", "id"))["Convert"]["id"]
    first = await quick.data(document, id=stage, status=["SUCCEEDED"])
    cursor = first["node"]["visits"]["pageInfo"]["endCursor"]
    second = await quick.data(document, id=stage, status=["SUCCEEDED"], after=cursor)
    assert second["node"]["visits"]["nodes"] != first["node"]["visits"]["nodes"]
    assert (await quick.ask(document, id=stage, status=["FAILED"], after=cursor)).codes == ["INVALID_CURSOR"]


async def test_a_visit_is_found_by_the_event_that_opened_it(quick: Graph) -> None:
    found = await stages(
        quick,
        "Assemble",
        "visit(enteredEventId: 2281) { status durationMs tries { error redriveIndex } scope { iteration } }",
    )
    assert found["Convert"]["visit"] == {
        "status": "FAILED",
        "durationMs": 6_300,
        "tries": [{"error": error, "redriveIndex": 0} for error in ("Busy", "Busy", "PartError")],
        "scope": [{"iteration": FAILING_ITERATION}],
    }
    assert found["Fetch"]["visit"] is None


async def test_a_grid_of_iterations_is_one_page(quick: Graph) -> None:
    found = await stages(
        quick,
        "Assemble",
        """iterationRuns(first: 1000) { totalCount nodes { index status durationMs error failedStage { name } } }
        failed: iterationRuns(status: [FAILED]) { nodes { index error failedStage { name } } }
        other: iterationRuns(enteredEventId: 1) { totalCount }""",
    )
    rows = found["Parts"]["iterationRuns"]["nodes"]
    assert [row["index"] for row in rows] == list(range(ITERATIONS))
    assert [row["status"] for row in rows].count("ABORTED") == 19
    assert found["Parts"]["failed"]["nodes"] == [
        {"index": FAILING_ITERATION, "error": "PartError", "failedStage": {"name": "Convert"}}
    ]
    assert found["Parts"]["other"]["totalCount"] == 0
    assert found["Checks"]["iterationRuns"]["nodes"] == []
    tiles = (await stages(quick, "Publish", "iterationRuns { totalCount }"))["Tiles"]
    assert tiles["iterationRuns"]["totalCount"] == 0


async def test_transitions_say_why_and_how_often(quick: Graph) -> None:
    found = await stages(quick, "Assemble", "next { to kind label takenCount }")
    assert found["Materials"]["next"] == [
        {"to": "Assume steel", "kind": "CATCH", "label": "NoSuchMaterial", "takenCount": 1}
    ]
    assert found["Fetch"]["next"] == [{"to": "Convert", "kind": "NEXT", "label": None, "takenCount": ITERATIONS - 19}]
    cut = await stages(quick, "Survey", "next { to takenCount }")
    assert {way["takenCount"] for stage in cut.values() for way in stage["next"]} == {None}


AROUND = """query ($id: ID!, $around: BigInt!, $first: Int, $types: [String!], $name: String) { node(id: $id) {
    ... on EngineExecution { history(around: $around, first: $first, types: $types, stepName: $name) {
    nodes { eventId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } shortPageReason } } } }"""


async def around(graph: Graph, name: str, event: int, **variables: Any) -> tuple[list[int], bool, bool]:
    data = await graph.data(AROUND, id=await machine(graph, name), around=event, **variables)
    page = data["node"]["history"]
    info = page["pageInfo"]
    return [node["eventId"] for node in page["nodes"]], info["hasPreviousPage"], info["hasNextPage"]


async def test_the_event_is_in_the_middle_of_the_page(quick: Graph) -> None:
    assert await around(quick, "Assemble", 2290, first=5) == ([2288, 2289, 2290, 2291, 2292], True, True)
    assert await around(quick, "Assemble", 2290, first=4) == ([2288, 2289, 2290, 2291], True, True)
    assert await around(quick, "Assemble", 2290, first=1) == ([2290], True, True)
    assert await around(quick, "Assemble", 2290, first=0) == ([], True, True)
    assert len((await around(quick, "Assemble", 2290))[0]) == 20


async def test_at_the_ends_the_page_is_full_all_the_same(quick: Graph) -> None:
    assert await around(quick, "Assemble", 1, first=4) == ([1, 2, 3, 4], False, True)
    assert await around(quick, "Assemble", -7, first=2) == ([1, 2], False, True)
    last = (await around(quick, "Assemble", 2**53 - 1, first=1000))[0][-1]
    assert await around(quick, "Assemble", last, first=3) == ([last - 2, last - 1, last], True, False)
    assert await around(quick, "Assemble", 2**53 - 1, first=3) == ([last - 2, last - 1, last], True, False)


async def test_of_those_that_are_asked_for_the_nearest_is_in_the_middle(quick: Graph) -> None:
    failed = (await around(quick, "Assemble", 1, first=1000, types=["LambdaFunctionFailed"]))[0]
    for event in (failed[3] - 1, failed[3], failed[3] + 1):
        found = await around(quick, "Assemble", event, first=3, types=["LambdaFunctionFailed"])
        assert found == (failed[2:5], True, True)
    assert await around(quick, "Assemble", 5, types=["Nothing"]) == ([], False, False)


async def test_events_around_one_that_was_not_read_are_read_then(quick: Graph) -> None:
    """Of the loop's 6,303 events those in the middle are left out of the first reading."""
    found, before, behind = await around(quick, "Survey", 1_500, first=7)
    assert (found, before, behind) == (list(range(1_497, 1_504)), True, True)


async def test_a_page_goes_on_from_its_cursors(quick: Graph) -> None:
    run = await machine(quick, "Assemble")
    data = await quick.data(AROUND, id=run, around=100, first=3)
    info = data["node"]["history"]["pageInfo"]
    document = """query ($id: ID!, $after: String, $before: String) { node(id: $id) { ... on EngineExecution {
        next: history(first: 2, after: $after) { nodes { eventId } }
        back: history(last: 2, before: $before) { nodes { eventId } } } } }"""
    more = await quick.data(document, id=run, after=info["endCursor"], before=info["startCursor"])
    assert [node["eventId"] for node in more["node"]["next"]["nodes"]] == [102, 103]
    assert [node["eventId"] for node in more["node"]["back"]["nodes"]] == [97, 98]


@pytest.mark.parametrize("beside", ['after: "x"', 'before: "x"', "last: 1", "first: 1001", "first: -1"])
async def test_around_goes_with_first_alone(quick: Graph, beside: str) -> None:
    document = f"""query ($id: ID!) {{ node(id: $id) {{ ... on EngineExecution {{
        history(around: 5, {beside}) {{ nodes {{ type }} }} }} }} }}"""
    assert (await quick.ask(document, id=await machine(quick, "Assemble"))).codes == ["BAD_USER_INPUT"]


async def test_a_step_leads_to_its_state_and_names_its_job(quick: Graph) -> None:
    document = """query ($id: String!) { execution(executionId: $id) { pipelineExecutions { nodes { jobName
        stage { name type status engineExecution { subExecution { id } } } } } } }"""
    data = await quick.data(document, id=SAMPLE_EXECUTION_ID)
    steps = data["execution"]["pipelineExecutions"]["nodes"]
    assert [step["jobName"] for step in steps] == ["convert", "quality", "thumbs"]
    assert [step["stage"]["name"] for step in steps] == ["convert", "quality", "thumbs"]
    assert {step["stage"]["status"] for step in steps} == {"SUCCEEDED"}
    assert {step["stage"]["engineExecution"]["subExecution"] for step in steps} == {None}


@pytest.mark.parametrize(
    ("user", "details", "metadata"), [(None, True, True), (AUDITOR, True, False), (LISTER, False, False)]
)
async def test_rows_of_a_list_tell_what_else_may_be_read(
    quick: Graph, user: str | None, details: bool, metadata: bool
) -> None:
    document = "{ executions(first: 3) { nodes { viewerCanReadDetails viewerCanReadMetadata } } }"
    answer = await quick.ask(document, viewer=viewer(user) if user is not None else None)
    assert answer.codes == []
    assert answer.data is not None
    expected = {"viewerCanReadDetails": details, "viewerCanReadMetadata": metadata}
    assert answer.data["executions"]["nodes"] == [expected] * 3


LAST = '{ execution(executionId: "%s") { engineExecution { lastEventId history(last: 1) { nodes { eventId } } } } }'


@pytest.mark.parametrize("execution_id", [SAMPLE_EXECUTION_ID, INSIDES_ID])
async def test_the_newest_event_is_told(quick: Graph, execution_id: str) -> None:
    run = (await quick.data(LAST % execution_id))["execution"]["engineExecution"]
    assert run["lastEventId"] == run["history"]["nodes"][0]["eventId"] > 1


async def test_the_newest_event_takes_one_page_of_one_event(memory: MemoryDatabase) -> None:
    clients = log_clients()
    states = Recorded(clients.states)
    graph = Graph(memory, NAMES, logs=replace(clients, states=states))
    document = LAST.replace(" history(last: 1) { nodes { eventId } }", "") % SAMPLE_EXECUTION_ID
    assert (await graph.data(document))["execution"]["engineExecution"]["lastEventId"] > 1
    graph.close()
    ((name, request),) = states.requests
    assert (name, request["maxResults"], request["reverseOrder"]) == ("get_execution_history", 1, True)
