"""Gzip, unpacked as it arrives: one member or several that follow one another (RFC 1952, section 2.2)."""

import zlib

_GZIP = 16 + zlib.MAX_WBITS
# zlib copies what follows a member; fed in pieces, that is little even for a body of the smallest members.
_PIECE = 4096


class Gunzip:
    """Unpacks one body."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)

    @property
    def is_whole(self) -> bool:
        """Whether the last member has ended, its checksum included."""
        return self._member.eof

    def unpack(self, data: bytes, most: int) -> bytes:
        """Return what the next bytes hold, but no more than ``most`` bytes, after which nothing may be unpacked.

        Raises:
            zlib.error: when they are no gzip, or something else follows a member.
        """
        unpacked = bytearray()
        for start in range(0, len(data), _PIECE):
            rest = data[start : start + _PIECE]
            while rest and len(unpacked) < most:
                if self._member.eof:
                    self._member = zlib.decompressobj(_GZIP)
                unpacked += self._member.decompress(rest, most - len(unpacked))
                rest = self._member.unused_data
        return bytes(unpacked)
