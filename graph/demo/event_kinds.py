"""A run whose steps' state machines record every kind of event that Step Functions has.

What a redrive and an abort record is written as it is documented: states are entered again, and aborted states link to
their own last event.
"""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from graph.demo import world
from graph.demo.model import ACCOUNT, REGION, Run, Selection
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.script import Script
from graph.demo.stepfunctions import Machine, Played
from graph.demo.timeline import execution_id, played

EVENT_KINDS_ID = execution_id("event kinds")

_STATES = f"arn:aws:states:{REGION}:{ACCOUNT}"
_LAMBDA = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:demo"
_ACTIVITY = f"{_STATES}:activity:scan"
_CALLBACK = "arn:aws:states:::lambda:invoke.waitForTaskToken"
_RETRY = [{"ErrorEquals": ["States.ALL"], "MaxAttempts": 3}]
_MOVED_ON: dict[str, Any] = {"resourceType": "lambda", "resource": "invoke.waitForTaskToken"}


def event_kind_rows() -> Iterator[Row]:
    """Yield the rows of the run."""
    yield from run_rows(EVENT_KINDS_RUN)


def event_kind_executions() -> tuple[Played, ...]:
    """Return what ran inside its steps."""
    return _attempts(), _redrives(), _stopped(), _failing()


def event_kind_children() -> Iterator[Played]:
    """Yield what the Map run of the redriven machine started: one tile failed, and was redriven with the Map run."""
    for number in range(_TILES):
        script = Script(datetime(2026, 6, 9, 15, 2, tzinfo=UTC) + timedelta(milliseconds=100 * number))
        last = script.enter("Task", "Tile", 0)
        if number == _TILES - 1:
            failed = script.work(last, error="TileError", cause="the tile is empty")
            script.redrive(failed, 1, error="TileError", cause="the tile is empty")
        script.add("ExecutionSucceeded", script.leave("Task", "Tile", script.work(last)), output="{}")
        name = str(uuid.uuid5(uuid.NAMESPACE_OID, f"redriven tile {number}"))
        redriven = {"redriveCount": 1} if number == _TILES - 1 else {}
        yield Played(_REDRIVES, name, "SUCCEEDED", script.events, described=redriven, map_run=_TILES_RUN)


def _machine(name: str, start_at: str, states: dict[str, Any]) -> Machine:
    return Machine(f"{_STATES}:stateMachine:{name}", {"StartAt": start_at, "States": states})


def _task(following: str = "", resource: str = _LAMBDA, **more: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": resource, **({"Next": following} if following else {"End": True}), **more}


def _map(name: str, *, mode: str = "INLINE") -> dict[str, Any]:
    """Return the processor of a Map with one Task in it."""
    return {"ItemProcessor": {"ProcessorConfig": {"Mode": mode}, "StartAt": name, "States": {name: _task()}}}


_ATTEMPTS = _machine(
    "Attempts",
    "Scan",
    {
        "Scan": _task("Mesh", _ACTIVITY, Retry=_RETRY),
        "Mesh": _task("Review", Retry=_RETRY),
        "Review": _task("Judge", _CALLBACK, Retry=_RETRY),
        "Judge": _task("Cool down", Catch=[{"ErrorEquals": ["States.QueryEvaluationError"], "Next": "Cool down"}]),
        "Cool down": {"Type": "Wait", "Seconds": 5, "Next": "Hold"},
        "Hold": {"Type": "Wait", "Seconds": 3600, "End": True},
    },
)
_REDRIVES = _machine(
    "Redrives",
    "Welds",
    {
        "Welds": {
            "Type": "Parallel",
            "Branches": [{"StartAt": side, "States": {side: _task()}} for side in ("Left", "Right")],
            "Next": "Parts",
        },
        "Parts": {"Type": "Map", **_map("Cut"), "Next": "Tiles"},
        "Tiles": {"Type": "Map", **_map("Tile", mode="DISTRIBUTED"), "Next": "Done"},
        "Done": {"Type": "Succeed"},
    },
)
_STOPPED = _machine(
    "Stopped",
    "Finish",
    {
        "Finish": {
            "Type": "Parallel",
            "Branches": [
                {"StartAt": "Paint", "States": {"Paint": _task()}},
                {"StartAt": "Dry", "States": {"Dry": {"Type": "Wait", "Seconds": 600, "End": True}}},
                {"StartAt": "Coats", "States": {"Coats": {"Type": "Map", **_map("Coat"), "End": True}}},
                {"StartAt": "Labels", "States": {"Labels": {"Type": "Map", **_map("Label", mode="DISTRIBUTED")}}},
            ],
            "End": True,
        }
    },
)
_FAILING = _machine(
    "Failing",
    "Note",
    {
        "Note": {"Type": "Pass", "Next": "Both"},
        "Both": {
            "Type": "Parallel",
            "Branches": [{"StartAt": name, "States": {name: _task()}} for name in ("Weigh", "Measure")],
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "How bad?"}],
            "End": True,
        },
        "How bad?": {"Type": "Choice", "Choices": [{"Next": "Give up"}], "Default": "Give up"},
        "Give up": {"Type": "Fail"},
    },
)
_TILES = 8
_TILES_RUN = f"{_STATES}:mapRun:Redrives/Tiles:2f0e1d2c-3b4a-4958-8776-655443322111"
_LABELS_RUN = f"{_STATES}:mapRun:Stopped/Labels:3f0e1d2c-3b4a-4958-8776-655443322112"


def _run() -> Run:
    def registered(execution: Played) -> dict[str, str]:
        return {
            "resourceType": "stepFunctionsExecution",
            "stateMachineArn": execution.machine.arn,
            "executionArn": execution.arn,
        }

    attempts, redrives, stopped, failing = map(registered, event_kind_executions())
    run = replace(
        played(
            EVENT_KINDS_ID,
            world.CONVERT_QA_THUMB,
            "2026-06-09T15:00:00Z",
            "FAILED",
            reached=2,
            error="TooHeavy: the rack weighs more than its supports bear",
        ),
        inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
        output_asset=world.PIPE_RACK,
    )
    return (
        run.with_step(0, sub_executions=(attempts, redrives))
        .with_step(1, sub_executions=(stopped,))
        .with_step(2, sub_executions=(failing,))
    )


def _attempts() -> Played:
    """Return tasks that try again after each way to fail, an expression that fails, waits, and the end of the time."""
    script = Script(datetime(2026, 6, 9, 15, 0, 5, tzinfo=UTC))
    entered = script.enter("Task", "Scan", 0)
    scheduled = script.add("ActivityScheduled", entered, resource=_ACTIVITY)
    last = script.add("ActivityScheduleFailed", scheduled, error="States.Permissions", cause="no such activity")
    scheduled = script.add("ActivityScheduled", last, resource=_ACTIVITY)
    last = script.add("ActivityTimedOut", scheduled, seconds=9, error="States.Timeout", cause="no worker came")
    for error in ("Blurred", ""):
        scheduled = script.add("ActivityScheduled", last, resource=_ACTIVITY)
        begun = script.add("ActivityStarted", scheduled, workerName="scanner-2")
        last = script.attempt("Activity", begun, error=error, cause="out of focus")
    last = script.leave("Task", "Scan", last, assignedVariables={"scanId": '"s-17"', "quality": "0.97"})

    last = script.enter("Task", "Mesh", last)
    scheduled = script.add("LambdaFunctionScheduled", last, resource=_LAMBDA)
    last = script.add("LambdaFunctionScheduleFailed", scheduled, error="Lambda.TooManyRequests", cause="busy")
    scheduled = script.add("LambdaFunctionScheduled", last, resource=_LAMBDA)
    last = script.add("LambdaFunctionStartFailed", scheduled, error="Lambda.Unknown", cause="not started")
    scheduled = script.add("LambdaFunctionScheduled", last, resource=_LAMBDA)
    begun = script.add("LambdaFunctionStarted", scheduled)
    last = script.add("LambdaFunctionTimedOut", begun, seconds=9, error="States.Timeout", cause="took too long")
    last = script.leave("Task", "Mesh", script.work(last))

    last = script.enter("Task", "Review", last)
    scheduled = script.callback(last)
    last = script.add("TaskStartFailed", scheduled, **_MOVED_ON, error="States.Runtime", cause="not started")
    begun = script.add("TaskStarted", script.callback(last), **_MOVED_ON)
    last = script.add("TaskSubmitFailed", begun, **_MOVED_ON, error="Lambda.Unknown", cause="not handed over")
    endings: tuple[tuple[str, dict[str, Any]], ...] = (
        ("TaskTimedOut", {"error": "States.Timeout", "cause": "nobody reviewed it"}),
        ("TaskSucceeded", {"output": '{"verdict":"good"}'}),
    )
    for ending, told in endings:
        begun = script.add("TaskStarted", script.callback(last), **_MOVED_ON)
        submitted = script.add("TaskSubmitted", begun, **_MOVED_ON, output="{}")
        last = script.add(ending, submitted, seconds=9, **_MOVED_ON, **told)
    last = script.leave("Task", "Review", last)

    last = script.enter("Task", "Judge", last)
    last = script.add(
        "EvaluationFailed",
        last,
        state="Judge",
        location="Arguments/threshold",
        error="States.QueryEvaluationError",
        cause="The expression '$threshold' returned nothing (undefined).",
    )
    last = script.leave("Task", "Judge", last)
    last = script.add("WaitStateExited", script.enter("Wait", "Cool down", last), seconds=5, name="Cool down")
    script.enter("Wait", "Hold", last)
    script.add("ExecutionTimedOut", 0, seconds=60, error="States.Timeout", cause="the machine may take 120 s")
    return Played(_ATTEMPTS, "attempts-1", "TIMED_OUT", script.events)


def _redrives() -> Played:
    """Return a Parallel, an inline Map and a distributed one, each of which fails and is redriven."""
    script = Script(datetime(2026, 6, 9, 15, 0, 10, tzinfo=UTC))
    started = script.add("ParallelStateStarted", script.enter("Parallel", "Welds", 0))
    left, right = script.enter("Task", "Left", started), script.enter("Task", "Right", started)
    script.leave("Task", "Left", script.work(left))
    last = script.work(right, error="Cracked", cause="the seam broke")
    last = script.add("ParallelStateFailed", last)
    last = script.redrive(last, 1, error="Cracked", cause="the seam broke")
    started = script.add("ParallelStateStarted", script.enter("Parallel", "Welds", last))
    last = script.leave("Task", "Right", script.work(script.enter("Task", "Right", started)))
    last = script.leave("Parallel", "Welds", script.add("ParallelStateSucceeded", last))

    started = script.add("MapStateStarted", script.enter("Map", "Parts", last), length=3)
    begun = [script.add("MapIterationStarted", started, name="Parts", index=index) for index in range(3)]
    cut = [script.enter("Task", "Cut", begin) for begin in begun]
    script.add("MapIterationSucceeded", script.leave("Task", "Cut", script.work(cut[0])), name="Parts", index=0)
    failed = script.work(cut[1], error="Dull", cause="the blade is dull")
    script.add("MapIterationFailed", failed, name="Parts", index=1)
    script.add("MapIterationAborted", script.add("TaskStateAborted", cut[2]), name="Parts", index=2)
    last = script.redrive(script.add("MapStateFailed", failed), 2, error="Dull", cause="the blade is dull")
    started = script.add("MapStateStarted", script.enter("Map", "Parts", last), length=3)
    for index in (1, 2):
        begin = script.add("MapIterationStarted", started, name="Parts", index=index)
        last = script.leave("Task", "Cut", script.work(script.enter("Task", "Cut", begin)))
        last = script.add("MapIterationSucceeded", last, name="Parts", index=index)
    last = script.leave("Map", "Parts", script.add("MapStateSucceeded", last))

    started = script.add("MapStateStarted", script.enter("Map", "Tiles", last))
    begin = script.add("MapRunStarted", started, mapRunArn=_TILES_RUN)
    failed = script.add(
        "MapRunFailed", begin, seconds=10, error="States.ExceedToleratedFailureThreshold", cause="1 of 8"
    )
    last = script.add("MapStateFailed", failed)
    last = script.redrive(last, 3, error="States.ExceedToleratedFailureThreshold", cause="1 of 8")
    started = script.add("MapStateStarted", script.enter("Map", "Tiles", last))
    begin = script.add("MapRunRedriven", started, mapRunArn=_TILES_RUN, redriveCount=1)
    last = script.add("MapStateSucceeded", script.add("MapRunSucceeded", begin, seconds=5))
    last = script.passing("Succeed", "Done", script.leave("Map", "Tiles", last))
    script.add("ExecutionSucceeded", last, output='{"tiles":8}')
    redriven = [event["timestamp"] for event in script.events if event["type"] == "ExecutionRedriven"]
    return Played(
        _REDRIVES,
        "redrives-1",
        "SUCCEEDED",
        script.events,
        described={"redriveCount": len(redriven), "redriveDate": redriven[-1]},
        map_runs={_TILES_RUN: {"status": "SUCCEEDED", "executionCounts": {"total": _TILES, "succeeded": _TILES}}},
    )


def _stopped() -> Played:
    """Return a Parallel that is stopped while a Task, a Wait and two Maps go on in its branches."""
    script = Script(datetime(2026, 6, 9, 15, 3, 10, tzinfo=UTC))
    started = script.add("ParallelStateStarted", script.enter("Parallel", "Finish", 0))
    paint = script.add("LambdaFunctionScheduled", script.enter("Task", "Paint", started), resource=_LAMBDA)
    dry = script.enter("Wait", "Dry", started)
    coats = script.add("MapStateStarted", script.enter("Map", "Coats", started), length=1)
    coat = script.enter("Task", "Coat", script.add("MapIterationStarted", coats, name="Coats", index=0))
    labels = script.add("MapStateStarted", script.enter("Map", "Labels", started))
    labels = script.add("MapRunStarted", labels, mapRunArn=_LABELS_RUN)
    script.add("TaskStateAborted", paint, seconds=90)
    script.add("WaitStateAborted", dry)
    iteration = script.add("MapIterationAborted", script.add("TaskStateAborted", coat), name="Coats", index=0)
    script.add("MapStateAborted", iteration)
    last = script.add("MapStateAborted", script.add("MapRunAborted", labels))
    script.add("ParallelStateAborted", last)
    script.add("ExecutionAborted", 0, error="Stopped", cause="the paint ran out")
    counts = {"total": 4, "pending": 1, "succeeded": 1, "aborted": 2}
    runs = {_LABELS_RUN: {"status": "ABORTED", "executionCounts": counts}}
    return Played(_STOPPED, "stopped-1", "ABORTED", script.events, map_runs=runs)


def _failing() -> Played:
    """Return a Parallel of which one branch fails while the other goes on; a Catch leads to the end."""
    script = Script(datetime(2026, 6, 9, 15, 6, 15, tzinfo=UTC))
    last = script.passing("Pass", "Note", 0)
    started = script.add("ParallelStateStarted", script.enter("Parallel", "Both", last))
    weigh, measure = script.enter("Task", "Weigh", started), script.enter("Task", "Measure", started)
    begun = script.add("TaskStarted", script.callback(weigh), **_MOVED_ON)
    failed = script.add("TaskFailed", begun, seconds=20, **_MOVED_ON, error="TooHeavy", cause="1,204 kg")
    script.add("TaskStateAborted", measure)
    last = script.leave("Parallel", "Both", script.add("ParallelStateFailed", failed))
    last = script.enter("Fail", "Give up", script.passing("Choice", "How bad?", last))
    script.add("ExecutionFailed", last, error="TooHeavy", cause="1,204 kg")
    return Played(_FAILING, "failing-1", "FAILED", script.events)


EVENT_KINDS_RUN = _run()
