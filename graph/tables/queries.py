"""Queries of a partition, as parameters of DynamoDB. Pure.

Every attribute name goes through a ``#name`` placeholder, since names here hold colons and may be reserved words, and
every text through a ``:value`` one.
"""

import itertools
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

    DynamoDB applies conditions after it has read the rows, so excluded rows are paid for too.
    """

    attribute: str
    texts: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """One page of one partition. ``after`` is a whole start key; ``limit`` counts rows before ``conditions``.

    ``is_consistent`` makes the read strongly consistent, which only tables support.
    """

    table: Table
    index: Index | None
    partition: str
    sort: Prefix | Between | None
    conditions: tuple[OneOf, ...]
    attributes: tuple[str, ...]
    forward: bool
    after: Mapping[str, str] | None
    limit: int | None
    is_consistent: bool = False


def query_request(query: Query, table_name: str) -> dict[str, Any]:
    """Return the parameters of the Query call."""
    keyed = query.index or query.table
    sort, bounds = ("", ()) if keyed.sort is None else _sort(query.sort)
    conditions = tuple([(one.attribute, len(one.texts), one.negated) for one in query.conditions])
    texts = (query.partition, *bounds, *[text for one in query.conditions for text in one.texts])
    parameters: dict[str, Any] = {
        "TableName": table_name,
        "ScanIndexForward": query.forward,
        **_query_parameters(query.index, keyed.partition, keyed.sort, sort, conditions, query.attributes),
        "ExpressionAttributeValues": {f":v{place}": {"S": text} for place, text in enumerate(texts)},
    }
    if query.after is not None:
        parameters["ExclusiveStartKey"] = {name: {"S": value} for name, value in query.after.items()}
    if query.limit is not None:
        parameters["Limit"] = query.limit
    if query.is_consistent:
        parameters["ConsistentRead"] = True
    return parameters


class Names:
    """Placeholders for attribute names.

    Attributes:
        used: the names by their placeholders.
    """

    def __init__(self) -> None:
        self.used: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}

    def __getitem__(self, attribute: str) -> str:
        placeholder = self._placeholders.setdefault(attribute, f"#a{len(self._placeholders)}")
        self.used[placeholder] = attribute
        return placeholder


def _make_projection(attributes: tuple[str, ...]) -> Mapping[str, Any]:
    names = Names()
    expression = ", ".join([names[attribute] for attribute in attributes])
    return {"ProjectionExpression": expression, "ExpressionAttributeNames": names.used}


def _make_query_parameters(
    index: Index | None,
    partition: str,
    sort: str | None,
    sort_condition: str,
    conditions: tuple[tuple[str, int, bool], ...],
    attributes: tuple[str, ...],
) -> Mapping[str, Any]:
    """Return the parameters that all Queries share which differ in texts alone."""
    names, numbers = Names(), itertools.count()
    parameters = (
        {"ProjectionExpression": ", ".join([names[attribute] for attribute in attributes])} if attributes else {}
    )
    condition = f"{names[partition]} = :v{next(numbers)}"
    if sort is not None and sort_condition:
        condition += " AND " + sort_condition.format(name=names[sort])
        for _ in range(sort_condition.count(":v")):
            next(numbers)
    parameters["KeyConditionExpression"] = condition
    if index is not None:
        parameters["IndexName"] = index.name
    filters = []
    for attribute, count, negated in conditions:
        one = f"{names[attribute]} IN ({', '.join(f':v{next(numbers)}' for _ in range(count))})"
        filters.append(f"NOT ({one})" if negated else one)
    if filters:
        parameters["FilterExpression"] = " AND ".join(filters)
    return {**parameters, "ExpressionAttributeNames": names.used}


def _sort(sort: Prefix | Between | None) -> tuple[str, tuple[str, ...]]:
    """Return a condition on the sort key, and the texts in it, which are numbered from 1."""
    match sort:
        case None | Between(None, None):
            return "", ()  # and no placeholder: DynamoDB refuses one that is not used
        case Prefix(start):
            return "begins_with({name}, :v1)", (start,)
        case Between(None, str(high)):
            return "{name} <= :v1", (high,)
        case Between(str(low), None):
            return "{name} >= :v1", (low,)
        case Between(str(low), str(high)):
            return "{name} BETWEEN :v1 AND :v2", (low, high)
    raise AssertionError(sort)


# Attributes come from documents of clients, so these caches are bounded.
projection = cast("Callable[[tuple[str, ...]], Mapping[str, Any]]", lru_cache(maxsize=4096)(_make_projection))
"""Return the parameters that project some attributes."""
_query_parameters = cast("Callable[..., Mapping[str, Any]]", lru_cache(maxsize=4096)(_make_query_parameters))
