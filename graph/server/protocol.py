"""HTTP/1.1 as uvicorn speaks it with httptools, but for requests to upgrade.

llhttp ends a message at its head when ``Upgrade`` or ``CONNECT`` asks for another protocol, and uvicorn then reads the
body as the next request: a client behind a proxy that pools connections could have requests answered as another user's.
RFC 9110, section 7.8, lets a server ignore ``Upgrade``; this one does, reading the body by a parser that never saw it.

All private names of uvicorn that this project relies on stand here; ``tests/server/test_protocol.py`` tells when one is
gone.
"""

from typing import Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})


class GuardedProtocol(HttpToolsProtocol):
    """One connection, of which each byte belongs to the request that its framing says."""

    _resuming = False  # the head that is fed repeats what was read

    def data_received(self, data: bytes) -> None:
        """Parse what arrived; each ignored upgrade continues with the bytes behind its head."""
        self._unset_keepalive_if_required()
        rest: bytes | None = data
        try:
            while rest is not None:
                rest = self._feed(rest)
        except httptools.HttpParserError:
            self.logger.warning("Invalid HTTP request received.")
            self.send_400_response("Invalid HTTP request received.")

    def _feed(self, data: bytes) -> bytes | None:
        """Parse until the end or an upgrade, and return what follows the upgrade's head."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self.logger.info("Ignored a request to upgrade: this server speaks HTTP/1.1 alone.")
            self._resume()
            return data[upgrade.args[0] :]
        return None

    def _resume(self) -> None:
        """Replace the parser by one that is at the same place of the same message, without the upgrade."""
        lines = [b"%s: %s\r\n" % header for header in self.headers if header[0] in _FRAMING]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's own
        self._resuming = True
        try:
            # Only its framing tells where a request ends, whatever its method is.
            self.parser.feed_data(b"POST / HTTP/1.1\r\n%s\r\n" % b"".join(lines))
        finally:
            self._resuming = False

    def on_message_begin(self) -> None:
        """Begin a request."""
        if not self._resuming:
            super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the target."""
        if not self._resuming:
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        if not self._resuming:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request; a tunnel is refused, since no framing tells where what it carries ends.

        Raises:
            ValueError: when the method is CONNECT, which the parser turns into a refusal.
        """
        if self._resuming:
            return
        if self.parser.get_method() == b"CONNECT":
            raise ValueError("CONNECT is not supported")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """End a request, unless its body follows the upgrade that it asked for."""
        if not self.parser.should_upgrade():
            super().on_message_complete()
