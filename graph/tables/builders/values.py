"""Free-form values as DynamoDB can store them."""

import json
from collections.abc import Mapping
from decimal import Clamped, Context, Decimal, Inexact, Overflow, Rounded, Subnormal, Underflow
from typing import Any

# The elements of an attribute may be nested 32 levels deep, the attribute itself being the first.
_MOST_LEVELS = 32

# 38 digits, from 1E-130 to 9.9E+125.
_NUMBERS = Context(prec=38, Emin=-130, Emax=125, traps=[Clamped, Inexact, Overflow, Rounded, Subnormal, Underflow])


def storable(value: object, level: int = 1) -> Any:
    """Return a value as plain Python that DynamoDB stores.

    Numbers with a fraction become decimals. What has no kind of its own there becomes text: NaN and the infinities,
    numbers too long or too large, values of other types, and collections nested too deeply, which are JSON then.
    """
    match value:
        case None | bool():
            return value
        case str():
            return storable_text(value)
        case int() | float() | Decimal():
            return _number(value)
        case Mapping() | list() | tuple() if level == _MOST_LEVELS:
            return storable_text(json.dumps(value, default=str))
        case Mapping():
            return {storable_text(str(name)): storable(element, level + 1) for name, element in value.items()}
        case list() | tuple():
            return [storable(element, level + 1) for element in value]
    return storable_text(str(value))


def storable_text(text: str) -> str:
    """Return a text with a question mark in the place of each lone surrogate, which has no UTF-8."""
    return text.encode(errors="replace").decode()


def _number(value: int | float | Decimal) -> int | Decimal | str:
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    try:
        stored = _NUMBERS.create_decimal(number)
    except ArithmeticError:
        return str(number)
    if not stored.is_finite():
        return str(number)
    return value if isinstance(value, int) else stored
