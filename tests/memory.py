"""DynamoDB in memory, read as its documentation says, for tests that ask more often than an emulator can answer.

It is stricter than the emulator: a page that ends exactly at its limit still has a key to go on from, a start key must
be of the partition, filters apply after the limit, and a page ends at 1 MB.
"""

import asyncio
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.types import TypeSerializer
from botocore.exceptions import ClientError

from graph.aws.database import Answer, Operation
from graph.demo.data import Items
from graph.tables.builders.sizes import item_size
from graph.tables.catalogue import ALL_TABLES, Index, Table
from tests.demo.reading import Item

Typed = dict[str, dict[str, Any]]
Key = tuple[str, ...]

NAMES = {table: table.name for table in ALL_TABLES}
_PAGE_BYTES = 1024 * 1024
_SORT = re.compile(
    r" AND (?:begins_with\((?P<prefix>#\w+), (?P<start>:\w+)\)"
    r"|#\w+ (?P<how><=|>=|BETWEEN) (?P<one>:\w+)(?: AND (?P<two>:\w+))?)$"
)
_CONDITION = re.compile(r"(?P<negated>NOT \()?(?P<name>#\w+) IN \((?P<values>[^)]*)\)")


@dataclass(frozen=True)
class _Held:
    typed: Typed
    size: int
    key: Key


@dataclass
class _Shelf:
    """The items of a table, and of each index by partition in the order of their keys."""

    table: Table
    items: dict[Key, _Held] = field(default_factory=dict)
    order: dict[str | None, dict[str, list[tuple[Key, _Held]]]] = field(default_factory=dict)


class MemoryDatabase:
    """A client of tables whose physical names are :data:`NAMES`.

    Attributes:
        served: the table and key of every item that was given.
    """

    def __init__(self, items: Items) -> None:
        self.served: MutableSequence[tuple[str, Key]] = []
        self._serialize: Callable[[Any], Any] = TypeSerializer().serialize
        self._shelves = {table.name: _Shelf(table) for table in ALL_TABLES}
        for table, rows in items.items():
            for row in rows:
                self.put(table, row)

    def put(self, table: Table, item: Item) -> None:
        """Writes an item, in place of one with its key."""
        shelf, key = self._shelves[table.name], tuple(item[name] for name in table.key)
        shelf.items[key] = _Held(self._serialize(item)["M"], item_size(_without_sets(item)), key)
        shelf.order.clear()

    def delete(self, table: Table, *key: str) -> None:
        """Deletes the item of a key."""
        shelf = self._shelves[table.name]
        del shelf.items[key]
        shelf.order.clear()

    def get_item(self, **request: Any) -> dict[str, Any]:
        held = self._held(request["TableName"], request["Key"])
        return {"Item": self._give(request["TableName"], held, request)} if held else {}

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        ((name, asked),) = request["RequestItems"].items()
        keys = [tuple(sorted((attribute, value["S"]) for attribute, value in key.items())) for key in asked["Keys"]]
        if not 0 < len(keys) <= 100 or len(set(keys)) < len(keys):
            raise _refusal("BatchGetItem")
        found = (self._held(name, key) for key in asked["Keys"])
        return {"Responses": {name: [self._give(name, held, asked) for held in found if held]}, "UnprocessedKeys": {}}

    def query(self, **request: Any) -> dict[str, Any]:
        shelf = self._shelves[request["TableName"]]
        index = next((index for index in shelf.table.indexes if index.name == request.get("IndexName")), None)
        names, values = request["ExpressionAttributeNames"], _texts(request["ExpressionAttributeValues"])
        partition = values[request["KeyConditionExpression"].split(" AND ")[0].split(" = ")[1]]
        rows = self._partition(shelf, index, partition)
        low, high = _range(request["KeyConditionExpression"], values, rows)
        forward = request["ScanIndexForward"]
        if after := request.get("ExclusiveStartKey"):
            place = self._place(shelf, index, partition, after)
            low, high = (
                (max(low, bisect_right(rows, place, key=_place)), high)
                if forward
                else (low, min(high, bisect_left(rows, place, key=_place)))
            )
        chosen = rows[low:high] if forward else rows[low:high][::-1]
        evaluated: list[_Held] = []
        bytes_read = 0
        for _, held in chosen[: request.get("Limit")]:
            if evaluated and bytes_read + held.size > _PAGE_BYTES:
                break
            bytes_read += held.size
            evaluated.append(held)
        matching = [held for held in evaluated if _matches(held.typed, request.get("FilterExpression"), names, values)]
        answer: dict[str, Any] = {"Count": len(matching), "ScannedCount": len(evaluated)}
        if request.get("Select") != "COUNT":
            answer["Items"] = [self._give(shelf.table.name, held, request) for held in matching]
        if len(evaluated) < len(chosen) or len(evaluated) == request.get("Limit"):
            attributes = dict.fromkeys((*_key(index or shelf.table), *shelf.table.key))
            answer["LastEvaluatedKey"] = {name: evaluated[-1].typed[name] for name in attributes}
        return answer

    def _held(self, name: str, key: Typed) -> _Held | None:
        shelf = self._shelves[name]
        return shelf.items.get(tuple(key[attribute]["S"] for attribute in shelf.table.key))

    def _give(self, name: str, held: _Held, request: Mapping[str, Any]) -> Typed:
        self.served.append((name, held.key))
        if "ProjectionExpression" not in request:
            return held.typed
        projected = [
            request["ExpressionAttributeNames"][place] for place in request["ProjectionExpression"].split(", ")
        ]
        return {attribute: held.typed[attribute] for attribute in projected if attribute in held.typed}

    @staticmethod
    def _partition(shelf: _Shelf, index: Index | None, partition: str) -> Sequence[tuple[Key, _Held]]:
        name = index.name if index else None
        if name not in shelf.order:
            shelf.order[name] = _partitions(shelf.items.values(), _key(index or shelf.table))
        return shelf.order[name].get(partition, ())

    @staticmethod
    def _place(shelf: _Shelf, index: Index | None, partition: str, after: Typed) -> Key:
        names = _key(index or shelf.table)
        start = _texts(after)
        if set(start) != {*names, *shelf.table.key} or start[names[0]] != partition:
            raise _refusal("Query")
        return (*(start[name] for name in names[1:]), *(start[name] for name in shelf.table.key))


def _without_sets(value: Any) -> Any:
    """A value with lists for the sets, which the builders of rows never write and have no size for."""
    match value:
        case dict():
            return {name: _without_sets(each) for name, each in value.items()}
        case list() | set():
            return [_without_sets(each) for each in value]
    return value


class ImmediateDatabase:
    """A database in memory that answers in the next turn of the loop, without threads."""

    def __init__(self, memory: MemoryDatabase) -> None:
        self._calls = {"Query": memory.query, "GetItem": memory.get_item, "BatchGetItem": memory.batch_get_item}

    async def call(self, operation: Operation, request: Mapping[str, Any]) -> Answer:
        await asyncio.sleep(0)
        return self._calls[operation](**request)

    def close(self) -> None:
        """Free nothing."""


def _partitions(items: Iterable[_Held], names: tuple[str, ...]) -> dict[str, list[tuple[Key, _Held]]]:
    found: dict[str, list[tuple[Key, _Held]]] = {}
    for held in items:
        if all(name in held.typed for name in names):
            partition, *sort = (held.typed[name]["S"] for name in names)
            found.setdefault(partition, []).append(((*sort, *held.key), held))
    for rows in found.values():
        rows.sort(key=_place)
    return found


def _key(keyed: Index | Table) -> tuple[str, ...]:
    return (keyed.partition,) if keyed.sort is None else (keyed.partition, keyed.sort)


def _place(row: tuple[Key, _Held]) -> Key:
    return row[0]


def _texts(values: Typed) -> dict[str, str]:
    return {name: value["S"] for name, value in values.items()}


def _range(condition: str, values: Mapping[str, str], rows: Sequence[tuple[Key, _Held]]) -> tuple[int, int]:
    """Where the rows of a key condition begin and end among those of their partition."""
    match = _SORT.search(condition)
    if match is None:
        return 0, len(rows)
    keys = [key[0] for key, _ in rows]
    if match["prefix"]:
        start = values[match["start"]]
        return bisect_left(keys, start), bisect_right(keys, start, key=lambda key: key[: len(start)])
    one = values[match["one"]]
    match match["how"]:
        case "<=":
            return 0, bisect_right(keys, one)
        case ">=":
            return bisect_left(keys, one), len(rows)
    return bisect_left(keys, one), bisect_right(keys, values[match["two"]])


def _matches(item: Typed, expression: str | None, names: Mapping[str, str], values: Mapping[str, str]) -> bool:
    for one in _CONDITION.finditer(expression or ""):
        held = item.get(names[one["name"]], {}).get("S")
        is_one = held in {values[place] for place in one["values"].split(", ")}
        if is_one == bool(one["negated"]):
            return False
    return True


def _refusal(operation: str) -> ClientError:
    return ClientError(
        {"Error": {"Code": "ValidationException", "Message": "refused by the test's database"}}, operation
    )
