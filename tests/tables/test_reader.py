import asyncio
import contextlib
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from botocore.credentials import Credentials
from botocore.exceptions import NoCredentialsError

from graph.aws.credentials import SharedCredentials
from graph.aws.database import Client, Database, ThreadedDatabase, dynamodb
from graph.aws.retries import retry_budget
from graph.aws.wire import WireDatabase
from graph.demo.database import EmbeddedDatabase
from graph.errors import GraphError, Throttled, UpstreamUnavailable
from graph.settings import Settings
from graph.tables.catalogue import (
    CONFIGURATIONS,
    DATABASES,
    EXECUTIONS,
    EXECUTIONS_BY_DATE,
    INPUT_METADATA,
    INPUTS,
    OUTPUT_FILES,
    Table,
)
from graph.tables.queries import Between, OneOf, Prefix, Query
from graph.tables.reader import DatabaseRejected, Reader
from graph.tables.tally import Tally
from tests.demo.reading import ITEMS, rows, written
from tests.faults import (
    PASSING,
    RESHAPING,
    SECRETS,
    Fault,
    FaultyClient,
    Plan,
    broken,
    denied,
    in_order,
    invalid,
    keyed_page,
    page_of,
    seeded,
    shuffled,
    slowed_down,
    throttled,
    timed_out,
    truly,
    unanswered,
    unprocessed,
    unreachable,
    without_pauses,
)
from tests.gateway import Gateway

Found = dict[tuple[str, ...], Any]

KEY = (*EXECUTIONS.key, EXECUTIONS_BY_DATE.partition, "executionStartDate")
ALL = Query(EXECUTIONS, EXECUTIONS_BY_DATE, "execution", None, (), KEY, False, None, None)
NEWEST = [
    item["workflowExecutionId"]
    for item in sorted(
        (item for item in ITEMS[EXECUTIONS] if "executionStartDate" in item),
        key=lambda item: (item["executionStartDate"], item["workflowExecutionId"]),
        reverse=True,
    )
]


class Reading:
    """A reader over a client with faults, what the client was asked, and what that cost."""

    def __init__(self, client: FaultyClient, reader: Reader) -> None:
        self.client = client
        self.reader = reader
        self.tally = Tally()

    async def ids(self, query: Query) -> list[str]:
        page = await self.reader.query(query, self.tally)
        return [item["workflowExecutionId"]["S"] for item in page.items]

    async def items(
        self, table: Table, keys: Sequence[tuple[str, ...]], *attributes: str
    ) -> dict[tuple[str, ...], Any]:
        return await self.reader.get_items(table, keys, (*table.key, *attributes), self.tally)


Read = Callable[..., Reading]


Over = Callable[..., Database]


@pytest.fixture(params=["boto3", "native"])
async def over(request: pytest.FixtureRequest) -> AsyncIterator[Over]:
    """Makes what calls a client: in threads, or over the wire."""
    with contextlib.ExitStack() as stack:

        def make(client: Client, concurrency: int = 32) -> Database:
            made: Database
            if request.param == "boto3":
                made = ThreadedDatabase(client, concurrency)
            else:
                endpoint = stack.enter_context(Gateway(client)).endpoint
                made = WireDatabase(
                    endpoint, "eu-west-1", SharedCredentials(lambda: Credentials("a", "b")), concurrency=concurrency
                )
            stack.callback(made.close)
            return made

        yield make
    await asyncio.sleep(0)  # in which connections end


@pytest.fixture
def read(database: EmbeddedDatabase, over: Over, monkeypatch: pytest.MonkeyPatch) -> Read:
    without_pauses(monkeypatch)

    def make(*faults: Fault, plan: Plan | None = None, **options: Any) -> Reading:
        client = FaultyClient(database.client, database.names, plan or in_order(*faults))
        return Reading(client, Reader(over(client), database.names, **options))

    return make


def keys_of(table: Table, count: int) -> list[tuple[str, ...]]:
    return [tuple(item[name] for name in table.key) for item in ITEMS[table][:count]]


# Queries


async def test_a_partition_is_read_in_either_direction(read: Read) -> None:
    reading = read()
    assert await reading.ids(ALL) == NEWEST
    assert await reading.ids(replace(ALL, forward=True)) == NEWEST[::-1]


async def test_a_page_that_is_limited_leads_on_by_a_whole_key(read: Read) -> None:
    reading = read()
    page = await reading.reader.query(replace(ALL, limit=3), reading.tally)
    assert page.last is not None
    assert set(page.last) == set(KEY)
    assert await reading.ids(replace(ALL, after=page.last, limit=4)) == NEWEST[3:7]


async def test_an_empty_page_still_leads_on(read: Read) -> None:
    reading = read(page_of(0))
    page = await reading.reader.query(ALL, reading.tally)
    assert page.items == []
    assert await reading.ids(replace(ALL, after=page.last)) == NEWEST


async def test_the_end_of_a_partition_has_no_key(read: Read) -> None:
    reading = read()
    assert (await reading.reader.query(ALL, reading.tally)).last is None


async def test_a_full_page_at_the_end_may_have_a_key(read: Read) -> None:
    reading = read(keyed_page)
    page = await reading.reader.query(replace(ALL, limit=len(NEWEST)), reading.tally)
    assert page.last is not None
    assert (await reading.reader.query(replace(ALL, after=page.last), reading.tally)).items == []


async def test_the_sort_key_may_begin_with_a_text(read: Read) -> None:
    item = ITEMS[INPUTS][0]
    prefix = item["databaseId:assetId:inputAssetFileKey"][:-1]
    query = Query(INPUTS, None, item["workflowExecutionId"], Prefix(prefix), (), INPUTS.key, True, None, None)
    reading = read()
    found = (await reading.reader.query(query, reading.tally)).items
    assert [one["databaseId:assetId:inputAssetFileKey"]["S"] for one in found] == sorted(
        one["databaseId:assetId:inputAssetFileKey"]
        for one in rows(INPUTS, workflowExecutionId=item["workflowExecutionId"])
        if one["databaseId:assetId:inputAssetFileKey"].startswith(prefix)
    )


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (None, None),
        ("2026-06-20", None),
        (None, "2026-06-20"),
        ("2026-06-20", "2026-06-22"),
    ],
)
async def test_the_sort_key_may_lie_between_two_texts(read: Read, low: str | None, high: str | None) -> None:
    starts = {item["workflowExecutionId"]: item.get("executionStartDate", "") for item in ITEMS[EXECUTIONS]}
    expected = [one for one in NEWEST if (low or "") <= starts[one] <= (high or "~")]
    assert await read().ids(replace(ALL, sort=Between(low, high))) == expected


async def test_a_condition_keeps_rows_that_hold_one_of_some_texts(read: Read) -> None:
    failed = OneOf("executionStatus", ("FAILED", "TIMED_OUT"))
    manual = OneOf("triggerType", ("Manual",))
    kept = {
        item["workflowExecutionId"]
        for item in ITEMS[EXECUTIONS]
        if item.get("executionStatus") in failed.texts and item.get("triggerType") == "Manual"
    }
    assert kept
    assert set(await read().ids(replace(ALL, conditions=(failed, manual)))) == kept & set(NEWEST)


async def test_a_negated_condition_keeps_the_other_rows_and_those_without_the_attribute(read: Read) -> None:
    others = OneOf("executionGroupId", ("upload-2026-06-20",), negated=True)
    left_out = {item["workflowExecutionId"] for item in rows(EXECUTIONS, executionGroupId="upload-2026-06-20")}
    assert left_out
    assert await read().ids(replace(ALL, conditions=(others,))) == [one for one in NEWEST if one not in left_out]


async def test_rows_are_counted_without_being_read(read: Read) -> None:
    reading = read()
    assert await reading.reader.count(ALL, reading.tally) == (len(NEWEST), None)
    (request,) = reading.client.requests
    assert request["Select"] == "COUNT"
    assert "ProjectionExpression" not in request


async def test_a_count_that_is_cut_short_leads_on(read: Read) -> None:
    reading = read(page_of(5))
    counted, last = await reading.reader.count(ALL, reading.tally)
    assert counted == 5
    rest, end = await reading.reader.count(replace(ALL, after=last), reading.tally)
    assert (counted + rest, end) == (len(NEWEST), None)


# Items by key


async def test_one_key_is_read_with_get_item(read: Read) -> None:
    reading = read()
    (key,) = keys_of(EXECUTIONS, 1)
    found = await reading.items(EXECUTIONS, [key, key])
    assert found == {key: written(dict(zip(EXECUTIONS.key, key, strict=True)))}
    (request,) = reading.client.requests
    assert request["Key"] == {name: {"S": part} for name, part in zip(EXECUTIONS.key, key, strict=True)}


async def test_more_keys_are_read_in_one_batch_without_duplicates(read: Read) -> None:
    reading = read()
    keys = keys_of(CONFIGURATIONS, 20)
    assert set(await reading.items(CONFIGURATIONS, keys * 3)) == set(keys)
    (request,) = reading.client.requests
    ((_, batch),) = request["RequestItems"].items()
    assert len(batch["Keys"]) == 20


async def test_a_batch_holds_a_hundred_keys(read: Read) -> None:
    reading = read()
    keys = keys_of(OUTPUT_FILES, 250)
    assert set(await reading.items(OUTPUT_FILES, keys)) == set(keys)
    assert sorted(len(batch["Keys"]) for one in reading.client.requests for batch in one["RequestItems"].values()) == [
        50,
        100,
        100,
    ]
    assert reading.tally.rounds == 1


async def test_no_keys_are_no_call(read: Read) -> None:
    reading = read()
    assert await reading.items(DATABASES, []) == {}
    assert reading.tally.calls == 0


@pytest.mark.parametrize("count", [1, 2])
async def test_a_key_without_an_item_is_absent(read: Read, count: int) -> None:
    missing = [(f"no-such-database-{number}",) for number in range(count)]
    assert await read().items(DATABASES, missing) == {}


async def test_answers_in_another_order_go_to_their_keys(read: Read) -> None:
    reading = read(shuffled)
    keys = keys_of(OUTPUT_FILES, 60)
    found = await reading.items(OUTPUT_FILES, keys)
    assert all(tuple(found[key][name]["S"] for name in OUTPUT_FILES.key) == key for key in keys)


# Tries


async def test_keys_that_are_left_are_asked_for_again(read: Read) -> None:
    reading = read(unprocessed(30), unprocessed(0), unprocessed(20))
    keys = keys_of(INPUT_METADATA, 90)
    found = await reading.items(INPUT_METADATA, keys, "scope")
    assert set(found) == set(keys)
    assert not any(isinstance(item, GraphError) for item in found.values())
    batches = [batch for one in reading.client.requests for batch in one["RequestItems"].values()]
    assert [len(batch["Keys"]) for batch in batches] == [90, 60, 60, 40]
    assert len({batch["ProjectionExpression"] for batch in batches}) == 1


async def test_keys_that_are_left_to_the_end_are_errors_and_no_nulls(read: Read) -> None:
    reading = read(plan=in_order(unprocessed(7), then=unprocessed(0)), attempts=4)
    keys = keys_of(INPUT_METADATA, 10)
    found = await reading.items(INPUT_METADATA, keys)
    assert set(found) == set(keys)
    assert [isinstance(found[key], Throttled) for key in keys] == [False] * 7 + [True] * 3
    assert reading.tally.calls == 4


async def test_a_batch_that_fails_on_a_later_try_keeps_what_it_had(read: Read) -> None:
    reading = read(unprocessed(4), denied)
    keys = keys_of(INPUT_METADATA, 6)
    found = await reading.items(INPUT_METADATA, keys)
    assert [isinstance(found[key], DatabaseRejected) for key in keys] == [False] * 4 + [True] * 2


async def test_a_batch_that_fails_leaves_the_other_batches(read: Read) -> None:
    reading = read(denied)
    found = await reading.items(INPUT_METADATA, keys_of(INPUT_METADATA, 150))
    assert len(found) == 150
    assert sum(isinstance(item, GraphError) for item in found.values()) in (50, 100)


@pytest.mark.parametrize("fault", PASSING)
async def test_what_passes_is_tried_again(read: Read, fault: Fault) -> None:
    reading = read(*[fault] * 5)
    assert await reading.ids(ALL) == NEWEST
    assert reading.tally.calls == 6


@pytest.mark.parametrize("fault", PASSING)
async def test_what_does_not_pass_in_time_is_an_error_that_says_so(read: Read, fault: Fault) -> None:
    reading = read(plan=in_order(then=fault), attempts=3)
    with pytest.raises(GraphError) as raised:
        await reading.ids(ALL)
    assert raised.value.extensions["retryable"] is True
    assert isinstance(raised.value, Throttled if fault in (throttled, slowed_down) else UpstreamUnavailable)
    assert reading.tally.calls == 3


async def test_a_batch_has_no_more_tries_than_any_other_read(read: Read) -> None:
    """Whether its tries are throttled, or answered with keys that are left."""
    reading = read(*[throttled, unprocessed(0)] * 10, attempts=6)
    found = await reading.items(EXECUTIONS, keys_of(EXECUTIONS, 2))
    assert [type(error) for error in found.values()] == [Throttled] * 2
    assert reading.tally.calls == 6


async def test_the_reads_of_an_operation_share_a_budget_of_retries(read: Read) -> None:
    reading = read(plan=in_order(then=throttled), attempts=6)
    with retry_budget():
        found = await asyncio.gather(*(reading.ids(ALL) for _ in range(100)), return_exceptions=True)
    assert {type(error) for error in found} == {Throttled}
    assert reading.tally.calls == 100 + 60


@pytest.mark.parametrize("fault", [denied, invalid])
async def test_what_does_not_pass_is_not_tried_again(read: Read, fault: Fault) -> None:
    reading = read(fault)
    with pytest.raises(DatabaseRejected) as raised:
        await reading.ids(ALL)
    assert raised.value.extensions == {"code": "UPSTREAM_UNAVAILABLE"}
    assert reading.tally.calls == 1


@pytest.mark.parametrize("fault", [throttled, broken, unreachable, timed_out, denied, invalid])
@pytest.mark.parametrize("count", [1, 3])
async def test_a_key_that_cannot_be_read_holds_its_error(read: Read, fault: Fault, count: int) -> None:
    reading = read(plan=in_order(then=fault), attempts=2)
    keys = keys_of(EXECUTIONS, count)
    found = await reading.items(EXECUTIONS, keys)
    assert set(found) == set(keys)
    assert all(isinstance(error, GraphError) for error in found.values())


@pytest.mark.parametrize("fault", [throttled, broken, unreachable, timed_out, denied, invalid])
async def test_neither_error_nor_log_tells_a_key_or_an_account_and_the_error_no_table(
    read: Read, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    reading = read(plan=in_order(then=fault), attempts=1)
    with pytest.raises(GraphError) as raised:
        await reading.ids(ALL)
    shown = f"{raised.value} {raised.value.extensions}"
    assert not [secret for secret in (*SECRETS, EXECUTIONS.name, "execution") if secret in shown]
    assert not [secret for secret in SECRETS if secret in caplog.text]


@pytest.mark.parametrize(
    ("fault", "code", "attempt"),
    [
        (denied, "AccessDeniedException", 1),
        (throttled, "ProvisionedThroughputExceededException", 3),
        (broken, "InternalServerError", 3),
        (unprocessed(0), "UnprocessedKeys", 3),
    ],
)
async def test_an_operator_finds_one_line_of_each_failure_in_the_log(
    read: Read, fault: Fault, code: str, attempt: int, caplog: pytest.LogCaptureFixture
) -> None:
    reading = read(plan=in_order(then=fault), attempts=3)
    found = await reading.items(EXECUTIONS, keys_of(EXECUTIONS, 2))
    assert all(isinstance(one, GraphError) for one in found.values())
    assert [(record.levelname, record.getMessage(), record.exc_info) for record in caplog.records] == [
        ("WARNING", f"dynamodb.BatchGetItem failed: table={EXECUTIONS.name} code={code} attempt={attempt}", None)
    ]


@pytest.mark.parametrize("seed", range(8))
async def test_faults_that_pass_change_no_answer(read: Read, seed: int) -> None:
    reading = read(plan=seeded(seed, (*PASSING, *RESHAPING)), attempts=20)
    keys = keys_of(OUTPUT_FILES, 130)
    found, counted = await asyncio.gather(
        reading.items(OUTPUT_FILES, [*keys, ("nowhere", "nothing")]), _count(reading.reader, reading.tally)
    )
    assert set(found) == set(keys)
    assert not any(isinstance(item, GraphError) for item in found.values())
    assert counted == len(NEWEST)


async def _count(reader: Reader, tally: Tally) -> int:
    total, last = await reader.count(ALL, tally)
    while last is not None:
        counted, last = await reader.count(replace(ALL, after=last), tally)
        total += counted
    return total


async def test_that_nobody_can_be_asked_is_not_tried_again(database: EmbeddedDatabase) -> None:
    client = FaultyClient(database.client, database.names, in_order(unanswered(NoCredentialsError)))
    reader, tally = Reader(ThreadedDatabase(client), database.names), Tally()
    with pytest.raises(DatabaseRejected):
        await reader.query(ALL, tally)
    reader.close()
    assert tally.calls == 1


async def test_pauses_grow_and_are_drawn_by_chance(database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    longest: list[float] = []

    def uniform(low: float, high: float) -> float:
        assert low == 0
        longest.append(high)
        return 0.0

    monkeypatch.setattr("graph.aws.retries.random.uniform", uniform)
    reader = Reader(
        ThreadedDatabase(FaultyClient(database.client, database.names, in_order(then=throttled))),
        database.names,
        attempts=9,
    )
    with pytest.raises(Throttled):
        await reader.query(ALL, Tally())
    reader.close()
    assert longest == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]


# Requests


TOKEN = re.compile(r"[#:\w]+")


class _Unused:
    query: Any = None
    get_item: Any = None
    batch_get_item: Any = None


async def test_items_by_key_are_projected_through_placeholders(read: Read) -> None:
    reading = read()
    for count in (1, 2):
        await reading.items(EXECUTIONS, keys_of(EXECUTIONS, count), "status", "name")
    single, batch = reading.client.requests
    for request in (single, *batch["RequestItems"].values()):
        assert TOKEN.findall(request["ProjectionExpression"]) == list(request["ExpressionAttributeNames"])
        assert list(request["ExpressionAttributeNames"].values()) == [*EXECUTIONS.key, "status", "name"]


async def test_no_read_is_consistent_since_indexes_cannot_be(read: Read) -> None:
    reading = read()
    await reading.ids(ALL)
    await reading.items(EXECUTIONS, keys_of(EXECUTIONS, 2))
    assert not any("ConsistentRead" in repr(request) for request in reading.client.requests)


# Cost


async def test_calls_rounds_and_capacity_are_counted(read: Read) -> None:
    reading = read()
    await asyncio.gather(reading.ids(replace(ALL, limit=1)), reading.items(EXECUTIONS, keys_of(EXECUTIONS, 2)))
    assert (reading.tally.calls, reading.tally.rounds) == (2, 1)
    await reading.items(EXECUTIONS, keys_of(EXECUTIONS, 1))
    assert (reading.tally.calls, reading.tally.rounds) == (3, 2)
    assert reading.tally.capacity > 0
    assert all(request["ReturnConsumedCapacity"] == "TOTAL" for request in reading.client.requests)


@pytest.mark.parametrize(
    ("consumed", "capacity"),
    [
        ({"TableName": "t", "CapacityUnits": 2.5}, 2.5),
        ([{"TableName": "t", "CapacityUnits": 2.5}, {"TableName": "u", "CapacityUnits": 1}], 3.5),
        (None, 0.0),
    ],
)
async def test_capacity_is_what_the_database_reports(over: Over, consumed: object, capacity: float) -> None:
    class Fixed(_Unused):
        @staticmethod
        def query(**_request: Any) -> Any:
            return {"Items": [], "ConsumedCapacity": consumed}

    reader, tally = Reader(over(Fixed()), {EXECUTIONS: "physical"}), Tally()
    await reader.query(ALL, tally)
    assert tally.capacity == capacity


async def test_a_try_that_fails_is_counted_too(read: Read) -> None:
    reading = read(throttled, truly)
    await reading.ids(ALL)
    assert (reading.tally.calls, reading.tally.rounds) == (2, 2)


# Waiting


class Held(_Unused):
    """A client whose answers wait until they are let go; counts how many wait."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self._arrived = threading.Semaphore(0)
        self.most = self.now = 0
        self._lock = threading.Lock()

    def query(self, **_request: Any) -> Any:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self._arrived.release()
        assert self.go.wait(5), "never let go"
        with self._lock:
            self.now -= 1
        return {"Items": []}

    async def reached(self) -> None:
        """Waits until one more call has come."""
        assert await asyncio.to_thread(self._arrived.acquire, timeout=5)


async def test_a_slow_call_does_not_hold_up_the_loop(over: Over) -> None:
    client = Held()
    reader = Reader(over(client), {EXECUTIONS: "physical"})
    call = asyncio.create_task(reader.query(ALL, Tally()))
    await client.reached()
    client.go.set()
    assert (await call).items == []


async def test_no_more_calls_are_in_flight_than_the_bound(over: Over) -> None:
    client = Held()
    reader = Reader(over(client, 3), {EXECUTIONS: "physical"})
    calls = [asyncio.create_task(reader.query(ALL, Tally())) for _ in range(20)]
    for _ in range(3):
        await client.reached()
    await asyncio.sleep(0.02)
    client.go.set()
    await asyncio.gather(*calls)
    assert client.most == 3


async def test_a_call_that_is_given_up_frees_its_place(over: Over) -> None:
    client = Held()
    reader = Reader(over(client, 1), {EXECUTIONS: "physical"})
    tally = Tally()
    call = asyncio.create_task(reader.query(ALL, tally))
    await client.reached()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    client.go.set()
    assert (await reader.query(ALL, tally)).items == []
    assert tally.calls == 2


async def test_closing_waits_for_calls_in_flight() -> None:
    client = Held()
    reader = Reader(ThreadedDatabase(client), {EXECUTIONS: "physical"})
    call = asyncio.create_task(reader.query(ALL, Tally()))
    await client.reached()
    client.go.set()
    await asyncio.to_thread(reader.close)
    assert client.now == 0
    assert (await call).items == []


async def test_a_fault_of_our_own_is_not_taken_for_one_of_the_database() -> None:
    class Buggy(_Unused):
        @staticmethod
        def query(**_request: Any) -> Any:
            raise KeyError("a bug")

    reader = Reader(ThreadedDatabase(Buggy()), {EXECUTIONS: "physical"})
    with pytest.raises(KeyError):
        await reader.query(ALL, Tally())
    reader.close()


# The client


def test_the_client_leaves_trying_again_to_the_reader(database: EmbeddedDatabase) -> None:
    client: Any = dynamodb(
        Settings(
            dynamodb_endpoint=database.endpoint,
            region=database.region,
            dynamodb_timeout=1.5,
            dynamodb_concurrency=7,
        )
    )
    config = client.meta.config
    assert config.retries["total_max_attempts"] == 1
    assert (config.connect_timeout, config.read_timeout, config.max_pool_connections) == (1.5, 1.5, 7)
    assert client.meta.endpoint_url == database.endpoint


def test_sixteen_threads_share_one_client(database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in database.access().items():
        monkeypatch.setenv(name, value)
    client: Client = dynamodb(Settings())
    reader = Reader(ThreadedDatabase(client, 16), database.names)

    async def read_all() -> list[Any]:
        return await asyncio.gather(*(reader.query(replace(ALL, limit=2), Tally()) for _ in range(32)))

    pages = asyncio.run(read_all())
    reader.close()
    assert all([item["workflowExecutionId"]["S"] for item in page.items] == NEWEST[:2] for page in pages)


async def test_it_tells_when_a_read_of_a_table_last_worked(read: Read) -> None:
    reading = read()
    never = float("-inf")
    assert reading.reader.read_at(EXECUTIONS) == reading.reader.read_at(DATABASES) == never
    await reading.ids(ALL)
    first = reading.reader.read_at(EXECUTIONS)
    assert first > never
    await reading.items(DATABASES, [("plant-models",)])
    await reading.items(INPUTS, [("a", "b"), ("c", "d")])
    assert first == reading.reader.read_at(EXECUTIONS) < reading.reader.read_at(DATABASES)
    assert reading.reader.read_at(DATABASES) < reading.reader.read_at(INPUTS)


async def test_a_read_that_failed_has_not_worked(read: Read) -> None:
    reading = read(denied)
    with pytest.raises(GraphError):
        await reading.ids(ALL)
    assert reading.reader.read_at(EXECUTIONS) == float("-inf")
