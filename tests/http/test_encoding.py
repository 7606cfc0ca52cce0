"""What Python and DynamoDB hold, as JSON."""

import asyncio
import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.http.encoding import TooLong, encode, encode_in_turns


def values_of(numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of JSON with some numbers in them."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | numbers,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=10,
    )


PLAIN = values_of(st.floats(allow_nan=False, allow_infinity=False))


@given(PLAIN)
def test_what_json_has_comes_back(value: Any) -> None:
    assert json.loads(encode(value)) == value


@given(values_of(st.sampled_from([math.nan, math.inf, -math.inf, Decimal("NaN"), 2**70, 0.5])))
def test_whatever_the_numbers_it_is_json(value: Any) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(encode(value), parse_constant=refuse)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (Decimal(5), "5"),
        (Decimal("5.00"), "5"),
        (Decimal("0.1"), "0.1"),
        (Decimal("1E+2"), "100"),
        (Decimal(12345678901234567890), "12345678901234567890"),
        (Decimal("Infinity"), "null"),
        (2**70, "1180591620717411303424"),
        (float("nan"), "null"),
        ({"b", "a"}, '["a","b"]'),
        (frozenset({Decimal(2), Decimal(1)}), "[1,2]"),
        (datetime(2026, 7, 14, 9, 30, tzinfo=UTC), '"2026-07-14T09:30:00Z"'),
        (date(2026, 7, 14), '"2026-07-14"'),
        ({1: "a"}, '{"1":"a"}'),
        ("\ud800", '"\\ud800"'),
        (
            {"big": [2**70, math.inf], "not": (math.nan, Decimal("NaN"))},
            '{"big":[1180591620717411303424,null],"not":[null,null]}',
        ),
        ({"big": 2**70, "in": {Decimal("0.5")}}, '{"big":1180591620717411303424,"in":[0.5]}'),
    ],
)
def test_what_json_has_not_is_settled(value: Any, encoded: str) -> None:
    assert encode(value).decode() == encoded


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        encode({"a": object()})


@settings(max_examples=30)
@given(PLAIN, st.lists(st.dictionaries(st.text(max_size=3), PLAIN, max_size=3), max_size=5))
async def test_in_turns_it_is_the_same(value: Any, rows: list[Any]) -> None:
    long = {"data": {"value": value, "rows": rows * 2_000, "text": "x" * 70_000, "none": [], "nothing": {}}}
    for each in (value, long):
        assert json.loads(await encode_in_turns(each, 10**9)) == json.loads(encode(each))


async def test_names_that_are_no_texts_are_written_as_they_are_at_once() -> None:
    value = [{1: "x" * 100_000, None: [Decimal(1), {3, 1}]}]
    assert await encode_in_turns(value, 10**9) == encode(value)


async def test_what_is_too_long_is_given_up_before_it_is_written() -> None:
    text = "x" * 1_000_000
    alike = [{"a": text} for _ in range(1_000_000)]  # a terabyte
    with pytest.raises(TooLong):
        await encode_in_turns(alike, 10_000_000)


async def test_others_have_their_turns_meanwhile() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await encode_in_turns([{"text": "x" * 60_000} for _ in range(5_000)], 10**9)
    counting.cancel()
    assert turns > 1
