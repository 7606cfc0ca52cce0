"""DynamoDB values to Python and back, once, at the edge.

Numbers become ``int`` where integral and ``float`` otherwise: nothing in these tables needs more than a double holds, and
both encode as JSON. Sets become sorted lists, so that answers are stable.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

from graph.errors import MalformedValue

Choice = TypeVar("Choice", bound=Enum)

# What a stored field holds: the value, or the error to report where the stored value is malformed.
Decoder = Callable[[Any, str], Any]

_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?")


def item(attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One item as DynamoDB sends it, in plain Python."""
    return {name: plain(value) for name, value in attributes.items()}


def plain(value: Mapping[str, Any]) -> Any:
    """One attribute value as DynamoDB sends it, in plain Python."""
    ((kind, held),) = value.items()
    match kind:
        case "S" | "BOOL" | "B":
            return held
        case "N":
            return number(held)
        case "M":
            return item(held)
        case "L":
            return [plain(element) for element in held]
        case "NULL":
            return None
        case "NS":
            return sorted(number(element) for element in held)
        case _:
            return sorted(held)


def number(text: str) -> int | float:
    """A DynamoDB number; one that is integral stays exact whatever its size."""
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def text(value: Any, _attribute: str) -> str:
    """A text, or the empty text where there is none."""
    return value if isinstance(value, str) else ""


def optional_text(value: Any, _attribute: str) -> str | None:
    """A text; VAMS writes the empty text for "none"."""
    return value if isinstance(value, str) and value else None


def flag(value: Any, _attribute: str) -> bool:
    """A truth value; absent means false, as it does for every ``*Truncated`` flag of older rows."""
    return value is True


def enabled(value: Any, _attribute: str) -> bool | None:
    """``Enabled`` or ``Disabled``, which VAMS writes instead of a truth value in places."""
    return {"Enabled": True, "Disabled": False}.get(value) if isinstance(value, str) else None


def integer(value: Any, attribute: str) -> int | MalformedValue | None:
    """A whole number."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    return MalformedValue(attribute)


def instant(value: Any, attribute: str) -> datetime | MalformedValue | None:
    """An instant, aware and in UTC. VAMS writes seconds and ``Z``; older rows may lack the zone, which is UTC too."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and (match := _INSTANT.fullmatch(value)):
        seconds, fraction, zone = match.groups()
        try:
            return datetime.fromisoformat(seconds + (fraction or "")[:7] + (zone or "Z")).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    return MalformedValue(attribute)


def mapping(value: Any, _attribute: str) -> dict[str, Any]:
    """A map; absent means empty."""
    return value if isinstance(value, dict) else {}


def optional_mapping(value: Any, _attribute: str) -> dict[str, Any] | None:
    """A map, or null where there is none."""
    return value if isinstance(value, dict) else None


def mappings(value: Any, _attribute: str) -> Sequence[dict[str, Any]]:
    """A list of maps; what is not a map is left out."""
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def texts(value: Any, _attribute: str) -> Sequence[str]:
    """A list of texts; what is not a text is left out."""
    return [element for element in value if isinstance(element, str)] if isinstance(value, list) else []


def choice(members: Mapping[str, Choice], unknown: Choice) -> Decoder:
    """A text that stands for one member of an enumeration; any other text is ``unknown``, never an error."""
    return lambda value, _attribute: members.get(value, unknown) if isinstance(value, str) else unknown
