"""The streams that jobs write to, asked of the services that run them."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.aws.batch import log_groups, log_streams
from graph.aws.calls import Caller, CallFailed
from graph.aws.clients import BatchClient, DeadlineClient
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed
from graph.logs.sources import DeadlineJob

_MOST_JOBS = 20  # VAMS follows no more per step
_MOST_SESSIONS = 10  # VAMS reads no more per source
_SESSION_PAGES = 5
_PAGE = 100

NO_LONGER_DESCRIBED = ExecutionWarning(
    ExecutionWarningCode.JOB_GONE,
    "The Batch job is no longer described by AWS Batch, which forgets jobs after about a week.",
)
ON_EKS = ExecutionWarning(
    ExecutionWarningCode.STREAM_UNKNOWN, "The Batch job runs on EKS, whose logs AWS Batch does not know."
)


@dataclass(frozen=True, slots=True)
class Found:
    """What streams were found. ``failure`` is the code of the call for them; ``warnings`` say what may be missed."""

    streams: Sequence[str]
    failure: str | None = None
    warnings: tuple[ExecutionWarning, ...] = ()


class JobStreams:
    """Finds the streams of jobs. One per process; safe to use from many operations at once."""

    def __init__(self, batch: BatchClient, deadline: DeadlineClient, caller: Caller) -> None:
        self._batch, self._deadline, self._caller = batch, deadline, caller

    async def batch_streams(
        self, sub_executions: Iterable[object], stage_name: str | None, group: str, default_group: str
    ) -> Found:
        """Return the streams of a step's Batch jobs that may belong to a stage and log to a group, with DescribeJobs.

        A job may belong to a stage when either names none, or both the same. A job whose definition names no group logs
        to ``default_group``.
        """
        wanted = _batch_jobs(sub_executions, stage_name)
        if not wanted:
            return Found(())
        try:
            answer = await self._caller.call("batch.DescribeJobs", self._batch.describe_jobs, {"jobs": wanted})
        except CallFailed as failure:
            return Found((), failure.code, (call_failed("Batch job log stream unavailable", failure.code),))
        described = {job.get("jobId"): job for job in answer.get("jobs", ())}
        jobs = [described[job] for job in wanted if job in described]
        groups = [(log_streams(job), log_groups(job) or {default_group}) for job in jobs]
        streams = list(dict.fromkeys(stream for of_job, named in groups if group in named for stream in of_job))
        elsewhere = sorted({name for of_job, named in groups if of_job for name in named} - {group})
        warnings = [NO_LONGER_DESCRIBED] if len(jobs) < len(wanted) else []
        if elsewhere and not streams:
            text = f"The Batch job writes to {', '.join(elsewhere)}, not to {group}."
            warnings.append(ExecutionWarning(ExecutionWarningCode.STREAM_MISMATCH, text))
        warnings += [ON_EKS] if any(job.get("eksProperties") for job in jobs) else []
        return Found(streams, warnings=tuple(warnings))

    async def sessions(self, jobs: Sequence[DeadlineJob]) -> Found:
        """Return the streams of the sessions of some Deadline Cloud jobs that started last, with ListSessions.

        A job whose sessions cannot be listed hides those of no other.
        """
        listed = await asyncio.gather(*map(self._sessions_of, jobs), return_exceptions=True)
        failures = [one for one in listed if isinstance(one, BaseException)]
        if unexpected := [failure for failure in failures if not isinstance(failure, CallFailed)]:
            raise unexpected[0]
        codes = [failure.code for failure in failures if isinstance(failure, CallFailed)]
        if codes and len(codes) == len(jobs):
            return Found((), codes[0])
        known = sorted(
            (s for one in listed if not isinstance(one, BaseException) for s in one), key=_started, reverse=True
        )
        sessions = list(dict.fromkeys(session["sessionId"] for session in known))
        warnings = [call_failed("The sessions of a job could not be listed", code) for code in dict.fromkeys(codes)]
        if len(sessions) > _MOST_SESSIONS:
            text = f"Only the {_MOST_SESSIONS} sessions that started last were read."
            warnings.append(ExecutionWarning(ExecutionWarningCode.LINES_LEFT_OUT, text))
        return Found(sessions[:_MOST_SESSIONS], warnings=tuple(warnings))

    async def _sessions_of(self, job: DeadlineJob) -> list[Mapping[str, Any]]:
        request = {"farmId": job.farm_id, "queueId": job.queue_id, "jobId": job.job_id, "maxResults": _PAGE}
        sessions: list[Mapping[str, Any]] = []
        for _ in range(_SESSION_PAGES):
            answer = await self._caller.call("deadline.ListSessions", self._deadline.list_sessions, request)
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


def _started(session: Mapping[str, Any]) -> float:
    started = session.get("startedAt")
    return started.timestamp() if started else 0.0
