"""How a run goes: its steps in turn, with the dates and statuses that each ending leaves on them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graph.demo.model import Run, Step, StepLog, Workflow, identifier
from graph.tables.builders.dates import stored_date

_DATE = "%Y-%m-%dT%H:%M:%SZ"
_STEP_SECONDS = 180
_PAUSE_SECONDS = 4

COMPLETE = "Workflow Execution Output Processing Complete"


def execution_id(name: str) -> str:
    """Return the id of the run that the demo calls by this name."""
    return identifier("execution", name)


def instant(date: str) -> datetime:
    """Return the instant that a stored date stands for."""
    return datetime.strptime(date, _DATE).replace(tzinfo=UTC)


def optional_instant(date: str) -> datetime | None:
    """Return the instant that a stored date stands for, if there is one."""
    return instant(date) if date else None


def later(date: str, seconds: int) -> str:
    """Return the date so many seconds on."""
    return stored_date(instant(date) + timedelta(seconds=seconds))


def played(
    run_id: str,
    workflow: Workflow,
    started_at: str,
    status: str = "SUCCEEDED",
    *,
    reached: int | None = None,
    error: str = "",
) -> Run:
    """Return a run that reached the step ``reached`` (the last, if None) and is, or ended, in ``status``.

    A failure or an abort ends every step that had not ended. A time-out is seen from outside, so that the steps keep
    what they last said.
    """
    reached = len(workflow.specified) - 1 if reached is None else reached
    steps = tuple(_steps(run_id, workflow, started_at, status, reached))
    stopped_at = "" if status == "RUNNING" else later(started_at, _offset(reached) + _STEP_SECONDS)
    run = Run(
        execution_id=run_id,
        workflow=workflow,
        status=status,
        started_at=started_at,
        stopped_at=stopped_at,
        checked_at=later(started_at, 31),
        error=error,
        log="" if status == "RUNNING" else _log(run_id, workflow, status, reached, error),
        steps=steps,
    )
    if status == "SUCCEEDED":
        return run.with_step(-1, log=StepLog(COMPLETE, run.log))
    if status == "FAILED":
        failed = (replace(step, log=StepLog(error=run.log)) if step.status == "FAILED" else step for step in steps)
        return replace(run, steps=tuple(failed))
    return run


def _offset(place: int) -> int:
    return place * (_STEP_SECONDS + _PAUSE_SECONDS)


def _steps(run_id: str, workflow: Workflow, started_at: str, status: str, reached: int) -> Iterator[Step]:
    for place, specified in enumerate(workflow.specified):
        step = Step(step_id=identifier("step", run_id, str(place)), pipeline=specified.pipeline)
        start = later(started_at, _offset(place))
        stop = later(start, _STEP_SECONDS)
        if place < reached or status == "SUCCEEDED":
            yield replace(step, status="SUCCEEDED", started_at=start, stopped_at=stop)
        elif status in ("FAILED", "ABORTED"):
            ended = later(started_at, _offset(reached) + _STEP_SECONDS)
            yield replace(step, status=status, started_at=start if place == reached else "", stopped_at=ended)
        elif place == reached:
            yield replace(step, status="RUNNING", started_at=start)
        else:
            yield step


def _log(run_id: str, workflow: Workflow, status: str, reached: int, error: str) -> str:
    """Return what the engine logged of the run, one JSON object a line."""
    arn = f"{workflow.arn.replace(':stateMachine:', ':execution:')}:{run_id}"
    entered = [{"type": "TaskStateEntered", "name": specified.job} for specified in workflow.specified[: reached + 1]]
    ending = {"type": f"Execution{status.title().replace('_', '')}"}
    events = [{"type": "ExecutionStarted"}, *entered, ending | {"cause": error} if error else ending]
    lines = ({"id": str(number), **event, "execution_arn": arn} for number, event in enumerate(events, start=1))
    return "\n".join(map(json.dumps, lines))
