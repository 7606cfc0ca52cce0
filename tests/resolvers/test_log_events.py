import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.aws.clients import ActingDeadlineClient, Clients
from graph.demo.cloudwatch import EmbeddedLogs
from graph.demo.database import EmbeddedDatabase
from graph.demo.logs import BAKE_STREAM, QUALITY_LINES, EmbeddedBatch, log_clients
from graph.demo.registrations import PLANTED_SECRETS, REGISTRATIONS_ID, SECRETS_ID
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.errors import MalformedValue
from graph.logs.lines import Allowance, Line, LineWindow, Mark, Span
from graph.logs.reading import LineReader, LogReading
from graph.resolvers.log_events import LinesWanted
from graph.settings import Settings
from graph.tables.records.executions import ExecutionRow
from tests.harness import Graph
from tests.logs.unruly import Recorded
from tests.memory import MemoryDatabase
from tests.worlds import deny, everything_but, graph_for, viewer

CONVERT, QUALITY, _ = SAMPLE_STEP_IDS
QUALITY_LOG, CONVERTER_LOG = "633b4a30ee6b3dff", "ecd4e27db623e44c"

SOURCE = """
query($step: String!, $log: String!, $first: Int, $after: String, $last: Int, $before: String, $filterPattern: String,
      $from: DateTime, $to: DateTime) {
  pipelineExecution(pipelineExecutionId: $step) { registeredLog(logId: $log) {
    events(first: $first, after: $after, last: $last, before: $before, filterPattern: $filterPattern,
           from: $from, to: $to) {
      edges { cursor node { time message } } status warnings { code message subject { id } } shortPageReason
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } } } }
"""
STEP = """
query($step: String!, $stageName: String, $first: Int, $after: String, $last: Int, $before: String) {
  pipelineExecution(pipelineExecutionId: $step) {
    availableLogs(first: 100) { nodes { logId events(first: 1000) { nodes { time message } } } }
    logEvents(stageName: $stageName, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { time message logGroupName logStreamName source { logId } } }
    status warnings { code message subject { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } } }
"""
RUN = """
query($id: String!, $first: Int, $after: String, $last: Int) { execution(executionId: $id) {
  logEvents(first: $first, after: $after, last: $last) {
    edges { cursor node { time message logGroupName source { logId } } }
    status warnings { code message subject { id } }
    pageInfo { hasNextPage endCursor }
  } } }
"""
STEP_SOURCES = """
query($id: String!) { execution(executionId: $id) { pipelineExecutions { nodes { pipelineExecutionId
  availableLogs(first: 100) { nodes { id logId label kind
    events(last: 20) { status warnings { code message subject { id } } nodes { message } } } } } } } }
"""


@pytest.fixture
def make(database: EmbeddedDatabase) -> Iterator[Callable[..., Graph]]:
    made: list[Graph] = []

    def graph(logs: Clients | None = None, **settings: Any) -> Graph:
        chosen = Settings(cursor_secrets=["a secret of the tests"], **settings)
        made.append(Graph(database.client, database.names, chosen, logs=logs))
        return made[-1]

    yield graph
    for one in made:
        one.close()


async def source(graph: Graph, step: str = QUALITY, log: str = QUALITY_LOG, **arguments: Any) -> Any:
    data = await graph.data(SOURCE, step=step, log=log, **arguments)
    return data["pipelineExecution"]["registeredLog"]["events"]


async def step(graph: Graph, step_id: str = CONVERT, **arguments: Any) -> Any:
    return (await graph.data(STEP, step=step_id, **arguments))["pipelineExecution"]


async def run(graph: Graph, execution_id: str = SAMPLE_EXECUTION_ID, **arguments: Any) -> Any:
    return (await graph.data(RUN, id=execution_id, **arguments))["execution"]["logEvents"]


def messages(events: Any) -> list[str]:
    return [edge["node"]["message"] for edge in events["edges"]]


def events_of(data: Any, label: str) -> Any:
    steps = data["execution"]["pipelineExecutions"]["nodes"]
    return next(log["events"] for one in steps for log in one["availableLogs"]["nodes"] if log["label"] == label)


async def test_one_query_gives_the_sources_of_each_step_with_their_status_and_last_lines(graph: Graph) -> None:
    page = (Path(__file__).parents[2] / "docs" / "logs.md").read_text()
    data = await graph.data(page.split("```graphql\n")[1].split("```")[0])
    logs = [log for one in data["execution"]["pipelineExecutions"]["nodes"] for log in one["availableLogs"]["nodes"]]
    assert {log["label"]: (log["events"]["status"], len(log["events"]["nodes"])) for log in logs} == {
        "vams-vamsExecuteConv": ("READ", 2),
        "Conversion state machine": ("READ", 3),
        "Converter container": ("UNSCOPED", 20),
        "vams-vamsExecuteQuality": ("READ", 2),
        "Quality container": ("READ", 20),
        "vams-vamsExecuteThumb": ("READ", 2),
    }
    quality = next(log for log in logs if log["label"] == "Quality container")
    assert quality["events"]["nodes"][-1]["message"] == "report written to reports/qa.json"


async def test_all_lines_of_a_source_are_walked_from_either_end(graph: Graph) -> None:
    for size, after, begins in (("first", "after", "endCursor"), ("last", "before", "startCursor")):
        walked: list[str] = []
        arguments: dict[str, Any] = {size: 1000}
        for _ in range(QUALITY_LINES // 1000):
            events = await source(graph, **arguments)
            walked = walked + messages(events) if size == "first" else messages(events) + walked
            arguments[after] = events["pageInfo"][begins]
        assert not events["pageInfo"]["hasNextPage" if size == "first" else "hasPreviousPage"]
        assert len(walked) == len(set(walked)) == QUALITY_LINES
        assert walked[0].startswith("face 00000")
        assert walked[-1] == "report written to reports/qa.json"


async def test_a_line_has_one_cursor_whichever_call_read_it(graph: Graph) -> None:
    tail = await source(graph, last=30)
    before = tail["edges"][0]["cursor"]
    forward = await source(graph, first=29, after=before)
    assert forward["edges"] == tail["edges"][1:]
    assert not forward["pageInfo"]["hasNextPage"]
    assert forward["pageInfo"]["hasPreviousPage"]
    earlier = await source(graph, last=5, before=before)
    again = await source(graph, first=6, after=earlier["edges"][0]["cursor"])
    assert again["edges"][:4] == earlier["edges"][1:]
    assert again["edges"][4] == tail["edges"][0]


async def test_a_text_and_instants_choose_lines(graph: Graph) -> None:
    found = await source(graph, filterPattern='face 0123"', first=100)
    assert [message[:10] for message in messages(found)] == [f"face {n:05}" for n in range(1230, 1240)]
    some = await source(graph, **{"from": "2026-07-14T09:39:48.501Z", "to": "2026-07-14T09:39:48.501Z"})
    assert messages(some) == ["qaScore 0.97"]
    none = await source(graph, **{"from": "2026-07-14T09:40:00.000Z", "to": "2026-07-14T09:39:00.000Z"})
    assert (none["edges"], none["status"], none["pageInfo"]["hasNextPage"]) == ([], "EMPTY", False)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"first": 1001}, "BAD_USER_INPUT"),
        ({"last": -1}, "BAD_USER_INPUT"),
        ({"first": 1, "last": 1}, "BAD_USER_INPUT"),
        ({"from": "2026-07-14T09:40:00"}, "BAD_USER_INPUT"),
        ({"filterPattern": "x" * 501}, "BAD_USER_INPUT"),
        ({"after": "nonsense"}, "INVALID_CURSOR"),
    ],
)
async def test_what_cannot_be_served_is_refused_for_the_field_alone(
    make: Callable[..., Graph], arguments: dict[str, Any], code: str
) -> None:
    logs = Recorded(log_clients().logs)
    answer = await make(Clients(logs, Untouchable(), Untouchable(), Untouchable())).ask(
        SOURCE, step=QUALITY, log=QUALITY_LOG, **arguments
    )
    assert answer.codes == [code]
    assert answer.data == {"pipelineExecution": {"registeredLog": {"events": None}}}
    assert logs.requests == []


@pytest.mark.parametrize("fields", ["time message", "time message logStreamName"])
async def test_a_thousand_lines_with_cursors_are_at_most_twice_those_without(graph: Graph, fields: str) -> None:
    asked = """query ($step: String!, $log: String!) { pipelineExecution(pipelineExecutionId: $step) {
      registeredLog(logId: $log) { events(first: 1000) { %s } } } }"""
    sizes = []
    for rows in (f"nodes {{ {fields} }}", f"edges {{ cursor node {{ {fields} }} }}"):
        data = await graph.data(asked % rows, step=QUALITY, log=QUALITY_LOG)
        (lines,) = data["pipelineExecution"]["registeredLog"]["events"].values()
        assert len(lines) == 1000
        sizes.append(len(json.dumps(lines, separators=(",", ":"))))
    without, with_cursors = sizes
    assert with_cursors <= 2 * without


async def test_a_cursor_is_good_for_one_log_and_filter_only(graph: Graph) -> None:
    cursor = (await source(graph, first=1))["pageInfo"]["endCursor"]
    for other in (
        {"filterPattern": "face"},
        {"from": "2026-07-14T09:00:00.000Z"},
        {"step": CONVERT, "log": CONVERTER_LOG},
    ):
        answer = await graph.ask(SOURCE, **{"step": QUALITY, "log": QUALITY_LOG, "after": cursor, **other})
        assert answer.codes == ["INVALID_CURSOR"]


class Untouchable:
    """Clients that nothing may be asked of."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was called")


@pytest.mark.parametrize("way", ["/logs", "/details"])
async def test_without_the_permission_nothing_is_asked_of_aws_and_nothing_is_learnt(
    memory: MemoryDatabase, way: str
) -> None:
    document = """query($id: String!) { execution(executionId: $id) { logEvents(after: "x") { status }
      pipelineExecutions { nodes { logEvents(first: 5000) { status }
        availableLogs { nodes { events(filterPattern: "x") { nodes { message } status } } } } } } }"""
    logs = Clients(Untouchable(), Untouchable(), Untouchable(), log_clients().states)
    policies = {"user": everything_but(deny("api", "route__path", "ends_with", way))}
    with graph_for(memory, policies, logs=logs) as graph:
        for execution_id in (SAMPLE_EXECUTION_ID, REGISTRATIONS_ID):
            answer = await graph.ask(document, viewer=viewer("user"), id=execution_id)
            assert answer.data is not None
            if way == "/details":
                assert answer.data["execution"] is None
                continue
            assert answer.data["execution"]["logEvents"] is None
            for one in answer.data["execution"]["pipelineExecutions"]["nodes"]:
                assert one["logEvents"] is None
                assert all(log["events"] is None for log in one["availableLogs"]["nodes"])
            assert set(answer.codes) == {"FORBIDDEN"}
            assert {error["message"] for error in answer.errors} == {"Not permitted."}


async def test_no_planted_secret_leaves(graph: Graph) -> None:
    seen = ""
    for execution_id in (SAMPLE_EXECUTION_ID, SECRETS_ID):
        document = """query($id: String!) { execution(executionId: $id) { logEvents(first: 1000) { nodes { message } }
          pipelineExecutions { nodes { logEvents(first: 1000) { nodes { message } }
            availableLogs { nodes { events(first: 1000) { nodes { message } } } } } } } }"""
        seen += str(await graph.data(document, id=execution_id))
    assert seen.count("<redacted>") > 10
    assert [secret for secret in PLANTED_SECRETS if secret in seen] == []


async def test_a_source_that_fails_leaves_the_others(graph: Graph) -> None:
    data = await graph.data(STEP_SOURCES, id=REGISTRATIONS_ID)
    convert, render = (one["availableLogs"]["nodes"] for one in data["execution"]["pipelineExecutions"]["nodes"])
    assert [log["events"]["status"] for log in convert] == [
        *("EMPTY", "READ", "READ", "READ", "READ", "NOT_FOUND", "NOT_FOUND", "DENIED"),
    ]
    (denied,) = convert[-1]["events"]["warnings"]
    assert denied == {
        "code": "LOG_DENIED",
        "message": "Sub-process log retrieval failed for /old/convert: AccessDeniedException.",
        "subject": {"id": convert[-1]["id"]},
    }
    statuses = [log["events"]["status"] for log in render]
    assert statuses == ["READ", *["NOT_FOUND"] * 20, *["SKIPPED"] * 30]
    text = "Only the first 20 of 50 registered logs were read."
    skipped = {"code": "LOG_SKIPPED", "message": text, "subject": {"id": render[-1]["id"]}}
    assert render[-1]["events"]["warnings"] == [skipped]


async def test_a_source_that_is_skipped_among_many_is_read_alone(graph: Graph) -> None:
    data = await graph.data(STEP_SOURCES, id=REGISTRATIONS_ID)
    render = data["execution"]["pipelineExecutions"]["nodes"][1]
    last = render["availableLogs"]["nodes"][-1]
    events = await source(graph, render["pipelineExecutionId"], last["logId"])
    assert events["status"] == "NOT_FOUND"


async def test_how_many_registered_sources_are_read_is_a_setting(make: Callable[..., Graph]) -> None:
    data = await make(logs_registered=1).data(STEP_SOURCES, id=SAMPLE_EXECUTION_ID)
    convert = data["execution"]["pipelineExecutions"]["nodes"][0]["availableLogs"]["nodes"]
    assert [log["events"]["status"] for log in convert] == ["READ", "READ", "SKIPPED"]


@pytest.mark.parametrize(("size", "cursor"), [("first", "endCursor"), ("last", "startCursor")])
async def test_when_the_time_is_over_nothing_is_asked_and_everything_may_follow(
    make: Callable[..., Graph], size: str, cursor: str
) -> None:
    logs = Recorded(log_clients().logs)
    asked: dict[str, Any] = {size: 3}
    late = make(Clients(logs, Untouchable(), Untouchable(), Untouchable()), logs_budget_seconds=1e-9)
    events = await source(late, **asked)
    assert (events["edges"], events["shortPageReason"], logs.requests) == ([], "TIME_BUDGET", [])
    assert events["pageInfo"]["hasNextPage" if size == "first" else "hasPreviousPage"]
    on_time = make()
    after = {"first": "after", "last": "before"}[size]
    again = await source(on_time, **asked, **{after: events["pageInfo"][cursor]})
    assert messages(again) == messages(await source(on_time, **asked))


async def test_a_resolved_batch_stream_is_read_whole(make: Callable[..., Graph]) -> None:
    clients = log_clients()
    logs = Recorded(clients.logs)
    await make(replace(clients, logs=logs)).data(STEP_SOURCES, id=REGISTRATIONS_ID)
    assert BAKE_STREAM in [request.get("logStreamName") for name, request in logs.requests if name == "get_log_events"]


class BatchOfSeveralContainers(EmbeddedBatch):
    """AWS Batch, where a job ran two containers, and where the earlier attempt's have left no stream."""

    def describe_jobs(self, *, jobs: Sequence[str]) -> Any:
        containers = [{"name": "bake", "logStreamName": BAKE_STREAM}, {"name": "proxy", "logStreamName": "proxy/1"}]
        earlier = [{"containers": [{"logStreamName": "bake/0"}]}]
        tasks = {"taskProperties": [{"containers": containers}]}
        return {
            "jobs": [{"jobId": job, "ecsProperties": tasks, "attempts": [{"taskProperties": earlier}]} for job in jobs]
        }


async def test_the_streams_of_a_job_of_several_containers_are_read_but_for_those_that_do_not_exist(
    make: Callable[..., Graph],
) -> None:
    data = await make(replace(log_clients(), batch=BatchOfSeveralContainers())).data(STEP_SOURCES, id=REGISTRATIONS_ID)
    before = await make().data(STEP_SOURCES, id=REGISTRATIONS_ID)
    baked, alone = (events_of(one, "Baking") for one in (data, before))
    assert baked["status"] == alone["status"] == "READ"
    assert baked["nodes"] == alone["nodes"] != []
    assert [warning["message"] for warning in baked["warnings"]] == ["Without a line, or deleted: proxy/1, bake/0."]


async def test_a_session_that_has_not_written_yet_hides_no_other(make: Callable[..., Graph]) -> None:
    class OneMore:
        def list_sessions(self, **request: Any) -> Any:
            answer = log_clients().deadline.list_sessions(**request)
            begun = {"sessionId": "session-begun", "startedAt": datetime(2030, 1, 1, tzinfo=UTC)}
            return {"sessions": [begun, *answer["sessions"]][:5]}

    logs = replace(log_clients(), deadline=cast("ActingDeadlineClient", OneMore()))
    events = events_of(await make(logs).data(STEP_SOURCES, id=REGISTRATIONS_ID), "Deadline Cloud job sessions")
    assert events["status"] == "READ"
    messages = [warning["message"] for warning in events["warnings"]]
    assert messages == ["Without a line, or deleted: session-begun."]
    assert events["nodes"]


async def test_the_logs_of_a_step_are_one_list_by_time(graph: Graph) -> None:
    whole = await step(graph, first=1000)
    events = whole["logEvents"]
    times = [edge["node"]["time"] for edge in events["edges"]]
    assert len(times) == 412
    assert times == sorted(times, key=datetime.fromisoformat)
    by_source: dict[str | None, list[str]] = {}
    for edge in events["edges"]:
        origin = edge["node"]["source"]
        by_source.setdefault(origin and origin["logId"], []).append(edge["node"]["message"])
    assert len(by_source.pop(None)) == 3
    assert by_source == {
        log["logId"]: [node["message"] for node in log["events"]["nodes"]] for log in whole["availableLogs"]["nodes"]
    }


@pytest.mark.parametrize(
    ("size", "after", "cursor"), [("first", "after", "endCursor"), ("last", "before", "startCursor")]
)
async def test_the_logs_of_a_step_are_walked_from_either_end(graph: Graph, size: str, after: str, cursor: str) -> None:
    whole = (await step(graph, first=1000))["logEvents"]["edges"]
    walked: list[Any] = []
    arguments: dict[str, Any] = {size: 37}
    more = True
    while more:
        events = (await step(graph, **arguments))["logEvents"]
        walked = walked + events["edges"] if size == "first" else events["edges"] + walked
        more = events["pageInfo"]["hasNextPage" if size == "first" else "hasPreviousPage"]
        arguments[after] = events["pageInfo"][cursor]
    assert walked == whole


async def test_a_stage_has_its_own_sources_alone(graph: Graph) -> None:
    events = (await step(graph, stageName="ConvertBatch", first=1000))["logEvents"]
    assert {edge["node"]["source"]["logId"] for edge in events["edges"]} == {CONVERTER_LOG}
    assert events["status"] == "UNSCOPED"
    nothing = (await step(graph, stageName="Elsewhere"))["logEvents"]
    assert (nothing["edges"], nothing["status"], nothing["warnings"]) == ([], "EMPTY", [])


async def test_a_merged_page_says_what_could_not_be_read(graph: Graph) -> None:
    data = await graph.data(STEP_SOURCES, id=REGISTRATIONS_ID)
    steps = data["execution"]["pipelineExecutions"]["nodes"]
    convert = await step(graph, steps[0]["pipelineExecutionId"], first=5)
    assert convert["logEvents"]["status"] == "READ"
    codes = sorted(warning["code"] for warning in convert["logEvents"]["warnings"])
    assert codes == ["LINES_LEFT_OUT", "LOG_DENIED", *["LOG_NOT_FOUND"] * 4]
    render = await step(graph, steps[1]["pipelineExecutionId"], first=5)
    text = "Only the first 20 of 50 registered logs were read."
    assert {"code": "LOG_SKIPPED", "message": text, "subject": None} in render["logEvents"]["warnings"]


async def test_the_lines_of_a_run_are_those_of_the_shared_group(graph: Graph) -> None:
    events = await run(graph, first=3)
    assert events["status"] == "READ"
    assert {edge["node"]["logGroupName"] for edge in events["edges"]} == {"/aws/vendedlogs/VAMSWorkflowExecutions-prod"}
    rest = await run(graph, first=100, after=events["pageInfo"]["endCursor"])
    assert messages(events) + messages(rest) == messages(await run(graph, first=100))
    assert not rest["pageInfo"]["hasNextPage"]


class Histories:
    """An engine that keeps a history of ten events."""

    def history(self, execution: ExecutionRow, span: Span, text: str) -> LineReader:
        class Reader:
            async def read(self, window: LineWindow, allowance: Allowance) -> LogReading:
                marks = [Mark(span.low + n, 0, n) for n in range(10)]
                lines = [Line(mark, f"event {n}", None) for n, mark in enumerate(marks) if window.wants(mark)]
                return LogReading(lines[:: 1 if window.forward else -1][: window.count + 1])

        return Reader()

    async def batch_streams(self, entries: Any, stage: str) -> tuple[str, ...]:
        return ()


async def test_a_run_without_lines_has_its_history(database: EmbeddedDatabase) -> None:
    graph = Graph(database.client, database.names, logs=replace(log_clients(), logs=EmbeddedLogs(())))
    graph.services.logs.engines = Histories()
    quiet = await graph.data("{ executions(first: 1, filter: {status: [FAILED]}) { nodes { executionId } } }")
    execution_id = quiet["executions"]["nodes"][0]["executionId"]
    events = await run(graph, execution_id, first=4)
    assert messages(events) == ["event 0", "event 1", "event 2", "event 3"]
    assert events["edges"][0]["node"]["logGroupName"] is None
    rest = await run(graph, execution_id, first=10, after=events["pageInfo"]["endCursor"])
    assert messages(rest) == [f"event {n}" for n in range(4, 10)]
    graph.close()


async def test_a_cursor_stays_with_the_group_or_the_history(graph: Graph) -> None:
    end = (await run(graph, first=100))["pageInfo"]["endCursor"]
    graph.services.logs.engines = Histories()
    assert messages(await run(graph, first=4, after=end)) == []


def dated(started: object, stopped: object) -> Any:
    return SimpleNamespace(started_at=started, stopped_at=stopped)


def test_the_time_of_a_run_is_searched_with_a_margin() -> None:
    run = dated(datetime(2026, 7, 14, 9, 30, tzinfo=UTC), datetime(2026, 7, 14, 9, 41, 12, tzinfo=UTC))
    low, high = LinesWanted().span(run)
    assert datetime.fromtimestamp(low / 1000, UTC) == datetime(2026, 7, 14, 9, 25, tzinfo=UTC)
    assert datetime.fromtimestamp(high / 1000, UTC) == datetime(2026, 7, 14, 10, 41, 12, tzinfo=UTC)


def test_a_run_that_goes_on_is_searched_to_now() -> None:
    assert LinesWanted().span(dated(None, None)).low == 0
    assert LinesWanted().span(dated(None, None)).high > time.time() * 1000


def test_instants_between_two_milliseconds_leave_out_what_is_outside() -> None:
    wanted = LinesWanted(None, datetime(2026, 1, 1, 0, 0, 0, 1500, UTC), datetime(2026, 1, 1, 0, 0, 0, 3500, UTC))
    low, high = wanted.span(dated(None, None))
    assert (low % 1000, high % 1000) == (2, 3)


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_no_date_is_beyond_searching(first: datetime, second: datetime) -> None:
    assert min(LinesWanted().span(dated(first, second))) >= 0
    assert min(LinesWanted(None, first, second).span(dated(MalformedValue("x"), None))) >= 0
