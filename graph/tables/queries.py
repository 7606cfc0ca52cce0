"""What can be asked of a partition, and how it is put to DynamoDB. Pure.

Every attribute name goes through a ``#name`` placeholder, since names here hold colons and may be reserved words, and
every text through a ``:value`` one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from graph.tables.catalogue import Index, Table


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


def query_request(query: Query, table_name: str) -> dict[str, Any]:
    """The parameters of the Query call."""
    names, values = Names(query.attributes), _Values()
    keyed = query.index or query.table
    condition = f"{names[keyed.partition]} = {values[query.partition]}"
    if keyed.sort is not None and query.sort is not None:
        condition += _sort_condition(keyed.sort, query.sort, names, values)
    parameters: dict[str, Any] = {
        "TableName": table_name,
        "KeyConditionExpression": condition,
        "ScanIndexForward": query.forward,
    }
    if query.attributes:
        parameters["ProjectionExpression"] = names.projection
    if query.index is not None:
        parameters["IndexName"] = query.index.name
    if query.conditions:
        parameters["FilterExpression"] = " AND ".join(_condition(one, names, values) for one in query.conditions)
    if query.after is not None:
        parameters["ExclusiveStartKey"] = {name: {"S": value} for name, value in query.after.items()}
    if query.limit is not None:
        parameters["Limit"] = query.limit
    return parameters | {"ExpressionAttributeNames": names.used, "ExpressionAttributeValues": values.used}


class Names:
    """Placeholders for attribute names.

    Attributes:
        projection: the expression that asks for the given attributes alone.
    """

    def __init__(self, attributes: tuple[str, ...]) -> None:
        self.projection, placeholders = _projection(attributes)
        self._placeholders = dict(placeholders)

    @property
    def used(self) -> dict[str, str]:
        """The names by their placeholders."""
        return {placeholder: attribute for attribute, placeholder in self._placeholders.items()}

    def __getitem__(self, attribute: str) -> str:
        return self._placeholders.setdefault(attribute, f"#a{len(self._placeholders)}")


def _make_projection(attributes: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    placeholders = {attribute: f"#a{number}" for number, attribute in enumerate(attributes)}
    return ", ".join(placeholders.values()), placeholders


# What an operation reads of a kind of row comes from its document, so what is kept of it is bounded.
_projection = cast("Callable[[tuple[str, ...]], tuple[str, dict[str, str]]]", lru_cache(maxsize=4096)(_make_projection))


class _Values:
    """Placeholders for texts."""

    def __init__(self) -> None:
        self.used: dict[str, dict[str, str]] = {}

    def __getitem__(self, text: str) -> str:
        placeholder = f":v{len(self.used)}"
        self.used[placeholder] = {"S": text}
        return placeholder


def _sort_condition(attribute: str, sort: Prefix | Between, names: Names, values: _Values) -> str:
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


def _condition(one: OneOf, names: Names, values: _Values) -> str:
    is_one = f"{names[one.attribute]} IN ({', '.join(values[text] for text in one.texts)})"
    return f"NOT ({is_one})" if one.negated else is_one
