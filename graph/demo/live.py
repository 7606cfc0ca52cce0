"""A run that starts with the server, and goes on for its first two minutes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from graph.demo import world
from graph.demo.cloudwatch import Written
from graph.demo.insides import workflow_execution
from graph.demo.model import ACCOUNT, REGION, Run, Selection
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.script import Script
from graph.demo.stepfunctions import Machine, Played
from graph.demo.timeline import execution_id, later, played

LIVE_ID = execution_id("live")
LIVE_SECONDS = 120
LIVE_LOG_GROUP = "/aws/vendedlogs/states/Stills"

_FRAMES = 22
_FRAME_SECONDS = 5
_TASK: dict[str, Any] = {"Type": "Task", "Resource": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:demo"}
_STILLS = Machine(
    f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:Stills",
    {
        "StartAt": "Render",
        "States": {
            "Render": _TASK | {"Next": "More?"},
            "More?": {"Type": "Choice", "Choices": [{"Next": "Render"}], "Default": "Done"},
            "Done": {"Type": "Succeed"},
        },
    },
    f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{LIVE_LOG_GROUP}:*",
)


@dataclass(frozen=True, slots=True)
class LiveRun:
    """The run that starts at an instant. Its rows say RUNNING for good, as nothing but VAMS writes them."""

    starts_at: datetime

    def rows(self) -> Iterator[Row]:
        """Yield its rows."""
        yield from run_rows(self._run("RUNNING"))

    def executions(self) -> tuple[Played, ...]:
        """Return its own state machine, and the one within its step; their events come when their time does."""
        run = self._run("SUCCEEDED")
        ends_at = later(run.started_at, LIVE_SECONDS)
        ended = replace(run, stopped_at=ends_at).with_step(0, stopped_at=ends_at)
        return replace(workflow_execution(ended), is_live=True), self._stills()

    def lines(self) -> Iterator[Written]:
        """Yield what the state machine within its step writes, a line a second."""
        ids = f'"executionId":"{LIVE_ID}","pipelineExecutionId":"{self._run("RUNNING").steps[0].step_id}"'
        start = round(self.starts_at.timestamp() * 1000)
        for second in range(3, _FRAMES * _FRAME_SECONDS):
            frame = second // _FRAME_SECONDS
            text = f'{{"name":"Render","message":"frame {frame}: tile {second % _FRAME_SECONDS} of 5",{ids}}}'
            yield Written(LIVE_LOG_GROUP, "states/stills", start + second * 1000, text)

    def _run(self, status: str) -> Run:
        started_at = self.starts_at.strftime("%Y-%m-%dT%H:%M:%SZ")
        stills = {
            "resourceType": "stepFunctionsExecution",
            "stateMachineArn": _STILLS.arn,
            "executionArn": _STILLS.execution("live-1"),
            "label": "Stills",
        }
        run = replace(
            played(LIVE_ID, world.THUMBNAILS, started_at, status),
            inputs=(Selection(world.PUMP_STATION, "/models/pump.step", "b7QmT2xWc"),),
            output_asset=world.PUMP_STATION,
            checked_at="",
        )
        return run.with_step(0, sub_executions=(stills,))

    def _stills(self) -> Played:
        script = Script(self.starts_at + timedelta(seconds=2))
        last = 0
        for _ in range(_FRAMES):
            last = script.passing("Choice", "More?", script.task("Render", last, seconds=_FRAME_SECONDS - 1.4))
        script.add("ExecutionSucceeded", script.passing("Succeed", "Done", last), output=f'{{"frames":{_FRAMES}}}')
        return Played(_STILLS, "live-1", "SUCCEEDED", script.events, is_live=True)
