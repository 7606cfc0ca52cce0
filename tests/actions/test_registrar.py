"""Storing registrations: alone, and from many processes at once, on two emulators of DynamoDB."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from graph import registration
from graph.actions import registrar
from graph.actions.registering import NotRegistered, Reason
from graph.actions.registrar import Contended, Registrar
from graph.cli import main
from graph.demo.database import EmbeddedDatabase, create_tables, loopback_client
from graph.event_handler import register_with
from graph.tables import decode
from graph.tables.catalogue import STEPS
from tests.actions.test_registering import STEP, event, log
from tests.skipping import give_up

EXECUTION = "2" * 32
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Table:
    """The table of steps, with one step."""

    client: Any
    name: str
    endpoint: str
    access_key: str

    def put(self, **attributes: Any) -> None:
        key = {"pipelineExecutionId": STEP, "workflowExecutionId": EXECUTION, "endStatePipeline": "false"}
        item = boto3.dynamodb.types.TypeSerializer().serialize(  # type: ignore[attr-defined]
            key | {"pipelineDatabaseId:pipelineId": "home:convert", **attributes}
        )["M"]
        self.client.put_item(TableName=self.name, Item=item)

    def lists(self) -> tuple[list[Any], list[Any]]:
        (item,) = self.client.scan(TableName=self.name, ConsistentRead=True)["Items"]
        row = decode.item(item)
        return row.get("registeredSubExecutions", []), row.get("registeredLogs", [])

    @property
    def registrar(self) -> Registrar:
        return Registrar(self.client, self.name)


@contextmanager
def _moto() -> Iterator[Table]:
    with EmbeddedDatabase({}) as database:
        yield Table(database.client, database.names[STEPS], database.endpoint, database.access_key)


@contextmanager
def _dynalite() -> Iterator[Table]:
    node = shutil.which("node")
    if node is None or not (ROOT / "tests/conformance/node_modules/dynalite").exists():
        give_up("Node.js and tests/conformance/node_modules are needed, as `make test` makes them.")
    program = [node, str(ROOT / "tests/actions/dynalite.mjs")]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout is not None
    try:
        endpoint = f"http://127.0.0.1:{int(process.stdout.readline())}"
        client = loopback_client(endpoint)
        create_tables(client, {STEPS: "steps"})
        yield Table(client, "steps", endpoint, "demo")
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture(scope="module", params=[_moto, _dynalite], ids=["moto", "dynalite"])
def emulator(request: pytest.FixtureRequest) -> Iterator[Table]:
    with request.param() as table:
        yield table


@pytest.fixture
def table(emulator: Table) -> Table:
    emulator.put(registeredSubExecutions=[], registeredLogs=[])
    return emulator


def sub(name: str) -> dict[str, str]:
    return {"resourceType": "batchJob", "jobId": name}


def test_what_is_registered_is_appended(table: Table) -> None:
    done = table.registrar.register(event(sub("one"), [{"logGroupName": "/a"}]))
    assert (done.sub_executions, done.logs, done.filled, done.dropped) == (1, 1, 0, ())
    table.registrar.register(event(sub("two"), [{"logGroupName": "/b"}]))
    assert table.lists() == ([sub("one"), sub("two")], [log(logGroupName="/a"), log(logGroupName="/b")])


def test_registered_again_it_changes_nothing(table: Table) -> None:
    given = event(sub("one"), [{"logGroupName": "/a"}])
    table.registrar.register(given)
    before = table.lists()
    done = table.registrar.register(given)
    assert (done.sub_executions, done.logs, done.filled) == (0, 0, 0)
    assert table.lists() == before


def test_one_event_appends_and_completes(table: Table) -> None:
    table.registrar.register(event(None, [{"logGroupName": "/a"}]))
    done = table.registrar.register(event(sub("one"), [{"logGroupName": "/a", "label": "A"}, {"logGroupName": "/b"}]))
    assert (done.sub_executions, done.logs, done.filled) == (1, 1, 1)
    assert table.lists() == ([sub("one")], [log(logGroupName="/a", label="A"), log(logGroupName="/b")])


def test_a_row_of_an_older_version_gets_its_lists(emulator: Table) -> None:
    emulator.put(registeredLogs=[{"logGroupName": "/a"}])
    emulator.registrar.register(event(sub("one"), [{"logGroupName": "/a", "stageName": "S"}]))
    assert emulator.lists() == ([sub("one")], [{"logGroupName": "/a", "stageName": "S"}])


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        (None, Reason.UNKNOWN_STEP),
        ({"registeredLogs": "text"}, Reason.MALFORMED_STEP),
        ({"registeredSubExecutions": [5]}, Reason.MALFORMED_STEP),
    ],
)
def test_a_step_that_is_not_there_or_cannot_be_read_is_told(emulator: Table, held: Any, reason: Reason) -> None:
    emulator.put(**(held or {}))
    given = event(sub("one")) if held is not None else _of_step("9" * 32)
    with pytest.raises(NotRegistered) as refused:
        emulator.registrar.register(given)
    assert refused.value.reason is reason
    assert register_with(emulator.registrar, given) == {"reason": reason.value}


def _of_step(step_id: str) -> Any:
    return event(source=f"vams.pipeline.{step_id}", detail={"pipelineExecutionId": step_id, "subExecution": sub("one")})


def test_what_has_no_room_in_the_item_is_told(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registrar, "ITEM_LIMIT", 2_000)
    given = [{"logGroupName": "/" + letter * 500} for letter in "abcd"]
    done = table.registrar.register(event(None, given))
    assert {one.reason for one in done.dropped} == {Reason.ITEM_FULL}
    subs, logs = table.lists()
    assert (subs, len(logs), len(done.dropped)) == ([], 2, 2)


def test_who_is_always_too_late_gives_up(table: Table) -> None:
    class Losing:
        query = table.client.query

        def update_item(self, **request: Any) -> Any:
            subs = table.lists()[0]
            table.put(registeredSubExecutions=[*subs, sub(f"other-{len(subs)}")], registeredLogs=[])
            return table.client.update_item(**request)

    losing = Registrar(Losing(), table.name, seconds=0.2, sleep=lambda _: None)
    with pytest.raises(Contended):
        losing.register(event(sub("one")))


@pytest.mark.parametrize("place", range(1, 3))
def test_killed_after_a_write_and_delivered_again_it_ends_the_same(table: Table, place: int) -> None:
    table.registrar.register(event(None, [{"logGroupName": "/a"}]))
    given = event(sub("one"), [{"logGroupName": "/a", "label": "A"}, {"logGroupName": "/b"}])

    class Killing:
        query = table.client.query
        made = 0

        def update_item(self, **request: Any) -> Any:
            table.client.update_item(**request)
            Killing.made += 1
            if Killing.made == place:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Registrar(Killing(), table.name).register(given)
    table.registrar.register(given)
    assert table.lists() == ([sub("one")], [log(logGroupName="/a", label="A"), log(logGroupName="/b")])


def _register_from_processes(table: Table, events: Sequence[Any], count: int = 8) -> list[Any]:
    program = [sys.executable, "-m", "tests.actions.registering_process", table.endpoint, table.access_key, table.name]
    processes = [
        subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ)  # noqa: S603
        for _ in range(count)
    ]
    for number, process in enumerate(processes):
        assert process.stdin is not None
        process.stdin.writelines(json.dumps(one) + "\n" for one in events[number::count])
        process.stdin.close()
    told: list[Any] = []
    for process in processes:
        assert process.stdout is not None
        told += map(json.loads, process.stdout)
        process.stdout.close()
        assert process.wait(120) == 0
    return told


@pytest.mark.slow
def test_of_many_registrations_from_many_processes_each_is_stored_once(table: Table) -> None:
    events = [event(sub(f"j-{number % 40}"), [{"logGroupName": f"/{number % 40}"}]) for number in range(200)]
    random.Random(7).shuffle(events)  # noqa: S311 - any order will do
    told = _register_from_processes(table, events)
    assert len(told) == 200
    assert all(one["dropped"] == [] for one in told)
    subs, logs = table.lists()
    assert sorted(one["jobId"] for one in subs) == sorted(f"j-{number}" for number in range(40))
    assert sorted(one["logGroupName"] for one in logs) == sorted(f"/{number}" for number in range(40))
    assert (sum(one["subExecutions"] for one in told), sum(one["logs"] for one in told)) == (40, 40)


@pytest.mark.slow
def test_of_many_distinct_ones_fifty_are_stored_and_each_other_is_told(table: Table) -> None:
    events = [event(sub(f"j-{number}"), [{"logGroupName": f"/{number}"}]) for number in range(200)]
    told = _register_from_processes(table, events)
    subs, logs = table.lists()
    assert (len({one["jobId"] for one in subs}), len(subs)) == (50, 50)
    assert (len({one["logGroupName"] for one in logs}), len(logs)) == (50, 50)
    dropped = [drop for one in told for drop in one["dropped"]]
    assert {drop["reason"] for drop in dropped} == {"CAP_REACHED"}
    assert len(dropped) == 300
    assert all(one["subExecutions"] + one["logs"] + len(one["dropped"]) == 2 for one in told)


# --------------------------------------------------------------------------------------- the command and the client


def test_the_command_applies_saved_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with EmbeddedDatabase({}) as database:
        here = Table(database.client, database.names[STEPS], database.endpoint, database.access_key)
        here.put(registeredSubExecutions=[], registeredLogs=[])
        for name, value in (database.environment() | database.access()).items():
            monkeypatch.setenv(name, value)
        file = tmp_path / "events.json"
        file.write_text(json.dumps([event(sub("one")), event(sub("two"))]))
        assert main(["register", str(file)]) == 0
        assert [json.loads(line)["subExecutions"] for line in capsys.readouterr().out.splitlines()] == [1, 1]
        assert here.lists()[0] == [sub("one"), sub("two")]
        file.write_text(json.dumps(event(sub("three"), source="another")))
        assert main(["register", str(file)]) == 1
        assert json.loads(capsys.readouterr().out) == {"reason": "FOREIGN_SOURCE"}
        file.write_text("no json")
        assert main(["register", str(file)]) == 2
        assert "is not JSON" in capsys.readouterr().err


@pytest.fixture
def aws() -> Iterator[str]:
    """An emulator of AWS in this process, whose other tables stay as they are."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def test_a_pipeline_puts_what_the_handler_takes(aws: str, table: Table) -> None:
    """The bus delivers to a queue here, and what is in it is handled."""
    keys = {"region_name": "us-west-2", "aws_access_key_id": "test", "aws_secret_access_key": "test"}
    events, queues = (boto3.client(name, endpoint_url=aws, **keys) for name in ("events", "sqs"))  # type: ignore[call-overload]
    name = f"vams-{table.name}"[:48]
    bus = events.create_event_bus(Name=name)["EventBusArn"]
    url = queues.create_queue(QueueName="registrations")["QueueUrl"]
    arn = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    pattern = json.dumps({"detail-type": ["pipeline.execution.register"]})
    events.put_rule(Name="register", EventBusName=name, EventPattern=pattern)
    events.put_targets(Rule="register", EventBusName=name, Targets=[{"Id": "queue", "Arn": arn}])
    source = f"vams.execution.{EXECUTION}.pipeline.{STEP}"
    registration.register(
        bus=bus, source=source, sub_execution=sub("one"), logs=[{"logGroupName": "/a"}], client=events
    )
    (message,) = queues.receive_message(QueueUrl=url)["Messages"]
    found = json.loads(message["Body"])
    assert (found["detail-type"], found["source"]) == ("pipeline.execution.register", source)
    assert register_with(table.registrar, found)["dropped"] == []
    assert table.lists() == ([sub("one")], [log(logGroupName="/a")])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"source": "vams.execution"}, "MALFORMED"),
        ({"sub_execution": {"resourceType": "batchJob"}}, "subExecution (NO_LOCATOR)"),
        ({"logs": [{"logGroupName": "a b"}]}, "logs[0].logGroupName (INVALID_FIELD)"),
    ],
)
def test_a_pipeline_is_told_at_once_what_would_not_be_stored(given: dict[str, Any], told: str) -> None:
    source = f"vams.execution.{EXECUTION}.pipeline.{STEP}"
    with pytest.raises(registration.RegistrationRefused) as refused:
        registration.register(**{"bus": "vams", "source": source, "client": None, **given})
    assert told in str(refused.value)


def test_a_bus_that_takes_no_event_is_an_error() -> None:
    class Refusing:
        def put_events(self, **_: Any) -> Any:
            return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "NotAuthorizedForSourceException"}]}

    with pytest.raises(registration.RegistrationFailed, match="NotAuthorizedForSourceException"):
        registration.register(bus="vams", source=f"vams.pipeline.{STEP}", sub_execution=sub("one"), client=Refusing())
