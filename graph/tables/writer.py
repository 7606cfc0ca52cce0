"""The one way to change the database: attributes of an execution's main row, by its whole key, where nobody waits."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from graph.aws.retries import Failure, log_failure
from graph.tables.catalogue import EXECUTIONS
from graph.tables.queries import Names
from graph.tables.reader import Key
from graph.tables.states import TERMINAL

COMPLETION = frozenset({"executionStatus", "executionStopDate", "executionError", "executionLog"})
"""The attributes that a run gets when it ends, which whoever writes them first has the last word on."""

_AT_ONCE = 4


class Client(Protocol):
    """The one call of a boto3 DynamoDB client that is used."""

    @property
    def update_item(self) -> Callable[..., Any]:
        """Changes attributes of one item."""


class ExecutionWriter:
    """Writes few rows at once, each with one try: what is not written is found out again by the next check.

    One per process.
    """

    def __init__(self, client: Client, table_name: str) -> None:
        self._client = client
        self._table_name = table_name
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="dynamodb-writes")
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._writes: set[asyncio.Task[None]] = set()

    def write_soon(self, key: Key, attributes: Callable[[], Awaitable[Mapping[str, str]]]) -> None:
        """Writes what a function finds out, after this returns. What goes wrong is logged."""
        write = asyncio.create_task(self._find_out_and_write(key, attributes))
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)

    async def settle(self, seconds: float | None = None) -> None:
        """Waits for the writes that began; those that are not done in some seconds are given up."""
        if self._writes:
            _, late = await asyncio.wait(self._writes, timeout=seconds)
            for write in late:
                write.cancel()

    def close(self) -> None:
        """Waits for calls in flight and frees the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def _find_out_and_write(self, key: Key, attributes: Callable[[], Awaitable[Mapping[str, str]]]) -> None:
        async with self._slots:
            request = update_request(self._table_name, key, await attributes())
            await asyncio.get_running_loop().run_in_executor(self._threads, self._write, request)

    def _write(self, request: Mapping[str, Any]) -> None:
        try:
            self._client.update_item(**request)
        except (ClientError, BotoCoreError) as error:
            code = Failure.of(error).code
            if code != "ConditionalCheckFailedException":  # another was first, or the run was deleted
                log_failure("dynamodb.UpdateItem", code, attempt=1, table=EXECUTIONS.name)


def update_request(table_name: str, key: Key, attributes: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of an UpdateItem call that sets some attributes of an execution that exists.

    The end of a run is written once: with an attribute of it among them, a run that ended stays as it is, as in VAMS.
    """
    names, values = Names(), {f":v{place}": text for place, text in enumerate(attributes.values())}
    changes = ", ".join(f"{names[name]} = {value}" for name, value in zip(attributes, values, strict=True))
    condition = f"attribute_exists({names[EXECUTIONS.partition]})"
    if not COMPLETION.isdisjoint(attributes):
        ends = {f":end{place}": status for place, status in enumerate(sorted(status.value for status in TERMINAL))}
        status = names["executionStatus"]
        condition += f" AND (attribute_not_exists({status}) OR NOT {status} IN ({', '.join(ends)}))"
        values |= ends
    return {
        "TableName": table_name,
        "Key": {name: {"S": text} for name, text in zip(EXECUTIONS.key, key, strict=True)},
        "UpdateExpression": f"SET {changes}",
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names.used,
        "ExpressionAttributeValues": {name: {"S": text} for name, text in values.items()},
    }
