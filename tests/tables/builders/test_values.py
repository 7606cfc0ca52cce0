import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from graph.tables.builders.values import storable, storable_text
from tests.tables.builders.strategies import JSON

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary() | st.decimals(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def nested(levels: int) -> Any:
    """A list that holds lists so many levels down, the innermost empty."""
    return [nested(levels - 1)] if levels > 1 else []


def depth(value: Any) -> int:
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 1


@given(ANYTHING)
def test_dynamodb_takes_whatever_is_given(value: Any) -> None:
    TypeSerializer().serialize(storable(value))


@given(ANYTHING)
def test_a_stored_value_stays_as_it_is(value: Any) -> None:
    once = storable(value)
    assert storable(once) == once


@given(JSON)
def test_json_keeps_its_value(value: Any) -> None:
    assert storable(value) == json.loads(json.dumps(value), parse_float=Decimal)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (0.1, Decimal("0.1")),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Decimal("NaN"), "NaN"),
        (1e300, "1E+300"),
        (1e-200, "1E-200"),
        (10**38 - 1, 10**38 - 1),
        (10**39 + 1, "1" + "0" * 38 + "1"),
        (Decimal("9.9E+125"), Decimal("9.9E+125")),
        (Decimal("1E+126"), "1E+126"),
        (date(2026, 6, 30), "2026-06-30"),
        ((1, 2), [1, 2]),
        ({1: "a"}, {"1": "a"}),
        ("a\ud800b", "a?b"),
        ({"\udfff": None}, {"?": None}),
    ],
)
def test_what_dynamodb_has_no_kind_for_becomes_text(value: Any, stored: Any) -> None:
    result = storable(value)
    assert (result, type(result)) == (stored, type(stored))


@pytest.mark.parametrize("levels", [1, 31, 32, 100])
def test_what_is_nested_too_deeply_is_kept_as_json(levels: int) -> None:
    stored = storable(nested(levels))
    assert depth(stored) == min(levels, 32)
    innermost = stored
    while isinstance(innermost, list) and innermost:
        [innermost] = innermost
    assert innermost == ([] if levels < 32 else json.dumps(nested(levels - 31)))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_of_unicode_is_stored_as_it_is(text: str) -> None:
    assert storable_text(text) == text
