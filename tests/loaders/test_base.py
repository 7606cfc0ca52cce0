import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from graph.aws.database import ThreadedDatabase
from graph.demo.database import EmbeddedDatabase
from graph.errors import Throttled
from graph.loaders.base import KeyLoader, KeyRange, RangeLoader, Reading, RowRange
from graph.operation import OperationScope
from graph.tables import catalogue, keys
from graph.tables.queries import Between, OneOf, Prefix
from graph.tables.reader import DatabaseRejected, Reader
from graph.tables.records.definitions import DatabaseRow
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.outputs import OutputFileRow
from graph.tables.rows import field_names
from graph.tables.tally import Tally
from tests.demo.reading import ITEMS
from tests.faults import RESHAPING, Fault, denied, in_order, keyed_page, page_of, seeded, throttled
from tests.loaders.conftest import Operate, Operation

DATES = sorted(item["executionStartDate"] for item in ITEMS[catalogue.EXECUTIONS] if "executionStartDate" in item)
NEWEST_FIRST = KeyRange(keys.ALL_EXECUTIONS, forward=False)


def test_each_operation_has_loaders_in_its_own_loop(database: EmbeddedDatabase) -> None:
    reader = Reader(ThreadedDatabase(database.client), database.names)

    async def operation() -> DatabaseRow | None:
        loader = KeyLoader(DatabaseRow, Reading(reader, Tally(), field_names, OperationScope()))
        return await loader.load(("plant-models",))

    first, second = asyncio.run(operation()), asyncio.run(operation())
    reader.close()
    assert first is not None
    assert second is not None
    assert first is not second
    assert first.id == second.id


# By key


async def test_rows_by_key_are_read_in_one_call(operate: Operate) -> None:
    operation = operate()
    loader = operation.loaders.definitions.databases
    found = await asyncio.gather(
        *(loader.load((one,)) for one in ("plant-models", "no-such", "plant-models", "GLOBAL"))
    )
    assert [one.database_id if one else None for one in found] == ["plant-models", None, "plant-models", None]
    assert operation.tally.calls == 1


async def test_a_key_that_cannot_be_read_is_an_error_for_its_waiters_alone(operate: Operate) -> None:
    operation = operate(denied)
    loader = operation.loaders.definitions.databases
    with pytest.raises(DatabaseRejected):
        await loader.load(("plant-models",))
    assert await operation.loaders.definitions.workflows.load(("plant-models", "clash-report")) is not None


async def test_only_the_fields_that_the_operation_needs_are_read(operate: Operate) -> None:
    operation = operate()
    reading = replace(operation.reading, fields=lambda _row: frozenset({"description"}))
    await KeyLoader(DatabaseRow, reading).load(("plant-models",))
    assert list(operation.requests[0]["ExpressionAttributeNames"].values()) == ["databaseId", "description"]


# By slice


async def dates(operation: Operation, wanted: KeyRange) -> list[str]:
    return [row.start_date for row in (await operation.loaders.executions.by_date.load(wanted)).rows]


async def test_a_slice_is_the_whole_partition_unless_it_is_limited(operate: Operate) -> None:
    assert await dates(operate(), NEWEST_FIRST) == DATES[::-1]
    assert await dates(operate(), KeyRange(keys.ALL_EXECUTIONS, limit=3)) == DATES[:3]


@pytest.mark.parametrize("fault", [*RESHAPING])
async def test_a_slice_is_filled_whatever_its_pages_hold(operate: Operate, fault: Fault) -> None:
    operation = operate(plan=seeded(3, [fault], share=0.7, most=1))
    assert await dates(operation, NEWEST_FIRST) == DATES[::-1]
    limited = KeyRange(keys.ALL_EXECUTIONS, limit=11, forward=False)
    assert await dates(operation, limited) == DATES[::-1][:11]


async def test_a_slice_goes_on_after_a_position(operate: Operate) -> None:
    loader = operate().loaders.executions.by_date
    first = await loader.load(KeyRange(keys.ALL_EXECUTIONS, limit=4))
    start = first.rows[-1].position_in(loader.index)
    rest = await loader.load(KeyRange(keys.ALL_EXECUTIONS, start=start))
    assert [row.start_date for row in (*first.rows, *rest.rows)] == DATES
    assert rest.end is None


async def test_a_slice_asks_for_what_is_still_wanted(operate: Operate) -> None:
    operation = operate(page_of(2), page_of(3))
    await dates(operation, KeyRange(keys.ALL_EXECUTIONS, limit=10))
    assert [request["Limit"] for request in operation.requests] == [10, 8, 5]


async def test_a_slice_reads_no_more_pages_than_it_may(operate: Operate) -> None:
    operation = operate(plan=in_order(then=page_of(2)))
    loader = operation.loaders.executions.by_date
    stretch = await loader.load(KeyRange(keys.ALL_EXECUTIONS, limit=10, pages=2))
    assert [row.start_date for row in stretch.rows] == DATES[:4]
    assert stretch.end == stretch.rows[-1].position_in(loader.index)


async def test_an_empty_page_ends_at_a_position_to_go_on_from(operate: Operate) -> None:
    operation = operate(page_of(0))
    loader = operation.loaders.executions.by_date
    empty = await loader.load(KeyRange(keys.ALL_EXECUTIONS, pages=1))
    assert empty.rows == []
    assert await dates(operation, KeyRange(keys.ALL_EXECUTIONS, start=empty.end)) == DATES


async def test_a_slice_may_look_at_more_rows_than_it_wants(operate: Operate) -> None:
    operation = operate()
    failed = OneOf("executionStatus", ("FAILED",))
    wanted = KeyRange(keys.ALL_EXECUTIONS, limit=2, conditions=(failed,), evaluate=50)
    stretch = await operation.loaders.executions.by_date.load(wanted)
    assert {row.status.value for row in stretch.rows} == {"FAILED"}
    assert {request["Limit"] for request in operation.requests} == {50}


async def test_slices_of_one_tick_are_read_together(operate: Operate) -> None:
    operation = operate()
    steps = [item["pipelineExecutionId"] for item in ITEMS[catalogue.STEPS][:9]]
    await asyncio.gather(*(operation.loaders.output_files.of_step.load(KeyRange(step)) for step in steps))
    assert (operation.tally.calls, operation.tally.rounds) == (9, 1)


async def test_a_slice_that_cannot_be_read_leaves_the_others(operate: Operate) -> None:
    operation = operate(plan=lambda request: denied if "refused" in repr(request) else in_order()(request))
    loader = operation.loaders.output_files.of_step
    step = ITEMS[catalogue.OUTPUT_FILES][0]["pipelineExecutionId"]
    found = await loader.scope.settle(loader.load(KeyRange(partition)) for partition in (step, "refused"))
    assert isinstance(found[0], RowRange)
    assert isinstance(found[1], DatabaseRejected)


async def test_a_slice_that_is_throttled_half_way_is_an_error_and_no_shorter_list(operate: Operate) -> None:
    operation = operate(plan=in_order(page_of(2), then=throttled))
    with pytest.raises(Throttled):
        await operation.loaders.executions.by_date.load(NEWEST_FIRST)


async def test_a_slice_takes_bounds_of_the_sort_key(operate: Operate) -> None:
    wanted = KeyRange(keys.ALL_EXECUTIONS, sort=Between(DATES[2], DATES[5]))
    assert await dates(operate(), wanted) == [one for one in DATES if DATES[2] <= one <= DATES[5]]
    month = KeyRange(keys.ALL_EXECUTIONS, sort=Prefix("2026-06"))
    assert await dates(operate(), month) == [one for one in DATES if one.startswith("2026-06")]


async def test_rows_that_an_index_brought_are_not_read_again_by_key(operate: Operate) -> None:
    operation = operate()
    executions = operation.loaders.executions
    row = (await executions.by_date.load(KeyRange(keys.ALL_EXECUTIONS, limit=1))).rows[0]
    assert await executions.by_key.load(row.primary_key) is row
    assert await executions.by_id.load(row.execution_id) is row
    assert operation.tally.calls == 1


# Counting


@pytest.mark.parametrize("faults", [(), (page_of(5),), (page_of(0), page_of(0)), (keyed_page,)])
async def test_a_slice_is_counted_page_by_page_without_reading_rows(operate: Operate, faults: Sequence[Fault]) -> None:
    operation = operate(*faults)
    assert await operation.loaders.executions.by_date.count(NEWEST_FIRST) == len(DATES)
    assert all(request["Select"] == "COUNT" for request in operation.requests)


async def test_a_count_that_takes_too_many_pages_is_unknown(operate: Operate) -> None:
    operation = operate(plan=in_order(then=page_of(5)))
    wanted = KeyRange(keys.ALL_EXECUTIONS, pages=3)
    assert await operation.loaders.executions.by_date.count(wanted) is None
    assert operation.tally.calls == 3


# The one row of a partition


async def test_a_row_is_found_by_its_partition_alone(operate: Operate) -> None:
    operation = operate()
    wanted = [item["workflowExecutionId"] for item in ITEMS[catalogue.EXECUTIONS][:4]]
    found = await asyncio.gather(*map(operation.loaders.executions.by_id.load, [*wanted, "0" * 32]))
    assert [row.execution_id if row else None for row in found] == [*wanted, None]
    assert (operation.tally.calls, operation.tally.rounds) == (5, 1)
    assert {request["Limit"] for request in operation.requests} == {1}


async def test_a_partition_that_cannot_be_read_leaves_the_others(operate: Operate) -> None:
    bad = "f" * 32
    operation = operate(plan=lambda request: denied if bad in repr(request) else in_order()(request))
    good = ITEMS[catalogue.EXECUTIONS][0]["workflowExecutionId"]
    found = await operation.reading.scope.settle(map(operation.loaders.executions.by_id.load, [good, bad]))
    assert isinstance(found[0], ExecutionRow)
    assert isinstance(found[1], DatabaseRejected)


# Large rows


LARGE = 300_000
ROWS = [
    {
        **dict(zip(catalogue.OUTPUT_FILES.key, ("step", f"file:/{number}"), strict=True)),
        "relativeFilePath": str(number) * LARGE,
    }
    for number in range(7)
]


@pytest.fixture(scope="module")
def large() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase({catalogue.OUTPUT_FILES: ROWS}) as database:
        yield database


async def test_a_partition_of_more_than_a_megabyte_is_read_whole(operate: Operate, large: EmbeddedDatabase) -> None:
    operation = operate(client=large.client, names=large.names)
    stretch = await RangeLoader(OutputFileRow, operation.reading).load(KeyRange("step"))
    assert [len(row.relative_path) for row in stretch.rows] == [LARGE] * 7
    assert operation.tally.calls == 3
