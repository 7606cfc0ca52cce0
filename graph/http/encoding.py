"""Encode responses as JSON, also values of DynamoDB and Python that JSON lacks."""

import asyncio
import json
import time
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from typing import Any

import orjson

_LONGEST_TURN = 0.005  # seconds
_SMALL = 64 * 1024  # characters
_NODE = 20  # characters that anything held takes at least, names and punctuation included


class TooLong(Exception):
    """A value does not fit into the bytes that it may take as JSON."""


def encode(value: Any) -> bytes:
    """Return a value as JSON.

    Decimals are numbers, whole ones without a point; what is not finite is null; sets are sorted lists; dates are as in
    RFC 3339.

    Raises:
        TypeError: for anything else that is no JSON.
    """
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z)
    except orjson.JSONEncodeError:
        # orjson ends at 64 bits, and at texts that are no UTF-8; the standard library does not.
        return json.dumps(_finite(value), default=_plain, separators=(",", ":")).encode()


async def encode_in_turns(value: Any, most_bytes: int) -> bytes:
    """Return a value as :func:`encode` does, yielding to the event loop every few milliseconds.

    Raises:
        TooLong: as soon as it takes more than some bytes. What is held more than once counts each time.
        TypeError: as :func:`encode` does.
    """
    pieces, size, begun = list[bytes](), 0, time.perf_counter()
    for piece in _pieces(value):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            raise TooLong
        if time.perf_counter() - begun > _LONGEST_TURN:
            await asyncio.sleep(0)
            begun = time.perf_counter()
    return b"".join(pieces)


def _pieces(value: Any) -> Iterator[bytes]:
    """Yield a value as pieces of JSON, a small one as a single piece."""
    if _is_small(value):
        yield encode(value)
    elif type(value) is list:
        before = b"["
        for element in value:
            yield before
            yield from _pieces(element)
            before = b","
        yield b"]"
    else:
        before = b"{"
        for key, element in value.items():
            yield before + encode(key) + b":"
            yield from _pieces(element)
            before = b","
        yield b"}"


def _is_small(value: Any) -> bool:
    """Return whether a value is encoded as one piece: a small one, or one that is no list and no object with names."""
    left, size = [value], 0
    while left:
        held = left.pop()
        kind = type(held)
        if kind is str:
            size += len(held)
        elif kind is list or kind is dict:
            size += _NODE * len(held)
        if size > _SMALL:
            return type(value) is not list and not (type(value) is dict and all(type(key) is str for key in value))
        if kind is list:
            left += held
        elif kind is dict:
            left += held.values()
    return True


def _finite(value: Any) -> Any:
    """Return a value with null for every number that is not finite."""
    match value:
        case float() | Decimal() if not isfinite(value):
            return None
        case dict():
            return {key: _finite(held) for key, held in value.items()}
        case list() | tuple() | set() | frozenset():
            return type(value)(map(_finite, value))
    return value


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
        case set() | frozenset():
            return sorted(value, key=str)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} cannot be encoded")
