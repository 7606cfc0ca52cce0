"""Random worlds to ask the small schema of: what records hold comes into being when it is looked at."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from graph.errors import Forbidden, MalformedValue
from tests.execution.operations import variables
from tests.execution.schema import Apple, Color, Later, Pear, ReturnedError, World

_ECHOES = [
    "", "(number: 3)", "(number: -1)", "(number: $number)", '(text: "a\\nb")', "(text: $text)", "(text: null)",
    "(color: RED)", "(color: $color)", '(wish: { text: "w", colors: [RED, GREEN] })', "(wish: $wish)",
    "(wish: { text: $given })", '(at: "2026-07-14T09:30:00.000Z")', '(at: "no instant")',
    "(number: $number, text: $given)",
]  # fmt: skip

VALUES = variables(
    number=[0, 9, -1],
    text=["t", None],
    given=["variable"],
    color=["RED", None],
    wish=[{"text": "v"}, {"colors": ["GREEN"]}, None],
)


def arguments(_kind: str, field: str) -> Sequence[str]:
    """The ways to give arguments to a field."""
    return {"echo": _ECHOES, "length": ["", "(times: 2)", "(times: $number)"]}.get(field, [""])


# Of each kind the first two are as they should be.
_VALUES: dict[str, list[Any]] = {
    "text": ["a", "ü", "", 3, 2.5, True, math.nan, ["list"], None],
    "number": [0, -7, 2**31 - 1, 2**31, "12", "no", 1.0, 1.5, True, None],
    "fraction": [0.5, 1e300, 3, math.nan, math.inf, "2.5", True, None],
    "flag": [True, False, 1, 0, 0.0, "true", None],
    "color": [Color.RED, Color.GREEN, "r", "RED", 5, [], None],
    "instant": [datetime(2026, 7, 14, 9, 30, tzinfo=UTC), None, datetime(2026, 7, 14), "2026"],
    "big": [2**40, None, 2**60, 1.5, "x"],
    "json": [{"a": [1, None]}, "text", 0, None],
}
_ERRORS = [MalformedValue("attribute"), Forbidden(), ReturnedError("returned"), ValueError("fault")]
_NO_LISTS = [None, 5, "text", {"a": 1}, range(2)]

# What an attribute or an answer holds: a kind of value, an object ("one") or one or null ("perhaps"), or lists of them.
_HELD = {
    "name": "text", "size": "number", "id": "text", "count": "number", "ratio": "fraction", "weight": "fraction",
    "is_ripe": "flag", "is_sold": "flag", "color": "color", "first_color": "color", "colors": "[color",
    "names": "[text", "rows": "[[number", "picked_at": "instant", "seeds": "big", "notes": "json", "twin": "perhaps",
    "core": "one", "parts": "[one", "pieces": "[perhaps", "layers": "[[one", "fruit": "perhaps", "basket": "[perhaps",
    "plain": "perhaps", "next": "?perhaps", "best": "?one", "label": "?text", "price": "?number", "tags": "?[text",
    "friends": "?[one", "guests": "?[perhaps", "guest": "?perhaps",
}  # fmt: skip


def world(seed: int, faults: float) -> World:
    """A world in which so many of all values are not as they should be. It is alike for one seed."""
    return World(_fruit(Apple, str(seed), faults))


def _fruit(kind: type[Apple], seed: str, faults: float) -> Apple:
    def make(name: str) -> Any:
        by = Random(f"{seed}.{name}")  # noqa: S311 - the same at each run
        if name == "claims":
            return by.choice(["Apples", "Pears", "Plain", "Fruit", "Nothing", 5]) if by.random() < faults else None
        if name not in _HELD:
            raise AttributeError(name)
        return _value(by, _HELD[name], f"{seed}.{name}", faults)

    return kind(make, seed)


def _value(by: Random, held: str, seed: str, faults: float) -> Any:
    is_fault = by.random() < faults
    if held.startswith("?"):
        value = by.choice(_ERRORS) if is_fault else _value(by, held[1:], seed, faults)
        return Later(value, by.randrange(4)) if by.random() < 0.5 else value
    if held.startswith("["):
        if is_fault:
            return by.choice([*_NO_LISTS, *_ERRORS])
        items = [_value(by, held[1:], f"{seed}.{place}", faults) for place in range(by.randrange(4))]
        return tuple(items) if by.random() < 0.1 else items
    if held in _VALUES:
        return by.choice([*_VALUES[held], *_ERRORS]) if is_fault else by.choice(_VALUES[held][:2])
    if is_fault:
        return by.choice([None, "no fruit", *_ERRORS])
    if held == "perhaps" and by.random() < 0.3:
        return None
    return _fruit(by.choice([Apple, Apple, Pear]), seed, faults)
