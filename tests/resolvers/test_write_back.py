"""What a check of a running execution leaves in its row, with the setting on and off."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.app import create_app
from graph.demo.cloudwatch import EmbeddedLogs, Written
from graph.demo.database import EmbeddedDatabase, put_items
from graph.demo.logs import log_clients
from graph.demo.model import LOG_GROUP, Run
from graph.demo.run_rows import run_rows
from graph.demo.stepfunctions import EmbeddedStepFunctions, Played
from graph.settings import Settings
from graph.tables import decode
from graph.tables.catalogue import EXECUTIONS
from graph.tables.reader import Reader
from graph.tables.writer import ExecutionWriter
from tests.harness import Graph
from tests.logs.unruly import Recorded
from tests.resolvers.test_engines import Faulty
from tests.resolvers.test_statuses import ONE, played, running
from tests.worlds import items

GROUP = LOG_GROUP.removesuffix(":*").partition(":log-group:")[2]
STARTED = datetime(2026, 7, 14, tzinfo=UTC)
SECRET = "TaskToken=secret"
MOST_BYTES = 390 * 1024


@pytest.fixture(scope="module")
def database() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase({}) as database:
        yield database


class World:
    """A run, what Step Functions says of it, and what it logged."""

    def __init__(self, database: EmbeddedDatabase, of: Run, states: Any, logs: Any, *, on: bool) -> None:
        put_items(database.client, database.names, items(run_rows(of)))
        self.of, self._database = of, database
        self.client = Recorded(database.client)
        writer = ExecutionWriter(self.client, database.names[EXECUTIONS]) if on else None
        clients = replace(log_clients(), states=states, logs=logs)
        settings = Settings(cursor_secrets=["a secret of the tests"], logs_attempts=1, engines_attempts=1)
        self.graph = Graph(database.client, database.names, settings, reader=Reader, logs=clients, writer=writer)
        self.before = self.row

    async def ask(self) -> Any:
        return (await self.graph.data(ONE, id=self.of.execution_id))["execution"]

    async def changes(self) -> dict[str, Any]:
        """What asking for the status changes in the row."""
        await self.ask()
        if self.graph.services.writer is not None:
            await self.graph.services.writer.settle()
        after = self.row
        assert after.keys() >= self.before.keys()
        return {name: value for name, value in after.items() if value != self.before.get(name)}

    @property
    def row(self) -> dict[str, Any]:
        key = (self.of.execution_id, f"{self.of.workflow.database_id}:{self.of.workflow.workflow_id}")
        typed = {name: {"S": part} for name, part in zip(EXECUTIONS.key, key, strict=True)}
        name = self._database.names[EXECUTIONS]
        return decode.item(self._database.client.get_item(TableName=name, Key=typed, ConsistentRead=True)["Item"])


Make = Callable[..., World]


@pytest.fixture
def world(database: EmbeddedDatabase) -> Iterator[Make]:
    made: list[World] = []

    def make(of: Run, execution: Played | None, *, states: Any = None, logs: Any = None, on: bool = True) -> World:
        states = states or EmbeddedStepFunctions([execution] if execution else [])
        made.append(World(database, of, states, logs or EmbeddedLogs([]), on=on))
        return made[-1]

    yield make
    for one in made:
        one.graph.close()


def written(of: Run, *messages: str) -> list[Written]:
    at = int(STARTED.timestamp() * 1000)
    return [
        Written(GROUP, "stream", at + number, f"{of.execution_id} {message}") for number, message in enumerate(messages)
    ]


def lines(of: Run, *messages: str) -> EmbeddedLogs:
    return EmbeddedLogs(written(of, *messages))


def is_recent(text: str) -> bool:
    at = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return abs((datetime.now(UTC) - at).total_seconds()) < 60


async def test_nothing_is_written_with_the_setting_off(world: Make) -> None:
    of = running("off")
    assert await world(of, played(of, "FAILED"), on=False).changes() == {}


def test_the_setting_is_off_unless_set() -> None:
    assert Settings().write_back_status is False


@pytest.mark.parametrize("status", ["RUNNING", "PENDING_REDRIVE"])
async def test_of_a_run_that_goes_on_only_the_check_is_written(world: Make, status: str) -> None:
    of = running(f"goes on {status}")
    there = world(of, played(of, status), logs=lines(of, "begun"))
    (name, text), *others = (await there.changes()).items()
    assert (name, others) == ("lastSfnSyncCheckDate", [])
    assert is_recent(text)


@pytest.mark.parametrize("status", ["FAILED", "ABORTED", "TIMED_OUT"])
async def test_a_bad_end_is_written_with_its_error_and_log_redacted(world: Make, status: str) -> None:
    of = running(f"ended {status}")
    changes = await world(of, played(of, status), logs=lines(of, "begun", f"x {SECRET}", "over\n")).changes()
    assert is_recent(changes.pop("lastSfnSyncCheckDate"))
    assert changes == {
        "executionStatus": status,
        "executionStopDate": "2026-07-14T00:01:00Z",
        "executionError": "E: TaskToken=<redacted>",
        "executionLog": "\n".join(f"{of.execution_id} {text}" for text in ("begun", "x TaskToken=<redacted>", "over")),
    }


async def test_a_good_end_has_no_error(world: Make) -> None:
    of = running("good")
    changes = await world(of, played(of, "SUCCEEDED"), logs=lines(of, "over")).changes()
    assert changes.keys() == {"lastSfnSyncCheckDate", "executionStatus", "executionStopDate", "executionLog"}


async def test_what_was_written_is_what_is_shown_afterwards(world: Make) -> None:
    of = running("shown")
    there = world(of, played(of, "FAILED"))
    await there.changes()
    shown = await there.ask()
    assert (shown["status"], shown["statusSource"], shown["error"]) == ("FAILED", "STORED", "E: TaskToken=<redacted>")


async def test_fifty_lines_of_the_run_alone_are_kept(world: Make) -> None:
    of, other = running("fifty"), running("another")
    logs = EmbeddedLogs([*written(other, "not mine"), *written(of, *map(str, range(60)))])
    kept = (await world(of, played(of, "FAILED"), logs=logs).changes())["executionLog"]
    assert kept.split("\n") == [f"{of.execution_id} {number}" for number in range(50)]


@pytest.mark.parametrize(("cause", "messages"), [(100, 50), (600_000, 1), (600_000, 50)])
async def test_error_and_log_fit_into_an_item(world: Make, cause: int, messages: int) -> None:
    of = running(f"large {cause} {messages}")
    execution = played(of, "FAILED")
    execution.events[-1]["executionFailedEventDetails"]["cause"] = "\N{EURO SIGN}" * (cause // 3)
    logs = lines(of, *["\N{EURO SIGN}" * 20_000] * messages)
    changes = await world(of, execution, logs=logs).changes()
    sizes = [len(changes[name].encode()) for name in ("executionError", "executionLog")]
    assert MOST_BYTES - 4 <= sum(sizes) <= MOST_BYTES
    assert "\N{REPLACEMENT CHARACTER}" not in changes["executionError"] + changes["executionLog"]
    whole = [cause <= 100, messages == 1]
    assert [size < MOST_BYTES // 2 - 2 for size in sizes] == whole


async def test_a_log_that_cannot_be_read_keeps_nothing_else_from_being_written(world: Make) -> None:
    of = running("denied")
    changes = await world(of, played(of, "FAILED"), logs=EmbeddedLogs([], denied=[GROUP])).changes()
    assert changes["executionStatus"] == "FAILED"
    assert "executionLog" not in changes


@pytest.mark.parametrize("states", [None, Faulty("AccessDeniedException")], ids=["forgotten", "mute"])
async def test_nothing_is_written_where_the_engine_tells_nothing(world: Make, states: Any) -> None:
    of = running(f"silent {states}")
    assert await world(of, None, states=states).changes() == {}


async def test_a_check_is_written_once_for_all_who_see_it(world: Make) -> None:
    of = running("once")
    there = world(of, played(of, "RUNNING"))
    for _ in range(3):
        await there.changes()
    assert [name for name, _ in there.client.requests] == ["update_item"]


async def test_an_end_that_vams_wrote_meanwhile_stays(world: Make, database: EmbeddedDatabase) -> None:
    of = running("race")
    ended = replace(of, status="ABORTED", stopped_at="2026-07-14T00:00:30Z")

    class Overtaken(EmbeddedLogs):
        def filter_log_events(self, **request: Any) -> dict[str, Any]:
            put_items(database.client, database.names, items(run_rows(ended)))
            return super().filter_log_events(**request)

    changes = await world(of, played(of, "FAILED"), logs=Overtaken([])).changes()
    assert changes == {"executionStatus": "ABORTED", "executionStopDate": "2026-07-14T00:00:30Z"}


async def test_the_response_does_not_wait_for_the_write(world: Make) -> None:
    of, answered = running("slow"), threading.Event()

    class Slow(EmbeddedLogs):
        def filter_log_events(self, **request: Any) -> dict[str, Any]:
            assert answered.wait(10)
            return super().filter_log_events(**request)

    there = world(of, played(of, "FAILED"), logs=Slow([]))
    assert (await there.ask())["status"] == "FAILED"
    assert there.row == there.before
    answered.set()
    assert (await there.changes())["executionStatus"] == "FAILED"


async def test_a_server_that_ends_writes_first_what_it_began_to_write(world: Make) -> None:
    of = running("last")
    there = world(of, played(of, "FAILED"))
    app = create_app(there.graph.services)
    async with app.router.lifespan_context(app):
        await there.ask()
    assert there.row["executionStatus"] == "FAILED"
