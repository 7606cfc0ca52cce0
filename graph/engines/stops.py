"""Stopping what runs at AWS. What has ended, or is not there any more, counts as stopped."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from graph.aws.calls import Caller, CallFailed
from graph.aws.clients import ActingBatchClient, ActingDeadlineClient
from graph.engines.engine import Engine
from graph.engines.jobs import DeadlineJobKey, Jobs, deadline_status
from graph.tables.states import TERMINAL, ExecutionStatus

MOST_JOBS_LOOKED_AT = 200  # of a queue of Deadline Cloud, for those that a step submitted

_JOBS_OF_A_PAGE = 100  # the most that ListJobs gives
_STEP_PARAMETER = "VamsPipelineExecutionId"  # in which VAMS gives a job the id of its step

_GONE = frozenset({"ExecutionDoesNotExist", "ResourceNotFoundException"})
_ERROR = "VAMSGraphAborted"
_REASON = "The workflow execution was aborted."


class FoundJobs(NamedTuple):
    """Jobs of a step that have not ended; ``is_whole`` tells whether the whole queue was looked at."""

    job_ids: Sequence[str]
    is_whole: bool


class Stops:
    """Stops runs and jobs. One per process; safe to use from many operations at once.

    Each raises :class:`graph.aws.calls.CallFailed` where what it should stop may go on.
    """

    def __init__(
        self,
        of: Callable[[str], Engine],
        jobs: Jobs,
        batch: ActingBatchClient,
        deadline: ActingDeadlineClient,
        caller: Caller,
    ) -> None:
        self._of, self._jobs = of, jobs
        self._batch, self._deadline, self._caller = batch, deadline, caller

    async def run(self, reference: str) -> None:
        """Stop a run of an engine."""
        engine = self._of(reference)

        async def status() -> ExecutionStatus | None:
            return (await engine.describe(reference)).status

        await _stop(lambda: engine.stop(reference, error=_ERROR, cause=_REASON), status)

    async def batch_job(self, job_id: str) -> None:
        """Stop a job of AWS Batch with TerminateJob, which cancels one that waits; Batch forgets jobs after days."""

        async def status() -> ExecutionStatus | None:
            job = (await self._jobs.batch_jobs([job_id])).get(job_id)
            return None if job is None else job.status

        request = {"jobId": job_id, "reason": _REASON}
        await _stop(lambda: self._caller.call("batch.TerminateJob", self._batch.terminate_job, request), status)

    async def deadline_job(self, key: DeadlineJobKey) -> None:
        """Stop a job of AWS Deadline Cloud with UpdateJob, which cancels its tasks that have not ended."""

        async def status() -> ExecutionStatus | None:
            return (await self._jobs.deadline_job(key)).status

        request = {
            "farmId": key.farm_id,
            "queueId": key.queue_id,
            "jobId": key.job_id,
            "targetTaskRunStatus": "CANCELED",
        }
        await _stop(lambda: self._caller.call("deadline.UpdateJob", self._deadline.update_job, request), status)

    async def deadline_jobs_of(self, farm_id: str, queue_id: str, pipeline_execution_id: str) -> FoundJobs:
        """Return the jobs that a step submitted and that have not ended, with ListJobs, and GetJob of each that may be.

        Raises:
            CallFailed: when the queue cannot be read.
        """
        queue = {"farmId": farm_id, "queueId": queue_id}
        summaries, token = await self._jobs_of_queue(queue)
        found = []
        for summary in summaries:
            if deadline_status(summary) in TERMINAL:
                continue
            job_id = str(summary.get("jobId", ""))
            said = await self._caller.call("deadline.GetJob", self._deadline.get_job, queue | {"jobId": job_id})
            if said.get("parameters", {}).get(_STEP_PARAMETER, {}).get("string") == pipeline_execution_id:
                found.append(job_id)
        return FoundJobs(found, is_whole=token is None)

    async def _jobs_of_queue(self, queue: Mapping[str, str]) -> tuple[Sequence[Mapping[str, Any]], str | None]:
        """Return the first jobs of a queue, and the token of those that are not among them."""
        summaries: list[Mapping[str, Any]] = []
        request: dict[str, Any] = {**queue, "maxResults": _JOBS_OF_A_PAGE}
        while True:
            said = await self._caller.call("deadline.ListJobs", self._deadline.list_jobs, request)
            summaries += said.get("jobs", ())
            token = said.get("nextToken")
            if not token or len(summaries) >= MOST_JOBS_LOOKED_AT:
                return summaries, token or None
            request["nextToken"] = token


async def _stop(stop: Callable[[], Awaitable[object]], status: Callable[[], Awaitable[ExecutionStatus | None]]) -> None:
    """Stop something; where that is refused, ask whether there is anything to stop."""
    try:
        await stop()
    except CallFailed as refused:
        if refused.code not in _GONE and not await _has_ended(status):
            raise


async def _has_ended(status: Callable[[], Awaitable[ExecutionStatus | None]]) -> bool:
    try:
        found = await status()
    except CallFailed as refused:
        return refused.code in _GONE
    return found is None or found in TERMINAL
