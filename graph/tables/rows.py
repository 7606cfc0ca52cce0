"""Rows: items of DynamoDB decoded into plain attributes.

Each stored field is declared once, with its attribute and its decoder. A row is decoded for the fields that an
operation needs, and only their attributes are projected. Access to any other field raises AttributeError, so that an
omission fails the first test instead of reading as null.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from graph.tables import ids
from graph.tables.catalogue import Index, Table
from graph.tables.decode import Decoder, text
from graph.tables.reader import Item, Key

Fields = frozenset[str]
StoredFields = tuple[tuple[type["Row"], str], ...]
RowT = TypeVar("RowT")


def stored(attribute: str, decoder: Decoder, *, always: bool = False) -> Any:
    """Return a field of a row; with ``always`` it is read whether selected or not."""
    return dataclasses.field(metadata={"attribute": attribute, "decoder": decoder, "always": always})


def decides(attribute: str, decoder: Decoder, *, always: bool = False) -> Any:
    """Declare a field that permissions depend on, with a strict decoder of :mod:`graph.tables.deciding`."""
    return dataclasses.field(metadata={"attribute": attribute, "decoder": decoder, "always": always, "decides": True})


def key_part(attribute: str) -> Any:
    """Return a field that holds a key attribute of the table or of an index, as stored; empty where a row lacks it."""
    return dataclasses.field(metadata={"attribute": attribute, "decoder": text, "always": True, "key": True})


class Row:
    """The base of all rows; ``table`` is their table."""

    __slots__ = ()
    table: ClassVar[Table]

    @classmethod
    def fields(cls, *names: str) -> StoredFields:
        """Return some stored fields of the row.

        Raises:
            AttributeError: when the row has no such field.
        """
        if unknown := set(names) - field_names(cls):
            raise AttributeError(f"{cls.__name__} stores no {', '.join(sorted(unknown))}")
        return tuple((cls, name) for name in names)

    @classmethod
    def plan(cls, fields: Fields) -> RowPlan[Self]:
        """Return how rows are read for some fields and those that are always read."""
        return _plan(cls, fields)

    @classmethod
    def decode(cls, item: Item, fields: Fields) -> Self:
        """Return the row of an item that was read for some fields."""
        return cls.plan(fields).decode(item)

    @property
    def primary_key(self) -> Key:
        """The primary key."""
        return _primary_key(type(self))(self)

    def position_in(self, index: Index | None) -> Key:
        """Return the key values that order the row within a partition of its table or an index."""
        return _position(type(self), index)(self)


class ObjectRow(Row):
    """The base of rows that are objects with a global id; ``kind`` is how their ids begin."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    def id(self) -> str:
        """The global id, which holds the table key."""
        return ids.encode(self.kind, *self.primary_key)


@cache
def position_attributes(table: Table, index: Index | None) -> tuple[str, ...]:
    """Return the key attributes that a read of a partition continues from, the sort key first."""
    if index is None:
        return table.key[1:]
    candidates = (index.sort, *table.key) if index.sort else table.key
    return tuple(name for name in dict.fromkeys(candidates) if name != index.partition)


def field_names(row: type[Row]) -> Fields:
    """Return the names of the stored fields that a row class declares."""
    return frozenset(field.name for field in _declared(row))


def deciding_fields(row: type[Row]) -> Fields:
    """Return the names of the fields that permissions depend on, without keys, which are always texts."""
    return _deciding_fields(row)


def _declared(row: Any) -> tuple[dataclasses.Field[Any], ...]:
    """Return the stored fields of a row class, which is always a dataclass."""
    return dataclasses.fields(row)


@dataclasses.dataclass(frozen=True, slots=True)
class RowPlan(Generic[RowT]):
    """How rows are read for some fields: the attributes to project, and the function that decodes an item."""

    attributes: tuple[str, ...]
    decode: Callable[[Item], RowT]


def _make_plan(row: type[Row], fields: Fields) -> RowPlan[Any]:
    # A frozen row is filled through the descriptors of its slots, which is also the fastest way.
    read = [field for field in _declared(row) if field.metadata["always"] or field.name in fields]
    declared = [(getattr(row, one.name).__set__, one.metadata["attribute"], one.metadata["decoder"]) for one in read]
    texts = [(fill, attribute) for fill, attribute, decoder in declared if decoder is text]
    others = [one for one in declared if one[2] is not text]
    new = object.__new__

    def decode(item: Item) -> Row:
        made = new(row)
        held = item.get
        for fill, attribute in texts:  # most fields, decoded inline for speed
            value = held(attribute)
            fill(made, "" if value is None else value.get("S", ""))
        for fill, attribute, decoder in others:
            fill(made, decoder(held(attribute), attribute))
        return made

    return RowPlan(_distinct(attribute for _, attribute, _ in declared), decode)


def _make_primary_key(row: type[Row]) -> Callable[[Row], Key]:
    return _values(row, row.table.key)


def _make_position(row: type[Row], index: Index | None) -> Callable[[Row], Key]:
    return _values(row, position_attributes(row.table, index))


def _find_deciding_fields(row: type[Row]) -> Fields:
    return frozenset(field.name for field in _declared(row) if field.metadata.get("decides"))


def _values(row: type[Row], attributes: tuple[str, ...]) -> Callable[[Row], Key]:
    """Return a function that returns the values of key attributes of a row."""
    slots = {field.metadata["attribute"]: field.name for field in _declared(row) if field.metadata.get("key")}
    names = [slots[attribute] for attribute in attributes]
    if len(names) > 1:
        return attrgetter(*names)
    one = [attrgetter(name) for name in names]
    return lambda row: tuple([value(row) for value in one])


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


# Field sets come from documents of clients, so this cache is bounded.
_plan = cast("Callable[[type[Row], Fields], RowPlan[Any]]", lru_cache(maxsize=4096)(_make_plan))
_deciding_fields = cast("Callable[[type[Row]], Fields]", cache(_find_deciding_fields))
_primary_key = cast("Callable[[type[Row]], Callable[[Row], Key]]", cache(_make_primary_key))
_position = cast("Callable[[type[Row], Index | None], Callable[[Row], Key]]", cache(_make_position))
