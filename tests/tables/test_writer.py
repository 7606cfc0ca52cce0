"""Writing attributes of an execution: what is set, what is left alone, and what may go wrong."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from graph.demo.database import EmbeddedDatabase
from graph.tables import decode
from graph.tables.catalogue import EXECUTIONS
from graph.tables.states import TERMINAL
from graph.tables.writer import ExecutionWriter, update_request
from tests.logs.unruly import refused

KEY = ("a" * 32, "home:nightly")
END = {"executionStatus": "FAILED", "executionStopDate": "2026-07-14T01:00:00Z"}
CHECK = {"lastSfnSyncCheckDate": "2026-07-14T02:00:00Z"}


@pytest.fixture(scope="module")
def database() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase({}) as database:
        yield database


class Table:
    """The one row of the tests."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name
        self.key = {name: {"S": part} for name, part in zip(EXECUTIONS.key, KEY, strict=True)}
        client.delete_item(TableName=name, Key=self.key)

    def put(self, **attributes: str) -> None:
        self.client.put_item(
            TableName=self.name, Item=self.key | {name: {"S": text} for name, text in attributes.items()}
        )

    @property
    def attributes(self) -> dict[str, Any] | None:
        item = self.client.get_item(TableName=self.name, Key=self.key, ConsistentRead=True).get("Item")
        return {name: text for name, text in decode.item(item).items() if name not in self.key} if item else None


@pytest.fixture
def table(database: EmbeddedDatabase) -> Table:
    return Table(database.client, database.names[EXECUTIONS])


async def write(client: Any, name: str, attributes: Mapping[str, str]) -> None:
    writer = ExecutionWriter(client, name)
    writer.write_soon(KEY, finding(attributes))
    await writer.settle()
    writer.close()


def finding(attributes: Mapping[str, str]) -> Callable[[], Awaitable[Mapping[str, str]]]:
    async def found() -> Mapping[str, str]:
        return attributes

    return found


async def test_only_named_attributes_change(table: Table) -> None:
    table.put(executionStatus="RUNNING", executionStartDate="2026-07-14T00:00:00Z", executionError="")
    await write(table.client, table.name, CHECK | END)
    assert table.attributes == CHECK | END | {"executionStartDate": "2026-07-14T00:00:00Z", "executionError": ""}


@pytest.mark.parametrize("status", sorted(status.value for status in TERMINAL))
@pytest.mark.parametrize("attribute", ["executionStatus", "executionStopDate", "executionError", "executionLog"])
async def test_what_ended_stays_as_it_ended(table: Table, status: str, attribute: str) -> None:
    table.put(executionStatus=status)
    await write(table.client, table.name, CHECK | {attribute: "late"})
    assert table.attributes == {"executionStatus": status}


@pytest.mark.parametrize("held", [{"executionStatus": "RUNNING"}, {"executionStatus": "PENDING_REDRIVE"}, {}])
async def test_what_did_not_end_may_end(table: Table, held: dict[str, str]) -> None:
    table.put(**held)
    await write(table.client, table.name, END)
    assert table.attributes == END


async def test_a_check_alone_may_be_written_of_a_run_that_ended(table: Table) -> None:
    table.put(executionStatus="SUCCEEDED")
    await write(table.client, table.name, CHECK)
    assert table.attributes == {"executionStatus": "SUCCEEDED"} | CHECK


@pytest.mark.parametrize("attributes", [CHECK, CHECK | END])
async def test_a_run_that_was_deleted_does_not_come_back(table: Table, attributes: dict[str, str]) -> None:
    await write(table.client, table.name, attributes)
    assert table.attributes is None


async def test_of_many_who_find_the_same_end_one_writes_it(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    table.put(executionStatus="RUNNING")
    writers = [ExecutionWriter(table.client, table.name) for _ in range(2)]
    ends = [{"executionStatus": "ABORTED", "executionError": str(number)} for number in range(8)]
    for number, end in enumerate(ends):
        writers[number % 2].write_soon(KEY, finding(end))
    for writer in writers:
        await writer.settle()
        writer.close()
    assert table.attributes in ends
    assert caplog.records == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (refused("AccessDeniedException"), "AccessDeniedException"),
        (EndpointConnectionError(endpoint_url="http://127.0.0.1"), "EndpointConnectionError"),
    ],
)
async def test_a_write_that_fails_is_a_line_of_the_log(
    fault: Exception, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing:
        def update_item(self, **_: Any) -> None:
            raise fault

    await write(Failing(), "table", CHECK)
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, f"dynamodb.UpdateItem failed: table={EXECUTIONS.name} code={code} attempt=1")
    ]


async def test_few_are_found_out_at_once_and_late_ones_are_given_up() -> None:
    begun: list[int] = []

    async def never() -> Mapping[str, str]:
        begun.append(1)
        await asyncio.Event().wait()
        return {}

    writer = ExecutionWriter(None, "table")  # type: ignore[arg-type]
    for _ in range(50):
        writer.write_soon(KEY, never)
    await writer.settle(0.01)
    await writer.settle()
    writer.close()
    assert len(begun) == 4


def test_the_whole_key_is_given_and_every_name_has_a_placeholder() -> None:
    request = update_request(EXECUTIONS, "table", KEY, CHECK)
    assert request["Key"] == {"workflowExecutionId": {"S": KEY[0]}, "workflowDatabaseId:workflowId": {"S": KEY[1]}}
    assert request["UpdateExpression"] == "SET #a0 = :v0"
    assert request["ConditionExpression"] == "attribute_exists(#a1)"
