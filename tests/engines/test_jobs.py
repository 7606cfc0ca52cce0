from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller
from graph.engines.jobs import DeadlineJobKey, JobFacts, Jobs
from graph.tables.states import ExecutionStatus

KEY = DeadlineJobKey("farm", "queue", "job")
START = datetime(2026, 7, 14, tzinfo=UTC)


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=1)
    yield caller
    caller.close()


class Service:
    """Batch and Deadline Cloud, which say what they are told to."""

    def __init__(self, **said: Any) -> None:
        self.said = said

    def describe_jobs(self, *, jobs: list[str]) -> Any:
        return {"jobs": [{"jobId": jobs[0], **self.said}]}

    def get_job(self, **_: str) -> Any:
        return self.said

    def list_sessions(self, **_: Any) -> Any:
        return {"sessions": []}


async def batch(caller: Caller, **said: Any) -> JobFacts:
    return (await Jobs(Service(**said), Service(), caller).batch_jobs(["a", "b"]))["a"]


@pytest.mark.parametrize(
    ("word", "status"),
    [
        *((word, "RUNNING") for word in ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING")),
        ("SUCCEEDED", "SUCCEEDED"),
        ("FAILED", "FAILED"),
        ("DREAMING", "UNKNOWN"),
    ],
)
async def test_the_status_of_a_batch_job(caller: Caller, word: str, status: str) -> None:
    assert (await batch(caller, status=word)).status is ExecutionStatus(status)


async def test_a_batch_job_tells_its_times_and_why_it_failed(caller: Caller) -> None:
    at = int(START.timestamp() * 1000)
    facts = await batch(caller, status="FAILED", startedAt=at, stoppedAt=at + 1000, statusReason="out of memory")
    assert facts.started_at == START
    assert facts.stopped_at is not None
    assert facts.cause == "out of memory"
    assert (await batch(caller, status="RUNNING", statusReason="on its way")).cause is None


async def test_the_stream_of_a_batch_job_is_that_of_its_container_or_its_last_attempt(caller: Caller) -> None:
    attempts = [{"container": {"logStreamName": "first"}}, {"container": {"logStreamName": "second"}}, {}]
    assert (await batch(caller, container={"logStreamName": "own"}, attempts=attempts)).log_stream_name == "own"
    assert (await batch(caller, container={}, attempts=attempts)).log_stream_name == "second"
    assert (await batch(caller)).log_stream_name is None


@pytest.mark.parametrize(
    ("lifecycle", "tasks", "status"),
    [
        *(("CREATE_COMPLETE", word, "RUNNING") for word in ("PENDING", "READY", "ASSIGNED", "STARTING", "SCHEDULED")),
        *(("CREATE_COMPLETE", word, "RUNNING") for word in ("INTERRUPTING", "RUNNING", "SUSPENDED")),
        ("CREATE_COMPLETE", "SUCCEEDED", "SUCCEEDED"),
        ("CREATE_COMPLETE", "FAILED", "FAILED"),
        ("CREATE_COMPLETE", "NOT_COMPATIBLE", "FAILED"),
        ("CREATE_COMPLETE", "CANCELED", "ABORTED"),
        *((word, "PENDING", "FAILED") for word in ("CREATE_FAILED", "UPDATE_FAILED", "UPLOAD_FAILED")),
        ("ARCHIVED", "ELSEWHERE", "UNKNOWN"),
    ],
)
async def test_the_status_of_a_deadline_cloud_job(caller: Caller, lifecycle: str, tasks: str, status: str) -> None:
    service = Service(lifecycleStatus=lifecycle, taskRunStatus=tasks)
    assert (await Jobs(service, service, caller).deadline_job(KEY)).status is ExecutionStatus(status)


async def test_the_parameters_of_a_deadline_cloud_job_are_not_kept(caller: Caller) -> None:
    service = Service(taskRunStatus="RUNNING", startedAt=START, parameters={"TaskToken": {"string": "secret"}})
    facts = await Jobs(service, service, caller).deadline_job(KEY)
    assert facts.started_at == START
    assert "secret" not in repr(facts)
