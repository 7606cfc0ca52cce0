from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.tables.builders.sizes import item_size, value_size
from tests.tables.builders.strategies import JSON


@pytest.mark.parametrize(
    ("value", "size"),
    [
        # Strings: the bytes of UTF-8.
        ("", 0),
        ("pump", 4),
        ("geprüft", 8),
        ("\N{EURO SIGN}\N{GRINNING FACE}", 7),
        # Numbers: a byte for two significant digits, and one; leading and trailing zeros count nothing.
        (0, 1),
        (7, 2),
        (27, 2),
        (100, 2),
        (123, 3),
        (-27, 3),
        (Decimal("0.1"), 2),
        (Decimal("0.0012"), 2),
        (Decimal("1200.00"), 2),
        (1.5, 2),
        (Decimal(12345678901234567890123456789012345678), 20),
        # Null and truth values: one byte.
        (None, 1),
        (True, 1),
        (False, 1),
        # Binary: the raw bytes.
        (b"\x00\xff", 2),
        # Lists and maps: three bytes, and one for each element with what it holds.
        ([], 3),
        ({}, 3),
        (["ab", None], 3 + 1 + 2 + 1 + 1),
        ({"key": "value"}, 3 + 1 + 3 + 5),
        ([[[]]], 3 + 1 + 3 + 1 + 3),
        ({"a": {"ü": [1]}}, 3 + 1 + 1 + 3 + 1 + 2 + 3 + 1 + 2),
    ],
)
def test_a_value_has_the_size_that_dynamodb_counts(value: Any, size: int) -> None:
    assert value_size(value) == size


def test_an_item_is_its_names_and_its_values() -> None:
    assert item_size({}) == 0
    assert item_size({"id": "pump", "größe": 27, "tags": ["a"]}) == (2 + 4) + (7 + 2) + (4 + 3 + 1 + 1)


@pytest.mark.parametrize("value", [{"a"}, object(), 1j])
def test_what_no_item_holds_has_no_size(value: Any) -> None:
    with pytest.raises(TypeError, match="No item holds"):
        value_size(value)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_an_item_is_a_map_without_the_bytes_of_one(item: dict[str, Any]) -> None:
    assert item_size(item) == value_size(item) - 3 - len(item)
