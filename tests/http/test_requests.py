"""Bodies on a real connection: in pieces, packed, too long, too slow, broken off."""

import gzip
import json
import select
import socket
import time
from collections.abc import Iterator

import pytest

from tests.memory import MemoryDatabase
from tests.serving import listening, make_app

HEAD = b"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
QUERY = b'{"query": "{ __typename }"}'
MEGABYTE = b" " * 1_048_576


@pytest.fixture(scope="module")
def port(memory: MemoryDatabase) -> Iterator[int]:
    with listening(make_app(memory, body_seconds=0.5)) as address:
        yield int(address.rsplit(":", 1)[1])


def connection(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def answer(sock: socket.socket) -> tuple[int, bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        received += (piece := sock.recv(65_536))
        assert piece, received
    head, body = received.split(b"\r\n\r\n", 1)
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += sock.recv(65_536)
    return int(head.split()[1]), body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_a_body_in_pieces_is_put_together(port: int) -> None:
    with connection(port) as sock:
        sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for number in range(len(QUERY)):
            sock.sendall(chunk(QUERY[number : number + 1]))
        sock.sendall(chunk(b""))
        assert answer(sock) == (200, b'{"data":{"__typename":"Query"}}')


def test_sixty_megabytes_are_refused_by_their_length_alone(port: int) -> None:
    with connection(port) as sock:
        sock.sendall(HEAD + b"Content-Length: 62914560\r\n\r\n")
        status, body = answer(sock)
    assert status == 413
    assert json.loads(body)["errors"][0]["extensions"]["code"] == "PAYLOAD_TOO_LARGE"


def test_sixty_megabytes_in_pieces_are_refused_when_they_are_too_many(port: int) -> None:
    with connection(port) as sock:
        sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        try:
            for _ in range(60):
                sock.sendall(chunk(MEGABYTE))
                sent += 1
        except OSError:
            pass  # it hung up
        if sent < 60:
            return
        assert answer(sock)[0] == 413


def test_a_slow_body_is_not_waited_for(port: int) -> None:
    with connection(port) as sock:
        sock.sendall(HEAD + b"Content-Length: 27\r\n\r\n" + QUERY[:10])
        begun = time.monotonic()
        status, body = answer(sock)
    assert status == 408
    assert json.loads(body)["errors"][0]["extensions"]["code"] == "TIMEOUT"
    assert 0.4 < time.monotonic() - begun < 3


def test_a_body_that_drips_is_not_waited_for(port: int) -> None:
    with connection(port) as sock:
        sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for number in range(len(QUERY)):
            sock.sendall(chunk(QUERY[number : number + 1]))
            if select.select([sock], [], [], 0.05)[0]:
                break
        assert answer(sock)[0] == 408


def test_a_request_that_breaks_off_harms_nobody(port: int) -> None:
    for _ in range(20):
        with connection(port) as sock:
            sock.sendall(HEAD + b"Content-Length: 27\r\n\r\n" + QUERY[:10])
    with connection(port) as sock:
        sock.sendall(HEAD + b"Content-Length: 27\r\n\r\n" + QUERY)
        assert answer(sock)[0] == 200


GZIP = HEAD + b"Content-Encoding: gzip\r\n"
ANSWER = (200, b'{"data":{"__typename":"Query"}}')


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(QUERY),
        gzip.compress(QUERY[:9]) + gzip.compress(QUERY[9:]),
        gzip.compress(b"") + gzip.compress(QUERY) + gzip.compress(b" "),
        b"".join(gzip.compress(QUERY[number : number + 1]) for number in range(len(QUERY))),
    ],
    ids=["one", "two", "empty and blank", "a byte each"],
)
def test_a_packed_body_has_one_member_or_several(port: int, body: bytes) -> None:
    for size in (1, 7, len(body)):
        with connection(port) as sock:
            sock.sendall(GZIP + b"Transfer-Encoding: chunked\r\n\r\n")
            for start in range(0, len(body), size):
                sock.sendall(chunk(body[start : start + size]))
            sock.sendall(chunk(b""))
            assert answer(sock) == ANSWER


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(QUERY) + b"rubbish",
        gzip.compress(QUERY) + bytes(512),
        gzip.compress(QUERY) + QUERY,
        gzip.compress(QUERY) + gzip.compress(QUERY),  # two values are no JSON
        gzip.compress(QUERY) + gzip.compress(b" ")[:-1],
        gzip.compress(QUERY)[:-1],
        gzip.compress(QUERY)[:-8] + bytes(8),
        b"",
    ],
    ids=["text", "zeros", "the query", "another", "a cut member", "cut", "a wrong checksum", "nothing"],
)
def test_a_packed_body_and_something_else_is_refused(port: int, body: bytes) -> None:
    with connection(port) as sock:
        sock.sendall(GZIP + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        status, told = answer(sock)
    assert status == 400
    assert json.loads(told)["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (gzip.compress(QUERY), bytes(65_536)),
        (gzip.compress(QUERY), gzip.compress(b"") * 3_000),
        (gzip.compress(b"")[:10], b"\0\0\0\xff\xff" * 13_000),
        (gzip.compress(b"")[:3] + b"\x08" + gzip.compress(b"")[4:10], b"a file name" * 6_000),
    ],
    ids=["nothing", "empty members", "empty blocks", "a name"],
)
def test_what_a_packed_body_receives_is_bounded_too(port: int, first: bytes, piece: bytes) -> None:
    with connection(port) as sock:
        sock.sendall(GZIP + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(first))
        sent = 0
        try:
            for _ in range(80):  # 5 MB of at most 256 KiB
                sock.sendall(chunk(piece))
                sent += 1
        except OSError:
            return  # it hung up
        if not select.select([sock], [], [], 5)[0]:
            pytest.fail("it waits for more")
        assert answer(sock)[0] in (400, 413)
