from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller
from graph.logs.jobs import NO_LONGER_DESCRIBED, ON_EKS, Found, JobStreams
from graph.logs.sources import DeadlineJob
from tests.harness import told
from tests.logs.test_service import Batch, Deadline, Refusing, job, registered
from tests.logs.unruly import Recorded, refused

JOB = DeadlineJob("farm", "queue", "job")


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=1)
    yield caller
    caller.close()


async def streams(caller: Caller, batch: Any, entries: Any, stage: str | None = None) -> Found:
    return await JobStreams(batch, Deadline(), caller).batch_streams(entries, stage, "/aws/batch/job", "/aws/batch/job")


async def test_the_streams_of_all_registered_jobs_count_in_their_order(caller: Caller) -> None:
    jobs = Batch(job("b", "second", "second/0", "second"), job("a", "first"))
    found = await streams(caller, jobs, [registered("a"), registered("b")])
    assert found == Found(["first", "second", "second/0"])


async def test_a_job_that_was_forgotten_is_said_to_be_whatever_others_have(caller: Caller) -> None:
    assert await streams(caller, Batch(), [registered("a")]) == Found([], warnings=(NO_LONGER_DESCRIBED,))
    found = await streams(caller, Batch(job("b", "one")), [registered("a"), registered("b")])
    assert found == Found(["one"], warnings=(NO_LONGER_DESCRIBED,))


async def test_what_batch_cannot_tell_of_logs_is_said(caller: Caller) -> None:
    pods = {"jobId": "a", "eksProperties": {"podProperties": {"containers": [{"name": "c"}]}}}
    assert await streams(caller, Batch(pods), [registered("a")]) == Found([], warnings=(ON_EKS,))
    options = {"awslogs-group": "/elsewhere"}
    moved = {"jobId": "a", "container": {"logStreamName": "s", "logConfiguration": {"options": options}}}
    found = await streams(caller, Batch(moved), [registered("a")])
    assert found.streams == []
    assert told(found.warnings) == [("STREAM_MISMATCH", "The Batch job writes to /elsewhere, not to /aws/batch/job.")]


async def test_entries_that_are_no_batch_jobs_are_passed_over(caller: Caller) -> None:
    batch = Recorded(Batch())
    entries = [None, "x", {"resourceType": "batchJob"}, {"resourceType": "batchJob", "jobId": 7}, {"jobId": "a"}]
    assert await streams(caller, batch, entries) == Found(())
    assert batch.requests == []


async def test_no_more_than_twenty_jobs_are_asked_for_each_once(caller: Caller) -> None:
    batch = Recorded(Batch())
    await streams(caller, batch, [registered(str(n)) for n in range(30)] + [registered("0")])
    assert batch.requests == [("describe_jobs", {"jobs": [str(n) for n in range(20)]})]


async def test_five_pages_of_sessions_are_read_and_the_last_started_chosen(caller: Caller) -> None:
    class Endless:
        def list_sessions(self, *, nextToken: str = "0", **_: Any) -> Any:  # noqa: N803
            page = int(nextToken)
            sessions = [
                {"sessionId": f"session-{page}-{n}", "startedAt": datetime(2026, 1, 1 + page, n, tzinfo=UTC)}
                for n in range(20)
            ]
            return {"sessions": sessions, "nextToken": str(page + 1)}

    client = Recorded(Endless())
    found = await JobStreams(Batch(), client, caller).sessions([JOB])
    assert len(client.requests) == 5
    assert found.streams == [f"session-4-{n}" for n in range(19, 9, -1)]
    assert told(found.warnings) == [("LINES_LEFT_OUT", "Only the 10 sessions that started last were read.")]


async def test_sessions_of_several_jobs_are_one_list(caller: Caller) -> None:
    one = Deadline({"sessionId": "session-1", "startedAt": datetime(2026, 1, 1, tzinfo=UTC)})
    found = await JobStreams(Batch(), one, caller).sessions([JOB, JOB._replace(job_id="other")])
    assert found.streams == ["session-1"]


async def test_sessions_that_may_not_be_listed_are_a_failure(caller: Caller) -> None:
    found = await JobStreams(Batch(), Refusing("AccessDeniedException"), caller).sessions([JOB])
    assert found == Found((), "AccessDeniedException")


async def test_a_job_whose_sessions_may_not_be_listed_hides_those_of_no_other(caller: Caller) -> None:
    class OneDenied:
        def list_sessions(self, *, jobId: str, **_: Any) -> Any:  # noqa: N803
            if jobId == "denied":
                raise refused("AccessDeniedException")
            return {"sessions": [{"sessionId": f"session-{jobId}"}]}

    found = await JobStreams(Batch(), Recorded(OneDenied()), caller).sessions([JOB._replace(job_id="denied"), JOB])
    assert found.streams == ["session-job"]
    text = "The sessions of a job could not be listed: AccessDeniedException."
    assert told(found.warnings) == [("ENGINE_DENIED", text)]
