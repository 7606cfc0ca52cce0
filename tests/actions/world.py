"""Runs to act on: rows in an emulator of DynamoDB, machines and jobs in memory, and a journal of what was done."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError
from starlette.applications import Starlette

from graph.app import create_app, make_changes, make_services
from graph.auth.identity import Authenticator
from graph.demo.database import EmbeddedDatabase, put_items
from graph.demo.identity import LoopbackAdministrator
from graph.demo.model import Pipeline, Run, Selection, Specified, Step, Workflow, identifier
from graph.demo.permissions import permission_rows
from graph.demo.rows import Row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.settings import Settings
from graph.tables import decode, keys
from graph.tables.catalogue import EXECUTION_TABLES, EXECUTIONS, LOCKS, PIPELINES, STEPS, Table
from graph.tables.reader import Reader
from tests.harness import Answer, Graph, demo_clients
from tests.logs.unruly import refused
from tests.worlds import asset, items

BEGUN = "2026-07-14T09:00:00Z"
INNER = Machine("arn:aws:states:us-west-2:123456789012:stateMachine:inner", {"StartAt": "A", "States": {}})
FARM, QUEUE = "farm-" + "1" * 32, "queue-" + "2" * 32
CONVERT = Pipeline("home", "convert", "Converter", "conversion", "Converts")
RENDER = Pipeline("home", "render", "Renderer", "render", "Renders", "DeadlineCloud")
WORKFLOW = Workflow("home", "nightly", "Nightly", "", "", (Specified(CONVERT, "convert", "convert-1"),))
INPUT = asset("inputs", "pump")

ABORT = """
mutation($id: String!) { abortExecution(input: { executionId: $id }) {
  outcome execution { executionId status statusSource stoppedAt pipelineExecutions { nodes { status statusSource } } }
  warnings { code message subject { id } }
} }
"""


def sub_run(name: str) -> dict[str, str]:
    """An entry of a step that started the inner machine."""
    return {"resourceType": "stepFunctionsExecution", "executionArn": INNER.execution(name)}


def batch_job(job_id: str) -> dict[str, str]:
    return {"resourceType": "batchJob", "jobId": job_id}


def deadline_job(job_id: str) -> dict[str, str]:
    return {"resourceType": "deadlineCloudJob", "farmId": FARM, "queueId": QUEUE, "jobId": job_id}


def step(name: str, status: str = "RUNNING", *entries: dict[str, str], pipeline: Pipeline = CONVERT) -> Step:
    """A step with what it registered; one that is NEW has not started."""
    started = "" if status == "NEW" else BEGUN
    stopped = "" if status in ("NEW", "RUNNING") else "2026-07-14T09:01:00Z"
    of = {"step_id": identifier("act-step", name), "pipeline": pipeline, "status": status}
    return Step(**of, started_at=started, stopped_at=stopped, sub_executions=entries)  # type: ignore[arg-type]


def run(name: str, *steps: Step, status: str = "RUNNING", **changes: Any) -> Run:
    of: dict[str, Any] = {
        "execution_id": identifier("act-run", name),
        "workflow": WORKFLOW,
        "started_at": BEGUN,
        "steps": steps,
        "status": status,
        "inputs": (Selection(INPUT, "/a.step", "v1"),),
    }
    return Run(**of | changes)


def machine_of(of: Run) -> Played:
    return _running(Machine(of.workflow.arn, {"StartAt": "A", "States": {}}), of.execution_id)


def _running(machine: Machine, name: str) -> Played:
    script = Script(datetime(2026, 7, 14, 9, tzinfo=UTC))
    script.enter("Task", "A", 0)
    return Played(machine, name, "RUNNING", script.events)


class States(EmbeddedStepFunctions):
    """Machines, which say what was stopped; ``refusals`` by the name of an execution."""

    def __init__(self, journal: list[str], executions: Sequence[Played]) -> None:
        super().__init__(executions)
        self.journal, self.refusals = journal, dict[str, str]()

    def stop_execution(self, *, executionArn: str, error: str, cause: str) -> dict[str, Any]:  # noqa: N803
        name = executionArn.rpartition(":")[2]
        if code := self.refusals.get(name):
            raise refused(code)
        self.journal.append(f"stop {name}")
        return super().stop_execution(executionArn=executionArn, error=error, cause=cause)

    def forget(self, arn: str) -> None:
        """Let an execution be as old as the engine remembers none."""
        del self._executions[arn]

    def status(self, arn: str) -> str:
        return str(self.describe_execution(executionArn=arn)["status"])


class Batch:
    """Jobs of AWS Batch by id, with their status."""

    def __init__(self, journal: list[str], jobs: dict[str, str]) -> None:
        self.journal, self.jobs, self.refusals = journal, jobs, dict[str, str]()

    def describe_jobs(self, *, jobs: Sequence[str]) -> dict[str, Any]:
        return {"jobs": [{"jobId": job, "status": self.jobs[job]} for job in jobs if job in self.jobs]}

    def terminate_job(self, *, jobId: str, reason: str) -> dict[str, Any]:  # noqa: N803
        if code := self.refusals.get(jobId):
            raise refused(code)
        assert reason
        self.journal.append(f"terminate {jobId}")
        if self.jobs.get(jobId) not in ("SUCCEEDED", "FAILED", None):
            self.jobs[jobId] = "FAILED"
        return {}


class Deadline:
    """Jobs of one queue by id: their status, and the step that submitted each."""

    def __init__(self, journal: list[str], jobs: dict[str, tuple[str, str]]) -> None:
        self.journal, self.jobs, self.refusals = journal, jobs, dict[str, str]()

    def list_jobs(self, *, farmId: str, queueId: str, maxResults: int, nextToken: str = "0") -> dict[str, Any]:  # noqa: N803
        assert (farmId, queueId) == (FARM, QUEUE)
        assert maxResults <= 100
        start = int(nextToken)
        told = [{"jobId": job, "taskRunStatus": status} for job, (status, _) in self.jobs.items()]
        more = {"nextToken": str(start + maxResults)} if start + maxResults < len(told) else {}
        return {"jobs": told[start : start + maxResults], **more}

    def list_sessions(self, **_: str) -> dict[str, Any]:
        return {"sessions": []}

    def get_job(self, *, farmId: str, queueId: str, jobId: str) -> dict[str, Any]:  # noqa: N803
        status, step_id = self._job(farmId, queueId, jobId)
        return {"taskRunStatus": status, "parameters": {"VamsPipelineExecutionId": {"string": step_id}}}

    def update_job(self, *, farmId: str, queueId: str, jobId: str, targetTaskRunStatus: str) -> dict[str, Any]:  # noqa: N803
        status, step_id = self._job(farmId, queueId, jobId)
        assert targetTaskRunStatus == "CANCELED"
        if code := self.refusals.get(jobId):
            raise refused(code)
        if status in ("SUCCEEDED", "FAILED", "CANCELED"):
            raise refused("ConflictException")
        self.journal.append(f"cancel {jobId}")
        self.jobs[jobId] = "CANCELED", step_id
        return {}

    def _job(self, farm_id: str, queue_id: str, job_id: str) -> tuple[str, str]:
        if (farm_id, queue_id) != (FARM, QUEUE) or job_id not in self.jobs:
            raise refused("ResourceNotFoundException")
        return self.jobs[job_id]


class Killed(Exception):
    """The process ended: nothing comes after it."""


class Writes:
    """A client that changes the database, tells of it, and may fail at a write: before it, or as if killed after it."""

    def __init__(self, client: Any, journal: list[str], names: Mapping[Table, str]) -> None:
        self.journal, self.made = journal, 0
        self.killed_after: int | None = None
        self.failing: dict[str, str] = {}
        self.before_write: list[Any] = []
        self._client = client
        self._tables = {name: table.name for table, name in names.items()}

    def update_item(self, **request: Any) -> Any:
        return self._write(self._client.update_item, request)

    def delete_item(self, **request: Any) -> Any:
        return self._write(self._client.delete_item, request)

    def batch_write_item(self, *, RequestItems: Any) -> Any:  # noqa: N803
        ((name, requests),) = RequestItems.items()
        keys_of = (next(iter(one["DeleteRequest"]["Key"].values()))["S"] for one in requests)
        text = " ".join(dict.fromkeys(keys_of))
        return self._make(
            "delete", self._tables[name], text, self._client.batch_write_item, {"RequestItems": RequestItems}
        )

    def transact_write_items(self, *, TransactItems: Any) -> Any:  # noqa: N803
        tables = [self._tables[one["Delete"]["TableName"]] for one in TransactItems]
        text = " ".join(dict.fromkeys(tables[1:]))
        request = {"TransactItems": TransactItems}
        return self._make("together", tables[0], text, self._client.transact_write_items, request)

    def _write(self, method: Any, request: dict[str, Any]) -> Any:
        key = next(iter(request["Key"].values()))["S"]
        return self._make("write", self._tables[request["TableName"]], key, method, request)

    def _make(self, what: str, table: str, key: str, method: Any, request: dict[str, Any]) -> Any:
        if (code := self.failing.get(table)) is not None:
            raise refused(code)
        for act in self.before_write:
            act(table, key)
        try:
            answer = method(**request)
        except ClientError as fault:
            if fault.response["Error"]["Code"] == "ConditionalCheckFailedException":
                self.journal.append(f"kept {table} {key}")
            raise
        self.journal.append(f"{what} {table} {key}")
        self.made += 1
        if self.killed_after == self.made:
            raise Killed
        return answer


class World:
    """Some runs, what runs for them, and the graph over both."""

    def __init__(
        self,
        database: EmbeddedDatabase,
        *runs: Run,
        inner: Sequence[str] = (),
        jobs: dict[str, str] | None = None,
        farm: dict[str, tuple[str, str]] | None = None,
        rows: Sequence[Row] = (),
        **settings: Any,
    ) -> None:
        self.database, self.runs, self.journal = database, runs, list[str]()
        self.clear()
        put_items(database.client, database.names, items(map(_with_queue, _rows(runs)), permission_rows(), rows))
        played = [*map(machine_of, runs), *(_running(INNER, name) for name in inner)]
        self.states = States(self.journal, played)
        self.batch, self.deadline = Batch(self.journal, dict(jobs or {})), Deadline(self.journal, dict(farm or {}))
        self.writes = Writes(database.client, self.journal, database.names)
        secrets = {"cursor_secrets": ["a secret of the tests"]}
        self.settings = Settings(**{"actions": True, "engines_attempts": 1, **secrets, **settings})
        self.clients = replace(demo_clients(), states=self.states, batch=self.batch, deadline=self.deadline)
        self.graph = self._graph()

    def use(self, **clients: Any) -> None:
        """Let other clients of AWS be asked."""
        self.clients = replace(self.clients, **clients)
        self.graph.close()
        self.graph = self._graph()

    def _graph(self) -> Graph:
        names = self.database.names
        changes = make_changes(self.settings, self.writes, names)
        return Graph(self.database.client, names, self.settings, reader=Reader, logs=self.clients, changes=changes)

    def app(self, *ways: Authenticator, **settings: Any) -> Starlette:
        """The application over the world; whoever asks is an administrator unless ways tell who asks."""
        given = Settings(**{**self.settings.model_dump(), **settings})
        names, client = self.database.names, self.database.client
        changes = make_changes(given, self.writes, names)
        authenticators = ways or (LoopbackAdministrator(),)
        return create_app(make_services(given, client, names, self.clients, lambda *_: authenticators, changes=changes))

    @property
    def done(self) -> list[str]:
        """What was done, without writes whose condition did not hold."""
        return [line for line in self.journal if not line.startswith("kept")]

    def clear(self) -> None:
        """Delete what other tests left."""
        for table in (*EXECUTION_TABLES, LOCKS):
            for item in self.items(table):
                self.database.client.delete_item(
                    TableName=self.database.names[table], Key={name: item[name] for name in table.key}
                )

    def items(self, table: Table) -> Sequence[Any]:
        return self.database.client.scan(TableName=self.database.names[table], ConsistentRead=True)["Items"]

    def rows(self, table: Table) -> list[dict[str, Any]]:
        """All rows of a table in plain Python, in the order of their keys."""
        return sorted(map(decode.item, self.items(table)), key=lambda row: [row[name] for name in table.key])

    def statuses(self) -> dict[str, str]:
        """The status of each run and each step, by its id."""
        found = [(EXECUTIONS, "workflowExecutionId"), (STEPS, "pipelineExecutionId")]
        return {row[name]: row["executionStatus"] for table, name in found for row in self.rows(table)}

    def set(self, table: Table, key: Sequence[str], **attributes: Any) -> None:
        """Change attributes of a row, as somebody else would."""
        typed = {name: {"S": part} for name, part in zip(table.key, key, strict=True)}
        (item,) = (item for item in self.items(table) if all(item[name] == part for name, part in typed.items()))
        put_items(self.database.client, self.database.names, {table: [decode.item(item) | attributes]})

    def lock(self, of: Run, holder: str) -> None:
        """Let a run hold the lock on its input."""
        workflow = keys.workflow_key(of.workflow.database_id, of.workflow.workflow_id)
        (row,) = (row for row in run_rows(of) if "inputAssetFileKey" in row.attributes and "s3Bucket" in row.attributes)
        key = keys.lock_key(workflow, row.attributes["databaseId:assetId"], row.attributes["inputAssetFileKey"], "v1")
        put_items(self.database.client, self.database.names, {LOCKS: [{"lockKey": key, "workflowExecutionId": holder}]})

    async def abort(self, of: Run, **options: Any) -> Any:
        """The payload of an abort that gives no error."""
        answer = await self.ask(of, **options)
        assert answer.errors == [], answer.codes
        assert answer.data is not None
        return answer.data["abortExecution"]

    async def ask(self, of: Run, **options: Any) -> Answer:
        return await self.graph.ask(ABORT, id=of.execution_id, **options)

    def close(self) -> None:
        self.graph.close()


def _rows(runs: Sequence[Run]) -> Iterator[Row]:
    yield from map(pipeline_row, (CONVERT, RENDER))
    yield workflow_row(WORKFLOW)
    for of in runs:
        yield from run_rows(of)


def _with_queue(row: Row) -> Row:
    """The pipeline of the render farm with its farm and queue, and the workflow with locks."""
    if row.table is PIPELINES and row.attributes["pipelineId"] == "render":
        config = row.attributes["executionConfig"] | {"deadlineCloud": {"farmId": FARM, "queueId": QUEUE}}
        return Row(row.table, row.attributes | {"executionConfig": config})
    if "workflowName" in row.attributes:
        config = row.attributes.get("systemConfig", {}) | {"concurrencyRestriction": "perInputFileVersion"}
        return Row(row.table, row.attributes | {"systemConfig": config})
    return row
