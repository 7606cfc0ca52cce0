import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.tables.builders.budgets import fit_collections, fit_texts, share
from graph.tables.builders.sizes import value_size
from graph.tables.builders.values import storable
from tests.tables.builders.strategies import JSON

SIZES = st.lists(st.integers(0, 1000), min_size=1, max_size=6)
BUDGETS = st.integers(0, 3000)


@pytest.mark.parametrize(
    ("budget", "sizes", "shares"),
    [
        (100, [50, 50], [50, 50]),
        (100, [500], [100]),
        (100, [500, 500], [50, 50]),
        (100, [30, 500], [30, 70]),
        (100, [500, 0, 500], [50, 0, 50]),
        (100, [500, 500, 500], [34, 33, 33]),
        (100, [10, 500, 500, 500], [10, 30, 30, 30]),
        (100, [10, 501, 20, 500], [10, 35, 20, 35]),
        (101, [10, 501, 20, 500], [10, 36, 20, 35]),
        (100, [30, 36, 500], [30, 35, 35]),
        (2, [1, 1, 1], [1, 1, 0]),
        (11, [3, 3, 3, 3], [3, 3, 3, 2]),
        (101, [500, 500, 500], [35, 33, 33]),
    ],
)
def test_fields_share_a_budget(budget: int, sizes: list[int], shares: list[int]) -> None:
    assert share(budget, sizes) == shares


@given(BUDGETS, SIZES)
def test_a_budget_is_used_and_never_exceeded(budget: int, sizes: list[int]) -> None:
    assert sum(share(budget, sizes)) == min(budget, sum(sizes))
    assert all(allowance <= size for allowance, size in zip(share(budget, sizes), sizes, strict=True))


@given(BUDGETS, SIZES)
def test_who_is_cut_has_no_less_than_anybody_else(budget: int, sizes: list[int]) -> None:
    shares = share(budget, sizes)
    cut = [allowance for allowance, size in zip(shares, sizes, strict=True) if allowance < size]
    assert all(allowance + 1 >= max(shares) - len(sizes) for allowance in cut)
    assert all(allowance >= budget // len(sizes) for allowance in cut)


@given(st.integers(0, 200), st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=3))
def test_texts_are_cut_between_characters(budget: int, texts: list[str]) -> None:
    fitted = fit_texts(budget, *texts)
    assert sum(len(one.text.encode()) for one in fitted) <= budget
    for text, one in zip(texts, fitted, strict=True):
        assert text.startswith(one.text)
        assert one.is_truncated == (one.text != text)
        # What a cut loses beside the budget is less than a character.
    lost = min(budget, sum(len(text.encode()) for text in texts)) - sum(len(one.text.encode()) for one in fitted)
    assert lost <= 3 * len(texts)


@given(st.integers(0, 400), st.lists(JSON, max_size=20))
def test_a_list_keeps_its_beginning(budget: int, value: list[Any]) -> None:
    [fitted] = fit_collections(budget, value)
    stored = storable(value)
    assert fitted.value == stored[: len(fitted.value)]
    assert fitted.is_truncated == (len(fitted.value) < len(stored))
    assert fitted.size == measured(fitted.value)
    assert fitted.size <= max(budget, 3)
    if fitted.is_truncated:
        assert measured(stored[: len(fitted.value) + 1]) > budget


@given(st.integers(0, 400), st.dictionaries(st.text(max_size=5), JSON, max_size=20))
def test_a_map_loses_the_last_of_its_names(budget: int, value: dict[str, Any]) -> None:
    [fitted] = fit_collections(budget, value)
    stored = storable(value)
    names = sorted(stored)
    assert fitted.value == {name: stored[name] for name in names[: len(fitted.value)]}
    assert fitted.is_truncated == (len(fitted.value) < len(stored))
    assert fitted.size <= max(budget, 3)
    if fitted.is_truncated:
        assert measured({name: stored[name] for name in names[: len(fitted.value) + 1]}) > budget


def measured(value: Any) -> int:
    return max(len(json.dumps(value, default=str)), value_size(value))


@pytest.mark.parametrize("element", [[[[[]]]], {"a": {}}, "\N{EURO SIGN}", 0.1, None, "plain"], ids=repr)
def test_both_the_json_and_the_stored_bytes_are_bounded(element: Any) -> None:
    [fitted] = fit_collections(1000, [element] * 1000)
    assert fitted.is_truncated
    assert len(json.dumps(fitted.value, default=str)) <= 1000
    assert value_size(fitted.value) <= 1000
