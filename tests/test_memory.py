"""The database in memory answers as the emulator does, but for the key after a page that ends at its limit."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.aws.database import ThreadedDatabase
from graph.demo.database import EmbeddedDatabase
from graph.tables.catalogue import EXECUTIONS, EXECUTIONS_BY_DATE, INPUT_METADATA, TABLES, Index, Table
from graph.tables.queries import Between, OneOf, Prefix, Query
from graph.tables.reader import Reader
from graph.tables.tally import Tally
from tests.demo.reading import ITEMS, Item
from tests.memory import NAMES, MemoryDatabase

# Each place to query, with enough rows to tell one order from another.
MEMORY = MemoryDatabase(ITEMS)


def keyed_rows(table: Table, index: Index | None) -> list[Item]:
    keyed = index or table
    return [row for row in ITEMS[table] if keyed.partition in row and (keyed.sort or keyed.partition) in row]


PLACES = [
    (table, index)
    for table in TABLES
    for index in (*table.indexes, *([None] if table.sort else []))
    if keyed_rows(table, index)
]


@st.composite
def queries(draw: st.DrawFn) -> Query:
    table, index = draw(st.sampled_from(PLACES))
    keyed = index or table
    rows = keyed_rows(table, index)
    row, other = draw(st.sampled_from(rows)), draw(st.sampled_from(rows))
    sort: Prefix | Between | None = None
    if keyed.sort is not None:
        low, high = row[keyed.sort], other[keyed.sort]
        bounds = st.none() | st.sampled_from([low, high])
        sort = draw(
            st.none()
            | st.integers(0, 9).map(lambda length: Prefix(low[:length] or "f"))
            | st.builds(Between, bounds, bounds).filter(lambda both: (both.low or "") <= (both.high or "\U0010ffff"))
        )
    return Query(
        table=table,
        index=index,
        partition=row[keyed.partition],
        sort=sort,
        conditions=draw(st.sampled_from([(), (OneOf("fileType", ("file",)),), (OneOf("scope", ("database",), True),)])),
        attributes=tuple(dict.fromkeys([*table.key, "executionStatus"])),
        forward=draw(st.booleans()),
        after=None,
        limit=draw(st.none() | st.integers(1, 9)),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries())
async def test_queries_give_what_the_emulator_gives(database: EmbeddedDatabase, query: Query) -> None:
    emulated, remembered = (
        Reader(ThreadedDatabase(client), names)
        for client, names in ((database.client, database.names), (MEMORY, NAMES))
    )
    try:
        theirs, ours = await emulated.query(query, Tally()), await remembered.query(query, Tally())
        assert ours.items == theirs.items
        assert theirs.last in (ours.last, None)
    finally:
        emulated.close()
        remembered.close()


def test_a_page_that_ends_at_its_limit_has_a_key() -> None:
    assert "LastEvaluatedKey" in _query(Limit=_executions())
    assert "LastEvaluatedKey" not in _query(Limit=_executions() + 1)


def test_a_start_key_of_another_partition_is_refused() -> None:
    start = _query(Limit=1)["LastEvaluatedKey"]
    assert _query(ExclusiveStartKey=start)["Count"] == _executions() - 1
    with pytest.raises(ClientError):
        _query(ExclusiveStartKey=start | {EXECUTIONS_BY_DATE.partition: {"S": "other"}})


def test_a_page_ends_at_a_megabyte() -> None:
    rows = [
        {"pipelineExecutionId": "a", "databaseId:assetId:filePath": str(number), "metadata": "x" * 300_000}
        for number in range(6)
    ]
    answer = _query(MemoryDatabase({INPUT_METADATA: rows}), INPUT_METADATA, None, "a")
    assert answer["Count"] == 3
    assert answer["LastEvaluatedKey"]["databaseId:assetId:filePath"] == {"S": "2"}


def _query(
    client: MemoryDatabase = MEMORY,
    table: Table = EXECUTIONS,
    index: Index | None = EXECUTIONS_BY_DATE,
    partition: str = "execution",
    **request: Any,
) -> dict[str, Any]:
    return client.query(
        TableName=table.name,
        **({"IndexName": index.name} if index else {}),
        KeyConditionExpression="#p = :p",
        ProjectionExpression="#p",
        ExpressionAttributeNames={"#p": (index or table).partition},
        ExpressionAttributeValues={":p": {"S": partition}},
        ScanIndexForward=True,
        **request,
    )


def _executions() -> int:
    return sum(EXECUTIONS_BY_DATE.partition in row and "executionStartDate" in row for row in ITEMS[EXECUTIONS])
