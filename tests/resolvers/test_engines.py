"""What ran inside steps, as the graph shows it: on the demo, with AWS failing, and for whoever may not see it."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from graph.app import create_app, make_services
from graph.demo.identity import LoopbackAdministrator
from graph.demo.insides import BAKE_JOB_ID, FAILING_ITERATION, INSIDES_ID, ITERATIONS
from graph.demo.logs import TILES_STREAM, log_clients
from graph.demo.registrations import PLANTED_SECRETS, REGISTRATIONS_ID
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.settings import Settings
from tests.harness import Graph
from tests.logs.unruly import Recorded, refused
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import deny, everything_but, graph_for, viewer

SETTINGS = Settings(cursor_secrets=["a secret of the tests"])
ONE_QUERY = """
query($id: String!) { execution(executionId: $id) {
  executionId status
  pipelineExecutions { nodes { pipelineExecutionId status } }
  failing: pipelineExecutions(last: 1) { nodes {
    subExecutions(first: 1) { nodes { id resourceType resourceName label status error cause stageSource
      statusWarning { code message }
      batch { jobId logStreamName } deadline { jobId }
      stages(first: 8) { warnings { code message }
       nodes { name type status error path parent { name } attempts visitCount
        iterations { total started succeeded failed aborted }
        visits(last: 63) { nodes { name status attempts error scope { stageName branch branchName iteration }
          history(last: 10) { nodes { eventId type stepName scope { iteration } } } } } } }
      engineExecution { status historyIsComplete statusWarning { code message } stages { warnings { code message } }
        history(last: 10) { nodes { eventId type stepName isAttributed scope { stageName iteration } } } } } } } } } }
"""
SUBS = """
query($id: String!) { execution(executionId: $id) { pipelineExecutions { nodes { subExecutions { totalCount nodes {
  %s } } } } } }
"""


@pytest.fixture
def make(memory: MemoryDatabase) -> Iterator[Callable[..., Graph]]:
    made: list[Graph] = []

    def graph(*, clients: Any = None, **settings: Any) -> Graph:
        chosen = Settings(cursor_secrets=["a secret of the tests"], **settings)
        made.append(Graph(memory, NAMES, chosen, logs=clients))
        return made[-1]

    yield graph
    for one in made:
        one.close()


async def subs(graph: Graph, execution_id: str, fields: str) -> list[Any]:
    data = await graph.data(SUBS % fields, id=execution_id)
    return [sub for step in data["execution"]["pipelineExecutions"]["nodes"] for sub in step["subExecutions"]["nodes"]]


def stages(sub: Any) -> dict[str, Any]:
    return {stage["name"]: stage for stage in sub["stages"]["nodes"]}


async def post(graph_services: Any, document: str, **variables: Any) -> httpx.Response:
    transport = httpx.ASGITransport(create_app(graph_services))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.post("/graphql", json={"query": document, "variables": variables}, timeout=60)


def services(memory: MemoryDatabase, clients: Any, settings: Settings = SETTINGS) -> Any:
    return make_services(settings, memory, NAMES, clients, lambda *_: [LoopbackAdministrator()])


# ------------------------------------------------------------------------------------------------------------ the demo


async def test_one_query_over_http_leads_from_an_execution_to_the_events_of_its_failure(memory: MemoryDatabase) -> None:
    made = services(memory, log_clients())
    response = await post(made, ONE_QUERY, id=INSIDES_ID)
    made.close()
    assert response.status_code == 200
    answer = response.json()
    assert "errors" not in answer
    (failing,) = answer["data"]["execution"]["failing"]["nodes"]
    (assembly,) = failing["subExecutions"]["nodes"]
    assert (assembly["status"], assembly["error"], assembly["statusWarning"]) == ("FAILED", "PartError", None)
    found = stages(assembly)
    assert {name: stage["parent"] and stage["parent"]["name"] for name, stage in found.items()} == {
        "Checks": None,
        "Geometry": "Checks",
        "Materials": "Checks",
        "Assume steel": "Checks",
        "Parts": None,
        "Fetch": "Parts",
        "Convert": "Parts",
        "Report": None,
    }
    assert {name: stage["status"] for name, stage in found.items()} == {
        "Checks": "SUCCEEDED",
        "Geometry": "SUCCEEDED",
        "Materials": "CAUGHT",
        "Assume steel": "SUCCEEDED",
        "Parts": "FAILED",
        "Fetch": "ABORTED",
        "Convert": "FAILED",
        "Report": "NOT_STARTED",
    }
    assert found["Parts"]["iterations"] == {
        "total": ITERATIONS,
        "started": ITERATIONS,
        "succeeded": ITERATIONS - 20,
        "failed": 1,
        "aborted": 19,
    }
    (failed,) = [visit for visit in found["Convert"]["visits"]["nodes"] if visit["status"] == "FAILED"]
    assert failed["scope"] == [
        {"stageName": "Parts", "branch": None, "branchName": None, "iteration": FAILING_ITERATION}
    ]
    assert (failed["attempts"], failed["error"]) == (3, "PartError")
    events = failed["history"]["nodes"]
    assert [event["type"] for event in events] == ["TaskStateEntered", *_tries(3)]
    assert {(event["stepName"], event["scope"][0]["iteration"]) for event in events} == {("Convert", FAILING_ITERATION)}
    around = assembly["engineExecution"]["history"]["nodes"]
    assert len(around) == 10
    assert around[-1]["type"] == "ExecutionFailed"
    assert all(event["isAttributed"] for event in around)


def _tries(count: int) -> list[str]:
    return [f"LambdaFunction{word}" for _ in range(count) for word in ("Scheduled", "Started", "Failed")]


async def test_a_branch_is_told_by_its_place_and_its_first_state(quick: Graph) -> None:
    fields = "label stages { nodes { name visits { nodes { scope { stageName branch branchName } } } } }"
    *_, assembly = await subs(quick, INSIDES_ID, fields)
    (steel,) = stages(assembly)["Assume steel"]["visits"]["nodes"]
    assert steel["scope"] == [{"stageName": "Checks", "branch": 1, "branchName": "Materials"}]


async def test_an_entry_that_was_registered_twice_is_there_once(quick: Graph) -> None:
    found = await subs(quick, REGISTRATIONS_ID, "id label resourceType resourceName")
    assert len(found) == len({sub["id"] for sub in found}) == 8
    assert [(sub["resourceType"], sub["resourceName"]) for sub in found] == [
        ("stepFunctionsExecution", "Convert"),
        ("stepFunctionsExecution", "Texture"),
        ("stepFunctionsExecution", "Legacy"),
        ("batchJob", "0b1c2d3e-4f50-4617-8899-aabbccddeeff"),
        ("batchJob", "1b1c2d3e-4f50-4617-8899-aabbccddeeff"),
        ("ecsTask", None),
        ("emrJob", None),
        ("deadlineCloudJob", found[-1]["resourceName"]),
    ]


async def test_jobs_are_described_and_what_is_not_followed_is_unknown_with_a_reason(quick: Graph) -> None:
    found = await subs(
        quick, REGISTRATIONS_ID, "status stoppedAt statusWarning { code message } engineExecution { id }"
    )
    by_status = [(sub["status"], sub["statusWarning"] and sub["statusWarning"]["code"]) for sub in found]
    assert by_status == [
        *[("UNKNOWN", "RUN_GONE")] * 3,
        ("UNKNOWN", "JOB_GONE"),
        ("SUCCEEDED", None),
        *[("UNKNOWN", "NOT_FOLLOWED")] * 2,
        ("SUCCEEDED", None),
    ]
    assert found[3]["statusWarning"]["message"] == (
        "Batch job status unavailable for 0b1c2d3e-4f50-4617-8899-aabbccddeeff: it is no longer described."
    )
    assert found[5]["statusWarning"]["message"] == (
        "The status of Viewer warm-up is not known: its type is not followed."
    )
    assert [bool(sub["engineExecution"]) for sub in found] == [True] * 3 + [False] * 5


async def test_a_redrive_a_batch_job_and_a_distributed_map(quick: Graph) -> None:
    fields = """stages { nodes { name status attempts redriveCount isDistributed batch { jobId logStreamName }
      mapRun { arn redriveCount counts { total started succeeded failed aborted } } } }
      engineExecution { redriveCount lastRedrivenAt redriveStatus
        history(stepName: "Upload") { nodes { type redriveIndex } } }"""
    publication = (await subs(quick, INSIDES_ID, fields))[0]
    found = stages(publication)
    assert (found["Upload"]["status"], found["Upload"]["attempts"], found["Upload"]["redriveCount"]) == (
        "SUCCEEDED",
        2,
        1,
    )
    assert found["Bake"]["batch"] == {"jobId": BAKE_JOB_ID, "logStreamName": TILES_STREAM}
    counts = {"total": 64, "started": 64, "succeeded": 62, "failed": 1, "aborted": 1}
    assert found["Tiles"]["mapRun"]["counts"] == counts
    assert found["Tiles"]["isDistributed"]
    assert found["Tile"]["status"] == "UNKNOWN"
    run = publication["engineExecution"]
    assert (run["redriveCount"], run["redriveStatus"]) == (1, "NOT_REDRIVABLE")
    assert {event["redriveIndex"] for event in run["history"]["nodes"]} == {0, 1}


async def test_a_long_history_is_read_in_part_and_says_so(quick: Graph) -> None:
    warnings = "warnings { code message }"
    fields = f"""stages {{ {warnings} nodes {{ name status visits {{ {warnings} }} }} }}
      engineExecution {{ historyIsComplete history {{ totalCount {warnings} }} }}"""
    survey = (await subs(quick, INSIDES_ID, fields))[2]
    cut = [{"code": "HISTORY_CUT", "message": "Only 5000 events of the history were read."}]
    assert survey["stages"]["warnings"] == cut
    assert all(stage["visits"]["warnings"] == cut for stage in survey["stages"]["nodes"])
    history = {"totalCount": None, "warnings": cut}
    assert survey["engineExecution"] == {"historyIsComplete": False, "history": history}
    assert stages(survey)["Sum up"]["status"] == "SUCCEEDED"


async def test_an_express_run_has_no_history_and_says_so(quick: Graph) -> None:
    express = (await subs(quick, INSIDES_ID, "stages { totalCount warnings { code message } } stageSource"))[1]
    assert express["stages"]["totalCount"] == 0
    assert express["stageSource"] == "NONE"
    text = "Express executions keep no history; what they logged is in CloudWatch Logs."
    assert {"code": "HISTORY_NOT_KEPT", "message": text} in express["stages"]["warnings"]


async def test_the_run_of_an_execution_itself(quick: Graph) -> None:
    document = """query($id: String!) { execution(executionId: $id) { engineExecution { id engine name flowName status
      execution { executionId } subExecution { id } output statusWarning { code }
      stages { warnings { code } nodes { id name status } } } } }"""
    run = (await quick.data(document, id=SAMPLE_EXECUTION_ID))["execution"]["engineExecution"]
    assert (run["engine"], run["name"], run["flowName"]) == (
        "STEP_FUNCTIONS",
        SAMPLE_EXECUTION_ID,
        "vams-convert-qa-thumb",
    )
    assert (run["status"], run["output"], run["statusWarning"]) == ("SUCCEEDED", {"status": "SUCCEEDED"}, None)
    assert run["stages"]["warnings"] == []
    assert run["execution"] == {"executionId": SAMPLE_EXECUTION_ID}
    assert run["subExecution"] is None
    assert [stage["status"] for stage in run["stages"]["nodes"]] == ["SUCCEEDED"] * 3 + ["NOT_STARTED"]


async def test_the_steps_of_a_machine_come_in_the_order_of_its_definition(quick: Graph) -> None:
    conversion = (await subs(quick, SAMPLE_EXECUTION_ID, "stages { nodes { name status attempts batch { jobId } } }"))[
        0
    ]
    assert [(stage["name"], stage["status"], stage["attempts"]) for stage in conversion["stages"]["nodes"]] == [
        ("Prepare", "SUCCEEDED", 1),
        ("ConvertBatch", "SUCCEEDED", 2),
        ("Done", "SUCCEEDED", 0),
        ("ReportFailure", "NOT_STARTED", 0),
        ("ConversionFailed", "NOT_STARTED", 0),
    ]
    assert stages(conversion)["ConvertBatch"]["batch"] == {"jobId": "j-2"}


# ------------------------------------------------------------------------------------------------------------- paging

HISTORY = """
query($id: ID!, $first: Int, $after: String, $last: Int, $before: String, $step: String, $types: [String!]) {
  node(id: $id) { ... on SubExecution { engineExecution {
    history(first: $first, after: $after, last: $last, before: $before, stepName: $step, types: $types) {
      totalCount edges { cursor node { eventId type stepName } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }
"""


async def history(graph: Graph, sub: str, **arguments: Any) -> Any:
    return (await graph.data(HISTORY, id=sub, **arguments))["node"]["engineExecution"]["history"]


@pytest.mark.parametrize("size", [7, 1000])
async def test_events_are_walked_once_each_from_either_end(quick: Graph, size: int) -> None:
    publication, *_ = await subs(quick, INSIDES_ID, "id")
    for begin, name, cursor, more in (
        ("first", "after", "endCursor", "hasNextPage"),
        ("last", "before", "startCursor", "hasPreviousPage"),
    ):
        found: list[int] = []
        info: Any = {cursor: None, more: True}
        while info[more]:
            page = await history(quick, publication["id"], **{begin: size, name: info[cursor]})
            ids = [edge["node"]["eventId"] for edge in page["edges"]]
            found, info = (found + ids if begin == "first" else ids + found), page["pageInfo"]
        assert found == list(range(1, 25))


async def test_events_are_chosen_by_their_state_and_their_type(quick: Graph) -> None:
    publication, *_ = await subs(quick, INSIDES_ID, "id")
    page = await history(quick, publication["id"], step="Upload", types=["LambdaFunctionFailed", "TaskStateExited"])
    assert [edge["node"]["type"] for edge in page["edges"]] == ["LambdaFunctionFailed", "TaskStateExited"]
    assert page["totalCount"] == 2
    assert (await history(quick, publication["id"], types=[]))["totalCount"] == 0


async def test_a_cursor_of_other_conditions_is_refused(quick: Graph) -> None:
    publication, *_ = await subs(quick, INSIDES_ID, "id")
    page = await history(quick, publication["id"], first=1)
    answer = await quick.ask(HISTORY, id=publication["id"], step="Upload", after=page["edges"][0]["cursor"])
    assert answer.codes == ["INVALID_CURSOR"]


# ------------------------------------------------------------------------------------------------------- cost, bounds


class Given:
    """Step Functions, whose executions were given something else."""

    def __init__(self, states: Any, text: str) -> None:
        self._states, self._text = states, text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._states, name)

    def describe_execution(self, **request: Any) -> Any:
        return self._states.describe_execution(**request) | {"input": self._text}


@pytest.mark.parametrize("levels", [1, 200, 201, 900, 980, 100_000])
async def test_what_a_run_was_given_is_told_however_deep_it_is(memory: MemoryDatabase, levels: int) -> None:
    """What is too deep to be part of a response is a text."""
    clients = log_clients()
    text = "[" * levels + "]" * levels
    made = services(memory, replace(clients, states=Given(clients.states, text)))
    response = await post(made, SUBS % "engineExecution { input }", id=INSIDES_ID)
    made.close()
    assert response.status_code == 200
    first = response.json()["data"]["execution"]["pipelineExecutions"]["nodes"][0]["subExecutions"]["nodes"][0]
    assert first["engineExecution"]["input"] == (json.loads(text) if levels <= 200 else text)


async def test_a_number_that_json_does_not_have_is_null(memory: MemoryDatabase) -> None:
    clients = log_clients()
    text = '{"a": NaN, "b": 1e999, "c": 1180591620717411303424}'
    made = services(memory, replace(clients, states=Given(clients.states, text)))
    response = await post(made, SUBS % "engineExecution { input }", id=INSIDES_ID)
    made.close()
    assert '{"a":null,"b":null,"c":1180591620717411303424}' in response.text


class Faulty:
    """A service that refuses every call, or takes its time over it."""

    def __init__(self, code: str = "", seconds: float = 0) -> None:
        self.code, self.seconds = code, seconds

    def __getattr__(self, name: str) -> Any:
        def call(**_: Any) -> Any:
            time.sleep(self.seconds)
            raise refused(self.code or "InternalFailure", 400 if self.code else 500)

        return call


async def test_everything_is_asked_once_in_an_operation(make: Callable[..., Graph]) -> None:
    clients = log_clients()
    states, batch = Recorded(clients.states), Recorded(clients.batch)
    document = ONE_QUERY.replace(
        "subExecutions {", "more: subExecutions { nodes { status stages { totalCount } } } subExecutions {"
    )
    await make(clients=replace(clients, states=states, batch=batch)).data(document, id=INSIDES_ID)
    asked = [(name, str(sorted(request.items()))) for name, request in states.requests]
    assert len(asked) == len(set(asked))
    assert len(batch.requests) == 0


async def test_batch_jobs_are_described_together(make: Callable[..., Graph]) -> None:
    clients = log_clients()
    batch = Recorded(clients.batch)
    await subs(
        make(clients=replace(clients, batch=batch)),
        REGISTRATIONS_ID,
        "status batch { logStreamName logStreamWarning { code } } statusWarning { code }",
    )
    ((name, request),) = batch.requests
    assert name == "describe_jobs"
    assert len(request["jobs"]) == 2


async def test_an_operation_reads_no_more_pages_than_it_may(make: Callable[..., Graph]) -> None:
    clients = log_clients()
    states = Recorded(clients.states)
    graph = make(clients=replace(clients, states=states), history_pages_per_operation=4)
    found = await subs(graph, INSIDES_ID, "stages { nodes { status } warnings { code message } }")
    assert [name for name, _ in states.requests].count("get_execution_history") == 4
    warnings = [warning for sub in found for warning in sub["stages"]["warnings"]]
    read = [warning["message"] for warning in warnings if warning["code"] == "OPERATION_BUDGET"]
    assert read
    assert all("events of the history were read" in message for message in read)


async def test_stages_beyond_the_bounds_are_not_shown_and_that_is_said(make: Callable[..., Graph]) -> None:
    *_, assembly = await subs(make(stages=3), INSIDES_ID, "stages { totalCount warnings { code message } }")
    assert assembly["stages"]["totalCount"] == 3
    cut = {"code": "STAGES_CUT", "message": "Not shown: 5 states after the first 3."}
    assert assembly["stages"]["warnings"] == [cut]
    *_, assembly = await subs(make(stage_depth=0), INSIDES_ID, "stages { nodes { name } }")
    assert list(stages(assembly)) == ["Checks", "Parts", "Report"]


async def test_a_definition_that_is_too_large_is_not_read_and_that_is_said(
    make: Callable[..., Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.engines.service.MOST_DEFINITION_BYTES", 100)
    *_, assembly = await subs(make(), INSIDES_ID, "stageSource stages { nodes { name } warnings { code message } }")
    assert assembly["stageSource"] == "HISTORY"
    assert set(stages(assembly)) == {"Checks", "Geometry", "Materials", "Assume steel", "Parts", "Fetch", "Convert"}
    (warning,) = assembly["stages"]["warnings"]
    assert warning["code"] == "DEFINITION_UNAVAILABLE"
    assert "at most 100 are read" in warning["message"]


@pytest.mark.parametrize(
    ("faulty", "code"),
    [
        (Faulty("AccessDeniedException"), "AccessDeniedException"),
        (Faulty("ThrottlingException"), "ThrottlingException"),
        (Faulty(seconds=0.5), "TimeBudget"),
    ],
    ids=["denied", "throttled", "timed out"],
)
async def test_with_everything_failing_the_tables_are_still_told_within_the_time(
    memory: MemoryDatabase, faulty: Any, code: str
) -> None:
    seconds = 0.4 if code == "TimeBudget" else 10
    settings = Settings(
        cursor_secrets=["a secret of the tests"],
        engines_budget_seconds=seconds,
        logs_budget_seconds=seconds,
        engines_attempts=2,
        logs_attempts=1,
    )
    clients = replace(log_clients(), states=faulty, batch=faulty, deadline=faulty, logs=faulty)
    made = services(memory, clients, settings)
    begun = time.monotonic()
    response = await post(made, ONE_QUERY, id=INSIDES_ID)
    assert time.monotonic() - begun < 5
    assert response.status_code == 200
    assert "errors" not in response.json()
    execution = response.json()["data"]["execution"]
    assert execution["status"] == "FAILED"
    assert [step["status"] for step in execution["pipelineExecutions"]["nodes"]] == ["SUCCEEDED", "SUCCEEDED", "FAILED"]
    ((sub,),) = (step["subExecutions"]["nodes"] for step in execution["failing"]["nodes"])
    assert (sub["label"], sub["resourceName"], sub["status"]) == ("Assembly", "Assemble", "UNKNOWN")
    assert sub["stages"]["nodes"] == []
    assert sub["engineExecution"]["historyIsComplete"] is False
    of_code = {"AccessDeniedException": "ENGINE_DENIED", "TimeBudget": "OPERATION_BUDGET"}
    for of in (sub, sub["engineExecution"]):
        warnings = [of["statusWarning"], *of["stages"]["warnings"]]
        told = [warning["code"] for warning in warnings if code in warning["message"]]
        throttled = ["ENGINE_UNAVAILABLE", "DEFINITION_UNAVAILABLE", "HISTORY_UNAVAILABLE"]
        assert told == ([of_code[code]] * 3 if code in of_code else throttled)
    jobs = await post(made, SUBS % "resourceType status statusWarning { code message }", id=REGISTRATIONS_ID)
    made.close()
    assert jobs.status_code == 200
    assert "errors" not in jobs.json()
    for step in jobs.json()["data"]["execution"]["pipelineExecutions"]["nodes"]:
        for sub in step["subExecutions"]["nodes"]:
            assert sub["status"] == "UNKNOWN"
            warning = sub["statusWarning"]
            assert code in warning["message"] or warning["code"] == "NOT_FOLLOWED"


# -------------------------------------------------------------------------------------------------------- permissions


async def test_without_the_permission_for_logs_no_arn_no_data_and_no_detail_is_told(memory: MemoryDatabase) -> None:
    document = (
        SUBS
        % """executionArn stateMachineArn status stages { nodes { name resource mapRun { arn } } }
      engineExecution { executionArn stateMachineArn input output flowDefinition status
        history { nodes { type eventDetail } } }"""
    )
    policies = {"user": everything_but(deny("api", "route__path", "ends_with", "/logs"))}
    with graph_for(memory, policies, logs=log_clients()) as graph:
        answer = await graph.ask(document, viewer=viewer("user"), id=INSIDES_ID)
    assert set(answer.codes) == {"FORBIDDEN"}
    assert "arn:" not in str(answer.data)
    assert "SUCCEEDED" in str(answer.data)
    refused_fields = {error["path"][-1] for error in answer.errors}
    assert refused_fields == {
        *("executionArn", "stateMachineArn", "resource", "arn"),
        *("input", "output", "flowDefinition", "eventDetail"),
    }


async def test_what_is_told_is_redacted_and_cut(quick: Graph) -> None:
    fields = """cause stages { nodes { cause visits(last: 100) { nodes { cause } } } } deadline { jobId }
      engineExecution { input history(last: 100) { nodes { eventDetail } } }"""
    found = [*await subs(quick, INSIDES_ID, fields), *await subs(quick, REGISTRATIONS_ID, fields)]
    said = str(found)
    assert not [secret for secret in (*PLANTED_SECRETS, "AQCEAAAAKgAAAAMAAAAA", "Bearer abc") if secret in said]
    assert found[-9]["engineExecution"]["input"] == {"Authorization": "<redacted>", "parts": 200}
    assert "TaskToken=<redacted>" in said
