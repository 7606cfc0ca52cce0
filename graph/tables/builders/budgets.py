"""The byte budgets of an item, and what of its texts and collections fits into them.

The budgets and the way that fields share them are those of VAMS. It measures a collection by its JSON, which is short
of what DynamoDB counts where many small collections are nested, so the larger of the two counts here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graph.tables.builders.sizes import COLLECTION_BYTES, ELEMENT_BYTES, text_size, value_size
from graph.tables.builders.values import storable

TEXT_BUDGET = 380 * 1024
"""Bytes of all free text in one item; the other 20 KiB are for keys and small attributes."""

LOG_BUDGET = 390 * 1024
"""Bytes of the log texts in one item, whose other attributes are few."""

COLLECTION_BUDGET = 256 * 1024
"""Bytes of all lists and maps in one item. They come first; what they leave of the text budget is for texts."""

_SEPARATOR = 2  # ", " and ": ", and the two brackets around all


class FittedText(NamedTuple):
    """A text as far as it fits."""

    text: str
    is_truncated: bool


class FittedCollection(NamedTuple):
    """A list or a map as far as it fits, in storable values; ``size`` is what it takes of a budget."""

    value: Any
    is_truncated: bool
    size: int


def fit_texts(budget: int, *texts: str) -> list[FittedText]:
    """Return the leading part of each text, such that all together take at most some bytes of UTF-8."""
    encoded = [text.encode(errors="replace") for text in texts]
    allowances = share(budget, list(map(len, encoded)))
    return [
        FittedText(text[:allowance].decode(errors="ignore"), len(text) > allowance)
        for text, allowance in zip(encoded, allowances, strict=True)
    ]


def fit_collections(budget: int, *collections: Sequence[Any] | Mapping[str, Any]) -> list[FittedCollection]:
    """Return the leading elements of each list or map, such that all together stay within some bytes.

    The entries of a map are dropped from the end of the order of their names.
    """
    stored = [storable(collection) for collection in collections]
    allowances = share(budget, list(map(_size, stored)))
    return [_fit(value, allowance) for value, allowance in zip(stored, allowances, strict=True)]


def share(budget: int, sizes: Sequence[int]) -> list[int]:
    """Return what each field may take of a budget, in bytes.

    Where not all fit, each has an equal share. A smaller field leaves the rest of its share to the others, and the
    first of those that do not fit takes what remains of the division, as far as it has bytes for it.
    """
    allowances = list(sizes)
    if sum(sizes) <= budget:
        return allowances
    left, oversized = budget, list(range(len(sizes)))
    while True:
        equal, remainder = divmod(left, len(oversized))
        fitting = [place for place in oversized if sizes[place] <= equal]
        if not fitting:
            break
        left -= sum(sizes[place] for place in fitting)
        oversized = [place for place in oversized if sizes[place] > equal]
    for place in oversized:
        more = min(remainder, sizes[place] - equal)
        allowances[place] = equal + more
        remainder -= more
    return allowances


def _size(value: Any) -> int:
    return max(_json_size(value), value_size(value))


def _json_size(value: Any) -> int:
    """Return the bytes of a value in JSON, in which all that is not ASCII is escaped."""
    return len(json.dumps(value, default=str))


def _fit(value: Any, allowance: int) -> FittedCollection:
    size = _size(value)
    if size <= allowance:
        return FittedCollection(value, is_truncated=False, size=size)
    kept: Any
    if isinstance(value, dict):
        names = sorted(value)
        fitting = names[: _leading((_entry_sizes(name, value[name]) for name in names), allowance)]
        kept = {name: value[name] for name in fitting}
    else:
        kept = value[: _leading(map(_element_sizes, value), allowance)]
    return FittedCollection(kept, is_truncated=len(kept) < len(value), size=_size(kept))


def _leading(sizes: Iterable[tuple[int, int]], allowance: int) -> int:
    """Return how many elements fit, from their sizes in JSON and in DynamoDB."""
    in_json, stored, count = 0, COLLECTION_BYTES, 0
    for element_in_json, element_stored in sizes:
        in_json += element_in_json
        stored += element_stored
        if max(in_json, stored) > allowance:
            break
        count += 1
    return count


def _element_sizes(element: Any) -> tuple[int, int]:
    return _json_size(element) + _SEPARATOR, value_size(element) + ELEMENT_BYTES


def _entry_sizes(name: str, element: Any) -> tuple[int, int]:
    in_json, stored = _element_sizes(element)
    return _json_size(name) + _SEPARATOR + in_json, text_size(name) + stored
