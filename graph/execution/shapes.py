"""Shapes: what is selected of a value, apart from where in an operation it stands.

A shape is a plain value that can be compared, so that selections that are alike share the code that is made for them,
whatever their arguments and wherever they are.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar or an enumeration, by name."""

    type_name: str
    is_nullable: bool


@dataclass(frozen=True, slots=True)
class Many:
    """A list. ``spot`` is the number of the place that its items have, where they are objects."""

    item: "Value"
    is_nullable: bool
    spot: int | None = None


@dataclass(frozen=True, slots=True)
class One:
    """An object."""

    shape: "Shape"
    is_nullable: bool


@dataclass(frozen=True, slots=True)
class Either:
    """An object of one of several types. ``spot`` is the number of its place."""

    spot: int
    is_nullable: bool


Value: TypeAlias = Leaf | Many | One | Either


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field that is an attribute of its record."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class TypeName:
    """The field ``__typename``."""


@dataclass(frozen=True, slots=True)
class Question:
    """A field that has to be answered: by a resolver, with arguments, or by graphql-core."""


Member: TypeAlias = Attribute | TypeName | Question


@dataclass(frozen=True, slots=True)
class Shape:
    """What is selected of an object, by response key.

    ``classes`` are those of the records that the type shows; None where it shows whatever has the attributes. ``spot``
    is the number of its questions' place, where it has any.
    """

    type_name: str
    classes: frozenset[type] | None
    members: tuple[tuple[str, Member], ...]
    spot: int | None
    is_root: bool = False

    @property
    def is_pure(self) -> bool:
        """Whether nothing in it needs a place: no question, and no list of objects."""
        return self.spot is None and all(
            is_pure(member.value) for _, member in self.members if isinstance(member, Attribute)
        )


def is_pure(value: Value) -> bool:
    """Whether nothing in a value needs a place."""
    match value:
        case Leaf():
            return True
        case Many():
            return value.spot is None and is_pure(value.item)
        case One():
            return value.shape.is_pure
        case Either():
            return False
