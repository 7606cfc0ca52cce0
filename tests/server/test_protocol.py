"""What a connection may do before, beside and after its requests, spoken in raw bytes."""

import logging
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import httptools
import pytest
from uvicorn.protocols.http import httptools_impl

from graph.demo.sizes import LARGE_LOG_ID
from graph.server import protocol
from graph.server.listener import configuration, connections_within_files
from graph.server.protocol import GuardedProtocol
from graph.settings import Settings
from tests.memory import MemoryDatabase
from tests.server.raw import STATUS, connected, post
from tests.serving import listening, make_app

UPGRADES = {
    "h2c": ("Connection: Upgrade", "Upgrade: h2c"),
    "h2c with settings": ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
    "websocket": ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAA"),
    "unknown": ("Connection: keep-alive, Upgrade", "Upgrade: TLS/1.0, x/2"),
    "several tokens": ("Connection: close-not, UPGRADE,keep-alive", "UPGRADE: h2c, websocket"),
    "several lines": ("Connection: keep-alive", "Connection: upgrade", "Upgrade: h2c", "Upgrade: foo"),
    "without a connection header": ("Upgrade: h2c",),
}
SMUGGLED = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
LOGIN = b'{"query":"{ viewer { userId } }"}'


@pytest.fixture(scope="module")
def server(memory: MemoryDatabase) -> Iterator[str]:
    with listening(make_app(memory), max_head_bytes=8_192, head_seconds=0.4) as address:
        yield address


@pytest.fixture(scope="module")
def strict(memory: MemoryDatabase) -> Iterator[str]:
    """A server to which nobody can log in."""
    with listening(make_app(memory, ()), head_seconds=0.4) as address:
        yield address


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


# Upgrades


@pytest.mark.parametrize("headers", UPGRADES.values(), ids=UPGRADES)
@pytest.mark.parametrize("split", ["one segment", "body apart", "within the body", "within the head"])
@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_the_body_of_a_request_that_asks_for_an_upgrade_is_its_body(
    server: str, headers: tuple[str, ...], split: str, framing: str
) -> None:
    is_chunked = framing == "chunks"
    head, body = post("", *headers, *(["Transfer-Encoding: chunked"] if is_chunked else ()), body=SMUGGLED)
    whole = head + (chunked(body) if is_chunked else body)
    cut = {"one segment": len(whole), "body apart": len(head), "within the body": len(head) + 9, "within the head": 30}
    with connected(server) as connection:
        connection.send(whole[: cut[split]], whole[cut[split] :])
        answer = connection.answers()
    assert STATUS.findall(answer) == [b"400"]
    assert b"alive" not in answer


@pytest.mark.parametrize("headers", UPGRADES.values(), ids=UPGRADES)
def test_an_upgrade_that_the_server_does_not_know_is_ignored(server: str, headers: tuple[str, ...]) -> None:
    head, body = post("{ viewer { userId } }", *headers)
    with connected(server) as connection:
        connection.send(head, body)
        first = connection.answer()
        connection.send(head + body + head + body)  # the connection goes on, and requests may follow at once
        rest = connection.answers()
    assert first.count(b"admin@example.com") == 1
    assert rest.count(b"admin@example.com") == 2


@pytest.mark.parametrize("headers", UPGRADES.values(), ids=UPGRADES)
def test_nothing_is_smuggled_without_credentials(strict: str, headers: tuple[str, ...]) -> None:
    head, body = post("", *headers, body=SMUGGLED)
    with connected(strict) as connection:
        connection.send(head, body)
        answer = connection.answers()
    assert STATUS.findall(answer) == [b"401"]
    assert b"alive" not in answer


@pytest.mark.parametrize("headers", UPGRADES.values(), ids=UPGRADES)
def test_what_follows_an_upgrade_without_a_body_is_the_next_request(server: str, headers: tuple[str, ...]) -> None:
    asking = "\r\n".join(("GET /healthz HTTP/1.1", "Host: x", *headers, "", "")).encode()
    with connected(server) as connection:
        connection.send(asking + SMUGGLED, asking)
        answers = connection.answers()
    assert STATUS.findall(answers) == [b"200"] * 3


def test_a_refused_upgrade_is_one_line_of_the_log(server: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with connected(server) as connection:
        connection.send(b"".join(post("{ viewer { userId } }", *UPGRADES["websocket"])))
        connection.read()
    assert [record.getMessage() for record in caplog.records if "upgrade" in record.getMessage().lower()] == [
        "Upgrade header ignored"
    ]


def test_a_tunnel_is_refused(server: str) -> None:
    with connected(server) as connection:
        connection.send(b"CONNECT internal:80 HTTP/1.1\r\nHost: internal\r\n\r\n" + SMUGGLED)
        answer = connection.read()
    assert answer.endswith(b"<end>")
    assert b"alive" not in answer


AMBIGUOUS = {
    "two lengths": b"Content-Length: 4\r\nContent-Length: 40\r\n\r\n",
    "a length and chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunks that are not last": b"Transfer-Encoding: chunked, identity\r\n\r\n",
    "an unknown coding": b"Transfer-Encoding: xchunked\r\n\r\n",
    "a folded line": b"X: a\r\n Content-Length: 4\r\n\r\n",
    "a space before the colon": b"Content-Length : 4\r\n\r\n",
    "a bare line feed": b"X: a\nContent-Length: 4\r\n\r\n",
    "a signed length": b"Content-Length: +4\r\n\r\n",
    "a length with a comma": b"Content-Length: 4, 4\r\n\r\n",
}


@pytest.mark.parametrize("headers", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_a_body_whose_end_can_be_read_in_two_ways_is_refused(server: str, headers: bytes) -> None:
    with connected(server) as connection:
        connection.send(b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers + SMUGGLED)
        answer = connection.read()
    assert STATUS.findall(answer) in ([b"400"], [b"501"])
    assert answer.endswith(b"<end>")
    assert b"alive" not in answer


# Bounds


def endless(kind: str) -> Iterator[bytes]:
    """The beginning of a request that goes on, and on."""
    start = b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    match kind:
        case "a request line":
            yield b"GET /" + b"x" * 1000
            more = b"x" * 1000
        case "headers":
            yield start
            more = b"X-Header: " + b"x" * 990 + b"\r\n"
        case "one header":
            yield start + b"X-Header: "
            more = b"x" * 1000
        case "the name of a header":
            yield start
            more = b"x" * 1000
        case "trailers":
            yield start + b"\r\n0\r\n"
            more = b"X-Trailer: " + b"x" * 989 + b"\r\n"
        case "one trailer":
            yield start + b"\r\n0\r\nX-Trailer: "
            more = b"x" * 1000
        case "the extension of a chunk":
            yield start + b"\r\n5;name="
            more = b"x" * 1000
        case "empty lines":
            yield b"\r\n"
            more = b"\r\n" * 500
        case _:
            raise AssertionError(kind)
    while True:
        yield more


@pytest.mark.parametrize(
    "kind",
    [
        "a request line",
        "headers",
        "one header",
        "the name of a header",
        "trailers",
        "one trailer",
        "the extension of a chunk",
        "empty lines",
    ],
)
@pytest.mark.parametrize("at_once", [1, 40], ids=["slowly", "at one go"])
def test_what_goes_on_without_end_is_ended(server: str, kind: str, at_once: int) -> None:
    sent, parts = 0, endless(kind)
    with connected(server) as connection:
        connection.sock.settimeout(2)
        with suppress(OSError):  # whichever way it ends
            while sent < 4_000_000:
                part = b"".join(next(parts) for _ in range(at_once))
                connection.sock.sendall(part)
                sent += len(part)
    assert sent < 4_000_000


@pytest.mark.parametrize("size", [100, 7_000])
def test_a_head_within_the_bound_is_read_however_it_comes(server: str, size: int) -> None:
    head, body = post("{ viewer { userId } }", f"X-Long: {'x' * size}")
    with connected(server) as connection:
        connection.send(head[:50], head[50:], body, body and head + body, pause=0.02)
        assert connection.statuses() == [200, 200]


def test_a_head_beyond_the_bound_is_told_so(server: str) -> None:
    head, body = post("{ viewer { userId } }", f"X-Long: {'x' * 9_000}")
    with connected(server) as connection:
        connection.send(head + body)
        assert connection.statuses() == [431]


def test_a_long_body_of_small_chunks_is_read(server: str) -> None:
    head, body = post("{ viewer { userId } } # " + "x" * 6_000, "Transfer-Encoding: chunked")
    with connected(server) as connection:
        connection.send(head)
        connection.send(b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n")
        assert connection.statuses() == [200]


@pytest.mark.parametrize("pause", [0, 0.05], ids=["one segment", "later"])
@pytest.mark.parametrize(
    "chunk",
    [b"zz\r\nab\r\n", b"-1\r\na\r\n", b"2\r\nabcd\r\n", b"fffffffffffffffff\r\n", b"2;a=\0\r\nab\r\n", b"\r\n\r\n"],
)
def test_a_chunk_that_is_none_is_a_bad_request(server: str, chunk: bytes, pause: float) -> None:
    head, _ = post("", "Transfer-Encoding: chunked")
    good = b"1\r\n{\r\n"
    with connected(server) as connection:
        connection.send(*((head + good + chunk,) if not pause else (head, good, chunk)), pause=pause)
        answer = connection.read(1)
    assert [int(status) for status in STATUS.findall(answer)] == [400], answer
    assert answer.endswith(b"<end>")


def test_a_bad_chunk_is_no_answer_to_the_request_before_it(server: str) -> None:
    head, body = post()
    bad, _ = post("", "Transfer-Encoding: chunked")
    with connected(server) as connection:
        connection.send(head + body + bad + b"zz\r\n")
        answer = connection.read(1)
    assert [int(status) for status in STATUS.findall(answer)] in ([], [200], [200, 400]), answer


@pytest.mark.parametrize("is_reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("sent", ["half a head", "a head", "half a body", "a chunk", "all", "several"])
def test_a_client_that_leaves_early_leaves_no_traceback(
    server: str, caplog: pytest.LogCaptureFixture, sent: str, *, is_reset: bool
) -> None:
    head, body = post()
    stream, _ = post("", "Transfer-Encoding: chunked")
    parts = {
        "half a head": head[:40],
        "a head": head,
        "half a body": head + body[:9],
        "a chunk": stream + b'5\r\n{"que\r\n',
        "all": head + body,
        "several": (head + body) * 5,
    }
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with connected(server) as connection:
                if is_reset:
                    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.send(parts[sent], pause=0.01)
        with connected(server) as connection:
            connection.send(head + body)
            assert connection.statuses() == [200]
    assert [
        record.getMessage() for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR
    ] == []


SLOW = {
    "says nothing": b"",
    "half a request line": b"POST /graph",
    "half a head": b"POST /graphql HTTP/1.1\r\nHost: x\r\nX: a",
    "empty lines": b"\r\n\r\n",
}


@pytest.mark.parametrize("begun", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize("after", ["at first", "after an answer"])
def test_a_head_that_does_not_come_is_not_waited_for(server: str, begun: bytes, after: str) -> None:
    with connected(server) as connection:
        if after == "after an answer":
            connection.send(SMUGGLED)
            assert connection.statuses(0.2) == [200]
            if not begun:
                return  # a connection that was used may be used again
        connection.send(begun, pause=0)
        began = time.monotonic()
        assert connection.read(3).endswith(b"<end>")
        assert 0.2 < time.monotonic() - began < 2


def test_a_head_that_drips_is_not_waited_for(server: str) -> None:
    with connected(server) as connection:
        began = time.monotonic()
        connection.send(b"POST /graphql HTTP/1.1\r\n", *[b"X-A: b\r\n"] * 30, pause=0.05)
        assert connection.read(0.5).endswith(b"<end>")
        assert time.monotonic() - began < 3


def test_a_body_is_not_waited_for_long_after_its_answer(strict: str) -> None:
    head, _ = post("", "Content-Length: 100000")
    with connected(strict) as connection:
        connection.send(head)
        began = time.monotonic()
        connection.send(*[b"x"] * 20, pause=0.05)
        answer = connection.read(2)
        assert STATUS.findall(answer) == [b"401"]
        assert answer.endswith(b"<end>")
        assert time.monotonic() - began < 3


def test_a_body_that_comes_soon_after_its_answer_leaves_the_connection(strict: str) -> None:
    head, body = post()
    with connected(strict) as connection:
        connection.send(head)
        assert connection.statuses(0.2) == [401]
        connection.send(body, SMUGGLED)
        assert connection.statuses() == [200]


def test_a_body_without_end_after_its_answer_is_ended(strict: str) -> None:
    head, _ = post("", "Content-Length: 1000000000")
    sent = 0
    with connected(strict) as connection:
        connection.send(head)
        with suppress(OSError):  # whichever way it ends
            while sent < 50_000_000:
                connection.sock.sendall(b"x" * 100_000)
                sent += 100_000
    assert sent < 50_000_000


# Connections


def test_connections_that_only_wait_make_room(memory: MemoryDatabase) -> None:
    head, body = post()
    with listening(make_app(memory), max_connections=10) as address:
        silent = [socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) for _ in range(30)]
        try:
            for _ in range(3):
                with connected(address) as connection:
                    connection.send(head + body)
                    assert connection.statuses() == [200]
        finally:
            for one in silent:
                one.close()


@pytest.mark.parametrize(("files", "connections"), [(1024, 1024 - 32 - 16 - 16 - 64), (100, 16), (10**6, 10_000)])
def test_connections_leave_files_for_all_else(files: int, connections: int) -> None:
    assert connections_within_files(Settings(engines_concurrency=16, logs_concurrency=16), files) == connections


@pytest.mark.parametrize("request_", [SMUGGLED, b"".join(post("{ viewer { userId } }"))], ids=["GET", "POST"])
def test_requests_whose_answers_are_not_read_are_not_read_without_end(server: str, request_: bytes) -> None:
    sent = 0
    with connected(server) as connection:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        connection.sock.settimeout(1)
        with suppress(OSError):  # it stops reading, or ends the connection
            while sent < 30_000_000:
                connection.sock.sendall(request_ * 100)
                sent += 100 * len(request_)
    assert sent < 10_000_000


def test_requests_that_are_pipelined_are_answered_in_their_order(server: str) -> None:
    bodies = [b"".join(post(f"{{ n{number}: viewer {{ userId }} }}")) for number in range(20)]
    with connected(server) as connection:
        connection.send(b"".join(bodies))
        answer = connection.answers()
    assert re.findall(rb'"(n\d+)"', answer) == [b"n%d" % number for number in range(20)]


def test_a_client_that_reads_no_answer_is_not_waited_for(
    memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "_UNREAD_SECONDS", 0.3)
    given_up = threading.Event()
    lose = GuardedProtocol.connection_lost

    def connection_lost(self: GuardedProtocol, exc: Exception | None) -> None:
        lose(self, exc)
        given_up.set()

    monkeypatch.setattr(GuardedProtocol, "connection_lost", connection_lost)
    requests = 30  # which may wait for each other, and whose answers fill every buffer on the way
    head, body = post(f'{{ execution(executionId: "{LARGE_LOG_ID}") {{ log {{ content }} }} }}')
    with listening(make_app(memory)) as address, connected(address) as connection:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        connection.sock.sendall((head + body) * requests)
        assert given_up.wait(20)
        answer = connection.read(2)
    assert answer.endswith(b"<end>")
    assert len(STATUS.findall(answer)) < requests


@pytest.mark.parametrize("hosts", [b"", b"Host: a\r\nHost: b\r\n", b"Host: a\r\nhost: a\r\n"])
def test_a_request_has_one_host(server: str, hosts: bytes) -> None:
    with connected(server) as connection:
        connection.send(b"GET /healthz HTTP/1.1\r\n" + hosts + b"\r\n")
        assert connection.statuses() == [400]


# Every server


def test_every_server_of_this_project_has_the_guarded_protocol(memory: MemoryDatabase) -> None:
    config = configuration(make_app(memory), Settings())
    config.load()
    protocol = config.http_protocol_class
    assert getattr(protocol, "func", protocol) is GuardedProtocol
    assert not config.proxy_headers


@pytest.mark.parametrize(
    "name",
    [
        "_unset_keepalive_if_required",
        "on_message_begin",
        "on_url",
        "on_header",
        "on_headers_complete",
        "on_body",
        "on_message_complete",
        "on_response_complete",
    ],
)
def test_uvicorn_has_what_is_relied_on(name: str) -> None:
    assert callable(getattr(httptools_impl.HttpToolsProtocol, name))


def test_the_parser_tells_where_an_upgrade_begins() -> None:
    class Told:
        pass

    parser = httptools.HttpRequestParser(Told())
    head = b"GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
    with pytest.raises(httptools.HttpParserUpgrade) as paused:
        parser.feed_data(head + b"rest")
    assert paused.value.args == (len(head),)
