"""What is told of the tables, by what DescribeTable and reads say of each."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    NoCredentialsError,
)

from graph.tables import availability
from graph.tables.availability import Availability
from graph.tables.catalogue import ASSETS, EXECUTIONS, STEPS, TABLES, Table
from tests.auth.rows import Clock
from tests.faults import without_pauses

NAMES = {table: f"physical-{table.name}" for table in TABLES}


def refusal(code: str, status: int = 400) -> ClientError:
    told: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(told, "DescribeTable")


THROTTLED = refusal("ThrottlingException")
MAY_PASS = [
    THROTTLED,
    refusal("InternalServerError", 500),
    refusal("", 503),
    ConnectTimeoutError(endpoint_url="x"),
    EndpointConnectionError(endpoint_url="x"),
]
DECIDED = [
    refusal("ResourceNotFoundException"),
    refusal("AccessDeniedException"),
    refusal("UnrecognizedClientException"),
    refusal("ExpiredTokenException"),
    NoCredentialsError(),
    CredentialRetrievalError(provider="process", error_msg="expired"),
    FileNotFoundError("token"),
    RuntimeError("whatever a source of credentials raises"),
]


def code_of(fault: Exception) -> str:
    if not isinstance(fault, ClientError):
        return type(fault).__name__
    return fault.response["Error"]["Code"] or str(fault.response["ResponseMetadata"]["HTTPStatusCode"])


class Tables:
    """Describes each table as it is told, and counts how often it is asked."""

    def __init__(self) -> None:
        self.faults: dict[Table, Exception] = {}
        self.asked: list[str] = []
        self.seconds = 0.0
        self.hanging: dict[Table, threading.Event] = {}
        self.read: dict[Table, float] = {}

    def describe_table(self, TableName: str) -> None:  # noqa: N803
        self.asked.append(TableName)
        table = next(table for table, name in NAMES.items() if name == TableName)
        time.sleep(self.seconds)
        if table in self.hanging:
            self.hanging[table].wait(20)
        if table in self.faults:
            raise self.faults[table]


@pytest.fixture
def tables() -> Iterator[Tables]:
    tables = Tables()
    yield tables
    for hanging in tables.hanging.values():
        hanging.set()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)
    monkeypatch.setattr(availability, "_PATIENCE_SECONDS", 0.2)


async def end_of_round(watch: Availability) -> None:
    while not watch._is_round_over:  # noqa: ASYNC110 - nobody else wants to know
        await asyncio.sleep(0.001)


def watched(tables: Tables, clock: Clock) -> Availability:
    return Availability(tables, NAMES, lambda table: tables.read.get(table, float("-inf")), clock)


async def test_tables_are_asked_once_in_a_while_however_many_want_to_know(tables: Tables) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await asyncio.gather(*(watch.is_given() for _ in range(10))) == [True] * 10
    assert sorted(tables.asked) == sorted(NAMES.values())
    clock.time += 14
    assert await watch.is_given()
    assert len(tables.asked) == len(NAMES)
    clock.time += 1
    assert await watch.is_given()
    assert len(tables.asked) == 2 * len(NAMES)


async def test_they_are_asked_together(tables: Tables) -> None:
    tables.seconds = 0.1  # twenty of them, one after the other, would take two seconds
    start = time.monotonic()
    assert await watched(tables, Clock()).is_given()
    assert time.monotonic() - start < 1


async def test_a_fault_of_one_try_is_none(tables: Tables) -> None:
    class Flaky(Tables):
        def describe_table(self, TableName: str) -> None:  # noqa: N803
            self.asked.append(TableName)
            if self.asked.count(TableName) < 3:
                raise THROTTLED

    flaky = Flaky()
    assert await watched(flaky, Clock()).is_given()
    assert len(flaky.asked) == 3 * len(NAMES)


@pytest.mark.parametrize("fault", MAY_PASS, ids=str)
@pytest.mark.parametrize("failing", [[STEPS], [STEPS, EXECUTIONS], TABLES[1:]], ids=len)
async def test_a_fault_that_may_pass_changes_nothing_while_others_answer(
    tables: Tables, fault: Exception, failing: list[Table], caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.faults = dict.fromkeys(failing, fault)
    for _ in range(10):
        clock.time += 16
        assert await watch.is_given()
    names = ",".join(sorted(table.name for table in failing))
    assert caplog.messages == [f"dynamodb.DescribeTable failed: table={names} code={code_of(fault)} attempt=3"] * 10


@pytest.mark.parametrize("fault", DECIDED, ids=str)
async def test_a_table_that_is_refused_cannot_be_read(
    tables: Tables, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.faults = {STEPS: fault}
    clock.time += 15
    assert not await watch.is_given()
    await end_of_round(watch)
    assert caplog.messages == [f"dynamodb.DescribeTable failed: table={STEPS.name} code={code_of(fault)} attempt=1"]
    tables.faults = {STEPS: THROTTLED}
    clock.time += 5
    assert not await watch.is_given()
    tables.faults = {}
    clock.time += 5
    assert await watch.is_given()


@pytest.mark.parametrize("fault", [*MAY_PASS, *DECIDED], ids=str)
async def test_of_a_table_that_has_said_nothing_yet_the_best_is_believed(tables: Tables, fault: Exception) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    tables.faults = {ASSETS: fault}
    assert await watch.is_given() == (fault in MAY_PASS)
    await end_of_round(watch)
    tables.faults = {}
    clock.time += 15
    assert await watch.is_given()


@pytest.mark.parametrize("fault", MAY_PASS, ids=str)
async def test_nothing_is_believed_before_any_table_has_answered(tables: Tables, fault: Exception) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    tables.faults = dict.fromkeys(TABLES, fault)
    for _ in range(3):
        assert not await watch.is_given()
        clock.time += 5
    tables.faults = {}
    assert await watch.is_given()


@pytest.mark.parametrize("fault", MAY_PASS[1:], ids=str)
async def test_silence_of_all_tables_is_an_outage(tables: Tables, fault: Exception) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.faults = dict.fromkeys(TABLES, fault)
    clock.time += 15
    assert not await watch.is_given()
    tables.faults = {}
    clock.time += 5
    assert await watch.is_given()


async def test_that_all_descriptions_are_throttled_is_none(tables: Tables) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.faults = dict.fromkeys(TABLES, THROTTLED)
    clock.time += 15
    assert await watch.is_given()


@pytest.mark.parametrize("fault", DECIDED[1:3], ids=str)
async def test_reads_that_just_worked_count(tables: Tables, fault: Exception) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    tables.faults = {STEPS: fault}
    assert not await watch.is_given()
    await end_of_round(watch)
    tables.read = {STEPS: clock.time}
    assert await watch.is_given()
    clock.time += 14
    assert await watch.is_given()
    clock.time += 2
    assert not await watch.is_given()


async def test_reads_that_just_worked_tell_of_no_outage(tables: Tables) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.faults = dict.fromkeys(TABLES, MAY_PASS[-1])
    clock.time += 15
    tables.read = {EXECUTIONS: clock.time - 3}
    assert await watch.is_given()
    clock.time += 13
    assert not await watch.is_given()


@pytest.mark.parametrize("hanging", [[STEPS], TABLES], ids=len)
async def test_tables_that_hang_keep_nobody_waiting_and_no_more_threads_than_there_are_tables(
    tables: Tables, hanging: list[Table]
) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.hanging = {table: threading.Event() for table in hanging}
    threads = threading.active_count()
    for _ in range(8):
        clock.time += 5
        start = time.monotonic()
        await watch.is_given()
        assert time.monotonic() - start < 1
    assert threading.active_count() <= threads + len(hanging)
    assert await watch.is_given() == (hanging == [STEPS])
    await asyncio.to_thread(lambda: None)  # what else runs in threads is not held up
    for event in tables.hanging.values():
        event.set()
    tables.hanging = {}
    while watch._asked:  # noqa: ASYNC110 - threads end when they do
        await asyncio.sleep(0.01)
    clock.time += 15
    assert await watch.is_given()


async def test_a_refusal_is_told_before_slower_tables_answer(tables: Tables) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    assert await watch.is_given()
    tables.faults = {STEPS: NoCredentialsError()}
    tables.hanging = {EXECUTIONS: threading.Event()}
    clock.time += 15
    start = time.monotonic()
    assert not await watch.is_given()
    assert time.monotonic() - start < availability._PATIENCE_SECONDS
    assert not await watch.is_given()
    assert tables.asked.count(NAMES[STEPS]) == 2


async def test_a_slow_answer_is_heard_when_it_comes(tables: Tables) -> None:
    clock = Clock()
    watch = watched(tables, clock)
    tables.hanging = {table: threading.Event() for table in TABLES}
    assert not await watch.is_given()
    tables.hanging[STEPS].set()
    await asyncio.sleep(0.05)
    assert await watch.is_given()


def test_an_answer_after_the_end_of_its_loop_is_dropped(tables: Tables) -> None:
    tables.hanging = {STEPS: threading.Event()}
    watch = watched(tables, Clock())
    assert asyncio.run(watch.is_given())
    (thread,) = [thread for thread in threading.enumerate() if thread.name == f"describe-{STEPS.name}"]
    tables.hanging[STEPS].set()
    thread.join(5)
    assert not thread.is_alive()
