"""The entries that a step registered for what it started elsewhere."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.engines.jobs import batch_job_id
from graph.engines.service import UNTYPED
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode
from graph.resolvers.run_detail import BatchJob, StageOwner
from graph.tables import ids
from graph.tables.records.steps import StepRow

BATCH_JOB = "batchJob"
DEADLINE_JOB = "deadlineCloudJob"


@dataclass(frozen=True, slots=True)
class SubExecution:
    """A registered entry of a step."""

    step: StepRow
    entry: Mapping[str, Any]
    digest: str

    @property
    def id(self) -> str:
        """The global id: the step, and a digest of the entry."""
        return ids.encode("SubExecution", self.step.pipeline_execution_id, self.digest)

    @property
    def execution_id(self) -> str:
        """The execution that it is of, whose permissions guard it."""
        return self.step.execution_id

    @property
    def resource_type(self) -> str:
        """Its type, as registered."""
        return self.text("resourceType") or UNTYPED

    @property
    def label(self) -> str | None:
        """What the step calls it."""
        return self.text("label")

    @property
    def stage_name(self) -> str | None:
        """The state that it belongs to."""
        return self.text("stageName")

    @property
    def owner(self) -> StageOwner:
        """What leads to the run that it is."""
        return StageOwner(self.step.execution_id, self.step.pipeline_execution_id, self.digest)

    @property
    def batch(self) -> BatchJob | None:
        """The job of AWS Batch that it is."""
        job_id = self.text("jobId") or batch_job_id(self.text("jobArn") or "")
        return BatchJob(job_id) if self.resource_type == BATCH_JOB and job_id else None

    @property
    def deadline(self) -> "DeadlineCloudJob | None":
        """The job of AWS Deadline Cloud that it is."""
        job_id = self.text("jobId")
        if self.resource_type != DEADLINE_JOB or job_id is None:
            return None
        return DeadlineCloudJob(self.text("farmId"), self.text("queueId"), job_id)

    def text(self, key: str) -> str | None:
        """Return a text of the entry; None where it is missing, empty or anything else."""
        value = self.entry.get(key)
        return value if isinstance(value, str) and value else None


@dataclass(frozen=True, slots=True)
class DeadlineCloudJob:
    """A job of AWS Deadline Cloud."""

    farm_id: str | None
    queue_id: str | None
    job_id: str


def of_step(step: StepRow) -> list[SubExecution]:
    """Return the registered entries of a step in their order, each once: an event that came twice registered twice."""
    found: dict[str, SubExecution] = {}
    for entry in step.sub_executions:
        text = json.dumps(entry, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        found.setdefault(digest, SubExecution(step, entry, digest))
    return list(found.values())


def left_out(entries: int) -> Sequence[ExecutionWarning]:
    """Warn of registered entries that are no objects."""
    if not entries:
        return ()
    text = f"Registered entries that are no objects are left out: {entries}."
    return (ExecutionWarning(ExecutionWarningCode.REGISTRATION_INCOMPLETE, text),)


def with_digest(step: StepRow, digest: str) -> SubExecution | None:
    """Return the registered entry of a digest."""
    return next((sub for sub in of_step(step) if sub.digest == digest), None)
