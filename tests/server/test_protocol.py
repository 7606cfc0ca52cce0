"""Which bytes belong to which request, spoken to a server over a socket."""

import asyncio
import re
import socket
import time
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tests.serving import listening

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
NEXT = b"GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
UPGRADES = {
    "h2c": b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
    "h2c with its settings": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    "websocket": b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\n",
    "unknown": b"Connection: keep-alive, Upgrade\r\nUpgrade: TLS/1.0\r\n",
    "several": b"Connection: upgrade\r\nUpgrade: foo/2, h2c , websocket\r\n",
    "odd case": b"cOnNeCtIoN: uPgRaDe\r\nuPgRaDe: H2C\r\n",
    "twice": b"Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n",
    "without Connection": b"Upgrade: h2c\r\n",
    "Connection alone": b"Connection: Upgrade\r\n",
}


async def _echo(request: Request) -> Response:
    return PlainTextResponse(f"[{request.url.path} {len(await request.body())}]")


async def _refuse(_request: Request) -> Response:
    return PlainTextResponse("[refused]", status_code=401)  # as without credentials, before the body is read


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    routes = [
        Route("/refused", _refuse, methods=["POST"]),
        Route("/{path:path}", _echo, methods=["GET", "POST", "PUT"]),
    ]
    with listening(Starlette(routes=routes)) as address:
        yield int(address.rpartition(":")[2])


def _answers(port: int, *segments: bytes) -> tuple[list[int], list[str]]:
    """The statuses and the texts of all answers until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for segment in segments:
            connection.sendall(segment)
            time.sleep(0.03)
        received = b""
        while data := connection.recv(65536):
            received += data
    return [int(s) for s in re.findall(rb"HTTP/1\.1 (\d+)", received)], re.findall(r"\[(.+?)\]", received.decode())


def _chunked(body: bytes) -> bytes:
    return b"%x;kind=one\r\n%s\r\n0\r\nTrailer: one\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize("upgrade", UPGRADES.values(), ids=UPGRADES)
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("cut", ["one", "body", "middle"])
@pytest.mark.parametrize(("path", "told"), [("/first", f"/first {len(SMUGGLED)}"), ("/refused", "refused")])
def test_a_body_is_never_the_next_request(
    port: int, upgrade: bytes, chunked: bool, cut: str, path: str, told: str
) -> None:
    framing = b"Transfer-Encoding: chunked\r\n" if chunked else b"Content-Length: %d\r\n" % len(SMUGGLED)
    head = b"POST %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n" % (path.encode(), upgrade, framing)
    body = _chunked(SMUGGLED) if chunked else SMUGGLED
    parts = {"one": [head + body + NEXT], "body": [head, body, NEXT], "middle": [head + body[:9], body[9:] + NEXT]}
    statuses, texts = _answers(port, *parts[cut])
    assert texts == [told, "/next 0"]
    assert statuses == [401 if told == "refused" else 200, 200]


def test_many_upgrades_on_one_connection_are_each_answered(port: int) -> None:
    request = b"GET /plain HTTP/1.1\r\nHost: x\r\n" + UPGRADES["h2c"] + b"\r\n"
    _, texts = _answers(port, request * 20 + NEXT)
    assert texts == ["/plain 0"] * 20 + ["/next 0"]


AMBIGUOUS = {
    "tunnel": b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    "tunnel with a body": b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\nContent-Length: 36\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 36\r\n\r\n",
    "the same length twice": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "list of lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 36\r\n\r\n",
    "signed length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +0\r\n\r\n",
    "length and chunks": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks not last": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "another coding": b"POST /refused HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    "folded": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked, x\r\n\r\n0\r\n\r\n",
    "bare line feeds": b"POST / HTTP/1.1\nHost: x\nContent-Length: 0\n\n",
    "space before the colon": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 0\r\n\r\n",
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "bad chunk size": b"POST /refused HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x24\r\n",
}


@pytest.mark.parametrize("upgrade", [False, True], ids=["plain", "upgrade"])
@pytest.mark.parametrize("request_", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_what_has_no_one_framing_ends_its_connection(port: int, request_: bytes, upgrade: bool) -> None:
    if upgrade:
        request_ = request_.replace(b"Host: x\r\n", b"Host: x\r\n" + UPGRADES["h2c"])
    statuses, texts = _answers(port, request_, SMUGGLED)
    assert statuses[-1:] == [400]
    assert "/smuggled 0" not in texts


def test_the_private_names_of_uvicorn_are_there() -> None:
    protocol = HttpToolsProtocol.__dict__
    names = ("data_received", "send_400_response", "_unset_keepalive_if_required")
    callbacks = ("on_message_begin", "on_url", "on_header", "on_headers_complete", "on_message_complete")
    assert {name for name in (*names, *callbacks) if name not in protocol} == set()
    assert not asyncio.iscoroutinefunction(protocol["data_received"])
