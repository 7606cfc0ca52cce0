"""Whether a deployment's tables are as the catalogue says: there, with its keys, its indexes and their projection."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from graph.tables.catalogue import Index, Table


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``fault`` says in words what is wrong with it, None when nothing is."""

    table: Table
    index: Index | None
    fault: str | None


def examine(client: Any, names: Mapping[Table, str]) -> Iterator[Finding]:
    """Looks at each table and index through a boto3 DynamoDB client.

    Raises:
        BotoCoreError: when there are no credentials or no connection, so that nothing can be told of any table.
    """
    for table, name in names.items():
        try:
            description = client.describe_table(TableName=name)["Table"]
        except ClientError as error:
            yield Finding(table, None, _refusal(error))
            continue
        yield Finding(table, None, _key_fault(description["KeySchema"], table.partition, table.sort))
        present = {index["IndexName"]: index for index in description.get("GlobalSecondaryIndexes", ())}
        for index in table.indexes:
            yield Finding(table, index, _index_fault(present.get(index.name), index))


def cannot_connect(error: BotoCoreError | ClientError) -> str:
    """Why nothing could be looked at, in words."""
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
