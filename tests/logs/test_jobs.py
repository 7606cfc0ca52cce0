from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller
from graph.logs.jobs import NO_LONGER_DESCRIBED, Found, Jobs
from graph.logs.sources import DeadlineJob
from tests.logs.test_service import Batch, Deadline, Refusing, job, registered
from tests.logs.unruly import Recorded

JOB = DeadlineJob("farm", "queue", "job")


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=1)
    yield caller
    caller.close()


async def stream(caller: Caller, batch: Any, entries: Any, stage: str | None = None) -> Found:
    return await Jobs(batch, Deadline(), caller).batch_stream(entries, stage)


async def test_the_first_registered_job_with_a_stream_counts(caller: Caller) -> None:
    jobs = Batch(job("b", "second"), job("a", "first"))
    assert (await stream(caller, jobs, [registered("a"), registered("b")])).streams == ["first"]


async def test_a_job_that_was_forgotten_is_said_to_be(caller: Caller) -> None:
    assert await stream(caller, Batch(), [registered("a")]) == Found([], warning=NO_LONGER_DESCRIBED)


async def test_entries_that_are_no_batch_jobs_are_passed_over(caller: Caller) -> None:
    batch = Recorded(Batch())
    entries = [None, "x", {"resourceType": "batchJob"}, {"resourceType": "batchJob", "jobId": 7}, {"jobId": "a"}]
    assert await stream(caller, batch, entries) == Found(())
    assert batch.requests == []


async def test_no_more_than_twenty_jobs_are_asked_for_each_once(caller: Caller) -> None:
    batch = Recorded(Batch())
    await stream(caller, batch, [registered(str(n)) for n in range(30)] + [registered("0")])
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
    found = await Jobs(Batch(), client, caller).sessions([JOB])
    assert len(client.requests) == 5
    assert found.streams == [f"session-4-{n}" for n in range(19, 9, -1)]


async def test_sessions_of_several_jobs_are_one_list(caller: Caller) -> None:
    one = Deadline({"sessionId": "session-1", "startedAt": datetime(2026, 1, 1, tzinfo=UTC)})
    found = await Jobs(Batch(), one, caller).sessions([JOB, JOB._replace(job_id="other")])
    assert found.streams == ["session-1"]


async def test_sessions_that_may_not_be_listed_are_a_failure(caller: Caller) -> None:
    found = await Jobs(Batch(), Refusing("AccessDeniedException"), caller).sessions([JOB])
    assert found == Found((), "AccessDeniedException")
