"""Jobs of AWS Batch and AWS Deadline Cloud, described."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from graph.aws.batch import log_streams
from graph.aws.calls import Caller
from graph.aws.clients import BatchClient, DeadlineClient
from graph.tables.states import ExecutionStatus

MOST_BATCH_JOBS = 100  # that DescribeJobs takes at once

_RUNNING, _FAILED = ExecutionStatus.RUNNING, ExecutionStatus.FAILED
_OF_BATCH = {
    **dict.fromkeys(("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING"), _RUNNING),
    "SUCCEEDED": ExecutionStatus.SUCCEEDED,
    "FAILED": _FAILED,
}
_OF_LIFECYCLE = dict.fromkeys(("CREATE_FAILED", "UPDATE_FAILED", "UPLOAD_FAILED"), _FAILED)
_OF_TASKS = {
    **dict.fromkeys(
        ("PENDING", "READY", "ASSIGNED", "STARTING", "SCHEDULED", "INTERRUPTING", "RUNNING", "SUSPENDED"), _RUNNING
    ),
    "SUCCEEDED": ExecutionStatus.SUCCEEDED,
    "FAILED": _FAILED,
    "NOT_COMPATIBLE": _FAILED,
    "CANCELED": ExecutionStatus.ABORTED,
}


class DeadlineJobKey(NamedTuple):
    """The three ids that name a job of Deadline Cloud."""

    farm_id: str
    queue_id: str
    job_id: str


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What its service says of a job; ``cause`` is why it is as it is, in the service's words."""

    status: ExecutionStatus
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    cause: str | None = None
    log_streams: tuple[str, ...] = ()

    @property
    def log_stream_name(self) -> str | None:
        """The stream of its container, or of the first of several; else of its last attempt that has one."""
        return next(iter(self.log_streams), None)


class Jobs:
    """Describes jobs. One per process; safe to use from many operations at once."""

    def __init__(self, batch: BatchClient, deadline: DeadlineClient, caller: Caller) -> None:
        self._batch, self._deadline, self._caller = batch, deadline, caller

    async def batch_jobs(self, job_ids: Sequence[str]) -> dict[str, JobFacts]:
        """Return some jobs by id, up to :data:`MOST_BATCH_JOBS`, with DescribeJobs; without those that Batch forgot.

        Raises:
            CallFailed: when they cannot be described.
        """
        said = await self._caller.call("batch.DescribeJobs", self._batch.describe_jobs, {"jobs": list(job_ids)})
        return {str(job.get("jobId")): _batch_job(job) for job in said.get("jobs", ())}

    async def deadline_job(self, key: DeadlineJobKey) -> JobFacts:
        """Return a job, with GetJob. Its parameters hold secrets, so nothing but its status and times is kept.

        Raises:
            CallFailed: when it cannot be described.
        """
        request = {"farmId": key.farm_id, "queueId": key.queue_id, "jobId": key.job_id}
        said = await self._caller.call("deadline.GetJob", self._deadline.get_job, request)
        status = deadline_status(said)
        return JobFacts(
            status=status,
            started_at=said.get("startedAt"),
            stopped_at=said.get("endedAt"),
            cause=said.get("lifecycleStatusMessage") if status is _FAILED else None,
        )


def batch_job_id(arn: str) -> str | None:
    """Return the id in the ARN of a job of AWS Batch; None where a text is none."""
    return arn.partition(":job/")[2] or None


def deadline_status(job: Mapping[str, Any]) -> ExecutionStatus:
    """Return the status of a job of Deadline Cloud as GetJob or ListJobs gives it."""
    status = _OF_LIFECYCLE.get(job.get("lifecycleStatus", "")) or _OF_TASKS.get(job.get("taskRunStatus", ""))
    return status or ExecutionStatus.UNKNOWN


def _batch_job(job: Mapping[str, Any]) -> JobFacts:
    status = _OF_BATCH.get(job.get("status", ""), ExecutionStatus.UNKNOWN)
    return JobFacts(
        status=status,
        started_at=_instant(job.get("startedAt")),
        stopped_at=_instant(job.get("stoppedAt")),
        cause=job.get("statusReason") if status is _FAILED else None,
        log_streams=log_streams(job),
    )


def _instant(milliseconds: object) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if isinstance(milliseconds, int) else None
