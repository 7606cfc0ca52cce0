"""The two ways to change the database: what actions write, and checks of executions, for which nobody waits."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeGuard

from botocore.exceptions import BotoCoreError, ClientError

from graph.aws.retries import UNPROCESSED, Attempts, Failure, RetryPolicy, log_failure
from graph.errors import Throttled
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, Table
from graph.tables.queries import Names
from graph.tables.reader import Item, Key, public_failure, typed_key
from graph.tables.states import TERMINAL

COMPLETION = frozenset({"executionStatus", "executionStopDate", "executionError", "executionLog"})
"""The attributes that a run or a step gets when it ends, which whoever writes them first has the last word on."""

_AT_ONCE = 4
_FAILED_CONDITION, _FAILED_REASON = "ConditionalCheckFailedException", "ConditionalCheckFailed"
_CONTENTION = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
_BATCH = 25  # items that one BatchWriteItem deletes


class WriteClient(Protocol):
    """The one call of a boto3 DynamoDB client that is used."""

    @property
    def update_item(self) -> Callable[..., Any]:
        """Changes attributes of one item."""


class ExecutionWriter:
    """Writes few rows at once, each with one try: what is not written is found out again by the next check.

    One per process.
    """

    def __init__(self, client: WriteClient, table_name: str) -> None:
        self._client = client
        self._table_name = table_name
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="dynamodb-writes")
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._writes: set[asyncio.Task[None]] = set()

    def write_soon(self, key: Key, attributes: Callable[[], Awaitable[Mapping[str, str]]]) -> None:
        """Write what a function finds out, after this returns. What goes wrong is logged."""
        write = asyncio.create_task(self._find_out_and_write(key, attributes))
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)

    async def settle(self, seconds: float | None = None) -> None:
        """Wait for the writes that began; those that are not done in some seconds are given up."""
        if self._writes:
            _, late = await asyncio.wait(self._writes, timeout=seconds)
            for write in late:
                write.cancel()

    def close(self) -> None:
        """Wait for calls in flight and free the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def _find_out_and_write(self, key: Key, attributes: Callable[[], Awaitable[Mapping[str, str]]]) -> None:
        async with self._slots:
            request = update_request(EXECUTIONS, self._table_name, key, await attributes())
            await asyncio.get_running_loop().run_in_executor(self._threads, self._write, request)

    def _write(self, request: Mapping[str, Any]) -> None:
        try:
            self._client.update_item(**request)
        except (ClientError, BotoCoreError) as error:
            code = Failure.of(error).code
            if code != _FAILED_CONDITION:  # another was first, or the run was deleted
                log_failure("dynamodb.UpdateItem", code, attempt=1, table=EXECUTIONS.name)


class ChangingClient(WriteClient, Protocol):
    """The calls of a boto3 DynamoDB client that actions use."""

    @property
    def batch_write_item(self) -> Callable[..., Any]:
        """Puts or deletes up to 25 items."""

    @property
    def transact_write_items(self) -> Callable[..., Any]:
        """Changes up to a hundred items, all or none."""

    @property
    def delete_item(self) -> Callable[..., Any]:
        """Deletes one item."""


class ConditionFailed(Exception):
    """The condition of a write did not hold.

    Attributes:
        item: the whole item that is there; None where there is none.
        is_repeated: whether a try before it was not answered, and may have been what wrote.
    """

    def __init__(self, item: Item | None, *, is_repeated: bool) -> None:
        super().__init__("The condition of a write did not hold.")
        self.item = item
        self.is_repeated = is_repeated


class ChangeWriter:
    """Writes what actions change, one row at a time, each under a condition. One per process."""

    def __init__(
        self, client: ChangingClient, names: Mapping[Table, str], *, attempts: int = 6, concurrency: int = 8
    ) -> None:
        self._client = client
        self._names = names
        self._retries = RetryPolicy(attempts)
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="dynamodb-changes")

    def close(self) -> None:
        """Wait for calls in flight and free the threads."""
        self._threads.shutdown(cancel_futures=True)

    def knows(self, table: Table) -> bool:
        """Return whether the deployment has a table that only newer ones have."""
        return table in self._names

    async def update(self, table: Table, key: Key, attributes: Mapping[str, str], *, status: str | None = None) -> Item:
        """Set attributes of a row that exists, and did not end if the end is among them; return the whole item.

        With ``status`` the row must have that one.

        Raises:
            ConditionFailed: when that does not hold.
            GraphError: when it cannot be written.
        """
        request = update_request(table, self._names[table], key, attributes, status)
        request |= {"ReturnValues": "ALL_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        try:
            answer = await self._call("UpdateItem", table, self._client.update_item, request)
        except ConditionFailed as failed:
            if failed.is_repeated and failed.item is not None and _holds(failed.item, attributes):
                return failed.item  # by the attempt before, whose answer was lost
            raise
        item: Item = answer["Attributes"]
        return item

    async def delete(self, table: Table, key: Key, held: Mapping[str, str]) -> bool:
        """Delete an item that holds some texts; return whether it was there.

        Raises:
            GraphError: when it cannot be deleted.
        """
        names = Names()
        values = {f":v{place}": {"S": text} for place, text in enumerate(held.values())}
        conditions = [f"{names[name]} = {value}" for name, value in zip(held, values, strict=True)]
        request = {
            "TableName": self._names[table],
            "Key": typed_key(table, key),
            "ConditionExpression": " AND ".join(conditions),
            "ExpressionAttributeNames": names.used,
            "ExpressionAttributeValues": values,
        }
        try:
            await self._call("DeleteItem", table, self._client.delete_item, request)
        except ConditionFailed:
            return False
        return True

    async def name_sources(self, key: Key, assets: Sequence[Mapping[str, str]], *, is_truncated: bool) -> None:
        """Name the assets that decide who may see a run in its configuration row, which is made if there is none.

        Raises:
            GraphError: when they cannot be written.
        """
        names = Names()
        changes = f"{names['metadataSourceAssets']} = :assets, {names['metadataSourceAssetsTruncated']} = :cut"
        entries = [{"M": {name: {"S": text} for name, text in asset.items()}} for asset in assets]
        request = {
            "TableName": self._names[CONFIGURATIONS],
            "Key": typed_key(CONFIGURATIONS, key),
            "UpdateExpression": f"SET {changes}",
            "ExpressionAttributeNames": names.used,
            "ExpressionAttributeValues": {":assets": {"L": entries}, ":cut": {"BOOL": is_truncated}},
        }
        await self._call("UpdateItem", CONFIGURATIONS, self._client.update_item, request)

    async def delete_all(self, table: Table, keys: Sequence[Key]) -> None:
        """Delete items, in any order; those that are not there are no error.

        Raises:
            GraphError: when some of them cannot be deleted.
        """
        for start in range(0, len(keys), _BATCH):
            left = [{"DeleteRequest": {"Key": typed_key(table, key)}} for key in keys[start : start + _BATCH]]
            attempts = self._attempts("BatchWriteItem", table)
            while left:
                request = {"RequestItems": {self._names[table]: left}}
                answer = await self._call("BatchWriteItem", table, self._client.batch_write_item, request, attempts)
                left = answer.get("UnprocessedItems", {}).get(self._names[table], [])
                if left and not await attempts.again(Failure.of_code(UNPROCESSED)):
                    raise Throttled

    async def delete_together(self, marked: tuple[Table, Key, str], others: Sequence[tuple[Table, Key]]) -> bool:
        """Delete an item that has an attribute, and others, all or none; return whether it was there.

        Raises:
            GraphError: when they cannot be deleted.
        """
        table, key, attribute = marked
        first = {
            "TableName": self._names[table],
            "Key": typed_key(table, key),
            "ConditionExpression": "attribute_exists(#mark)",
            "ExpressionAttributeNames": {"#mark": attribute},
        }
        rest = [{"TableName": self._names[other], "Key": typed_key(other, of)} for other, of in others]
        try:
            request = {"TransactItems": [{"Delete": one} for one in (first, *rest)]}
            await self._call("TransactWriteItems", table, self._client.transact_write_items, request)
        except ConditionFailed:
            return False
        return True

    async def _call(
        self,
        operation: str,
        table: Table,
        method: Callable[..., Any],
        request: Mapping[str, Any],
        attempts: Attempts | None = None,
    ) -> Any:
        loop = asyncio.get_running_loop()
        is_repeated = False
        while True:
            try:
                return await loop.run_in_executor(self._threads, lambda: method(**request))
            except (ClientError, BotoCoreError) as error:
                if _is_failed_condition(error):
                    there: Any = error.response.get("Item")
                    raise ConditionFailed(there, is_repeated=is_repeated) from error
                failure = Failure.of_code(UNPROCESSED) if _is_contended(error) else Failure.of(error)
                attempts = attempts or self._attempts(operation, table)
                if not await attempts.again(failure):
                    raise public_failure(failure) from error
                is_repeated = True

    def _attempts(self, operation: str, table: Table) -> Attempts:
        return Attempts(self._retries, f"dynamodb.{operation}", table=table.name)


def _holds(item: Item, attributes: Mapping[str, str]) -> bool:
    return all(item.get(name) == {"S": text} for name, text in attributes.items())


def _is_failed_condition(fault: ClientError | BotoCoreError) -> TypeGuard[ClientError]:
    """Return whether a write, or one of a transaction, was refused for its condition alone."""
    if not isinstance(fault, ClientError):
        return False
    code = fault.response.get("Error", {}).get("Code")
    reasons: Any = fault.response.get("CancellationReasons", ())
    return code == _FAILED_CONDITION or (
        code == "TransactionCanceledException" and any(one.get("Code") == _FAILED_REASON for one in reasons)
    )


def _is_contended(fault: ClientError | BotoCoreError) -> bool:
    """Return whether a transaction met another one, or too many requests."""
    reasons: Any = fault.response.get("CancellationReasons", ()) if isinstance(fault, ClientError) else ()
    return any(one.get("Code") in _CONTENTION for one in reasons)


def update_request(
    table: Table, table_name: str, key: Key, attributes: Mapping[str, str], required: str | None = None
) -> dict[str, Any]:
    """Return the parameters of an UpdateItem call that sets some attributes of an execution or a step that exists.

    An end is written once: with an attribute of it among them, what ended stays as it is, as in VAMS. A status that is
    required is that of the row.
    """
    names, values = Names(), {f":v{place}": text for place, text in enumerate(attributes.values())}
    changes = ", ".join(f"{names[name]} = {value}" for name, value in zip(attributes, values, strict=True))
    condition = f"attribute_exists({names[table.partition]})"
    if not COMPLETION.isdisjoint(attributes):
        ends = {f":end{place}": status for place, status in enumerate(sorted(status.value for status in TERMINAL))}
        status = names["executionStatus"]
        condition += f" AND (attribute_not_exists({status}) OR NOT {status} IN ({', '.join(ends)}))"
        values |= ends
    if required is not None:
        condition += f" AND {names['executionStatus']} = :required"
        values[":required"] = required
    return {
        "TableName": table_name,
        "Key": typed_key(table, key),
        "UpdateExpression": f"SET {changes}",
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names.used,
        "ExpressionAttributeValues": {name: {"S": text} for name, text in values.items()},
    }
