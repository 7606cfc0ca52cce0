"""DynamoDB values to Python and back, once, at the edge.

Numbers become ``int`` where integral and ``float`` otherwise: nothing in these tables needs more than a double holds,
and both encode as JSON. So do the rest: sets become sorted lists, and bytes become base64.

Here values are read as far as they can be, which is right for what is shown. What decides about permissions is read by
:mod:`graph.tables.deciding`.
"""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

from graph.errors import MalformedValue

Choice = TypeVar("Choice", bound=Enum)
Sound = TypeVar("Sound")

Value = Mapping[str, Any]
"""An attribute value as DynamoDB writes it: what is held, under its one kind."""

# What a stored field holds: the value, or the error to report where the stored value is malformed.
Decoder = Callable[[Value | None, str], Any]

_TOO_LONG = 2**63
_DIGITS = 19  # fewer always fit below it
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?")


def item(attributes: Mapping[str, Value]) -> dict[str, Any]:
    """Return one item as DynamoDB writes it, in plain Python."""
    return {name: value["S"] if "S" in value else plain(value) for name, value in attributes.items()}


def plain(value: Value) -> Any:
    """Return one attribute value as DynamoDB writes it, in plain Python."""
    ((kind, held),) = value.items()
    match kind:
        case "S" | "BOOL":
            return held
        case "B":
            return held if isinstance(held, str) else base64.b64encode(held).decode()  # boto3 has decoded it
        case "N":
            return number(held)
        case "M":
            return item(held)
        case "L":
            return [element["S"] if "S" in element else plain(element) for element in held]
        case "NULL":
            return None
        case _:  # a set of strings, numbers or bytes
            return sorted(plain({kind[0]: element}) for element in held)


def sound(value: Sound | MalformedValue) -> Sound:
    """Return the value of a stored field.

    Raises:
        MalformedValue: when the field holds none.
    """
    if isinstance(value, MalformedValue):
        raise value
    return value


def number(text: str) -> int | float:
    """Return a DynamoDB number; an integer stays exact while it fits into the 64 bits that JSON encoders take."""
    if text.isdecimal() and len(text) < _DIGITS:
        return int(text)
    exact = Decimal(text)
    return int(exact) if abs(exact) < _TOO_LONG and exact == exact.to_integral_value() else float(exact)


def text(value: Value | None, _attribute: str) -> str:
    """Return a text, or the empty text where there is none."""
    held = None if value is None else value.get("S")
    return held if held is not None else ""


def optional_text(value: Value | None, _attribute: str) -> str | None:
    """Return a text; VAMS writes the empty text for "none"."""
    return None if value is None else value.get("S") or None


def flag(value: Value | None, _attribute: str) -> bool:
    """Return a truth value; absent means false, as it does for every ``*Truncated`` flag of older rows."""
    return value is not None and value.get("BOOL") is True


def enabled(value: Value | None, attribute: str) -> bool | None:
    """Return the truth of ``Enabled`` or ``Disabled``, which VAMS writes instead of a truth value in places."""
    return {"Enabled": True, "Disabled": False}.get(text(value, attribute))


def integer(value: Value | None, attribute: str) -> int | MalformedValue | None:
    """Return a whole number."""
    if value is None or "NULL" in value:
        return None
    held = number(value["N"]) if "N" in value else None
    return held if isinstance(held, int) else MalformedValue(attribute)


def instant(value: Value | None, attribute: str) -> datetime | MalformedValue | None:
    """Return an aware instant in UTC. VAMS writes seconds and ``Z``; older rows may lack the zone, which is UTC."""
    if value is None or "NULL" in value or value.get("S") == "":
        return None
    if match := _INSTANT.fullmatch(value.get("S", "")):
        seconds, fraction, zone = match.groups()
        try:
            instant = datetime.fromisoformat(seconds + (fraction or "")[:7] + (zone or "Z"))
            return instant if instant.tzinfo is UTC else instant.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    return MalformedValue(attribute)


def mapping(value: Value | None, attribute: str) -> dict[str, Any]:
    """Return a map; absent means empty."""
    return optional_mapping(value, attribute) or {}


def optional_mapping(value: Value | None, _attribute: str) -> dict[str, Any] | None:
    """Return a map, or null where there is none."""
    return item(value["M"]) if value is not None and "M" in value else None


def mappings(value: Value | None, _attribute: str) -> Sequence[dict[str, Any]]:
    """Return a list of maps; what is not a map is left out."""
    return [element for element in _elements(value) if isinstance(element, dict)]


def others_than_mappings(value: Value | None, _attribute: str) -> int:
    """Return how many elements :func:`mappings` leaves out; a value of another kind is one."""
    held = None if value is None else plain(value)
    if not isinstance(held, list):
        return int(held is not None)
    return sum(not isinstance(element, dict) for element in held)


def texts(value: Value | None, _attribute: str) -> Sequence[str]:
    """Return a list of texts; what is not a text is left out."""
    return [element for element in _elements(value) if isinstance(element, str)]


def choice(members: Mapping[str, Choice], unknown: Choice) -> Decoder:
    """Return a text that stands for one member of an enumeration; any other text is ``unknown``, never an error."""
    return lambda value, _attribute: unknown if value is None else members.get(value.get("S", ""), unknown)


def _elements(value: Value | None) -> Sequence[Any]:
    """Return the elements of a list or a set, in plain Python; none where the value is of another kind."""
    held = None if value is None else plain(value)
    return held if isinstance(held, list) else ()
