"""What Python and DynamoDB hold, as JSON."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.encoding import encode

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(PLAIN)
def test_what_json_has_comes_back(value: Any) -> None:
    assert json.loads(encode(value)) == value


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
        ({"big": 2**70, "in": {Decimal("0.5")}}, '{"big":1180591620717411303424,"in":[0.5]}'),
    ],
)
def test_what_json_has_not_is_settled(value: Any, encoded: str) -> None:
    assert encode(value).decode() == encoded


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        encode({"a": object()})
