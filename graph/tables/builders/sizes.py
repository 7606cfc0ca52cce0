"""The bytes that DynamoDB counts for an item.

The rules are those of "DynamoDB item sizes and formats" in its developer guide. Values are plain Python, as boto3 takes
them.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

ITEM_LIMIT = 400 * 1024
"""The most bytes of an item: the names of its attributes and their values."""

COLLECTION_BYTES = 3
"""What a list or a map takes before it holds anything."""

ELEMENT_BYTES = 1
"""What each element of a list or a map takes besides itself."""


def item_size(item: Mapping[str, Any]) -> int:
    """Return the bytes of an item.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate, which cannot be stored.
        TypeError: a value is of a type that no item holds.
    """
    return sum(text_size(name) + value_size(value) for name, value in item.items())


def value_size(value: Any) -> int:
    """Return the bytes of an attribute value, without its name. Raises as :func:`item_size` does."""
    match value:
        case None | bool():
            return 1
        case str():
            return text_size(value)
        case bytes():
            return len(value)
        case int() | float() | Decimal():
            return _number_size(Decimal(str(value) if isinstance(value, float) else value))
        case Mapping():
            return COLLECTION_BYTES + sum(
                ELEMENT_BYTES + text_size(name) + value_size(element) for name, element in value.items()
            )
        case list() | tuple():
            return COLLECTION_BYTES + sum(ELEMENT_BYTES + value_size(element) for element in value)
    raise TypeError(f"No item holds a {type(value).__name__}.")


def text_size(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text.encode())


def _number_size(number: Decimal) -> int:
    """Return one byte, and one for two significant digits. The guide is silent on the sign, which takes another."""
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    return 1 + (len(digits) + 1) // 2 + (1 if number < 0 else 0)
