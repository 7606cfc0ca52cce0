"""Cursors: positions in a list, sealed so that clients can neither read nor alter nor move them elsewhere.

A position is the sort values of a row, never its partition: that comes from the parent each time, so no cursor can lead
into another object's rows. Sealing is AES-SIV: authenticated, deterministic (a row has one cursor), and bound to the
field, its parent, its filter and its order. The text is padded, so that its length tells nothing of a row that is not
shown. A position of numbers alone is packed instead, since such rows are many and short, and none of them is hidden.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

Position = tuple[str | int, ...]

_BLOCK = 48  # a multiple of three, so that base64 needs no padding after the 16-byte tag and the two bytes of version
_TAG = 16
_LONGEST = 16_384  # more than the longest keys take, each byte of them as six in JSON and eight in base64
_TEXT = b"\x01\x00"
_PACKED = b"\x02\x00"
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_spell = json.JSONEncoder(default=str).encode  # unlike orjson, it spells every text and number that a caller can give


class SealBroken(Exception):
    """A text is not a cursor that was sealed here for this list."""


class Cursors:
    """Seals and opens cursors under a list of secrets: the first seals, all of them open."""

    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets or not all(secrets):
            raise ValueError("at least one cursor secret is needed, and none may be empty")
        self._keys = [AESSIV(_derive(secret)) for secret in secrets]

    def seal(self, position: Position, binding: bytes) -> str:
        """Return a cursor for a position in the list that ``binding`` stands for."""
        numbers = [part for part in position if isinstance(part, int)]
        is_packed = len(numbers) == len(position) > 0
        version, text = (_PACKED, _pack(numbers)) if is_packed else (_TEXT, _padded(orjson.dumps(position)))
        sealed = version + self._keys[0].encrypt(text, [binding])
        return binascii.b2a_base64(sealed, newline=False).translate(_URL_SAFE).decode()

    def open(self, cursor: str, binding: bytes) -> Position:
        """Return the position that a cursor stands for.

        Raises:
            SealBroken: when it was not sealed here, or not for this list.
        """
        if len(cursor) > _LONGEST:
            raise SealBroken
        try:
            sealed = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise SealBroken from None
        version, sealed = sealed[: len(_TEXT)], sealed[len(_TEXT) :]
        if version not in _READERS:
            raise SealBroken
        for key in self._keys:
            try:
                return tuple(_READERS[version](key.decrypt(sealed, [binding])))
            except (InvalidTag, ValueError):
                continue
        raise SealBroken


def binding(*parts: object) -> bytes:
    """Return what a cursor is bound to: a digest over the field, its parent's key, its filter and its order."""
    text = _spell(parts)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _padded(text: bytes) -> bytes:
    return text.ljust(-(-len(text) // _BLOCK) * _BLOCK)


def _pack(numbers: Sequence[int]) -> bytes:
    """Return numbers as bytes, each after its length; zeros fill them up so that base64 needs no padding."""
    packed = b""
    for number in numbers:
        length = number.bit_length() // 8 + 1
        packed += bytes([length]) + number.to_bytes(length, "big", signed=True)
    return packed + bytes(-(len(_PACKED) + _TAG + len(packed)) % 3)


def _unpack(packed: bytes) -> list[int]:
    numbers, place = [], 0
    while place < len(packed) and (length := packed[place]):
        place += 1
        numbers.append(int.from_bytes(packed[place : place + length], "big", signed=True))
        place += length
    return numbers


_READERS: Mapping[bytes, Callable[[bytes], Sequence[str | int]]] = {_TEXT: orjson.loads, _PACKED: _unpack}


def _derive(secret: str) -> bytes:
    return HKDFExpand(hashes.SHA256(), 64, b"vams-graph cursors").derive(hashlib.sha512(secret.encode()).digest())
