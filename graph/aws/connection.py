"""One HTTP connection, with one exchange after the other.

It stays open only after a complete answer with nothing beyond it. An exchange that was cancelled, timed out or broke
closes its connection, so no answer ever reaches the caller of another request.
"""

import asyncio
import zlib
from dataclasses import dataclass
from typing import cast

import httptools
from botocore.exceptions import BotoCoreError, ConnectionClosedError, ReadTimeoutError, ResponseStreamingError

from graph.deadlines import Timer

_LONGEST_HEAD = 64 * 1024
_LONGEST_ANSWER = 100 * 1024 * 1024  # 16 MB of items, each byte of which JSON may write as six


@dataclass(slots=True)
class Answer:
    """A complete answer, with its checksum verified."""

    status: int
    body: bytes


class StaleError(Exception):
    """A connection ended before the first byte of an answer: as a rule the endpoint had closed it while it was idle."""


class Connection(asyncio.Protocol):
    """A connection; beside :meth:`exchange`, its methods are callbacks of the transport and the parser.

    Attributes:
        is_open: Whether it takes requests, once it is idle.
        idle_since: When its last exchange ended, by the clock of its loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, endpoint: str) -> None:
        self.is_open = False
        self.idle_since = 0.0
        self._loop = loop
        self._endpoint = endpoint
        self._parser = httptools.HttpResponseParser(self)
        self._waiting: asyncio.Future[Answer] | None = None
        self._received = self._head = 0

    async def exchange(self, request: bytes, seconds: float) -> Answer:
        """Return the answer to a request.

        Raises:
            StaleError: when the connection ended before any of it came.
            HTTPClientError: of botocore, when it did not come whole, or not in time.
        """
        waiting: asyncio.Future[Answer] = self._loop.create_future()
        self._waiting = waiting
        self._received = self._head = 0
        self._is_in_head = True
        timer = Timer(self._loop, seconds, self._time_out)
        self._transport.write(request)
        try:
            return await waiting
        except BaseException:
            self.abort()
            raise
        finally:
            timer.cancel()

    def abort(self) -> None:
        """End the connection at once."""
        self.is_open = False
        self._waiting = None
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        """Parse received bytes."""
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._break("not HTTP")
            return
        # What came with the head is known to be of it or of the body only now, however much came at once.
        if self._waiting is not None and (
            self._received > _LONGEST_ANSWER or (self._is_in_head and self._received > _LONGEST_HEAD)
        ):
            self._break("longer than any answer")

    def connection_lost(self, exc: Exception | None) -> None:
        """End the exchange: the end of the connection also ends a body whose length no header tells."""
        if exc is None and self.is_open and not (self._is_in_head or self._is_framed):
            self.on_message_complete()
        self._fail(ConnectionClosedError(endpoint_url=self._endpoint) if self._received else StaleError())

    def on_message_begin(self) -> None:
        """Begin an answer."""
        if self._waiting is None:
            self.abort()  # nobody asked
        self._is_in_head = True
        self._body: list[bytes] = []
        self._checksum: bytes | None = None
        self._is_framed = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self._head += len(name) + len(value)
        if self._head > _LONGEST_HEAD:
            self._break("longer than any answer")
        match name.lower():
            case b"x-amz-crc32":
                self._checksum = value
            case b"content-length" | b"transfer-encoding":
                self._is_framed = True

    def on_headers_complete(self) -> None:
        """Check the headers."""
        self._is_in_head = False

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """End the exchange: the answer is whole."""
        waiting, status = self._waiting, self._parser.get_status_code()
        if waiting is None or status < 200:  # the one that counts is still to come
            return
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        if self._checksum is not None and self._checksum != b"%d" % zlib.crc32(body):
            self._break("not what its checksum says")
            return
        self._waiting = None
        self.idle_since = self._loop.time()
        if not waiting.done():
            waiting.set_result(Answer(status, body))
        if not self._parser.should_keep_alive():
            self.abort()

    def _time_out(self) -> None:
        self._fail(ReadTimeoutError(endpoint_url=self._endpoint))

    def _break(self, reason: str) -> None:
        self._fail(ResponseStreamingError(error=f"the answer is {reason}"))

    def _fail(self, fault: BotoCoreError | StaleError) -> None:
        waiting = self._waiting
        self.abort()
        if waiting is not None and not waiting.done():
            waiting.set_exception(fault)
