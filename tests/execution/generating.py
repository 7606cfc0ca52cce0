"""Random operations over the small schema, and random worlds to ask them of."""

import math
from datetime import UTC, datetime
from random import Random
from typing import Any

from graphql import GraphQLSchema, get_named_type, is_abstract_type, is_composite_type
from hypothesis import strategies as st

from graph.errors import Forbidden, MalformedValue
from tests.execution.schema import Apple, Color, Later, Pear, ReturnedError, World

Draw = st.DrawFn

_CONDITIONS = [
    "",
    "",
    "",
    "",
    "",
    " @include(if: true)",
    " @skip(if: true)",
    " @include(if: $yes)",
    " @skip(if: $yes)",
    " @include(if: $no)",
    " @skip(if: $no) @include(if: $yes)",
]
_ECHOES = [
    "",
    "(number: 3)",
    "(number: -1)",
    "(number: $number)",
    '(text: "a\\nb")',
    "(text: $text)",
    "(text: null)",
    "(color: RED)",
    "(color: $color)",
    '(wish: { text: "w", colors: [RED, GREEN] })',
    "(wish: $wish)",
    "(wish: { text: $given })",
    '(at: "2026-07-14T09:30:00Z")',
    '(at: "no instant")',
    "(number: $number, text: $given)",
]
_VARIABLES = {
    "yes": "Boolean = true",
    "no": "Boolean!",
    "number": "Int! = 5",
    "text": "String",
    "given": 'String! = "g"',
    "color": "Color = GREEN",
    "wish": "Wish",
}


@st.composite
def operations(draw: Draw, schema: GraphQLSchema) -> str:
    """A valid query: the fields of a key are alike wherever it stands, so that all can be merged."""
    fragments: list[str] = []
    body = " ".join([_selections(draw, schema, schema.type_map["Query"], 4, fragments), *fragments])
    defined = ", ".join(f"${name}: {kind}" for name, kind in _VARIABLES.items() if f"${name}" in body)
    return f"query ({defined}) {body}" if defined else f"query {body}"


def _selections(draw: Draw, schema: GraphQLSchema, kind: Any, depth: int, fragments: list[str]) -> str:
    written = [_selection(draw, schema, kind, depth, fragments) for _ in range(draw(st.integers(1, 5)))]
    return "{ " + " ".join(written) + " }"


def _selection(draw: Draw, schema: GraphQLSchema, kind: Any, depth: int, fragments: list[str]) -> str:
    condition = draw(st.sampled_from(_CONDITIONS))
    how = draw(st.integers(0, 11))
    if how == 0 and depth > 0:
        on = draw(st.sampled_from(_conditions_of(schema, kind)))
        return f"...{on and f' on {on}'}{condition} " + _selections(
            draw, schema, schema.type_map[on] if on else kind, depth - 1, fragments
        )
    if how == 1 and depth > 0:
        on = draw(st.sampled_from(_conditions_of(schema, kind)[1:]))
        body = _selections(draw, schema, schema.type_map[on], depth - 1, fragments)
        fragments.append(f"fragment F{len(fragments)} on {on} {body}")
        return f"...F{len(fragments) - 1}{condition}"
    if how == 2:
        return f"__typename{condition}"
    names = [
        name for name, field in kind.fields.items() if depth > 0 or not is_composite_type(get_named_type(field.type))
    ]
    name = draw(st.sampled_from(names))
    if name == "echo":
        number = draw(st.integers(0, len(_ECHOES) - 1))
        return f"echo{number}: echo{_ECHOES[number]}{condition}"
    if name == "length":
        times = draw(st.integers(1, 3))
        return f"length{times}: length(times: {times}){condition}"
    alias = draw(st.sampled_from(["", "", "", f"{name}Too: "]))
    inner = get_named_type(kind.fields[name].type)
    # Types that differ have fields of one name that differ, so each goes by the name of its type.
    if kind.name in ("Pears", "Plain"):
        alias = f"{kind.name}_{name}: "
    if is_abstract_type(kind):
        alias = f"{kind.name}_{name}: "
    if is_composite_type(inner):
        return f"{alias}{name}{condition} {_selections(draw, schema, inner, depth - 1, fragments)}"
    return f"{alias}{name}{condition}"


def _conditions_of(schema: GraphQLSchema, kind: Any) -> list[str]:
    if is_abstract_type(kind):
        return ["", kind.name, *(possible.name for possible in schema.get_possible_types(kind))]
    return ["", kind.name, *(interface.name for interface in kind.interfaces)]


variables = st.fixed_dictionaries(
    {"no": st.booleans()},
    optional={
        "yes": st.booleans(),
        "number": st.sampled_from([0, 9, -1]),
        "text": st.sampled_from(["t", None]),
        "given": st.just("variable"),
        "color": st.sampled_from(["RED", None]),
        "wish": st.sampled_from([{"text": "v"}, {"colors": ["GREEN"]}, None]),
    },
)

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

    return kind(make)


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
