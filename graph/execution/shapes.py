"""Shapes: the selection of a value, independent of its place in an operation.

Shapes are compared by value, so that equal selections share compiled code, whatever their arguments and places.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar or an enumeration, by name."""

    type_name: str
    is_nullable: bool


@dataclass(frozen=True, slots=True)
class ListShape:
    """A list. ``slot`` is the number of the slot of its items, if they are objects."""

    item: "Value"
    is_nullable: bool
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """An object."""

    shape: "Shape"
    is_nullable: bool


@dataclass(frozen=True, slots=True)
class AbstractShape:
    """An object of one of several types. ``slot`` is the number of its slot."""

    slot: int
    is_nullable: bool


Value: TypeAlias = Leaf | ListShape | ObjectShape | AbstractShape


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field that is an attribute of its record."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class TypeName:
    """The field ``__typename``."""


@dataclass(frozen=True, slots=True)
class UnresolvedField:
    """A field that is no attribute: resolved by a function or by graphql-core."""


Member: TypeAlias = Attribute | TypeName | UnresolvedField


@dataclass(frozen=True, slots=True)
class Shape:
    """The selection of an object, by response key.

    ``classes`` are the record classes of the type; None if it shows any object with the attributes. ``slot`` is the
    number of the slot of its unresolved fields; None if it has none.
    """

    type_name: str
    classes: frozenset[type] | None
    members: tuple[tuple[str, Member], ...]
    slot: int | None
    is_root: bool = False

    @property
    def is_pure(self) -> bool:
        """Whether nothing in it needs a slot: no unresolved field, and no list of objects."""
        return self.slot is None and all(
            is_pure(member.value) for _, member in self.members if isinstance(member, Attribute)
        )


def is_pure(value: Value) -> bool:
    """Return whether nothing in a value needs a slot."""
    match value:
        case Leaf():
            return True
        case ListShape():
            return value.slot is None and is_pure(value.item)
        case ObjectShape():
            return value.shape.is_pure
        case AbstractShape():
            return False
