"""A small schema of every kind of field and nullability, over records that hold anything, even what they must not."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

import strawberry
from strawberry.schema.config import StrawberryConfig

from graph.errors import BadUserInput
from graph.execution import InstanceOf
from graph.schema.fields import answer, attribute
from graph.schema.instants import instant
from graph.schema.scalars import JSON, SCALARS, BigInt


class Color(Enum):
    """Colors, whose names in the graph are not their values."""

    RED = "r"
    GREEN = "g"


class Apple:
    """A record. What it holds is given, or made when it is first looked at."""

    def __init__(self, make: Callable[[str], Any] | None = None, seed: str = "", **held: Any) -> None:
        self.__dict__.update(held, _make=make, seed=seed)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._make is None:
            raise AttributeError(name)
        held = self.__dict__[name] = self._make(name)
        return held


class Pear(Apple):
    """A record of another type."""


@dataclass(frozen=True)
class Later:
    """An answer that comes after some turns of the loop."""

    value: Any
    turns: int = 0


@dataclass
class World:
    """The context: what the root holds, and whom was asked what."""

    root: Apple
    asked: list[str] = field(default_factory=list)


def answered(name: str) -> Callable[..., Any]:
    """A resolver that gives what the record holds for it, at once or later, or raises it."""

    async def resolver(record: Apple | None, context: World) -> Any:
        of = record or context.root
        context.asked.append(f"{name} of {of.seed}")
        held = getattr(of, name)
        if isinstance(held, Later):
            for _ in range(held.turns):
                await asyncio.sleep(0)
            held = held.value
        if isinstance(held, asyncio.Future):
            held = await held
        if isinstance(held, Exception) and not isinstance(held, ReturnedError):
            raise held
        return held

    return resolver


class ReturnedError(Exception):
    """An error that a resolver returns."""


@strawberry.input
class Wish:
    """An input object."""

    text: str = "none"
    colors: list[Color] | None = None


async def echo(
    record: Any,
    context: World,
    number: int = 7,
    text: str | None = None,
    color: Color | None = None,
    wish: Wish | None = None,
    at: datetime | None = None,
) -> str:
    """Its arguments."""
    if number < 0:
        raise BadUserInput("'number' must not be negative.")
    return f"{number} {text!r} {color} {wish} {instant('at', at)}"


strawberry.enum(Color)


@strawberry.interface
class Fruit:
    """What all fruits have."""

    name: str = attribute("A text.")
    size: int | None = attribute("A number.")

    @classmethod
    def resolve_type(cls, value: Any, *_: Any) -> str:
        """The type that a fruit says to be, else that of its class."""
        return getattr(value, "claims", None) or type(value).__name__ + "s"


@strawberry.type
class Apples(Fruit):
    """Of apples, whose class is asked for."""

    is_type_of = InstanceOf(Apple, Pear)

    name: str = attribute("A text.")
    size: int | None = attribute("A number.")
    id: strawberry.ID = attribute("An id.")
    count: int = attribute("A number that is never null.")
    ratio: float | None = attribute("A fraction.")
    weight: float = attribute("A fraction that is never null.")
    is_ripe: bool = attribute("A truth value.")
    is_sold: bool | None = attribute("A truth value or null.")
    color: Color | None = attribute("An enum.")
    first_color: Color = attribute("An enum that is never null.")
    colors: list[Color] | None = attribute("A list of enums.")
    names: list[str | None] = attribute("A list of texts.")
    rows: list[list[int] | None] | None = attribute("A list of lists.")
    picked_at: datetime | None = attribute("A scalar of our own.")
    seeds: BigInt | None = attribute("Another.")
    notes: JSON | None = attribute("A third.")
    twin: "Apples | None" = attribute("An object.")
    core: "Apples" = attribute("An object that is never null.")
    parts: "list[Apples]" = attribute("A list of objects.")
    pieces: "list[Apples | None] | None" = attribute("A list of objects or null.")
    layers: "list[list[Apples]] | None" = attribute("A list of lists of objects.")
    fruit: Fruit | None = attribute("An object of either type.")
    basket: list[Fruit | None] = attribute("A list of those.")
    plain: "Plain | None" = attribute("An object of whatever class.")
    next: "Apples | None" = answer(answered("next"), "An answer.")
    best: "Apples" = answer(answered("best"), "An answer that is never null.")
    label: str = answer(answered("label"), "A text as an answer.")
    price: int | None = answer(answered("price"), "A number as an answer.")
    tags: list[str] | None = answer(answered("tags"), "A list as an answer.")
    friends: "list[Apples]" = answer(answered("friends"), "A list of objects as an answer.")
    guests: "list[Fruit | None] | None" = answer(answered("guests"), "Objects of either type as an answer.")
    guest: Fruit | None = answer(answered("guest"), "An object of either type as an answer.")
    echo: str | None = answer(echo, "Its arguments.")

    @strawberry.field
    def length(self: Any, times: int = 1) -> int:
        """A resolver that nothing is known of."""
        return len(self.name) * times

    @strawberry.field
    async def depth(self: Any) -> int | None:
        """Another."""
        await asyncio.sleep(0)
        return len(self.names)


@strawberry.type
class Plain:
    """Of whatever has the attributes."""

    name: str = attribute("A text.")
    price: int | None = answer(answered("price"), "A number as an answer.")


@strawberry.type
class Pears(Fruit):
    """Of pears alone."""

    is_type_of = InstanceOf(Pear)

    name: str = attribute("A text.")
    size: int | None = attribute("A number.")
    twin: Apples | None = attribute("An object of the other type.")
    label: str = answer(answered("label"), "A text as an answer.")
    friends: list[Apples] | None = answer(answered("friends"), "A list of objects as an answer.")


@strawberry.type
class Query:
    """The root."""

    next: Apples | None = answer(answered("next"), "An object.")
    best: Apples = answer(answered("best"), "An object that is never null.")
    friends: list[Apples] = answer(answered("friends"), "A list of objects.")
    guests: list[Fruit | None] | None = answer(answered("guests"), "A list of objects of either type.")
    guest: Fruit | None = answer(answered("guest"), "An object of either type.")
    price: int | None = answer(answered("price"), "A number.")
    label: str = answer(answered("label"), "A text.")
    echo: str | None = answer(echo, "Its arguments.")


@strawberry.type
class Mutation:
    """The root of changes."""

    price: int | None = answer(answered("price"), "A number.")


def make_schema() -> strawberry.Schema:
    """A fresh schema."""
    return strawberry.Schema(Query, Mutation, types=[Apples, Pears], config=StrawberryConfig(scalar_map=SCALARS))
