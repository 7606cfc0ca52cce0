"""The connections to one HTTP endpoint: kept alive, and no more than a bound.

The transports are the event loop's, and the parser of HTTP is httptools, which uvicorn uses too: a Query of twenty rows
takes 43 us of CPU. With aiohttp in their place it takes 122 us (docs/performance.md).
"""

import asyncio
import socket
from collections.abc import Callable
from ssl import SSLContext, SSLError
from urllib.parse import urlsplit

from aiohappyeyeballs import AddrInfoType, start_connection
from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, EndpointConnectionError
from botocore.exceptions import SSLError as EndpointSSLError

from graph.aws.connection import Answer, Connection, StaleError
from graph.deadlines import Deadline

_NEXT_ADDRESS_SECONDS = 0.25  # what an address may take before the next one is tried beside it, as in RFC 8305
_IDLE_SECONDS = 50.0  # some gateways forget an idle connection after a minute, and tell nobody


class Connections:
    """The connections of the running event loop to one endpoint; another loop has others."""

    def __init__(self, endpoint: str, *, most: int, seconds: float, tls: SSLContext | None) -> None:
        parts = urlsplit(endpoint)
        self._endpoint = endpoint
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if tls else 80)
        self._most = most
        self._seconds = seconds
        self._tls = tls
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: list[Connection] = []
        self._good: AddrInfoType | None = None  # the address that answered last

    async def exchange(self, request: Callable[[], bytes]) -> Answer:
        """Return the answer to a request, which is built once a connection is free.

        A request on a connection that the endpoint has closed is repeated on a new one, as reads may be.

        Raises:
            ConnectionError, HTTPClientError: those of botocore, when no whole answer came.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._idle, self._turns = loop, [], asyncio.Semaphore(self._most)
        idle = self._idle  # that of this loop, whichever asks meanwhile
        async with self._turns:
            if (kept := _take(idle, loop.time())) is not None:
                try:
                    return await self._use(kept, request(), idle)
                except StaleError:
                    pass
            try:
                return await self._use(await self._connect(loop), request(), idle)
            except StaleError as fault:
                raise ConnectionClosedError(endpoint_url=self._endpoint) from fault

    def close(self) -> None:
        """End the idle connections. It may be called from any thread, and after the loop."""
        if self._loop is not None and not self._loop.is_closed():
            for connection in self._idle:
                self._loop.call_soon_threadsafe(connection.abort)

    async def _use(self, connection: Connection, request: bytes, idle: list[Connection]) -> Answer:
        answer = await connection.exchange(request, self._seconds)
        idle.append(connection)
        return answer

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> Connection:
        try:
            async with Deadline(self._seconds):
                addresses = await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
                addresses.sort(key=lambda address: address != self._good)
                link = await start_connection(addresses, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS, loop=loop)
                peer = link.getpeername()
                _, connection = await loop.create_connection(
                    lambda: Connection(loop, self._endpoint),
                    sock=link,
                    ssl=self._tls,
                    server_hostname=self._host if self._tls else None,
                )
        except TimeoutError as fault:
            raise ConnectTimeoutError(endpoint_url=self._endpoint) from fault
        except SSLError as fault:
            raise EndpointSSLError(endpoint_url=self._endpoint, error=fault) from fault
        except (OSError, RuntimeError) as fault:  # uvloop raises both
            raise EndpointConnectionError(endpoint_url=self._endpoint, error=fault) from fault
        self._good = next((address for address in addresses if address[4] == peer), None)
        return connection


def _take(idle: list[Connection], now: float) -> Connection | None:
    """Return the most recently used connection that may still be open; close those that are not."""
    while idle:
        connection = idle.pop()
        if connection.is_open and now - connection.idle_since < _IDLE_SECONDS:
            return connection
        connection.abort()
    return None
