"""A run whose steps ran state machines of their own, and what happened inside those and inside other runs."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from graph.demo import world
from graph.demo.event_kinds import EVENT_KINDS_RUN, event_kind_children, event_kind_executions
from graph.demo.model import ACCOUNT, REGION, Run, Selection, Workflow, identifier
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.samples import SAMPLE_RUN
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.demo.timeline import execution_id, instant, played

INSIDES_ID = execution_id("insides")
ITERATIONS = 200
FAILING_ITERATION = 137
TURNS = 900  # of a loop of seven events
BAKE_JOB_ID = "6f1c2d3e-4f50-4617-8899-aabbccddee00"

_STATES = f"arn:aws:states:{REGION}:{ACCOUNT}"
_LOGS = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group"
_LAMBDA = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function"


def _machine(name: str, definition: dict[str, Any], *, logs: bool = True) -> Machine:
    group = f"{_LOGS}:/aws/vendedlogs/states/{name}:*" if logs else ""
    return Machine(f"{_STATES}:stateMachine:{name}", definition, group)


def _task(following: str = "", **more: Any) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": f"{_LAMBDA}:demo",
        **({"Next": following} if following else {"End": True}),
        **more,
    }


_RETRY = [{"ErrorEquals": ["Busy"], "MaxAttempts": 2}]
_ASSEMBLE = _machine(
    "Assemble",
    {
        "StartAt": "Checks",
        "States": {
            "Checks": {
                "Type": "Parallel",
                "Branches": [
                    {"StartAt": "Geometry", "States": {"Geometry": _task()}},
                    {
                        "StartAt": "Materials",
                        "States": {
                            "Materials": _task(Catch=[{"ErrorEquals": ["NoSuchMaterial"], "Next": "Assume steel"}]),
                            "Assume steel": {"Type": "Pass", "End": True},
                        },
                    },
                ],
                "Next": "Parts",
            },
            "Parts": {
                "Type": "Map",
                "ItemProcessor": {
                    "StartAt": "Fetch",
                    "States": {"Fetch": _task("Convert"), "Convert": _task(Retry=_RETRY)},
                },
                "Next": "Report",
            },
            "Report": _task(),
        },
    },
)
_PUBLISH = _machine(
    "Publish",
    {
        "StartAt": "Upload",
        "States": {
            "Upload": _task("Bake"),
            "Bake": {"Type": "Task", "Resource": "arn:aws:states:::batch:submitJob.sync", "Next": "Tiles"},
            "Tiles": {
                "Type": "Map",
                "ItemProcessor": {
                    "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
                    "StartAt": "Tile",
                    "States": {"Tile": _task()},
                },
                "End": True,
            },
        },
    },
)
_SURVEY = _machine(
    "Survey",
    {
        "StartAt": "Measure",
        "States": {
            "Measure": _task("Enough?"),
            "Enough?": {"Type": "Choice", "Choices": [{"Next": "Measure"}], "Default": "Sum up"},
            "Sum up": {"Type": "Succeed"},
        },
    },
    logs=False,
)
_CONVERSION = replace(
    _machine(
        "ConversionPipeline",
        {
            "StartAt": "Prepare",
            "States": {
                "Prepare": _task("ConvertBatch"),
                "ConvertBatch": {
                    "Type": "Task",
                    "Resource": "arn:aws:states:::batch:submitJob.sync",
                    "Next": "Done",
                    "Retry": [{"ErrorEquals": ["States.TaskFailed"]}],
                    "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "ReportFailure"}],
                },
                "ReportFailure": _task("ConversionFailed"),
                "ConversionFailed": {"Type": "Fail"},
                "Done": {"Type": "Succeed"},
            },
        },
    ),
    log_group=f"{_LOGS}:/aws/vendedlogs/VAMSstateMachine-ConversionPipeline:*",
)
ASSEMBLE_LOG_GROUP = "/aws/vendedlogs/states/Assemble"
_TILES, FAILING_TILE = 64, 41
TILES_RUN = f"{_STATES}:mapRun:Publish/Tiles:8f0e1d2c-3b4a-4958-8776-655443322110"


def insides_rows() -> Iterator[Row]:
    """Yield the rows of the run."""
    yield from run_rows(INSIDES_RUN)


def step_functions(
    *runs: Run, more: Iterable[Played] = (), clock: Callable[[], float] = time.time
) -> EmbeddedStepFunctions:
    """Return the service, with every execution of the demo's machines, those of some runs' workflows, and some more."""
    chains = (workflow_execution(run) for run in (SAMPLE_RUN, INSIDES_RUN, EVENT_KINDS_RUN, *runs))
    machines = (_conversion(), _assemble(), _publish(), _survey(), *event_kind_executions())
    return EmbeddedStepFunctions((*machines, *_tiles(), *event_kind_children(), *chains, *more), clock=clock)


def _insides() -> Run:
    def registered(machine: Machine, name: str, **more: str) -> dict[str, str]:
        return {
            "resourceType": "stepFunctionsExecution",
            "stateMachineArn": machine.arn,
            "executionArn": machine.execution(name),
            **more,
        }

    assemble = registered(_ASSEMBLE, "assemble-1", label="Assembly", stageName="Parts")
    express = {"executionArn": f"{_STATES}:express:Notify:{identifier('notify')}:1", "label": "Notification"}
    error = "PartError: part 137 has no surface"
    run = replace(
        played(INSIDES_ID, world.CONVERT_QA_THUMB, "2026-06-10T15:00:00Z", "FAILED", reached=2, error=error),
        inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
        output_asset=world.PIPE_RACK,
    )
    return (
        run.with_step(0, sub_executions=(registered(_PUBLISH, "publish-1", label="Publication"), express))
        .with_step(1, sub_executions=(registered(_SURVEY, "survey-1"),))
        .with_step(2, sub_executions=(assemble, assemble))
    )


def workflow_execution(run: Run) -> Played:
    """Return the workflow's own state machine: a Task for each step, and one that takes over when a step fails."""
    script = Script(instant(run.started_at))
    last = 0
    for place, step in enumerate(run.steps):
        if not step.started_at:
            break
        name = run.workflow.specified[place].job
        script.wait_until(instant(step.started_at))
        last = script.enter("Task", name, last)
        about: dict[str, Any] = {"resourceType": "lambda", "resource": "invoke.waitForTaskToken"}
        last = script.add("TaskScheduled", last, **about, region=REGION, parameters="{}")
        last = script.add("TaskStarted", last, **about)
        last = script.add("TaskSubmitted", last, **about, output="{}")
        if step.status in ("RUNNING", "ABORTED"):
            break
        script.wait_until(instant(step.stopped_at) - timedelta(seconds=1))
        if step.status == "SUCCEEDED":
            last = script.add("TaskSucceeded", last, **about, output="{}")
        else:
            last = script.add("TaskFailed", last, **about, error="StepFailed", cause=run.error)
        last = script.leave("Task", name, last)
    if run.status == "SUCCEEDED":
        script.add("ExecutionSucceeded", last, output='{"status":"SUCCEEDED"}')
    elif run.status == "FAILED":
        last = script.enter("Fail", "Failed", last)
        script.add("ExecutionFailed", last, error="WorkflowFailed", cause=run.error)
    elif run.status in ("ABORTED", "TIMED_OUT"):
        script.wait_until(instant(run.stopped_at) - timedelta(seconds=1))
        script.add("ExecutionAborted" if run.status == "ABORTED" else "ExecutionTimedOut", 0)
    return Played(_chain_machine(run.workflow), run.execution_id, run.status, script.events)


@cache
def _chain_machine(workflow: Workflow) -> Machine:
    jobs = [specified.job for specified in workflow.specified]
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "Failed"}]
    states: dict[str, Any] = {
        job: {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken", "Catch": catch}
        | ({"Next": following} if following else {"End": True})
        for job, following in zip(jobs, [*jobs[1:], ""], strict=True)
    }
    return Machine(workflow.arn, {"StartAt": jobs[0], "States": states | {"Failed": {"Type": "Fail"}}})


def _conversion() -> Played:
    script = Script(datetime(2026, 7, 14, 9, 30, 4, tzinfo=UTC))
    last = script.task("Prepare", 0)
    last = script.batch("ConvertBatch", last, ("j-1", "", False), ("j-2", "", True))
    last = script.passing("Succeed", "Done", last)
    script.add("ExecutionSucceeded", last, output='{"models":2}')
    return Played(_CONVERSION, "7c0b1d2e-conv", "SUCCEEDED", script.events)


def _assemble() -> Played:
    """Return branches, one of which catches an error; then 200 iterations: some retry, one fails, 19 are cut."""
    script = Script(datetime(2026, 6, 10, 15, 6, 10, tzinfo=UTC), pace=0.05)
    started = script.add("ParallelStateStarted", script.enter("Parallel", "Checks", 0))
    geometry = script.enter("Task", "Geometry", started)
    materials = script.enter("Task", "Materials", started)
    geometry = script.leave("Task", "Geometry", script.work(geometry))
    failed = script.work(materials, error="NoSuchMaterial", cause="adamantium")
    materials = script.passing("Pass", "Assume steel", script.leave("Task", "Materials", failed))
    script.add("ParallelStateSucceeded", materials)
    last = script.leave("Parallel", "Checks", materials)
    started = script.add("MapStateStarted", script.enter("Map", "Parts", last), length=ITERATIONS)
    open_until_last = range(ITERATIONS - 19, ITERATIONS)
    begun = [script.add("MapIterationStarted", started, seconds=0, name="Parts", index=n) for n in range(ITERATIONS)]
    for index, begin in enumerate(begun):
        if index == FAILING_ITERATION or index in open_until_last:
            continue
        fetched = script.task("Fetch", begin, seconds=0.01)
        converted = script.task("Convert", fetched, *["Busy"] * (index % 10 == 0), seconds=0.02)
        script.add("MapIterationSucceeded", converted, seconds=0, name="Parts", index=index)
    for index in open_until_last:
        script.enter("Task", "Fetch", begun[index])
    fetched = script.task("Fetch", begun[FAILING_ITERATION], seconds=0.01)
    last = script.enter("Task", "Convert", fetched)
    for attempt in range(3):
        error = "Busy" if attempt < 2 else "PartError"
        last = script.work(last, error=error, cause="part 137 has no surface, TaskToken=AQCEAAAAKgAAAAMAAAAA")
    script.add("MapIterationFailed", last, seconds=0, name="Parts", index=FAILING_ITERATION)
    for index in open_until_last:
        script.add("MapIterationAborted", last, seconds=0, name="Parts", index=index)
    last = script.add("MapStateFailed", last, seconds=0, error="PartError", cause="part 137 has no surface")
    script.add("ExecutionFailed", last, error="PartError", cause="part 137 has no surface")
    return Played(
        _ASSEMBLE, "assemble-1", "FAILED", script.events, input='{"Authorization": "Bearer abc", "parts": 200}'
    )


def _publish() -> Played:
    """Return a failing task, a redrive that resumes it, a Batch job, and a Map whose items are executions."""
    script = Script(datetime(2026, 6, 10, 15, 0, 10, tzinfo=UTC))
    upload = script.enter("Task", "Upload", 0)
    failed = script.work(upload, error="Denied", cause="the bucket refused")
    ended = script.add("ExecutionFailed", failed, error="Denied", cause="the bucket refused")
    script.add("ExecutionRedriven", ended, seconds=60, redriveCount=1)
    last = script.leave("Task", "Upload", script.work(upload))
    last = script.batch("Bake", last, (BAKE_JOB_ID, "", True))
    started = script.add("MapStateStarted", script.enter("Map", "Tiles", last), length=0)
    running = script.add("MapRunStarted", started, mapRunArn=TILES_RUN)
    succeeded = script.add("MapRunSucceeded", running, seconds=30)
    script.add("MapStateSucceeded", succeeded)
    last = script.leave("Map", "Tiles", running)
    script.add("ExecutionSucceeded", last, output='{"tiles":64}')
    counts = {"total": _TILES, "succeeded": _TILES - 2, "failed": 1, "aborted": 1}
    counts |= dict.fromkeys(("pending", "running", "timedOut"), 0)
    return Played(
        _PUBLISH,
        "publish-1",
        "SUCCEEDED",
        script.events,
        described={"redriveCount": 1, "redriveDate": script.events[4]["timestamp"]},
        map_runs={TILES_RUN: {"status": "SUCCEEDED", "executionCounts": counts}},
    )


def _tiles() -> Iterator[Played]:
    """Yield what the Map run started: one tile fails, and one is cut with it."""
    for number in range(_TILES):
        script = Script(datetime(2026, 6, 10, 15, 2, 20, tzinfo=UTC) + timedelta(milliseconds=100 * number), pace=0.05)
        entered, status = script.enter("Task", "Tile", 0), "SUCCEEDED"
        if number == FAILING_TILE:
            failed = script.work(entered, error="TileError", cause=f"tile {number} is empty")
            script.add("ExecutionFailed", failed, error="TileError", cause=f"tile {number} is empty")
            status = "FAILED"
        elif number == _TILES - 1:
            script.add("ExecutionAborted", 0)
            status = "ABORTED"
        else:
            last = script.leave("Task", "Tile", script.work(entered, seconds=0.5))
            script.add("ExecutionSucceeded", last, output="{}")
        name = str(uuid.uuid5(uuid.NAMESPACE_OID, f"tile {number}"))
        yield Played(_PUBLISH, name, status, script.events, input=f'{{"tile":{number}}}', map_run=TILES_RUN)


def _survey() -> Played:
    """Return a loop with more events than are read."""
    script = Script(datetime(2026, 6, 10, 15, 3, 10, tzinfo=UTC), pace=0.02)
    last = 0
    for _ in range(TURNS):
        last = script.task("Measure", last, seconds=0.01)
        last = script.passing("Choice", "Enough?", last)
    script.add("ExecutionSucceeded", script.passing("Succeed", "Sum up", last), output="{}")
    return Played(_SURVEY, "survey-1", "SUCCEEDED", script.events)


INSIDES_RUN = _insides()
