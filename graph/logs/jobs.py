"""The streams that jobs write to, asked of the services that run them."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.aws.calls import Caller, CallFailed
from graph.aws.clients import BatchClient, DeadlineClient
from graph.logs.sources import DeadlineJob

_MOST_JOBS = 20  # VAMS follows no more per step
_MOST_SESSIONS = 10  # VAMS reads no more per source
_SESSION_PAGES = 5
_PAGE = 100

NO_LONGER_DESCRIBED = "The Batch job is no longer described by AWS Batch, which forgets jobs after about a week."


@dataclass(frozen=True, slots=True)
class Found:
    """What streams were found. ``failure`` is the code of a call that failed, ``warning`` what to say of it."""

    streams: Sequence[str]
    failure: str | None = None
    warning: str | None = None


class Jobs:
    """Finds the streams of jobs. One per process; safe to use from many operations at once."""

    def __init__(self, batch: BatchClient, deadline: DeadlineClient, caller: Caller) -> None:
        self._batch, self._deadline, self._caller = batch, deadline, caller

    async def batch_stream(self, sub_executions: Iterable[object], stage_name: str | None) -> Found:
        """The stream of the first Batch job of a step that has one and that may belong to a stage, with DescribeJobs.

        A job may belong to a stage when either names none, or both the same.
        """
        wanted = _batch_jobs(sub_executions, stage_name)
        if not wanted:
            return Found(())
        try:
            answer = await self._caller.call(self._batch.describe_jobs, {"jobs": wanted})
        except CallFailed as failure:
            return Found((), failure.code, f"Batch job log stream unavailable: {failure.code}")
        described = {job.get("jobId"): job for job in answer.get("jobs", ())}
        streams = [stream for job in wanted if (stream := _stream(described.get(job, {})))]
        return Found(streams[:1], warning=None if described else NO_LONGER_DESCRIBED)

    async def sessions(self, jobs: Sequence[DeadlineJob]) -> Found:
        """The streams of the sessions of some Deadline Cloud jobs that started last, with ListSessions."""
        try:
            listed = await asyncio.gather(*map(self._sessions_of, jobs))
        except CallFailed as failure:
            return Found((), failure.code)
        sessions = sorted((session for one in listed for session in one), key=_started, reverse=True)
        return Found(list(dict.fromkeys(session["sessionId"] for session in sessions))[:_MOST_SESSIONS])

    async def _sessions_of(self, job: DeadlineJob) -> list[Mapping[str, Any]]:
        request = {"farmId": job.farm_id, "queueId": job.queue_id, "jobId": job.job_id, "maxResults": _PAGE}
        sessions: list[Mapping[str, Any]] = []
        for _ in range(_SESSION_PAGES):
            answer = await self._caller.call(self._deadline.list_sessions, request)
            sessions += answer.get("sessions", ())
            if not answer.get("nextToken"):
                break
            request = request | {"nextToken": answer["nextToken"]}
        return sessions


def _batch_jobs(sub_executions: Iterable[object], stage_name: str | None) -> list[str]:
    found: dict[str, None] = {}
    for entry in sub_executions:
        if isinstance(entry, dict) and entry.get("resourceType") == "batchJob":
            job, stage = entry.get("jobId"), entry.get("stageName")
            if isinstance(job, str) and job and (not stage or not stage_name or stage == stage_name):
                found[job] = None
    return list(found)[:_MOST_JOBS]


def _stream(job: Mapping[str, Any]) -> str | None:
    """The stream of a job's container, or else of the last attempt that has one."""
    containers = [job.get("container"), *(attempt.get("container") for attempt in reversed(job.get("attempts") or ()))]
    return next(
        (container["logStreamName"] for container in containers if (container or {}).get("logStreamName")), None
    )


def _started(session: Mapping[str, Any]) -> float:
    started = session.get("startedAt")
    return started.timestamp() if started else 0.0
