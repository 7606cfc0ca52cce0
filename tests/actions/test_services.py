"""Aborting against services over HTTP: machines that a Step Functions emulator runs, and jobs of fakes that refuse."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from moto.server import ThreadedMotoServer

from tests.actions.conftest import Make
from tests.actions.world import FARM, QUEUE, RENDER, batch_job, deadline_job, run, step

REGION = "us-west-2"
WAITING = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 600, "End": True}}}
DONE = {"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}}


def _client(service: str, endpoint: str) -> Any:
    # The host names of Deadline Cloud have a prefix that an address has not.
    config = Config(inject_host_prefix=False, retries={"total_max_attempts": 1}, proxies={})
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    return boto3.client(service, endpoint_url=endpoint, region_name=REGION, config=config, **keys)  # type: ignore[call-overload]


class Jobs(ThreadingHTTPServer):
    """AWS Batch and AWS Deadline Cloud with a few jobs each: what their documentation says of the calls that stop."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.batch: dict[str, str] = {}
        self.farm: dict[str, dict[str, Any]] = {}
        self.denied: set[str] = set()
        self.asked: list[str] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def batch_call(self, path: str, given: dict[str, Any]) -> tuple[int, dict[str, Any], str]:
        if path == "/v1/describejobs":
            jobs = [{"jobId": job, "status": self.batch[job]} for job in given["jobs"] if job in self.batch]
            return 200, {"jobs": jobs}, ""
        if path != "/v1/terminatejob" or not given.get("jobId") or not given.get("reason"):
            return 400, {"message": "jobId and reason are required"}, "ClientException"
        job = given["jobId"]
        if job in self.denied:
            return 403, {"message": "not authorized"}, "AccessDeniedException"
        if job in self.batch and self.batch[job] not in ("SUCCEEDED", "FAILED"):
            self.batch[job] = "FAILED"
        self.asked.append(f"terminate {job}")
        return 200, {}, ""

    def deadline_call(self, method: str, path: str, given: dict[str, Any]) -> tuple[int, dict[str, Any], str]:
        match = re.fullmatch(r"/2023-10-12/farms/([^/]+)/queues/([^/]+)/jobs(?:/([^/]+))?", path)
        if match is None or (match[1], match[2]) != (FARM, QUEUE):
            return 404, {"message": "no such queue"}, "ResourceNotFoundException"
        if match[3] is None:
            told = [{"jobId": job, "taskRunStatus": one["taskRunStatus"]} for job, one in self.farm.items()]
            return 200, {"jobs": told}, ""
        job = self.farm.get(match[3])
        if job is None:
            return 404, {"message": "no such job"}, "ResourceNotFoundException"
        if method == "GET":
            return 200, {"jobId": match[3], **job}, ""
        if match[3] in self.denied:
            return 403, {"message": "not authorized"}, "AccessDeniedException"
        if given.get("targetTaskRunStatus") != "CANCELED":
            return 400, {"message": "no such status"}, "ValidationException"
        if job["taskRunStatus"] in ("SUCCEEDED", "FAILED", "CANCELED"):
            return 409, {"message": "the job has ended"}, "ConflictException"
        job["taskRunStatus"] = "CANCELED"
        self.asked.append(f"cancel {match[3]}")
        return 200, {}, ""


class _Answers(BaseHTTPRequestHandler):
    server: Jobs

    def do_POST(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, given = self.path.partition("?")[0], json.loads(body or b"{}")
        is_batch = path.startswith("/v1/")
        found = (
            self.server.batch_call(path, given) if is_batch else self.server.deadline_call(self.command, path, given)
        )
        status, told, code = found
        text = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if code:
            self.send_header("x-amzn-ErrorType", code)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    with Jobs() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def states() -> Iterator[Any]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    httpx.post(
        f"{endpoint}/moto-api/config", json={"stepfunctions": {"execute_state_machine": True}}
    ).raise_for_status()
    yield _client("stepfunctions", endpoint)
    httpx.post(f"{endpoint}/moto-api/config", json={"stepfunctions": {"execute_state_machine": False}})
    server.stop()


def _machine(states: Any, name: str, definition: Any) -> str:
    role = "arn:aws:iam::123456789012:role/states"
    made = states.create_state_machine(name=name, definition=json.dumps(definition), roleArn=role)
    return str(made["stateMachineArn"])


def _status(states: Any, arn: str) -> str:
    return str(states.describe_execution(executionArn=arn)["status"])


async def test_what_runs_at_aws_is_stopped(world: Make, jobs: Jobs, states: Any) -> None:
    outer, inner = (_machine(states, name, WAITING) for name in ("vams-nightly", "inside"))
    started = states.start_execution(stateMachineArn=inner, name="running")["executionArn"]
    over = states.start_execution(stateMachineArn=_machine(states, "over", DONE), name="over")["executionArn"]
    before = [{"resourceType": "stepFunctionsExecution", "executionArn": over}]
    during = [
        {"resourceType": "stepFunctionsExecution", "executionArn": started},
        batch_job("j-1"),
        deadline_job("d-1"),
    ]
    dispatched = step("at-aws-3", "RUNNING", pipeline=RENDER)
    of = run(
        "at-aws", step("at-aws-1", "SUCCEEDED", *before), step("at-aws-2", "RUNNING", *during, *before), dispatched
    )
    states.start_execution(stateMachineArn=outer, name=of.execution_id)
    while _status(states, over) == "RUNNING":  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.05)
    here = world(of)
    jobs.batch = {"j-1": "RUNNING"}
    jobs.farm = {
        "d-1": {"taskRunStatus": "RUNNING", "parameters": {}},
        "d-2": {
            "taskRunStatus": "READY",
            "parameters": {"VamsPipelineExecutionId": {"string": dispatched.step_id}},
        },
        "d-3": {"taskRunStatus": "READY", "parameters": {"VamsPipelineExecutionId": {"string": "another"}}},
    }
    here.use(states=states, batch=_client("batch", jobs.endpoint), deadline=_client("deadline", jobs.endpoint))
    told = await here.abort(of)
    assert (told["outcome"], told["warnings"]) == ("ABORTED", [])
    machine_arn = outer.replace(":stateMachine:", ":execution:") + f":{of.execution_id}"
    assert [_status(states, arn) for arn in (machine_arn, started, over)] == ["ABORTED", "ABORTED", "SUCCEEDED"]
    assert jobs.batch == {"j-1": "FAILED"}
    assert {job: one["taskRunStatus"] for job, one in jobs.farm.items()} == {
        "d-1": "CANCELED",
        "d-2": "CANCELED",
        "d-3": "READY",
    }
    assert sorted(here.statuses().values()) == ["ABORTED"] * 3 + ["SUCCEEDED"]
    asked = list(jobs.asked)
    assert (await here.abort(of))["outcome"] == "ALREADY_TERMINAL"
    assert [one for one in jobs.asked[len(asked) :] if one.startswith("cancel")] == []


async def test_what_aws_refuses_to_stop_is_told(world: Make, jobs: Jobs) -> None:
    of = run("denied", step("denied", "RUNNING", batch_job("j-1"), deadline_job("d-1"), deadline_job("gone")))
    here = world(of)
    jobs.batch, jobs.denied = {"j-1": "RUNNING"}, {"j-1", "d-1"}
    jobs.farm = {"d-1": {"taskRunStatus": "RUNNING", "parameters": {}}}
    here.use(batch=_client("batch", jobs.endpoint), deadline=_client("deadline", jobs.endpoint))
    told = await here.abort(of)
    assert told["outcome"] == "INCOMPLETE"
    assert [one["code"] for one in told["warnings"]] == ["STOP_FAILED"] * 2
    assert all("AccessDeniedException" in one["message"] for one in told["warnings"])
    jobs.denied = set()
    assert (await here.abort(of))["outcome"] == "ALREADY_TERMINAL"
    assert (jobs.batch["j-1"], jobs.farm["d-1"]["taskRunStatus"]) == ("FAILED", "CANCELED")
