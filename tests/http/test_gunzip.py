"""Gzip as it arrives: members, pieces, what follows, and what it costs."""

import gzip
import time
import zlib

import pytest

from graph.http.gunzip import Gunzip

TEXT = b'{"query": "{ __typename }"}' * 500
EMPTY = gzip.compress(b"")
MOST = 1_000_000
MEMBERS = {
    "one": [TEXT],
    "two": [TEXT[:10], TEXT[10:]],
    "many": [TEXT[start : start + 7] for start in range(0, len(TEXT), 7)],
    "an empty one first": [b"", TEXT],
    "an empty one last": [TEXT, b""],
    "empty ones": [b""] * 1000,
}
HEAD = EMPTY[:10]
EMPTY_BLOCK = b"\0\0\0\xff\xff"  # stored, of no bytes, and not the last


@pytest.mark.parametrize("texts", MEMBERS.values(), ids=MEMBERS)
@pytest.mark.parametrize("size", [1, 5, 4096, 1_000_000])
def test_members_are_joined_however_they_are_cut(texts: list[bytes], size: int) -> None:
    packed = b"".join(map(gzip.compress, texts))
    gunzip = Gunzip()
    pieces = [gunzip.unpack(packed[start : start + size], MOST) for start in range(0, len(packed), size)]
    assert b"".join(pieces) == b"".join(texts)
    assert gunzip.is_whole


@pytest.mark.parametrize("rest", [b"rubbish", b"\0", b"\0" * 10_000, b"\x1f", b"\x1f\x8b\x07", zlib.compress(TEXT)])
@pytest.mark.parametrize("size", [1, 4096])
def test_what_follows_a_member_and_is_none_is_refused(rest: bytes, size: int) -> None:
    packed, gunzip = gzip.compress(TEXT) + rest, Gunzip()
    try:
        for start in range(0, len(packed), size):
            gunzip.unpack(packed[start : start + size], MOST)
    except zlib.error:
        return
    assert not gunzip.is_whole  # the beginning of a member is told at its end alone


@pytest.mark.parametrize("bit", [0, 10, 30, -8, -1])
def test_a_member_that_was_altered_is_refused(bit: int) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[bit] ^= 1
    with pytest.raises(zlib.error):
        Gunzip().unpack(bytes(packed), MOST)


@pytest.mark.parametrize("cut", [0, 1, 9, 30, -8, -1])
def test_what_breaks_off_is_not_whole(cut: int) -> None:
    gunzip = Gunzip()
    gunzip.unpack(gzip.compress(TEXT)[:cut], MOST)
    assert not gunzip.is_whole


@pytest.mark.parametrize("most", [1, 100, 4096, 100_000])
def test_no_more_is_unpacked_than_is_wanted(most: int) -> None:
    for packed in (gzip.compress(b" " * 10_000_000), gzip.compress(b" " * 50) * 5_000):
        assert len(Gunzip().unpack(packed, most)) == most


@pytest.mark.parametrize(
    "packed",
    [EMPTY * 13_000, HEAD + EMPTY_BLOCK * 50_000, HEAD[:3] + b"\x08" + HEAD[4:] + b"a name" * 40_000],
    ids=["members", "blocks", "name"],
)
def test_what_holds_nothing_costs_little(packed: bytes) -> None:
    begun = time.process_time()
    assert Gunzip().unpack(packed, MOST) == b""
    assert time.process_time() - begun < 0.25
