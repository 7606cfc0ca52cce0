"""Whether a deployment's tables are as the catalogue says: there, with its keys, its indexes and their projection.

And whether they may be written, where actions are on: by writes that change nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from graph.tables.catalogue import CONFIGURATIONS, EXECUTION_TABLES, EXECUTIONS, LOCKS, STEPS, Index, Table
from graph.tables.reader import typed_key

_NOBODY = "vams-graph-doctor"
"""A key that no item has."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``fault`` says in words what is wrong with it, None when nothing is.

    ``operation`` is the write that was tried, where one was.
    """

    table: Table
    index: Index | None
    fault: str | None
    operation: str | None = None


def examine(client: Any, names: Mapping[Table, str]) -> Iterator[Finding]:
    """Look at each table and index through a boto3 DynamoDB client.

    Raises:
        BotoCoreError: when there are no credentials or no connection, so that nothing can be told of any table.
    """
    for table, name in names.items():
        if table is LOCKS:  # which nothing reads
            continue
        try:
            description = client.describe_table(TableName=name)["Table"]
        except ClientError as error:
            yield Finding(table, None, _refusal(error))
            continue
        yield Finding(table, None, _key_fault(description["KeySchema"], table.partition, table.sort))
        present = {index["IndexName"]: index for index in description.get("GlobalSecondaryIndexes", ())}
        for index in table.indexes:
            yield Finding(table, index, _index_fault(present.get(index.name), index))


def examine_writes(client: Any, names: Mapping[Table, str], *, deletes: bool) -> Iterator[Finding]:
    """Try each write that actions need on an item that is not there, so that nothing changes.

    With ``deletes`` those by which executions are deleted too. Raises as :func:`examine` does.
    """
    for table in (EXECUTIONS, STEPS, CONFIGURATIONS):
        yield _tried(table, "UpdateItem", client.update_item, _absent(table, names))
    if LOCKS in names:
        yield _tried(LOCKS, "DeleteItem", client.delete_item, _absent(LOCKS, names))
    if not deletes:
        return
    for table in EXECUTION_TABLES:
        yield _tried(table, "DeleteItem", client.delete_item, _absent(table, names))
        request = {"RequestItems": {names[table]: [{"DeleteRequest": {"Key": _key(table)}}]}}
        yield _tried(table, "BatchWriteItem", client.batch_write_item, request)


def _absent(table: Table, names: Mapping[Table, str]) -> dict[str, Any]:
    """Return a write of an item that is not there, on condition that it is."""
    return {
        "TableName": names[table],
        "Key": _key(table),
        "ConditionExpression": "attribute_exists(#key)",
        "ExpressionAttributeNames": {"#key": table.partition},
    }


def _key(table: Table) -> dict[str, dict[str, str]]:
    return typed_key(table, (_NOBODY,) * len(table.key))


def _tried(table: Table, operation: str, method: Callable[..., Any], request: Mapping[str, Any]) -> Finding:
    try:
        method(**request)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        if code != "ConditionalCheckFailedException":
            is_denied = code == "AccessDeniedException"
            fault = f"it may not be written (dynamodb:{operation})" if is_denied else f"it cannot be written: {code}"
            return Finding(table, None, fault, operation)
    return Finding(table, None, None, operation)


def cannot_connect(error: BotoCoreError | ClientError) -> str:
    """Return why nothing could be looked at, in words."""
    return f"AWS cannot be asked: {error}"


def _refusal(error: ClientError) -> str:
    code = error.response.get("Error", {}).get("Code", "unknown")
    match code:
        case "ResourceNotFoundException":
            return "there is no such table"
        case "AccessDeniedException":
            return "it may not be described (dynamodb:DescribeTable)"
        case _:
            return f"it cannot be described: {code}"


def _index_fault(description: Mapping[str, Any] | None, index: Index) -> str | None:
    if description is None:
        return "the index is missing"
    if fault := _key_fault(description["KeySchema"], index.partition, index.sort):
        return fault
    projection = description.get("Projection", {}).get("ProjectionType")
    if projection != "ALL":
        return f"it projects {projection}, not ALL"
    status = description.get("IndexStatus", "ACTIVE")
    return None if status == "ACTIVE" else f"it is {status}"


def _key_fault(schema: Sequence[Mapping[str, str]], partition: str, sort: str | None) -> str | None:
    found = {part["KeyType"]: part["AttributeName"] for part in schema}
    expected = {"HASH": partition} | ({"RANGE": sort} if sort else {})
    if found == expected:
        return None
    return f"its key is {_written(found)}, not {_written(expected)}"


def _written(key: Mapping[str, str]) -> str:
    return " + ".join(f"{key[kind]} ({kind})" for kind in ("HASH", "RANGE") if kind in key)
