"""Responses as JSON, with what DynamoDB and Python hold and JSON does not."""

import json
from decimal import Decimal
from typing import Any

import orjson


def encode(value: Any) -> bytes:
    """A value as JSON.

    Decimals are numbers, whole ones without a point; sets are sorted lists; dates are as in RFC 3339.

    Raises:
        TypeError: for anything else that is no JSON.
    """
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z)
    except orjson.JSONEncodeError:
        # orjson ends at 64 bits, and at texts that are no UTF-8; the standard library does not.
        return json.dumps(value, default=_plain, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
        case set() | frozenset():
            return sorted(value, key=str)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} cannot be encoded")
