"""Ending the steps of a run: what they registered is stopped, then each is marked, and what ended stays as it is."""

from collections.abc import Sequence
from datetime import datetime

from graph.actions.action import READ, Action
from graph.actions.results import ActionWarning
from graph.aws.calls import CallFailed
from graph.engines.jobs import DeadlineJobKey
from graph.errors import GraphError
from graph.execution_warnings import ExecutionWarningCode
from graph.loaders.base import KeyRange
from graph.resolvers import registered
from graph.resolvers.registered import SubExecution
from graph.tables.builders.steps import step_end
from graph.tables.catalogue import STEPS
from graph.tables.reader import Item
from graph.tables.records.steps import StepRow
from graph.tables.states import TERMINAL, ExecutionStatus, PipelineExecutionType
from graph.tables.writer import ConditionFailed

_AT_ONCE = 8  # steps that are ended at the same time


class Sweep:
    """Ends the steps of one run. Done twice, it reaches what was registered while the first was under way.

    Attributes:
        warnings: what was left running or not written.
    """

    def __init__(self, action: Action, execution_id: str, stopped_at: datetime) -> None:
        self._action, self._execution_id, self._stopped_at = action, execution_id, stopped_at
        self._stopped: set[str] = set()
        self._looked_up: set[str] = set()
        self.warnings: list[ActionWarning] = []

    async def run(self) -> None:
        """End each step that did not end otherwise.

        Raises:
            GraphError: when the steps cannot be read.
        """
        loaders = self._action.loaders()
        found = (await loaders.steps.by_execution.load(KeyRange(self._execution_id))).rows
        steps = await self._action.loaders().steps.by_key.load_all(step.primary_key for step in found)
        left = [step for step in steps if step is not None]
        for start in range(0, len(left), _AT_ONCE):
            ended = await self._action.scope.gather(*(self._end(step) for step in left[start : start + _AT_ONCE]))
            self.warnings += (warning for warnings in ended for warning in warnings)

    async def _end(self, step: StepRow) -> Sequence[ActionWarning]:
        """Stop what a step registered, and mark it; then stop what was registered until the mark."""
        if step.status in TERMINAL and step.status is not ExecutionStatus.ABORTED:
            return ()
        warnings = [*await self._stop_registered(step), *await self._stop_unregistered(step)]
        if step.status is ExecutionStatus.ABORTED:
            return warnings
        if self._action.is_late:
            return [*warnings, _late(step)]
        try:
            item = await self._action.writer.update(
                STEPS, step.primary_key, step_end(ExecutionStatus.ABORTED, self._stopped_at)
            )
        except ConditionFailed as failed:
            self._action.written[STEPS, step.primary_key] = failed.item  # it ended by itself, or was deleted
            return warnings
        except GraphError as error:
            return [*warnings, _not_marked(step, error)]
        self._action.written[STEPS, step.primary_key] = item
        return [*warnings, *await self._stop_registered(_decoded(item))]

    async def _stop_registered(self, step: StepRow) -> Sequence[ActionWarning]:
        new = [sub for sub in registered.of_step(step) if sub.id not in self._stopped]
        self._stopped.update(sub.id for sub in new)
        told = await self._action.scope.gather(*(self._stop(sub) for sub in new))
        return [warning for warning in told if warning is not None]

    async def _stop(self, sub: SubExecution) -> ActionWarning | None:
        if self._action.is_late:
            return _warn(sub, "was not stopped in time")
        engines = self._action.services.engines
        stops, registration = engines.stops, engines.registration(sub.entry)
        try:
            if registration is not None and registration.run is not None:
                await stops.run(registration.run)
            elif sub.batch is not None:
                await stops.batch_job(sub.batch.job_id)
            elif (job := sub.deadline) is not None and job.farm_id and job.queue_id:
                await stops.deadline_job(DeadlineJobKey(job.farm_id, job.queue_id, job.job_id))
            else:
                return _warn(sub, "cannot be stopped from here", ExecutionWarningCode.STOP_UNSUPPORTED)
        except CallFailed as failure:
            return _warn(sub, f"could not be stopped: {failure.code}")
        return None

    async def _stop_unregistered(self, step: StepRow) -> Sequence[ActionWarning]:
        """Stop the jobs of Deadline Cloud that a step submitted, where none of them is registered."""
        if (
            step.execution_type is not PipelineExecutionType.DEADLINE_CLOUD
            or step.started_at is None
            or step.pipeline_execution_id in self._looked_up
            or any(sub.deadline is not None for sub in registered.of_step(step))
        ):
            return ()
        self._looked_up.add(step.pipeline_execution_id)
        if self._action.is_late:
            return [_late(step)]
        try:
            return await self._stop_found_jobs(step)
        except CallFailed as failure:
            return [_warn(step, f"could not be stopped: {failure.code}")]
        except GraphError:
            return [_warn(step, "could not be looked for: its pipeline cannot be read")]

    async def _stop_found_jobs(self, step: StepRow) -> Sequence[ActionWarning]:
        key = (step.pipeline_database_id, step.pipeline_id)
        pipeline = await self._action.loaders().definitions.pipelines.load(key)
        if pipeline is None or pipeline.deadline_queue is None:
            return [_warn(step, "could not be looked for: its pipeline names no farm and queue")]
        engines = self._action.services.engines
        found = await engines.stops.deadline_jobs_of(*pipeline.deadline_queue, step.pipeline_execution_id)
        for job_id in found.job_ids:
            await engines.stops.deadline_job(DeadlineJobKey(*pipeline.deadline_queue, job_id))
        if not found.job_ids and not found.is_whole:
            return [_warn(step, "was not among the jobs of its queue that were looked at")]
        return ()


def _decoded(item: Item) -> StepRow:
    return StepRow.decode(item, READ[StepRow])


def _warn(
    of: SubExecution | StepRow, what: str, code: ExecutionWarningCode = ExecutionWarningCode.STOP_FAILED
) -> ActionWarning:
    kind = "A job of Deadline Cloud" if isinstance(of, StepRow) else f"A sub-execution of type {of.resource_type}"
    return ActionWarning(code, f"{kind} {what}; it may go on running.", of.id)


def _late(step: StepRow) -> ActionWarning:
    return ActionWarning(ExecutionWarningCode.STOP_FAILED, "A step was not ended in time.", step.id)


def _not_marked(step: StepRow, error: GraphError) -> ActionWarning:
    return ActionWarning(
        ExecutionWarningCode.WRITE_FAILED, f"The end of a step could not be written: {error.code}.", step.id
    )
