"""What the demo's runs wrote to CloudWatch Logs, and the jobs that wrote it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from graph.aws.clients import Clients
from graph.demo.cloudwatch import EmbeddedLogs, Written
from graph.demo.insides import (
    ASSEMBLE_LOG_GROUP,
    BAKE_JOB_ID,
    FAILING_ITERATION,
    INSIDES_RUN,
    ITERATIONS,
    step_functions,
)
from graph.demo.live import LIVE_LOG_GROUP, LiveRun
from graph.demo.model import FARM_ID, LOG_GROUP, QUEUE_ID, Run, identifier
from graph.demo.objects import find_object
from graph.demo.registrations import PLANTED_SECRETS, REGISTRATIONS_ID, REGISTRATIONS_RUN, SECRETS_RUN
from graph.demo.s3 import EmbeddedS3
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_RUN, SAMPLE_STEP_IDS
from graph.demo.shapes import ENDINGS, FAILED_ID, STOPPED_OUTSIDE_ID
from graph.demo.stepfunctions import EmbeddedStepFunctions
from graph.demo.timeline import instant

QUALITY_LINES = 40_000
QUALITY_STREAM = "vams-quality-f6e5d4c3b2/default/0f9e8d7c6b5a43218765fedcba987654"
BAKE_JOB = "1b1c2d3e-4f50-4617-8899-aabbccddeeff"
BAKE_STREAM = f"vams-bake/default/{identifier('bake')}"
TILES_STREAM = f"vams-bake/default/{identifier('tiles')}"
DENIED_GROUP = "/old/convert"

_RUN_GROUP = LOG_GROUP.removesuffix(":*").partition(":log-group:")[2]
_BATCH = "/aws/batch/job"
_CONVERTER_STREAM = f"vams-convert-a1b2c3d4e5/default/{identifier('converter')}"
_SESSIONS = 12


def log_clients(
    live: LiveRun | None = None, clock: Callable[[], float] = time.time, files: EmbeddedS3 | None = None
) -> Clients:
    """Return the clients of the demo's services, with the lines of a live run; ``clock`` gives Unix seconds.

    Links lead to ``files``, or to nobody.
    """
    lines = (*_written(), *(live.lines() if live is not None else ()))
    logs = EmbeddedLogs(lines, denied=[DENIED_GROUP], clock=clock, live=[LIVE_LOG_GROUP])
    states = step_functions(*ENDINGS, more=live.executions() if live is not None else (), clock=clock)
    _stop_outside(states)
    return Clients(logs, EmbeddedBatch(), EmbeddedDeadline(), states, files or EmbeddedS3(find_object, clock))


def _stop_outside(states: EmbeddedStepFunctions) -> None:
    """Stop a run as somebody does who goes around VAMS, ten minutes after its start."""
    (run,) = (run for run in ENDINGS if run.execution_id == STOPPED_OUTSIDE_ID)
    arn, stopped_at = _arn(run), instant(run.started_at) + timedelta(minutes=10)
    event = {
        "id": len(states.get_execution_history(executionArn=arn)["events"]) + 1,
        "previousEventId": 0,
        "type": "ExecutionAborted",
        "timestamp": stopped_at,
        "executionAbortedEventDetails": {"error": "Stopped", "cause": "by hand, in the console"},
    }
    states.append(arn, [event], "ABORTED")


class EmbeddedBatch:
    """AWS Batch, with the jobs that it still remembers."""

    def describe_jobs(self, *, jobs: Sequence[str]) -> Mapping[str, Any]:
        """Return the jobs of some ids, without those that were forgotten."""
        streams = {BAKE_JOB: BAKE_STREAM, BAKE_JOB_ID: TILES_STREAM}
        known = {
            job: {"jobId": job, "status": "SUCCEEDED", "container": {"logStreamName": stream}}
            for job, stream in streams.items()
        }
        return {"jobs": [known[job] for job in jobs if job in known]}

    def terminate_job(self, **_: str) -> Mapping[str, Any]:
        """Return nothing: all jobs have ended, and what has ended stays as it is."""
        return {}


class EmbeddedDeadline:
    """AWS Deadline Cloud, where each job ran in the same few sessions."""

    def get_job(self, *, jobId: str, **_: str) -> Mapping[str, Any]:  # noqa: N803
        """Return a job, with the parameters that nobody may see."""
        started = _started(REGISTRATIONS_RUN, 1)
        return {
            "jobId": jobId,
            "lifecycleStatus": "CREATE_COMPLETE",
            "taskRunStatus": "SUCCEEDED",
            "startedAt": started,
            "endedAt": started + timedelta(minutes=2),
            "parameters": {"TaskToken": {"string": PLANTED_SECRETS[3]}},
        }

    def list_sessions(self, *, maxResults: int, nextToken: str = "0", **_: str) -> Mapping[str, Any]:  # noqa: N803
        """Return one page of the sessions of a job."""
        first = int(nextToken)
        sessions = [
            {"sessionId": _session(number), "startedAt": _started(REGISTRATIONS_RUN, 1) + timedelta(seconds=number)}
            for number in range(first, min(first + maxResults, _SESSIONS))
        ]
        following = {"nextToken": str(first + maxResults)} if first + maxResults < _SESSIONS else {}
        return {"sessions": sessions, **following}

    def list_jobs(self, **_: Any) -> Mapping[str, Any]:
        """Return the jobs of a queue, of which none is left to end."""
        return {"jobs": []}

    def update_job(self, **_: str) -> Mapping[str, Any]:
        """Return nothing: all jobs have ended."""
        return {}


@cache
def _written() -> tuple[Written, ...]:
    runs = (SAMPLE_RUN, REGISTRATIONS_RUN, SECRETS_RUN, INSIDES_RUN, *ENDINGS)
    lines = [line for run in runs for line in _run_lines(run)]
    return (*lines, *_functions(), *_failed_check(), *_converter(), *_quality(), *_assembly(), *_registrations())


def _arn(run: Run) -> str:
    return f"{run.workflow.arn.replace(':stateMachine:', ':execution:')}:{run.execution_id}"


def _run_lines(run: Run) -> Iterator[Written]:
    """Yield what the engine and the tracking function write to the group that all executions share."""
    arn = _arn(run)
    stream = f"states/vams-{run.workflow.workflow_id}"
    start = _milliseconds(instant(run.started_at))
    yield _json(_RUN_GROUP, stream, start, type="ExecutionStarted", execution_arn=arn)
    for place, step in enumerate(run.steps):
        if step.started_at:
            begun = _milliseconds(instant(step.started_at))
            told = {"execution_arn": arn, "pipelineExecutionId": step.step_id, "name": step.pipeline.pipeline_id}
            yield _json(_RUN_GROUP, stream, begun, type="TaskStateEntered", **told)
            if place == 0:
                # Both in one millisecond, from two streams.
                yield _json(_RUN_GROUP, "tracking", begun, message="step is RUNNING", **told)
            if step.stopped_at:
                ended = _milliseconds(instant(step.stopped_at))
                yield _json(_RUN_GROUP, stream, ended, type="TaskStateExited", status=step.status, **told)
    for text in run.log.splitlines() if run is SECRETS_RUN else ():
        yield Written(_RUN_GROUP, "tracking", start + 1000, f"{run.execution_id} {run.steps[0].step_id} {text}")
    if run.stopped_at:
        ending = f"Execution{run.status.title().replace('_', '')}"
        yield _json(_RUN_GROUP, stream, _milliseconds(instant(run.stopped_at)), type=ending, execution_arn=arn)


def _functions() -> Iterator[Written]:
    """Yield what the functions write that the sample run's steps invoke, among the lines of another run."""
    for place, name in enumerate(("Conv", "Quality", "Thumb")):
        group, begun = f"/aws/lambda/vams-vamsExecute{name}", _milliseconds(_started(SAMPLE_RUN, place))
        for run_id, after in ((SAMPLE_EXECUTION_ID, 120), (REGISTRATIONS_ID, 300_000)):
            request = identifier("request", name, run_id)
            stream = f"2026/07/14/[$LATEST]{request}"
            at = begun + after
            yield Written(group, stream, at, f"START RequestId: {request} Version: $LATEST")
            yield _json(group, stream, at + 2, level="INFO", message="pipeline invoked", executionId=run_id)
            yield _json(group, stream, at + 310, level="INFO", message="job submitted", executionId=run_id)
            yield Written(group, stream, at + 311, f"END RequestId: {request}")


def _failed_check() -> Iterator[Written]:
    """Yield what the function writes in which the failed run ended."""
    (run,) = (run for run in ENDINGS if run.execution_id == FAILED_ID)
    group, stream = "/aws/lambda/vams-vamsExecuteQuality", "2026/07/13/[$LATEST]1"
    begun, ended = _milliseconds(_started(run, 1)), _milliseconds(instant(run.stopped_at))
    yield _json(group, stream, begun + 120, level="INFO", message="pipeline invoked", executionId=FAILED_ID)
    yield _json(group, stream, ended - 2_000, level="ERROR", message=run.error, executionId=FAILED_ID)


def _assembly() -> Iterator[Written]:
    """Yield what the state machine writes that failed in a step: each part, and the one without a surface."""
    begun, step_id = _milliseconds(_started(INSIDES_RUN, 2)), INSIDES_RUN.steps[2].step_id
    ids = {"executionId": INSIDES_RUN.execution_id, "pipelineExecutionId": step_id}
    group, stream = ASSEMBLE_LOG_GROUP, "states/assemble"
    for part in range(ITERATIONS - 19):
        if part != FAILING_ITERATION:
            told = {"type": "TaskStateExited", "name": "Convert", "index": part}
            yield _json(group, stream, begun + 10_000 + part * 400, **told, **ids)
    told = {"type": "LambdaFunctionFailed", "name": "Convert", "index": FAILING_ITERATION}
    yield _json(group, stream, begun + 92_000, **told, error="PartError", cause="part 137 has no surface", **ids)


def _converter() -> Iterator[Written]:
    """Yield what the sample run's converter writes, and its state machine, and another run's converter beside it."""
    begun, step_id = _milliseconds(_started(SAMPLE_RUN, 0)), SAMPLE_STEP_IDS[0]
    ids = {"executionId": SAMPLE_EXECUTION_ID, "pipelineExecutionId": step_id}
    machine = "/aws/vendedlogs/VAMSstateMachine-ConversionPipeline"
    for number, name in enumerate(("Prepare", "ConvertBatch", "Done")):
        yield _json(
            machine, "states/conversion", begun + 5_000 + number * 60_000, type="StateEntered", name=name, **ids
        )
    access_key, secret_key, jwt, task_token, bearer = PLANTED_SECRETS
    yield _json(_BATCH, _CONVERTER_STREAM, begun + 20_000, message="start", externalSfnTaskToken=task_token, **ids)
    yield _json(_BATCH, _CONVERTER_STREAM, begun + 20_001, message=f"Authorization: Bearer {bearer}", **ids)
    yield _json(_BATCH, _CONVERTER_STREAM, begun + 20_002, env=[{"Name": "SESSION_TOKEN", "Value": jwt}], **ids)
    yield _json(_BATCH, _CONVERTER_STREAM, begun + 20_003, message=f"{access_key} SecretAccessKey={secret_key}", **ids)
    for part in range(1, 401):
        yield _json(_BATCH, _CONVERTER_STREAM, begun + 20_500 + part * 900, message=f"part {part} of 400", **ids)
        other = f"vams-convert-a1b2c3d4e5/default/{identifier('another converter')}"
        yield _json(_BATCH, other, begun + 20_500 + part * 900, message=f"part {part} of 400", executionId="another")


def _quality() -> Iterator[Written]:
    """Yield a check of every face: many lines, several to a millisecond, the telling ones at the end."""
    begun = _milliseconds(_started(SAMPLE_RUN, 1)) + 4_000
    faces = QUALITY_LINES - 3
    for face in range(faces):
        yield Written(_BATCH, QUALITY_STREAM, begun + face * 180_000 // faces, f"face {face:05} watertight: yes")
    for number, text in enumerate(
        ("faces without a neighbour: 0", "qaScore 0.97", "report written to reports/qa.json")
    ):
        yield Written(_BATCH, QUALITY_STREAM, begun + 180_500 + number, text)


def _registrations() -> Iterator[Written]:
    """Yield what the run writes that registered all it could, to the sources that exist and are not empty."""
    begun, render = _milliseconds(_started(REGISTRATIONS_RUN, 0)), _milliseconds(_started(REGISTRATIONS_RUN, 1))
    ids = {"executionId": REGISTRATIONS_ID, "pipelineExecutionId": REGISTRATIONS_RUN.steps[0].step_id}
    yield _json("/aws/vendedlogs/VAMSstateMachine-Convert", "states", begun + 2_000, type="StateEntered", **ids)
    yield _json("/aws/lambda/vams-texture", "2026/06/12/[$LATEST]1", begun + 9_000, message="texture packed", **ids)
    yield Written("/aws/lambda/vams-vamsExecuteRender", "2026/06/12/[$LATEST]1", begun, "another run's line")
    for layer in range(30):
        yield Written(_BATCH, BAKE_STREAM, begun + 30_000 + layer * 1_000, f"baked layer {layer}")
    yield Written("/ecs/vams-viewer", f"viewer/web/{identifier('task')}", begun + 40_000, "warm")
    group = f"/aws/deadline/{FARM_ID}/{QUEUE_ID}"
    for number in range(_SESSIONS):
        for frame in range(10):
            at = render + number * 1_000 + frame * 5_000
            yield Written(group, _session(number), at, f"frame {number * 10 + frame:03} rendered")


def _json(group: str, stream: str, at: int, **told: Any) -> Written:
    return Written(group, stream, at, json.dumps(told))


def _session(number: int) -> str:
    return f"session-{identifier('session', str(number))}"


def _started(run: Run, place: int) -> datetime:
    return instant(run.steps[place].started_at)


def _milliseconds(instant: datetime) -> int:
    return round(instant.timestamp() * 1000)
