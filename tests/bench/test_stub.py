"""The stub of DynamoDB answers what the tests' own database does, which is held against an emulator."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from bench.dataset import write_items
from bench.processes import Process, free_port, running
from bench.servers import calls
from graph.demo.database import loopback_client
from graph.demo.rows import Row
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.sizes import MANY_OUTPUTS_ID
from graph.tables.catalogue import EXECUTIONS, EXECUTIONS_BY_DATE, OUTPUT_FILES, STEPS, STEPS_BY_EXECUTION, Table
from graph.tables.queries import Between, Prefix, Query, query_request
from tests.demo.reading import ITEMS
from tests.memory import NAMES, MemoryDatabase
from tests.skipping import give_up

NATIVE = Path(__file__).resolve().parents[2] / "bench" / "native"
COMPILER = shutil.which("g++")

LIST = Query(EXECUTIONS, EXECUTIONS_BY_DATE, "execution", None, (), ("workflowExecutionId",), False, None, None)
CHAIN = Query(STEPS, STEPS_BY_EXECUTION, SAMPLE_EXECUTION_ID, None, (), (), True, None, None)
_TILES = next(
    row for row in ITEMS[STEPS] if row["workflowExecutionId"] == MANY_OUTPUTS_ID and row["endStatePipeline"] == "true"
)
FILES = Query(
    OUTPUT_FILES, None, _TILES["pipelineExecutionId"], None, (), ("relativeFilePath", "fileSize"), True, None, None
)

Client = Any


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    if COMPILER is None:
        give_up("THE STUB OF DYNAMODB IS NOT TESTED: there is no g++")
    directory = tmp_path_factory.mktemp("stub")
    binary, items = directory / "stub", directory / "items.jsonl"
    subprocess.run([COMPILER, "-std=c++20", "-o", binary, NATIVE / "stub.cpp"], check=True)  # noqa: S603
    write_items(items, (Row(table, item) for table, held in ITEMS.items() for item in held))
    port = free_port()
    with running("stub", [str(binary), str(port), str(items)], port, 0, {}, directory / "log") as process:
        yield process


@pytest.fixture
def stub(process: Process) -> Client:
    return loopback_client(f"http://127.0.0.1:{process.port}")


def walked(client: Client, name: str, query: Query) -> list[Any]:
    """Every item of a partition, page after page, as the server asks."""
    items: list[Any] = []
    request = query_request(query, name)
    while True:
        page = client.query(**request)
        assert page["Count"] == len(page["Items"])
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


@pytest.mark.parametrize("limit", [None, 1, 7, 100])
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("query", [LIST, CHAIN, FILES], ids=["list", "chain", "files"])
def test_a_partition_holds_the_same_in_the_same_order_by_pages_of_any_size(
    stub: Client, memory: MemoryDatabase, query: Query, forward: bool, limit: int | None
) -> None:
    asked = replace(query, forward=forward, limit=limit)
    found = walked(stub, query.table.name, asked)
    assert found == walked(memory, NAMES[query.table], asked)
    assert found


@pytest.mark.parametrize(
    "query",
    [
        replace(FILES, sort=Prefix("file:0/")),
        replace(FILES, sort=Prefix("nothing")),
        replace(LIST, sort=Between("2026-06-01", None)),
        replace(LIST, sort=Between(None, "2026-06-01T00:00:00Z")),
        replace(LIST, sort=Between("2026-05-18T09:00:00Z", "2026-06-17T09:00:00Z")),
        replace(LIST, partition="nobody"),
    ],
)
def test_conditions_on_the_sort_key_leave_the_same(stub: Client, memory: MemoryDatabase, query: Query) -> None:
    assert walked(stub, query.table.name, query) == walked(memory, NAMES[query.table], query)


def test_counting_gives_the_number_alone(stub: Client) -> None:
    page = stub.query(**query_request(replace(FILES, attributes=()), OUTPUT_FILES.name), Select="COUNT")
    assert (page["Count"], "Items" in page) == (1_212, False)


def keys(table: Table) -> list[dict[str, dict[str, str]]]:
    rows = [*ITEMS[table][:5], dict.fromkeys(table.key, "nothing")]
    return [{name: {"S": row[name]} for name in table.key} for row in rows]


def test_items_are_found_by_key_alone_and_together(stub: Client, memory: MemoryDatabase) -> None:
    name = NAMES[EXECUTIONS]
    one_by_one = [stub.get_item(TableName=EXECUTIONS.name, Key=key).get("Item") for key in keys(EXECUTIONS)]
    assert one_by_one == [memory.get_item(TableName=name, Key=key).get("Item") for key in keys(EXECUTIONS)]
    batch = stub.batch_get_item(RequestItems={EXECUTIONS.name: {"Keys": keys(EXECUTIONS)}})
    assert batch["Responses"][EXECUTIONS.name] == one_by_one[:-1]
    assert not batch["UnprocessedKeys"]


def test_capacity_is_told_where_it_is_asked_for(stub: Client) -> None:
    key = keys(EXECUTIONS)[0]
    assert "ConsumedCapacity" not in stub.get_item(TableName=EXECUTIONS.name, Key=key)
    told = stub.get_item(TableName=EXECUTIONS.name, Key=key, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert told == {"TableName": EXECUTIONS.name, "CapacityUnits": 0.5}


@pytest.mark.parametrize(
    "wrong",
    [
        {"TableName": "none"},
        {"IndexName": "none"},
        {"KeyConditionExpression": "executionStatus = :v0"},
        {"FilterExpression": "executionStatus = :v0"},
    ],
    ids=str,
)
def test_what_it_does_not_know_it_refuses(stub: Client, wrong: dict[str, str]) -> None:
    with pytest.raises(ClientError, match="ValidationException"):
        stub.query(**query_request(replace(LIST, attributes=()), EXECUTIONS.name) | wrong)


def test_it_counts_its_calls(stub: Client, process: Process) -> None:
    before = calls(process)
    found = walked(stub, EXECUTIONS.name, replace(LIST, limit=10))
    assert calls(process) - before == len(found) // 10 + 1
