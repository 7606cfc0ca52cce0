"""Global ids: opaque, stable, and computed from a type's name and key alone.

The text below the base64 is ``Type:part:part``; only the last part may hold colons. An id that would not be made here
in just this form is refused, so that each object has one id.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass

from graph.errors import InvalidId
from graph.tables import keys

_LONGEST = 4096
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


@dataclass(frozen=True, slots=True)
class GlobalId:
    """A decoded id: the kind of object and the parts of its key."""

    kind: str
    parts: tuple[str, ...]


def encode(kind: str, *parts: str) -> str:
    """Return the global id of an object."""
    text = ":".join((kind, *parts))
    return binascii.b2a_base64(text.encode(), newline=False).translate(_URL_SAFE, b"=").decode()


def decode(text: str, parts_of: Mapping[str, int]) -> GlobalId:
    """Return what a global id stands for. ``parts_of`` tells how many parts the key of each kind has.

    Raises:
        InvalidId: when it is none.
    """
    if len(text) > _LONGEST:
        raise InvalidId
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
        kind, rest = keys.split(plain, 2)
        parts = keys.split(rest, parts_of[kind])
    except (binascii.Error, UnicodeError, ValueError, KeyError):
        raise InvalidId from None
    if not all(part and keys.is_sort_key(part) for part in parts) or encode(kind, *parts) != text:
        raise InvalidId
    return GlobalId(kind, parts)
