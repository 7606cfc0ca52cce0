"""The one way to the database: reads that are retried, projected and counted.

Reads are eventually consistent, but for those by which actions decide. Indexes cannot be read otherwise.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from graph.aws.database import Answer, Database, Operation
from graph.aws.retries import UNPROCESSED, Attempts, Failure, RetryPolicy
from graph.errors import GraphError, Throttled, UpstreamUnavailable
from graph.tables.catalogue import Table
from graph.tables.queries import Query, projection, query_request
from graph.tables.tally import Tally

Item = dict[str, dict[str, Any]]
"""An item as DynamoDB writes it: each value under its kind."""
Key = tuple[str, ...]

BATCH = 100  # keys that one BatchGetItem takes


@dataclass(frozen=True, slots=True)
class ItemPage:
    """What one Query answered; ``last`` is the key to go on from, None at the end of the partition."""

    items: Sequence[Item]
    last: Mapping[str, str] | None


class Reader:
    """Reads items. One per process; safe to use from many operations at once."""

    def __init__(self, database: Database, names: Mapping[Table, str], *, attempts: int = 6) -> None:
        self._database = database
        self._names = {table.name: name for table, name in names.items()}
        self._retries = RetryPolicy(attempts)
        self._read_at: dict[str, float] = {}

    def read_at(self, table: Table) -> float:
        """Return when a read of a table last worked, in seconds of the monotonic clock; minus infinity if none did."""
        return self._read_at.get(table.name, float("-inf"))

    def close(self) -> None:
        """Free what the database holds. It may be called from any thread."""
        self._database.close()

    async def query(self, query: Query, tally: Tally) -> ItemPage:
        """Return one page of a partition, at most 1 MB. It may be empty although more follows.

        Raises:
            Throttled: when every try was throttled.
            UpstreamUnavailable: when the database cannot be read.
        """
        answer = await self._call("Query", query.table, query_request(query, self._names[query.table.name]), tally)
        return ItemPage(answer["Items"], _last(answer))

    async def count(self, query: Query, tally: Tally) -> tuple[int, Mapping[str, str] | None]:
        """Return how many rows one page of a partition holds, and the key to go on from. Raise as :meth:`query`."""
        request = query_request(replace(query, attributes=()), self._names[query.table.name]) | {"Select": "COUNT"}
        answer = await self._call("Query", query.table, request, tally)
        return answer["Count"], _last(answer)

    async def get_items(
        self,
        table: Table,
        keys: Iterable[Key],
        attributes: Sequence[str],
        tally: Tally,
        *,
        is_consistent: bool = False,
    ) -> dict[Key, Item | GraphError]:
        """Return items by key. A key without an item is absent; one that could not be read has its error."""
        wanted, shape = list(dict.fromkeys(keys)), projection(tuple(attributes))
        if is_consistent:
            shape = {**shape, "ConsistentRead": True}
        if len(wanted) == 1:
            return await self._get_item(table, wanted[0], shape, tally)
        if 0 < len(wanted) <= BATCH:
            return await self._get_batch(table, wanted, shape, tally)
        batches = [wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH)]
        found = await asyncio.gather(*(self._get_batch(table, batch, shape, tally) for batch in batches))
        return {key: item for part in found for key, item in part.items()}

    async def _get_item(
        self, table: Table, key: Key, shape: Mapping[str, Any], tally: Tally
    ) -> dict[Key, Item | GraphError]:
        request = {"TableName": self._names[table.name], "Key": typed_key(table, key), **shape}
        try:
            answer = await self._call("GetItem", table, request, tally)
        except GraphError as error:
            return {key: error}
        return {key: answer["Item"]} if answer.get("Item") else {}

    async def _get_batch(
        self, table: Table, keys: Sequence[Key], shape: Mapping[str, Any], tally: Tally
    ) -> dict[Key, Item | GraphError]:
        name = self._names[table.name]
        found: dict[Key, Item | GraphError] = {}
        left: list[dict[str, dict[str, str]]] = [typed_key(table, key) for key in keys]
        attempts = Attempts(self._retries, "dynamodb.BatchGetItem", table=table.name)
        while True:
            try:
                request = {"RequestItems": {name: {"Keys": left, **shape}}}
                answer = await self._call("BatchGetItem", table, request, tally, attempts)
            except GraphError as error:
                return found | {key_of(table, key): error for key in left}
            for item in answer["Responses"].get(name, ()):
                found[key_of(table, item)] = item
            left = answer.get("UnprocessedKeys", {}).get(name, {}).get("Keys", [])
            if not left:
                return found
            if not await attempts.again(Failure.of_code(UNPROCESSED)):
                return found | {key_of(table, key): Throttled() for key in left}

    async def _call(
        self,
        operation: Operation,
        table: Table,
        request: dict[str, Any],
        tally: Tally,
        attempts: Attempts | None = None,
    ) -> Answer:
        request["ReturnConsumedCapacity"] = "TOTAL"
        while True:
            current = tally.start()
            answer: Answer = {}
            try:
                answer = await self._database.call(operation, request)
                self._read_at[table.name] = time.monotonic()
                return answer
            except (ClientError, BotoCoreError) as error:
                failure = Failure.of(error)
                attempts = attempts or Attempts(self._retries, f"dynamodb.{operation}", table=table.name)
                if not await attempts.again(failure):
                    raise public_failure(failure) from error
            finally:
                tally.finish(current, _capacity(answer))


class DatabaseRejected(GraphError):
    """The database rejected the server's own request: a fault of the deployment, which a retry does not mend."""

    code = "UPSTREAM_UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("The database refused the server. Its operator can see why in the log.")


def public_failure(failure: Failure) -> GraphError:
    """Return the error that clients see of a failure, which the log has told."""
    if failure.is_throttled:
        return Throttled()
    return UpstreamUnavailable() if failure.may_pass else DatabaseRejected()


def typed_key(table: Table, key: Key) -> dict[str, dict[str, str]]:
    """Return a primary key as DynamoDB writes it."""
    return {attribute: {"S": value} for attribute, value in zip(table.key, key, strict=True)}


def key_of(table: Table, item: Mapping[str, Mapping[str, Any]]) -> Key:
    """Return the primary key in an item."""
    return tuple([item[attribute]["S"] for attribute in table.key])


def _last(answer: Mapping[str, Any]) -> Mapping[str, str] | None:
    last = answer.get("LastEvaluatedKey")
    return {name: value["S"] for name, value in last.items()} if last else None


def _capacity(answer: Mapping[str, Any]) -> float:
    consumed = answer.get("ConsumedCapacity") or {}
    if isinstance(consumed, list):
        return sum(float(part.get("CapacityUnits", 0)) for part in consumed)
    return float(consumed.get("CapacityUnits", 0))
