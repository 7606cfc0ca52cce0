"""What all records have in common: an item, checked against what DynamoDB refuses."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from graph.tables import keys
from graph.tables.builders.sizes import ITEM_LIMIT, item_size
from graph.tables.catalogue import Table

Item = dict[str, Any]


class InvalidRecord(ValueError):
    """A record that cannot be stored, or that nothing could read afterwards."""


class Record(ABC):
    """The base of all records; ``table`` is where they go."""

    __slots__ = ()
    table: ClassVar[Table]

    @abstractmethod
    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes; None stands for one that is left out."""

    def item(self) -> Item:
        """Return the item, in plain Python as boto3 takes it.

        Raises:
            InvalidRecord: a key is empty, missing or too long, or the item is larger than DynamoDB takes.
            UnicodeEncodeError: an id, a key or a label holds a lone surrogate.
        """
        item = {name: value for name, value in self.attributes().items() if value is not None}
        _check_keys(self.table, item)
        if (size := item_size(item)) > ITEM_LIMIT:
            raise InvalidRecord(f"{self.table.name}: the item has {size} bytes; DynamoDB takes {ITEM_LIMIT}.")
        return item


def word(member: Enum) -> str:
    """Return the stored text of a member of an enumeration.

    Raises:
        InvalidRecord: it stands for texts that are not known.
    """
    if member.name == "UNKNOWN":
        raise InvalidRecord(f"{type(member).__name__}.UNKNOWN has no stored text; give a known one.")
    return str(member.value)


def require_whole(attribute: str, place: str, *, is_truncated: bool) -> None:
    """Check that the whole of a truncated body can be found.

    Raises:
        InvalidRecord: it is nowhere, so that storing the record would lose the rest of it.
    """
    if is_truncated and not place:
        raise InvalidRecord(f"{attribute} is too long for its item; put the whole of it in S3 and give its key.")


def _check_keys(table: Table, item: Mapping[str, Any]) -> None:
    """Check that every key attribute of the table is there, and none of the table or an index is empty or too long."""
    partitions = dict.fromkeys((table.partition, *(index.partition for index in table.indexes)))
    sorts = dict.fromkeys((*table.key[1:], *(index.sort for index in table.indexes if index.sort is not None)))
    for names, is_key in ((partitions, keys.is_partition_key), (sorts, keys.is_sort_key)):
        for name in names:
            value = item.get(name, "")
            if value == "" and (name in item or name in table.key):
                raise InvalidRecord(f"{table.name}: {name} is a key and must not be empty.")
            if not is_key(value):
                raise InvalidRecord(f"{table.name}: {name} has {len(value.encode())} bytes, more than a key may have.")
