"""A client of bare sockets: it sends the bytes that a test says, when it says, and tells what came back."""

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_WHOLE = re.compile(
    rb"HTTP/1\.1 .*?\r\ncontent-length: (?P<length>\d+)\r\n.*?\r\n\r\n(?P<body>.*)", re.DOTALL | re.IGNORECASE
)


def post(query: str = "{ viewer { userId } }", *headers: str, body: bytes | None = None) -> tuple[bytes, bytes]:
    """Return the head and the body of a request."""
    body = json.dumps({"query": query}).encode() if body is None else body
    lines = ["POST /graphql HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    if not any(line.lower().startswith(("content-length", "transfer-encoding")) for line in lines):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join((*lines, "", "")).encode(), body


class Connection:
    """One connection."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, *parts: bytes, pause: float = 0.05) -> None:
        """Send some parts, each in a segment of its own."""
        for part in parts:
            try:
                self.sock.sendall(part)
            except OSError:
                return  # the server has ended it, which reading shows
            time.sleep(pause)

    def read(self, seconds: float = 0.5) -> bytes:
        """Return what comes until nothing does for some time; ``<end>`` stands for the end of the connection."""
        self.sock.settimeout(seconds)
        received = b""
        try:
            while part := self.sock.recv(65536):
                received += part
        except TimeoutError:
            return received
        except OSError:
            pass
        return received + b"<end>"

    def answer(self) -> bytes:
        """Return one answer, which has a length."""
        received = b""
        while (found := _WHOLE.match(received)) is None or len(found["body"]) < int(found["length"]):
            part = self.sock.recv(65536)
            assert part, received
            received += part
        return received

    def answers(self) -> bytes:
        """Return all that comes for what was sent, whose end the answer to one more request tells."""
        self.send(LAST, pause=0)
        received = self.read(5)
        answers, last, _ = received.rpartition(b"HTTP/1.1 404")
        assert last, received
        return answers

    def statuses(self, seconds: float = 0.5) -> list[int]:
        """Return the statuses of all answers that come."""
        return [int(status) for status in STATUS.findall(self.read(seconds))]


@contextmanager
def connected(address: str, *, seconds: float = 5) -> Iterator[Connection]:
    """A connection to a server."""
    url = urlsplit(address)
    with socket.create_connection((url.hostname, url.port), seconds) as sock:
        yield Connection(sock)
