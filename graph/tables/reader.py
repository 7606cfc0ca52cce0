"""The one way to the database: reads that are off the event loop, bounded, retried, projected and counted.

Every attribute name goes through a ``#name`` placeholder, since names here hold colons and may be reserved words.
Indexes cannot be read consistently, and nothing else here needs to be: all reads are eventually consistent.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from graph.errors import GraphError, Throttled, UpstreamUnavailable
from graph.settings import Settings
from graph.tables import decode
from graph.tables.catalogue import Index, Table
from graph.tables.tally import Tally

Item = dict[str, Any]
Key = tuple[str, ...]

BATCH = 100  # keys that one BatchGetItem takes
_FIRST_PAUSE = 0.05  # seconds; doubles with each try, and the pause is drawn from zero to it
_LONGEST_PAUSE = 2.0
_THROTTLES = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "Throttling"}
_PASSING = {"InternalServerError", "ServiceUnavailable", "TransactionInProgressException"}

log = logging.getLogger(__name__)


class Client(Protocol):
    """The three calls of a boto3 DynamoDB client that are used."""

    @property
    def query(self) -> Callable[..., Any]:
        """Gives one page of a partition of a table or an index."""

    @property
    def batch_get_item(self) -> Callable[..., Any]:
        """Gives up to a hundred items by key."""

    @property
    def get_item(self) -> Callable[..., Any]:
        """Gives one item by key."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The sort key begins with a text."""

    start: str


@dataclass(frozen=True, slots=True)
class Between:
    """The sort key lies between two texts, both included; None leaves a side open."""

    low: str | None
    high: str | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing can lie between them. DynamoDB refuses a query for such a range."""
        return self.low is not None and self.high is not None and self.low > self.high


@dataclass(frozen=True, slots=True)
class OneOf:
    """An attribute holds one of some texts, or with ``negated`` none of them, which an absent one does not either.

    Conditions are applied after the key, so the rows that they leave out are still paid for.
    """

    attribute: str
    texts: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """One page of one partition. ``after`` is a whole start key; ``limit`` counts rows before ``conditions``."""

    table: Table
    index: Index | None
    partition: str
    sort: Prefix | Between | None
    conditions: tuple[OneOf, ...]
    attributes: tuple[str, ...]
    forward: bool
    after: Mapping[str, str] | None
    limit: int | None


@dataclass(frozen=True, slots=True)
class ItemPage:
    """What one Query answered; ``last`` is the key to go on from, None at the end of the partition."""

    items: Sequence[Item]
    last: Mapping[str, str] | None


def dynamodb(settings: Settings) -> Client:
    """A DynamoDB client for the reader. Clients are not safe to make in threads, so it is made once, at start."""
    session = boto3.Session(profile_name=settings.profile, region_name=settings.region)
    config = Config(
        connect_timeout=settings.dynamodb_timeout,
        read_timeout=settings.dynamodb_timeout,
        max_pool_connections=settings.dynamodb_concurrency,
        retries={"total_max_attempts": 1},  # retried here, where waiting holds no thread
        tcp_keepalive=True,
    )
    return session.client("dynamodb", endpoint_url=settings.dynamodb_endpoint, config=config)


class Reader:
    """Reads items. One per process; safe to use from many operations at once."""

    def __init__(self, client: Client, names: Mapping[Table, str], *, concurrency: int = 32, attempts: int = 6) -> None:
        self._client = client
        self._names = names
        self._logical = {name: table for table, name in names.items()}
        self._attempts = attempts
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="dynamodb")

    def close(self) -> None:
        """Waits for calls in flight and frees the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def query(self, query: Query, tally: Tally) -> ItemPage:
        """One page of a partition, at most 1 MB. It may be empty although more follows.

        Raises:
            Throttled: when every try was throttled.
            UpstreamUnavailable: when the database cannot be read.
        """
        answer = await self._call(self._client.query, self._query_request(query), tally)
        return ItemPage([decode.item(item) for item in answer["Items"]], _last(answer))

    async def count(self, query: Query, tally: Tally) -> tuple[int, Mapping[str, str] | None]:
        """How many rows one page of a partition holds, and the key to go on from. Raises as :meth:`query` does."""
        request = self._query_request(replace(query, attributes=())) | {"Select": "COUNT"}
        answer = await self._call(self._client.query, request, tally)
        return answer["Count"], _last(answer)

    async def get_items(
        self, table: Table, keys: Iterable[Key], attributes: Sequence[str], tally: Tally
    ) -> dict[Key, Item | GraphError]:
        """The items of some keys. A key without an item is absent; one that could not be read holds its error."""
        wanted = list(dict.fromkeys(keys))
        if len(wanted) == 1:
            return await self._get_item(table, wanted[0], attributes, tally)
        batches = [wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH)]
        found = await asyncio.gather(*(self._get_batch(table, batch, attributes, tally) for batch in batches))
        return {key: item for part in found for key, item in part.items()}

    async def _get_item(
        self, table: Table, key: Key, attributes: Sequence[str], tally: Tally
    ) -> dict[Key, Item | GraphError]:
        names = _Names()
        request = {
            "TableName": self._names[table],
            "Key": _typed(table, key),
            "ProjectionExpression": names.projection(attributes),
            "ExpressionAttributeNames": names.used,
        }
        try:
            answer = await self._call(self._client.get_item, request, tally)
        except GraphError as error:
            return {key: error}
        return {key: decode.item(answer["Item"])} if answer.get("Item") else {}

    async def _get_batch(
        self, table: Table, keys: Sequence[Key], attributes: Sequence[str], tally: Tally
    ) -> dict[Key, Item | GraphError]:
        name, names = self._names[table], _Names()
        shape = {"ProjectionExpression": names.projection(attributes), "ExpressionAttributeNames": names.used}
        found: dict[Key, Item | GraphError] = {}
        left: list[dict[str, dict[str, str]]] = [_typed(table, key) for key in keys]
        for attempt in range(self._attempts):
            if attempt:
                await _pause(attempt)
            try:
                answer = await self._call(
                    self._client.batch_get_item, {"RequestItems": {name: {"Keys": left, **shape}}}, tally
                )
            except GraphError as error:
                return found | {_plain(table, key): error for key in left}
            for raw in answer["Responses"].get(name, ()):
                item = decode.item(raw)
                found[tuple(item[attribute] for attribute in table.key)] = item
            left = answer.get("UnprocessedKeys", {}).get(name, {}).get("Keys", [])
            if not left:
                return found
        return found | {_plain(table, key): Throttled() for key in left}

    def _query_request(self, query: Query) -> dict[str, Any]:
        names, values = _Names(), _Values()
        keyed = query.index or query.table
        condition = f"{names[keyed.partition]} = {values[query.partition]}"
        if keyed.sort is not None and query.sort is not None:
            condition += _sort_condition(keyed.sort, query.sort, names, values)
        request: dict[str, Any] = {
            "TableName": self._names[query.table],
            "KeyConditionExpression": condition,
            "ScanIndexForward": query.forward,
        }
        if query.attributes:
            request["ProjectionExpression"] = names.projection(query.attributes)
        if query.index is not None:
            request["IndexName"] = query.index.name
        if query.conditions:
            request["FilterExpression"] = " AND ".join(_condition(one, names, values) for one in query.conditions)
        if query.after is not None:
            request["ExclusiveStartKey"] = {name: {"S": value} for name, value in query.after.items()}
        if query.limit is not None:
            request["Limit"] = query.limit
        return request | {"ExpressionAttributeNames": names.used, "ExpressionAttributeValues": values.used}

    async def _call(
        self, method: Callable[..., Mapping[str, Any]], request: dict[str, Any], tally: Tally
    ) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        request["ReturnConsumedCapacity"] = "TOTAL"
        for attempt in range(self._attempts):
            if attempt:
                await _pause(attempt)
            current = tally.start()
            answer: Mapping[str, Any] = {}
            try:
                answer = await loop.run_in_executor(self._threads, lambda: method(**request))
                return answer
            except (ClientError, BotoCoreError) as fault:
                error = self._public(fault)
                if not error.retryable or attempt + 1 == self._attempts:
                    raise error from fault
            finally:
                tally.finish(current, _capacity(answer))
        raise AssertionError("the last try returns or raises")

    def _public(self, fault: ClientError | BotoCoreError) -> GraphError:
        """The error to show for a fault of the client; the fault itself goes to the log, without keys."""
        if not isinstance(fault, ClientError):
            log.warning("DynamoDB could not be reached: %s", type(fault).__name__)
            return UpstreamUnavailable()
        code = fault.response.get("Error", {}).get("Code", "")
        status = fault.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in _THROTTLES:
            return Throttled()
        log.error("DynamoDB refused %s: %s", fault.operation_name, code)
        return UpstreamUnavailable() if code in _PASSING or status >= 500 else Refused()


class Refused(GraphError):
    """The database refuses the server's own request: a fault of the deployment, which trying again does not mend."""

    code = "UPSTREAM_UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("The database refused the server. Its operator can see why in the log.")


class _Names:
    """Placeholders for attribute names."""

    def __init__(self) -> None:
        self.used: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}

    def __getitem__(self, attribute: str) -> str:
        placeholder = self._placeholders.setdefault(attribute, f"#a{len(self._placeholders)}")
        self.used[placeholder] = attribute
        return placeholder

    def projection(self, attributes: Sequence[str]) -> str:
        return ", ".join(self[attribute] for attribute in attributes)


class _Values:
    """Placeholders for texts."""

    def __init__(self) -> None:
        self.used: dict[str, dict[str, str]] = {}

    def __getitem__(self, text: str) -> str:
        placeholder = f":v{len(self.used)}"
        self.used[placeholder] = {"S": text}
        return placeholder


def _sort_condition(attribute: str, sort: Prefix | Between, names: _Names, values: _Values) -> str:
    match sort:
        case Prefix(start):
            return f" AND begins_with({names[attribute]}, {values[start]})"
        case Between(None, None):
            return ""  # and no placeholder: DynamoDB refuses one that is not used
        case Between(None, str(high)):
            return f" AND {names[attribute]} <= {values[high]}"
        case Between(str(low), None):
            return f" AND {names[attribute]} >= {values[low]}"
        case Between(str(low), str(high)):
            return f" AND {names[attribute]} BETWEEN {values[low]} AND {values[high]}"
    raise AssertionError(sort)


def _condition(one: OneOf, names: _Names, values: _Values) -> str:
    is_one = f"{names[one.attribute]} IN ({', '.join(values[text] for text in one.texts)})"
    return f"NOT ({is_one})" if one.negated else is_one


def _typed(table: Table, key: Key) -> dict[str, dict[str, str]]:
    return {attribute: {"S": value} for attribute, value in zip(table.key, key, strict=True)}


def _plain(table: Table, key: Mapping[str, Mapping[str, str]]) -> Key:
    return tuple(key[attribute]["S"] for attribute in table.key)


def _last(answer: Mapping[str, Any]) -> Mapping[str, str] | None:
    last = answer.get("LastEvaluatedKey")
    return {name: value["S"] for name, value in last.items()} if last else None


def _capacity(answer: Mapping[str, Any]) -> float:
    consumed = answer.get("ConsumedCapacity") or {}
    parts = consumed if isinstance(consumed, list) else [consumed]
    return sum(float(part.get("CapacityUnits", 0)) for part in parts)


async def _pause(attempt: int) -> None:
    """Back-off with full jitter."""
    await asyncio.sleep(random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt)))  # noqa: S311
