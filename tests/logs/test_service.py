"""How each kind of source is read: which calls are made, and with what."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.demo.cloudwatch import EmbeddedLogs, Written
from graph.logs.lines import LineWindow, Span
from graph.logs.reading import LogReading, LogReadStatus
from graph.logs.scope import Owner
from graph.logs.service import Logs, OperationLogs, Target
from graph.logs.sources import DeadlineJob, LogKind, LogSource, LogSourceType
from tests.harness import told
from tests.logs.unruly import ARN, Calls, Recorded, refused

RUN, STEP = "9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65", "1a2b3c4d5e6f47089a0b1c2d3e4f5061"
BOTH = f'"{RUN}" "{STEP}"'
OWNER = Owner(RUN, STEP, ("vams-thumbnail/default/",))
SPAN = Span(1_000, 9_000)
SEARCH = {"startTime": 1_000, "endTime": 9_000, "limit": 45}


class Batch:
    def __init__(self, *jobs: Mapping[str, Any]) -> None:
        self.jobs = jobs

    def describe_jobs(self, *, jobs: Sequence[str]) -> Any:
        return {"jobs": [job for job in self.jobs if job["jobId"] in jobs]}


class Deadline:
    def __init__(self, *sessions: Mapping[str, Any]) -> None:
        self.sessions = sessions

    def get_job(self, **_: Any) -> Any:
        raise AssertionError("reading logs describes no job of Deadline Cloud")

    def list_sessions(self, **_: Any) -> Any:
        return {"sessions": list(self.sessions)}


class Refusing:
    def __init__(self, code: str) -> None:
        self.code = code

    def __getattr__(self, name: str) -> Any:
        def call(**_: Any) -> Any:
            raise refused(self.code)

        return call


class Everything:
    """Every group and stream, all of them empty."""

    def filter_log_events(self, **_: Any) -> Any:
        return {"events": []}

    def get_log_events(self, **request: Any) -> Any:
        return {"events": [], "nextBackwardToken": request.get("nextToken", "end")}


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=1)
    yield caller
    caller.close()


def source(group: str, **changes: Any) -> LogSource:
    settings: dict[str, Any] = {
        "kind": LogKind.REGISTERED,
        "label": "A log",
        "source_type": LogSourceType.CUSTOM,
        "stage_name": None,
        "log_group_name": group,
        "log_stream_name": None,
        "log_stream_prefix": None,
        "log_group_arn": ARN + group,
        "is_registered": True,
    }
    return LogSource(**(settings | changes))


def batch(stage: str | None = None, prefix: str = "vams-thumbnail/default/") -> LogSource:
    return source(
        "/aws/batch/job", source_type=LogSourceType.BATCH, log_stream_prefix=prefix, stage_name=stage, label="Thumbs"
    )


def job(job_id: str, stream: str | None = None, *attempts: str) -> Mapping[str, Any]:
    return {
        "jobId": job_id,
        "container": {"logStreamName": stream} if stream else {},
        "attempts": [{"container": {"logStreamName": name}} for name in attempts],
    }


def registered(job_id: str, stage: str = "") -> dict[str, str]:
    return {"resourceType": "batchJob", "jobId": job_id, "stageName": stage}


async def read(
    caller: Caller,
    of: LogSource,
    *,
    logs: Any = None,
    batch: Any = None,
    deadline: Any = None,
    entries: Sequence[dict[str, Any]] = (),
    text: str | None = None,
    forward: bool = True,
    engines: Any = None,
) -> tuple[Target, LogReading | None, list[tuple[str, dict[str, Any]]]]:
    client = Recorded(logs or Everything())
    jobs: Any = batch or Batch()
    farm: Any = deadline or Deadline()
    clients = Clients(client, jobs, farm, Refusing("AccessDeniedException"))
    target = await Logs(clients, caller, engines).of_source(of, OWNER, entries, SPAN, text)
    reading = await target.reader.read(LineWindow(20, forward), Calls()) if target.reader else None
    return target, reading, client.requests


@pytest.mark.parametrize(
    ("of", "request_"),
    [
        (
            source("/aws/lambda/thumb", kind=LogKind.INVOCATION, is_registered=False),
            {"logGroupIdentifier": f"{ARN}/aws/lambda/thumb", "filterPattern": f'"{RUN}"'},
        ),
        (
            source("/ecs/viewer", log_stream_name="web/1"),
            {"logGroupIdentifier": f"{ARN}/ecs/viewer", "logStreamNames": ["web/1"]},
        ),
        (
            source("/aws/batch/job", source_type=LogSourceType.BATCH, log_stream_name="job/1"),
            {"logGroupIdentifier": f"{ARN}/aws/batch/job", "logStreamNames": ["job/1"]},
        ),
        (
            source("/studio", log_stream_prefix="a/"),
            {"logGroupIdentifier": f"{ARN}/studio", "logStreamNamePrefix": "a/", "filterPattern": BOTH},
        ),
        (source("/studio"), {"logGroupIdentifier": f"{ARN}/studio", "filterPattern": BOTH}),
        (
            source("/aws/vendedlogs/VAMSstateMachine-X", kind=LogKind.SUB_STATE_MACHINE, is_registered=False),
            {"logGroupIdentifier": f"{ARN}/aws/vendedlogs/VAMSstateMachine-X", "filterPattern": BOTH},
        ),
    ],
    ids=["invocation", "stream", "batch stream", "prefix", "group", "sub state machine"],
)
async def test_a_source_is_searched_in_its_streams_for_its_terms(
    caller: Caller, of: LogSource, request_: dict[str, Any]
) -> None:
    target, reading, requests = await read(caller, of)
    assert requests == [("filter_log_events", SEARCH | request_)]
    assert reading is not None
    assert target.status_of(reading) is LogReadStatus.EMPTY


@pytest.mark.parametrize(
    ("jobs", "entries", "stage"),
    [
        ([job("j", "vams-thumbnail/default/1")], [registered("j")], "Thumb"),
        ([job("j", "vams-thumbnail/default/1")], [registered("j", "Thumb")], None),
        ([job("j", "vams-thumbnail/default/1")], [registered("j", "Thumb")], "Thumb"),
        ([job("j", None, "vams-thumbnail/default/1")], [registered("j")], None),
        ([job("i"), job("j", "vams-thumbnail/default/1")], [registered("i"), registered("j")], None),
    ],
    ids=["source's stage", "job's stage", "one stage", "last attempt", "second job"],
)
async def test_the_stream_of_a_batch_job_is_read_whole_below_a_registered_prefix(
    caller: Caller, jobs: list[Mapping[str, Any]], entries: list[dict[str, str]], stage: str | None
) -> None:
    asked = Recorded(Batch(*jobs))
    target, _, requests = await read(caller, batch(stage), batch=asked, entries=entries)
    group = {"logGroupIdentifier": f"{ARN}/aws/batch/job"}
    assert asked.requests == [("describe_jobs", {"jobs": [entry["jobId"] for entry in entries]})]
    assert requests == [("filter_log_events", SEARCH | group | {"logStreamNames": ["vams-thumbnail/default/1"]})]
    assert target.warnings == ()


@pytest.mark.parametrize("prefix", ["vams-thumbnail-a1b2c3d4e5/default/", "Thumb/", None])
@pytest.mark.parametrize("kind", [LogSourceType.BATCH, LogSourceType.CONTAINER])
async def test_the_stream_of_a_job_is_read_whole_whatever_prefix_was_registered(
    caller: Caller, kind: LogSourceType, prefix: str | None
) -> None:
    jobs = Batch(job("j", "thumb/default/1"))
    of = source("/aws/batch/job", source_type=kind, log_stream_prefix=prefix)
    target, _, [(_, request)] = await read(caller, of, batch=jobs, entries=[registered("j")])
    assert request["logStreamNames"] == ["thumb/default/1"]
    assert "filterPattern" not in request
    assert (target.status, target.warnings) == (LogReadStatus.READ, ())


async def test_a_stream_below_the_prefix_of_another_source_is_that_sources(caller: Caller) -> None:
    jobs, entries = Batch(job("j", "vams-thumbnail/default/1"), job("k", "other/1")), [registered("j"), registered("k")]
    _, _, [(_, request)] = await read(caller, batch(prefix="other/"), batch=jobs, entries=entries)
    assert request["logStreamNames"] == ["other/1"]


async def test_a_container_beside_a_job_that_logs_elsewhere_is_still_searched(caller: Caller) -> None:
    jobs = Batch(job("j", "batch/default/1"))
    entries = [registered("j"), {"taskArn": TASK_ARN}]
    of = container(None, LogSourceType.CONTAINER)
    lines = [Written("/ecs/rapid", f"web/{TASK}", 2_000, "of the task"), Written("/ecs/rapid", "web/1", 3_000, "no")]
    for known in (entries, entries[1:]):
        _, reading, _ = await read(caller, of, logs=EmbeddedLogs(lines), batch=jobs, entries=known)
        assert reading is not None
        assert [line.message for line in reading.lines] == ["of the task"]
    target, _, [(_, request)] = await read(caller, of, batch=jobs, entries=entries[:1])
    assert (target.status, request["filterPattern"]) == (LogReadStatus.UNSCOPED, BOTH)


async def test_every_container_and_attempt_of_a_job_is_read(caller: Caller) -> None:
    tasks = {"taskProperties": [{"containers": [{"logStreamName": "model/2"}, {"logStreamName": "sidecar/2"}]}]}
    earlier = {"taskProperties": [{"containers": [{"logStreamName": "model/1"}, {"logStreamName": "sidecar/1"}]}]}
    jobs = Batch({"jobId": "j", "ecsProperties": tasks, "attempts": [earlier]})
    lines = [Written("/aws/batch/job", name, 2_000, name) for name in ("model/1", "model/2", "sidecar/2", "other/1")]
    for forward in (True, False):
        target, reading, _ = await read(
            caller, batch(), logs=EmbeddedLogs(lines), batch=jobs, entries=[registered("j")], forward=forward
        )
        assert reading is not None
        assert sorted(line.message for line in reading.lines) == ["model/1", "model/2", "sidecar/2"]
        assert target.status_of(reading) is LogReadStatus.READ
        assert told(target.warnings_of(reading)) == [("LOG_NOT_FOUND", "Without a line, or deleted: sidecar/1.")]


async def test_no_more_streams_are_read_than_one_call_searches_and_that_is_said(caller: Caller) -> None:
    jobs = Batch(job("j", "s", *(f"a/{n}" for n in range(120))))
    target, _, [(_, request)] = await read(caller, batch(), batch=jobs, entries=[registered("j")])
    assert len(request["logStreamNames"]) == 100
    assert told(target.warnings) == [("LINES_LEFT_OUT", "Only the first 100 of 121 streams were read.")]


TASK = "0123456789abcdef0123456789abcdef"
TASK_ARN = f"arn:aws:ecs:us-west-2:123456789012:task/cluster/{TASK}"


def container(prefix: str | None, kind: LogSourceType = LogSourceType.ECS, stage: str | None = None) -> LogSource:
    return source("/ecs/rapid", source_type=kind, log_stream_prefix=prefix, stage_name=stage, label="container")


@pytest.mark.parametrize("kind", [LogSourceType.ECS, LogSourceType.CONTAINER])
@pytest.mark.parametrize("prefix", ["ecs/", "ecs", "ecs/rapid/", f"ecs/rapid/{TASK}", None])
@pytest.mark.parametrize(
    "entry",
    [
        {"resourceType": "ecsTask", "taskArn": TASK_ARN, "clusterArn": "arn:aws:ecs:us-west-2:123456789012:cluster/c"},
        {"resourceType": "ecsTask", "arn": f"arn:aws-us-gov:ecs:us-west-2:123456789012:task/{TASK}"},
    ],
    ids=["task ARN", "short ARN"],
)
async def test_the_lines_of_a_registered_task_are_read_from_its_streams_alone(
    caller: Caller, kind: LogSourceType, prefix: str | None, entry: dict[str, Any]
) -> None:
    lines = [
        Written("/ecs/rapid", f"ecs/rapid/{TASK}", 2_000, "optimising mesh"),
        Written("/ecs/rapid", f"ecs/rapid/{TASK[::-1]}", 3_000, "of another step"),
        Written("/ecs/rapid", f"ecs/rapid/{TASK}0", 3_500, "of another task"),
        Written("/ecs/rapid", f"ecs/rapid/{TASK}", 4_000, "done"),
    ]
    for forward, messages in ((True, ["optimising mesh", "done"]), (False, ["done", "optimising mesh"])):
        target, reading, _ = await read(
            caller, container(prefix, kind), logs=EmbeddedLogs(lines), entries=[entry], forward=forward
        )
        assert reading is not None
        assert [line.message for line in reading.lines] == messages
        assert (target.status_of(reading), target.warnings_of(reading)) == (LogReadStatus.READ, ())


async def test_lines_with_the_steps_ids_are_the_steps_in_any_tasks_stream(caller: Caller) -> None:
    lines = [
        Written("/ecs/rapid", "ecs/rapid/f00d", 2_000, f"begun for {RUN} {STEP}"),
        Written("/ecs/rapid", "ecs/rapid/f00d", 2_001, f"begun for {RUN}"),
    ]
    _, reading, _ = await read(caller, container("ecs/"), logs=EmbeddedLogs(lines), entries=[{"taskArn": TASK_ARN}])
    assert reading is not None
    assert [line.message for line in reading.lines] == [f"begun for {RUN} {STEP}"]


async def test_the_lines_of_a_task_are_found_among_those_of_thousands(caller: Caller) -> None:
    lines = [Written("/ecs/rapid", f"ecs/rapid/{n % 50}", 1_000 + n % 7_000, f"line {n}") for n in range(30_000)]
    lines += [Written("/ecs/rapid", f"ecs/rapid/{TASK}", 4_000 + n, f"mine {n}") for n in range(3)]
    for forward in (True, False):
        _, reading, requests = await read(
            caller, container("ecs/"), logs=EmbeddedLogs(lines), entries=[{"taskArn": TASK_ARN}], forward=forward
        )
        assert reading is not None
        assert sorted(line.message for line in reading.lines) == ["mine 0", "mine 1", "mine 2"]
        assert len(requests) < 20


async def test_where_no_stream_is_the_tasks_that_is_said(caller: Caller) -> None:
    lines = [Written("/ecs/rapid", "ecs/rapid/f00d", 2_000, "of another step")]
    target, reading, _ = await read(
        caller, container("ecs/"), logs=EmbeddedLogs(lines), entries=[{"taskArn": TASK_ARN}]
    )
    assert reading is not None
    assert target.status_of(reading) is LogReadStatus.EMPTY
    assert told(target.warnings_of(reading)) == [
        ("LINES_LEFT_OUT", f"container: no line is of the tasks {TASK} or holds the step's ids.")
    ]


@pytest.mark.parametrize("kind", [LogSourceType.BATCH, LogSourceType.ECS, LogSourceType.CONTAINER])
@pytest.mark.parametrize("prefix", ["ecs/", None])
@pytest.mark.parametrize(
    "entry",
    [
        {"resourceType": "ecsTask", "taskArn": TASK_ARN, "stageName": "Other"},
        {"resourceType": "ecsTask", "taskArn": 7, "arn": ["x"]},
        {"resourceType": "ecsTask", "taskArn": "arn:aws:ecs:us-west-2:123456789012:task/c/"},
        {"resourceType": "ecsTask", "taskArn": f"arn:aws:ecs:us-west-2:123456789012:service/c/{TASK}"},
    ],
    ids=["another stage", "no texts", "no id", "no task"],
)
async def test_a_container_of_unknown_streams_is_searched_for_ids_and_unscoped(
    caller: Caller, kind: LogSourceType, prefix: str | None, entry: dict[str, Any]
) -> None:
    target, reading, [(_, request)] = await read(caller, container(prefix, kind, "Run"), entries=[entry])
    assert reading is not None
    assert request["filterPattern"] == BOTH
    assert request.get("logStreamNamePrefix") == prefix
    assert target.status_of(reading) is LogReadStatus.UNSCOPED
    where = "all with its prefix were" if prefix else "all of its group was"
    assert told(target.warnings_of(reading)) == [
        ("STREAM_UNKNOWN", f"The stream of container is not known: {where} searched for the step's ids.")
    ]


async def test_a_source_that_was_searched_for_ids_in_vain_says_so(caller: Caller) -> None:
    lines = [Written("/studio", "a", 2_000, "a line without ids")]
    target, reading, _ = await read(caller, source("/studio"), logs=EmbeddedLogs(lines))
    assert reading is not None
    assert target.status_of(reading) is LogReadStatus.EMPTY
    assert told(target.warnings_of(reading)) == [
        ("LINES_LEFT_OUT", "A log: no line holds the step's ids, and others are not shown.")
    ]


@pytest.mark.parametrize(
    ("jobs", "entries", "warnings"),
    [
        (Batch(), [], []),
        (Batch(job("j", "x/1")), [registered("j", "Other")], []),
        (Batch(job("j")), [registered("j")], []),
        (Batch(), [registered("j")], ["JOB_GONE"]),
        (Refusing("AccessDeniedException"), [registered("j")], ["ENGINE_DENIED"]),
    ],
    ids=["no job", "other stage", "no stream", "forgotten", "denied"],
)
async def test_an_unknown_batch_stream_is_searched_by_its_prefix_and_unscoped(
    caller: Caller, jobs: Any, entries: list[dict[str, str]], warnings: list[str]
) -> None:
    target, reading, requests = await read(caller, batch("Thumb"), batch=jobs, entries=entries)
    scope = {"logStreamNamePrefix": "vams-thumbnail/default/", "filterPattern": BOTH}
    assert requests == [("filter_log_events", SEARCH | {"logGroupIdentifier": f"{ARN}/aws/batch/job"} | scope)]
    assert reading is not None
    assert target.status_of(reading) is LogReadStatus.UNSCOPED
    assert [code for code, _ in told(target.warnings_of(reading))] == [*warnings, "STREAM_UNKNOWN"]


async def test_the_engine_knows_the_stream_of_a_stage_first(caller: Caller) -> None:
    class Engine:
        async def batch_streams(self, entries: Sequence[dict[str, Any]], stage: str) -> tuple[str, ...]:
            return ("vams-thumbnail/default/9",) if stage == "Thumb" else ()

    jobs = Recorded(Batch(job("j", "vams-thumbnail/default/1")))
    entries = [registered("j")]
    _, _, [(_, request)] = await read(caller, batch("Thumb"), batch=jobs, entries=entries, engines=Engine())
    assert request["logStreamNames"] == ["vams-thumbnail/default/9"]
    assert jobs.requests == []
    _, _, [(_, request)] = await read(caller, batch("Else"), batch=jobs, entries=entries, engines=Engine())
    assert request["logStreamNames"] == ["vams-thumbnail/default/1"]


def farm(*jobs: str) -> LogSource:
    return source(
        "/aws/deadline/farm-1/queue-1",
        kind=LogKind.DEADLINE_CLOUD_JOB,
        source_type=LogSourceType.DEADLINE_CLOUD,
        log_stream_prefix="session-",
        is_registered=False,
        jobs=tuple(DeadlineJob("farm-1", "queue-1", one) for one in jobs),
    )


async def test_the_last_sessions_of_a_farm_job_are_read_whole(caller: Caller) -> None:
    sessions = Recorded(
        Deadline(*({"sessionId": f"session-{n}", "startedAt": datetime(2026, 1, 1, n, tzinfo=UTC)} for n in range(12)))
    )
    _, _, requests = await read(caller, farm("job-1"), deadline=sessions)
    assert sessions.requests == [
        ("list_sessions", {"farmId": "farm-1", "queueId": "queue-1", "jobId": "job-1", "maxResults": 100})
    ]
    streams = [f"session-{n}" for n in range(11, 1, -1)]
    group = {"logGroupIdentifier": f"{ARN}/aws/deadline/farm-1/queue-1"}
    assert requests == [("filter_log_events", SEARCH | group | {"logStreamNames": streams})]


@pytest.mark.parametrize("unwritten", [{3}, {1}, {1, 3}])
@pytest.mark.parametrize("forward", [True, False])
async def test_sessions_without_a_stream_hide_no_lines_of_the_others(
    caller: Caller, unwritten: set[int], forward: bool
) -> None:
    group = "/aws/deadline/farm-1/queue-1"
    lines = [Written(group, f"session-{n}", 2_000 + n, f"line {n}") for n in {1, 2, 3} - unwritten]
    sessions = Deadline(
        *({"sessionId": f"session-{n}", "startedAt": datetime(2026, 1, 1, n, tzinfo=UTC)} for n in (1, 2, 3))
    )
    target, reading, _ = await read(caller, farm("job-1"), logs=EmbeddedLogs(lines), deadline=sessions, forward=forward)
    assert reading is not None
    assert {line.message for line in reading.lines} == {f"line {n}" for n in {1, 2, 3} - unwritten}
    assert target.status_of(reading) is LogReadStatus.READ
    missing = ", ".join(f"session-{n}" for n in sorted(unwritten, reverse=True))
    assert told(target.warnings_of(reading)) == [("LOG_NOT_FOUND", f"Without a line, or deleted: {missing}.")]


async def test_sessions_of_which_none_has_a_stream_are_not_found(caller: Caller) -> None:
    lines = [Written("/aws/deadline/farm-1/queue-1", "session-9", 2_000, "of another job")]
    sessions = Deadline({"sessionId": "session-1"}, {"sessionId": "session-2"})
    target, reading, _ = await read(caller, farm("job-1"), logs=EmbeddedLogs(lines), deadline=sessions)
    assert reading is not None
    assert target.status_of(reading) is LogReadStatus.NOT_FOUND
    assert reading.lines == []


async def test_a_farm_job_without_a_session_is_not_found(caller: Caller) -> None:
    target, reading, requests = await read(caller, farm("job-1", "job-2"))
    assert (target.status, reading, requests) == (LogReadStatus.NOT_FOUND, None, [])


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("AccessDeniedException", LogReadStatus.DENIED),
        ("ResourceNotFoundException", LogReadStatus.NOT_FOUND),
        ("ValidationException", LogReadStatus.ERROR),
    ],
)
async def test_a_refusal_has_a_status_and_words_without_an_account(
    caller: Caller, code: str, status: LogReadStatus
) -> None:
    target, _, _ = await read(caller, farm("job-1"), deadline=Refusing(code))
    assert target.status is status
    of = source("/aws/lambda/thumb", kind=LogKind.INVOCATION)
    target, reading, _ = await read(caller, of, logs=Refusing(code))
    assert reading is not None
    assert target.status_of(reading) is status
    of_status = {LogReadStatus.DENIED: "LOG_DENIED", LogReadStatus.NOT_FOUND: "LOG_NOT_FOUND"}
    warned = of_status.get(status, "LOG_UNAVAILABLE")
    text = f"Step invocation log retrieval failed for /aws/lambda/thumb: {code}."
    assert told(target.warnings_of(reading)) == [(warned, text)]


@pytest.mark.parametrize("of", [source("/studio"), batch(), source("/s", log_stream_name="a")])
async def test_a_text_is_one_literal_term_for_every_source(caller: Caller, of: LogSource) -> None:
    _, _, [(name, request)] = await read(caller, of, text='a "b" ?c \\', forward=True)
    assert request["filterPattern"].endswith('"a b ?c "')
    assert name == "filter_log_events"


async def test_the_tail_of_a_stream_is_read_from_its_end_unless_a_text_is_asked_for(caller: Caller) -> None:
    of = source("/ecs/viewer", log_stream_name="web/1")
    _, _, requests = await read(caller, of, forward=False)
    assert requests[0] == (
        "get_log_events",
        {
            "logGroupIdentifier": f"{ARN}/ecs/viewer",
            "logStreamName": "web/1",
            "startTime": 1_000,
            "endTime": 9_001,
            "limit": 45,
            "startFromHead": False,
        },
    )
    _, _, requests = await read(caller, of, forward=False, text="x")
    assert {name for name, _ in requests} == {"filter_log_events"}


async def test_a_source_with_lines_is_read(caller: Caller) -> None:
    logs = EmbeddedLogs([Written("/studio", "a", 2_000, f"{RUN} {STEP}"), Written("/studio", "a", 2_001, RUN)])
    target, reading, _ = await read(caller, source("/studio"), logs=logs)
    assert reading is not None
    assert target.status_of(reading) is LogReadStatus.READ
    assert [line.message for line in reading.lines] == [f"{RUN} {STEP}"]


async def test_an_operation_reads_so_many_registered_sources_of_each_step_and_those_again() -> None:
    logs = OperationLogs(most_registered=2, seconds=1)
    a, b, c = (source(f"/{name}") for name in "abc")
    assert [logs.admits("step", one) for one in (a, b, c, a)] == [True, True, False, True]
    assert logs.admits("another step", c)
    assert logs.admits("step", source("/d", is_registered=False))
