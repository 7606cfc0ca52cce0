"""What section 6 of the GraphQL specification says of execution, both by plans and by graphql-core."""

import math
from datetime import UTC, datetime
from typing import Any

import pytest
from graphql import ExecutionResult

from tests.execution.comparing import Bench
from tests.execution.schema import Apple, Color, Later, Pear, ReturnedError, World, make_schema

BENCH = Bench(make_schema())


async def ask(document: str, variables: dict[str, Any] | None = None, **root: Any) -> ExecutionResult:
    """What a document gives, which is the same both ways."""
    return (await BENCH.both(document, lambda: World(Apple(**root)), variables)).planned


async def data(document: str, variables: dict[str, Any] | None = None, **root: Any) -> Any:
    result = await ask(document, variables, **root)
    assert not result.errors
    return result.data


def paths(result: ExecutionResult) -> list[Any]:
    return [error.path for error in result.errors or ()]


# 6.3.2 Field collection


async def test_fields_come_in_the_order_in_which_they_are_first_met() -> None:
    document = "{ b: price ...F a: label c: price } fragment F on Query { c: price d: label ... { a: label } }"
    assert list(await data(document, label="x", price=1)) == ["b", "c", "d", "a"]


async def test_what_is_selected_of_one_field_in_many_places_is_one() -> None:
    document = "{ next { name } ... { next { twin { name } } } ...F } fragment F on Query { next { twin { size } id } }"
    apple = Apple(name="a", id="1", twin=Apple(name="t", size=2))
    assert await data(document, next=apple) == {"next": {"name": "a", "twin": {"name": "t", "size": 2}, "id": "1"}}


@pytest.mark.parametrize(
    ("condition", "is_there"),
    [
        ("@skip(if: true)", False),
        ("@skip(if: $yes)", False),
        ("@skip(if: $no)", True),
        ("@include(if: false)", False),
        ("@include(if: $yes)", True),
        ("@include(if: $yes) @skip(if: $yes)", False),
    ],
)
@pytest.mark.parametrize("place", ["label {}", "... {} {{ label }}", "...F {}"])
async def test_conditions_leave_fields_and_fragments_out(condition: str, is_there: bool, place: str) -> None:
    fragment = "fragment F on Query { label }" if "...F" in place else ""
    document = (
        "query ($yes: Boolean = true, $no: Boolean!) { price x: price @include(if: $yes) y: price @include(if: $no) "
        + place.format(condition)
        + " } "
        + fragment
    )
    assert ("label" in await data(document, {"no": False}, label="x", price=1)) is is_there


async def test_one_plan_serves_every_outcome_of_its_conditions() -> None:
    document = "query ($with: Boolean!) { next { name twin @include(if: $with) { name } } }"
    apple = Apple(name="a", twin=Apple(name="t"))
    for given in (True, False, True):
        answer = await data(document, {"with": given}, next=apple)
        assert ("twin" in answer["next"]) is given


async def test_fragments_on_other_types_are_left_out() -> None:
    document = """{ guests { __typename ... on Apples { id } ... on Pears { twin { name } } ... on Fruit { name } } }"""
    assert await data(document, guests=[Apple(id="1", name="a"), Pear(name="p", twin=None)]) == {
        "guests": [{"__typename": "Apples", "id": "1", "name": "a"}, {"__typename": "Pears", "twin": None, "name": "p"}]
    }


# 6.4.1 Coercing arguments


@pytest.mark.parametrize(
    ("arguments", "variables", "seen"),
    [
        ("", {}, "7 None None None None"),
        ("(number: 3)", {}, "3 None None None None"),
        ("(number: $n)", {}, "7 None None None None"),
        ("(number: $n)", {"n": 4}, "4 None None None None"),
        ("(color: RED)", {}, "7 None Color.RED None None"),
        ("(text: null)", {}, "7 None None None None"),
        ('(wish: { text: "w", colors: [GREEN] })', {}, "7 None None Wish(text='w', colors=[<Color.GREEN: 'g'>]) None"),
    ],
)
async def test_arguments_are_literals_variables_or_defaults(
    arguments: str, variables: dict[str, Any], seen: str
) -> None:
    operation = "query ($n: Int! = 7)" if "$n" in arguments else "query"
    document = f"{operation} {{ echo{arguments} next {{ echo{arguments} }} }}"
    assert await data(document, variables, next=Apple()) == {"echo": seen, "next": {"echo": seen}}


async def test_a_plan_keeps_no_argument_of_a_request() -> None:
    document = BENCH.document("query ($t: String) { echo(text: $t) other: echo(number: 1) }")
    plans = BENCH.plans(document)
    for text in ("one", "two"):
        result = await BENCH.planned(plans, document, World(Apple()), {"t": text})
        assert result.data == {"echo": f"7 {text!r} None None None", "other": "1 None None None None"}


async def test_an_argument_that_is_refused_costs_its_field() -> None:
    result = await ask("{ next { a: echo(number: -1) b: echo } }", next=Apple())
    assert result.data == {"next": {"a": None, "b": "7 None None None None"}}
    assert paths(result) == [["next", "a"]]


async def test_a_variable_that_cannot_be_coerced_refuses_the_whole() -> None:
    result = await ask("query ($n: Int!) { echo(number: $n) }", {"n": "x"})
    assert result.data is None
    assert paths(result) == [None]


# 6.4.3 Value completion


@pytest.mark.parametrize(
    ("field", "held", "shown"),
    [
        ("name", "text", "text"),
        ("name", 5, "5"),
        ("name", True, "true"),
        ("id", 5, "5"),
        ("size", 2**31 - 1, 2**31 - 1),
        ("size", 3.0, 3),
        ("size", "12", 12),
        ("size", True, 1),
        ("ratio", 0.5, 0.5),
        ("ratio", 3, 3.0),
        ("isRipe", 1, True),
        ("color", Color.GREEN, "GREEN"),
        ("color", None, None),
        ("colors", (Color.RED,), ["RED"]),
        ("names", ["a", None, 3], ["a", None, "3"]),
        ("rows", [[1, 2], None, []], [[1, 2], None, []]),
        ("pickedAt", datetime(2026, 7, 14, 9, 30, tzinfo=UTC), "2026-07-14T09:30:00.000Z"),
        ("seeds", 2**40, 2**40),
        ("notes", {"a": [None]}, {"a": [None]}),
    ],
)
async def test_leaves_are_coerced(field: str, held: Any, shown: Any) -> None:
    name = {"isRipe": "is_ripe", "pickedAt": "picked_at"}.get(field, field)
    assert await data(f"{{ next {{ {field} }} }}", next=Apple(**{name: held})) == {"next": {field: shown}}


@pytest.mark.parametrize(
    ("field", "held"),
    [
        ("size", 2**31),
        ("size", -(2**31) - 1),
        ("size", 1.5),
        ("size", "no"),
        ("size", math.nan),
        ("ratio", math.nan),
        ("ratio", math.inf),
        ("ratio", "no"),
        ("color", "BLUE"),
        ("color", []),
        ("isSold", "true"),
        ("colors", "RED"),
        ("colors", [Color.RED, None]),
        ("pickedAt", "2026"),
        ("seeds", 2**60),
        ("rows", 5),
        ("twin", "no record"),
        ("twin", ReturnedError("in the place of a value")),
        ("notes", ReturnedError("in the place of a value")),
    ],
)
async def test_what_is_no_such_value_is_null_with_an_error_beside_its_siblings(field: str, held: Any) -> None:
    name = {"isSold": "is_sold", "pickedAt": "picked_at"}.get(field, field)
    below = "{ name }" if field == "twin" else ""
    result = await ask(f"{{ next {{ name {field} {below} }} }}", next=Apple(**{"name": "a", name: held}))
    assert result.data == {"next": {"name": "a", field: None}}
    assert paths(result)[0][:2] == ["next", field]


async def test_an_item_that_fails_is_null_alone_where_it_may_be() -> None:
    pieces = [Apple(name="a"), Apple(name=None), None, Apple(name=ReturnedError("no"))]
    result = await ask("{ next { pieces { name } } }", next=Apple(pieces=pieces))
    assert result.data == {"next": {"pieces": [{"name": "a"}, None, None, None]}}
    assert paths(result) == [["next", "pieces", 1, "name"], ["next", "pieces", 3, "name"]]


async def test_objects_of_either_type_are_told_apart() -> None:
    result = await ask(
        "{ guests { __typename name } }", guests=[Apple(name="a"), Pear(name="p"), None, Apple(claims="Nothing")]
    )
    assert result.data == {
        "guests": [{"__typename": "Apples", "name": "a"}, {"__typename": "Pears", "name": "p"}, None, None]
    }
    assert paths(result) == [["guests", 3]]


# 6.4.4 Handling execution errors


async def test_an_error_leaves_its_siblings() -> None:
    result = await ask(
        "{ next { price } price label }", price=Later(ValueError("no"), 2), label="x", next=Apple(price=1)
    )
    assert result.data == {"next": {"price": 1}, "price": None, "label": "x"}
    assert paths(result) == [["price"]]
    [error] = result.errors or []
    assert [(location.line, location.column) for location in error.locations or ()] == [(1, 18)]


@pytest.mark.parametrize("turns", [0, 3])
async def test_null_goes_up_to_the_nearest_place_that_may_be_null(turns: int) -> None:
    document = "{ next { name next { best { friends { label } } } } }"
    failing = Apple(friends=[Apple(label="x"), Apple(label=Later(ValueError("no"), turns))])
    result = await ask(document, next=Apple(name="a", next=Apple(best=failing)))
    assert result.data == {"next": {"name": "a", "next": None}}
    assert paths(result) == [["next", "next", "best", "friends", 1, "label"]]


@pytest.mark.parametrize("turns", [0, 3])
async def test_null_goes_up_to_the_whole(turns: int) -> None:
    result = await ask("{ price best { core { label } } }", price=1, best=Apple(core=Apple(label=Later(None, turns))))
    assert result.data is None
    assert paths(result) == [["best", "core", "label"]]


async def test_one_error_is_told_of_a_place_that_several_make_null() -> None:
    apples = [Apple(label=Later(ValueError("no"), turns)) for turns in range(4)]
    result = await ask("{ next { friends { label } } }", next=Apple(friends=apples))
    assert result.data == {"next": None}
    assert len(result.errors or ()) == 1


async def test_an_error_that_a_resolver_returns_is_raised() -> None:
    result = await ask("{ next { name } guests { name } }", next=ReturnedError("a"), guests=[ReturnedError("b")])
    assert result.data == {"next": None, "guests": [None]}
    assert paths(result) == [["next"], ["guests", 0]]


# Beyond queries


async def test_fields_of_changes_are_answered_one_after_another() -> None:
    document = "mutation { a: price b: price }"
    assert await data(document, price=Later(1, 2)) == {"a": 1, "b": 1}


async def test_introspection_stands_beside_other_fields() -> None:
    document = '{ __typename price __type(name: "Pears") { name fields { name } } __schema { queryType { name } } }'
    answer = await data(document, price=1)
    assert answer["__type"]["name"] == "Pears"
    assert answer["__schema"] == {"queryType": {"name": "Query"}}
