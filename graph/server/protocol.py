"""uvicorn's HTTP protocol with bounds. The one module that relies on private parts of uvicorn.

uvicorn with httptools answers a request that asks for an upgrade and reads its body as the next request. It holds heads
and trailers of any length, and waits without end for a head, and for the rest of a body that it has answered. Each of
these has a bound here. An upgrade that the server does not know is ignored, as HTTP has it: the body is read.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

# Of chunks of one byte each, so much more arrives than they hold.
_FRAMING_OF_A_BYTE = 8
_DRAINED_BYTES = 1024 * 1024  # of a body that is still sent after the answer
_PIPELINED = 32  # requests that may wait for the answer to the one before them
_UNREAD_SECONDS = 30.0  # for which a client may leave an answer unread
_UPGRADES = frozenset({b"upgrade", b"http2-settings"})

log = logging.getLogger("graph.server")


@dataclass(frozen=True, slots=True)
class ConnectionBounds:
    """What one connection may take, and how many there may be.

    Attributes:
        head_bytes: of a request line with its headers, and of trailers.
        head_seconds: from a connection's start, or a request's first byte, to the end of its head; also to the end of a
            body after its answer.
        connections: at once, in one process.
    """

    head_bytes: int
    head_seconds: float
    connections: int


class _Refused(Exception):
    """A request that is rejected, with the text and status of the response."""

    def __init__(self, text: str, status: int = 431) -> None:
        super().__init__(text)
        self.status = status


class GuardedProtocol(HttpToolsProtocol):
    """One connection.

    Attributes:
        idle_since: when it began to wait for the head of a request, by the clock of its loop; None while it answers.
        unread_since: when it began to wait for its client to read an answer; None while the client reads.
    """

    def __init__(self, *arguments: Any, bounds: ConnectionBounds, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._bounds = bounds
        self._timer: asyncio.TimerHandle | None = None
        self.idle_since: float | None = None
        self._is_in_message = self._is_in_head = self._has_begun = self._is_replayed = False
        self._head = self._framing = self._body = self._body_read = self._drained = self._hosts = 0
        self.unread_since: float | None = None
        self._unread_timer: asyncio.TimerHandle | None = None

    # The connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection; if there are too many, end the one that has waited longest."""
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        self._wait_for_head()
        if len(self.connections) > self._bounds.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self._stop_timer()
        self._stop_unread_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the client to read, but not for long."""
        super().pause_writing()
        self.unread_since = self.loop.time()
        self._unread_timer = self.loop.call_later(_UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        self._stop_unread_timer()
        super().resume_writing()

    def _stop_unread_timer(self) -> None:
        self.unread_since = None
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, within the bounds."""
        self._unset_keepalive_if_required()
        try:
            self._feed(data)
            if self._timer is None and self.idle_since is not None:  # as it rarely is: most heads come at one go
                self._wait_for_head()
        except _Refused as refused:
            self._refuse(refused)
        except httptools.HttpParserError as error:
            raised = error.__context__  # by a callback
            self._refuse(raised if isinstance(raised, _Refused) else _Refused("Invalid HTTP request.", 400))

    def _feed(self, data: bytes) -> None:
        while data:
            self._has_begun, self._body_read = False, 0
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as paused:
                data = self._without_upgrade() + data[paused.args[0] :]
                continue
            if not self._has_begun:  # else the callbacks have counted it
                self._framing += len(data) - self._body_read
            if self._framing > self._bounds.head_bytes + _FRAMING_OF_A_BYTE * self._body:
                raise _Refused("The head of the request is too long.")
            return

    def _without_upgrade(self) -> bytes:
        """Return the head that the parser stopped after, without the upgrade that it stopped for, and begin again."""
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            raise _Refused("This server is no proxy.", 405)
        log.info("Upgrade header ignored")
        lines = [b"%s %s HTTP/%s" % (method, self.url, version.encode())]
        for name, value in self.headers:
            if name not in _UPGRADES:
                lines.append(b"%s: %s" % (name, _without_upgrades(value) if name == b"connection" else value))
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn sets it
        return b"\r\n".join((*lines, b"", b""))

    # What the parser tells

    def on_message_begin(self) -> None:
        """Begin to count the head of a request."""
        super().on_message_begin()
        self._is_in_message = self._is_in_head = self._has_begun = True
        self._is_replayed = False
        self._head = self._framing = self._body = self._hosts = 0

    def on_url(self, url: bytes) -> None:
        """Count a part of the request line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header; one that comes after the body is none that the application is told."""
        self._count(len(name) + len(value))
        if name.lower() == b"transfer-encoding" and value.lower() != b"chunked":  # the parser would read to the end
            raise _Refused("Transfer-Encoding must be chunked.", 501)
        if self._is_in_head:
            self._hosts += name.lower() == b"host"
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin to answer, unless an upgrade was asked for: then the head is read again without it."""
        self._is_in_head = False
        self._is_replayed = self.parser.should_upgrade()
        if self._is_replayed:
            return
        self._stop_timer()
        self.idle_since = None
        if self._hosts != 1 and self.parser.get_http_version() == "1.1":
            raise _Refused("A request has one Host.", 400)
        if len(self.pipeline) >= _PIPELINED:
            raise _Refused("Too many requests wait for their answers.", 503)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body; after the answer, only so much of it is waited for."""
        self._body += len(body)
        self._body_read += len(body)
        if self.cycle.response_complete:
            self._drained += len(body)
            if self._drained > _DRAINED_BYTES:
                self.transport.close()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is whole."""
        if self._is_replayed:
            return
        self._is_in_message = False
        if self.cycle.response_complete:
            self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, and first for what is left of this one, but not for long."""
        super().on_response_complete()
        if self.pipeline:  # uvicorn reads on, whatever waits
            self.flow.pause_reading()
        if self.cycle.response_complete and not self.transport.is_closing():
            self.idle_since = self.loop.time()
            if self._is_in_message and not self._is_in_head:
                self._drained = 0
                self._unset_keepalive_if_required()
                self._stop_timer()
                self._timer = self.loop.call_later(self._bounds.head_seconds, self._give_up)

    # Bounds

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > self._bounds.head_bytes:
            raise _Refused("The head of the request is too long.")

    def _wait_for_head(self) -> None:
        self._timer = self.loop.call_later(self._bounds.head_seconds, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.close()

    def _make_room(self) -> None:
        """End the connection that has waited longest for its client; without one, this one."""
        others = cast("set[GuardedProtocol]", self.connections) - {self}
        waiting = [(since, id(one), one) for one in others if (since := one.idle_since or one.unread_since) is not None]
        if waiting:
            min(waiting)[2].transport.abort()
        else:
            self._refuse(_Refused("The server has as many connections as it may.", 503))

    def _refuse(self, refused: _Refused) -> None:
        """Log why a request is rejected, and close the connection once earlier requests are answered."""
        log.info("Request rejected: %s", refused)
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle  # None until the first head
        if cycle is not None and not cycle.response_complete:
            # Its answer must not be cut, nor followed by one that looks like the answer to it.
            cycle.keep_alive = False
            if cycle.more_body:
                cycle.disconnected = True
                cycle.message_event.set()
                if not cycle.response_started and not self.pipeline:
                    self._answer(refused)
                self.transport.close()
            self.transport.pause_reading()
            return
        self._answer(refused)
        self.transport.close()

    def _answer(self, refused: _Refused) -> None:
        text = str(refused)
        self.transport.write(
            STATUS_LINE[refused.status]
            + b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s"
            % (len(text), text.encode())
        )


def _without_upgrades(value: bytes) -> bytes:
    """Return a Connection header that asks for no upgrade."""
    return b", ".join(token for part in value.split(b",") if (token := part.strip()).lower() not in _UPGRADES)
