"""Bodies on a real connection: in pieces, too long, too slow, broken off."""

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
