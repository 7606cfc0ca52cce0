"""What decides about permissions, read strictly: only as what VAMS writes there.

A value of another kind, or one that holds something of another kind, is a :class:`MalformedValue`. It is never the
empty value, which could open what the value that was meant closes. Whoever decides takes it for unknown.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from graph.errors import MalformedValue
from graph.tables.decode import Decoder, Value

Element = TypeVar("Element")


def required_id(value: Value | None, attribute: str) -> str | MalformedValue:
    """Return an id that must be there."""
    return _id(value) or MalformedValue(attribute)


def optional_id(value: Value | None, attribute: str) -> str | MalformedValue | None:
    """Return an id; VAMS writes the empty text for "none"."""
    if value is None:
        return None
    return value["S"] or None if "S" in value else MalformedValue(attribute)


def ids(value: Value | None, attribute: str) -> Sequence[str] | MalformedValue:
    """Return a list of ids; absent means empty."""
    return _each(_id, value, attribute)


def asset_ids(value: Value | None, attribute: str) -> Sequence[tuple[str, str]] | MalformedValue:
    """Return a list of maps that name an asset each, as the ids of its database and of itself; absent means empty."""
    return _each(_asset_id, value, attribute)


def flag(value: Value | None, attribute: str) -> bool | MalformedValue:
    """Return a truth value; absent means false, as it does for every ``*Truncated`` flag of older rows."""
    held = False if value is None else value.get("BOOL")
    return held if isinstance(held, bool) else MalformedValue(attribute)


def compared_text(value: Value | None, attribute: str) -> str | MalformedValue | None:
    """Return a text that constraints compare. Null is as good as absent, as it is to VAMS."""
    return optional_id(_without_null(value), attribute)


def compared_texts(value: Value | None, attribute: str) -> Sequence[str] | MalformedValue:
    """Return a list of texts that constraints compare. Null is as good as absent, as it is to VAMS."""
    return _each(_text, _without_null(value), attribute)


def compared_entry(name: str) -> Decoder:
    """Return a text within a map, read as :func:`compared_text`."""

    def read(value: Value | None, attribute: str) -> str | MalformedValue | None:
        held = _without_null(value)
        if held is None:
            return None
        return compared_text(held["M"].get(name), attribute) if "M" in held else MalformedValue(attribute)

    return read


def item(attributes: Mapping[str, Value]) -> dict[str, Any]:
    """Return one item in Python values of which no two kinds share a type, for rows that are judged whole."""
    return {name: _typed(value) for name, value in attributes.items()}


def _typed(value: Value) -> Any:
    ((kind, held),) = value.items()
    match kind:
        case "M":
            return item(held)
        case "L":
            return [_typed(element) for element in held]
        case "B":
            return bytes(held, "ascii") if isinstance(held, str) else bytes(held)
        case "SS" | "NS" | "BS":
            return frozenset(held)
        case "N":
            return Decimal(held)
        case "NULL":
            return None
        case _:  # a text or a truth value
            return held


def _each(
    read: Callable[[Value], Element | None], value: Value | None, attribute: str
) -> Sequence[Element] | MalformedValue:
    """Return every element of a list. An unreadable one makes the list malformed: left out, it would decide nothing."""
    elements = [] if value is None else value.get("L")
    if elements is None:
        return MalformedValue(attribute)
    found = [each for element in elements if (each := read(element)) is not None]
    return found if len(found) == len(elements) else MalformedValue(attribute)


def _text(value: Value | None) -> str | None:
    return None if value is None else value.get("S")


def _id(value: Value | None) -> str | None:
    return _text(value) or None


def _asset_id(value: Value) -> tuple[str, str] | None:
    entries = value.get("M", {})
    database_id, asset_id = _id(entries.get("databaseId")), _id(entries.get("assetId"))
    return (database_id, asset_id) if database_id and asset_id else None


def _without_null(value: Value | None) -> Value | None:
    return None if value is None or "NULL" in value else value
