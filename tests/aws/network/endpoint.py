"""An endpoint that answers reads as no endpoint should: cut, late, wrong, too long, twice.

Each answer carries the key of its request, so a test can tell whose it is. A behaviour writes what it likes and says
whether the connection goes on.
"""

import asyncio
import gzip
import json
import random
import socket
import struct
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self

KEY = "databaseId"


@dataclass(frozen=True)
class Asked:
    """One request, and the connection that it came on."""

    key: str
    access_key: str
    write: Callable[[bytes], None]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def body(self) -> bytes:
        """The true answer."""
        return json.dumps({"Item": {KEY: {"S": self.key}}, "ConsumedCapacity": {"CapacityUnits": 1}}).encode()


Behaviour = Callable[[Asked], Awaitable[bool]]
Plan = Callable[[Asked], Behaviour]


class HostileEndpoint:
    """Listens on loopback while entered.

    Attributes:
        requests: how often each key was asked for.
        connections: how many there were.
        left: whether none is open any more.
    """

    def __init__(self, plan: Plan, tls: SSLContext | None = None) -> None:
        self.requests: Counter[str] = Counter()
        self.connections = 0
        self.left = asyncio.Event()
        self._plan = plan
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._tls, backlog=256)
        port = self._server.sockets[0].getsockname()[1]
        self.endpoint = f"https://localhost:{port}" if self._tls else f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0.01)  # in which connections end

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._answer(reader, writer):
                pass
        except (OSError, EOFError, asyncio.CancelledError):
            pass  # the other side left
        finally:
            self._tasks.discard(task)
            if not self._tasks:
                self.left.set()
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
        request = json.loads(await reader.readexactly(int(headers["content-length"])))
        access_key = headers["authorization"].partition("credential=")[2].partition("/")[0]
        asked = Asked(request["Key"][KEY]["S"], access_key, writer.write, reader, writer)
        self.requests[asked.key] += 1
        return await self._plan(asked)(asked)


def always(behaviour: Behaviour) -> Plan:
    """A plan that is the same for every request."""
    return lambda _asked: behaviour


def in_order(*behaviours: Behaviour) -> Plan:
    """A plan that gives each behaviour to one request, and the truth to every request after them."""
    left = iter(behaviours)
    return lambda _asked: next(left, truly)


def seeded(seed: int, behaviours: Iterable[Behaviour], most: int = 3) -> Plan:
    """A plan that draws the behaviours for a key, and answers it truly when it was asked for often enough."""
    drawn, asked_for = tuple(behaviours), Counter[str]()

    def plan(asked: Asked) -> Behaviour:
        asked_for[asked.key] += 1
        chance = random.Random(f"{seed} {asked.key} {asked_for[asked.key]}")  # noqa: S311
        return chance.choice(drawn) if asked_for[asked.key] <= most else chance.choice(GOOD)

    return plan


def response(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A response with its length and its checksum."""
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers)
    checksum = () if any(line.lower().startswith("x-amz-crc32") for line in headers) else (_checksum(body),)
    return "\r\n".join((*lines, *checksum, "", "")).encode() + body


def _unframed(body: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\n{_checksum(body)}\r\n\r\n".encode() + body


def _checksum(body: bytes) -> str:
    return f"x-amz-crc32: {zlib.crc32(body)}"


# Whole answers, however they come.


async def truly(asked: Asked) -> bool:
    asked.write(response(asked.body))
    return True


async def late(asked: Asked) -> bool:
    await asyncio.sleep(0.02)
    asked.write(response(asked.body))
    return True


async def in_pieces(asked: Asked) -> bool:
    whole = response(asked.body)
    for start in range(0, len(whole), 7):
        asked.write(whole[start : start + 7])
        await asyncio.sleep(0)
    return True


async def in_chunks(asked: Asked) -> bool:
    body = asked.body
    asked.write(f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Amz-CRC32: {zlib.crc32(body)}\r\n\r\n".encode())
    for part in (body[:10], body[10:]):
        asked.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        await asyncio.sleep(0)
    asked.write(b"0\r\n\r\n")
    return True


async def after_interim_answers(asked: Asked) -> bool:
    asked.write(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + response(asked.body))
    return True


async def of_70_kilobytes(asked: Asked) -> bool:
    """More than a head may have, at one go."""
    asked.write(response(_padded(asked.body, 70_000)))
    return True


async def of_a_megabyte(asked: Asked) -> bool:
    """As long as an answer to a Query may be, at one go."""
    asked.write(response(_padded(asked.body, 1024 * 1024)))
    return True


def _padded(body: bytes, size: int) -> bytes:
    return body[:-1] + b', "Padding": "' + b"x" * size + b'"}'


async def then_closing(asked: Asked) -> bool:
    """The connection is closed after the answer, which does not say so."""
    asked.write(response(asked.body))
    await asked.writer.drain()
    return False


async def saying_that_it_closes(asked: Asked) -> bool:
    asked.write(response(asked.body, "Connection: close"))
    await asked.writer.drain()
    return False


async def until_the_connection_ends(asked: Asked) -> bool:
    """Neither a length nor chunks tell where the answer ends."""
    asked.write(_unframed(asked.body))
    await asked.writer.drain()
    return False


async def until_it_ends_without_a_checksum(asked: Asked) -> bool:
    asked.write(b"HTTP/1.1 200 OK\r\n\r\n" + asked.body)
    await asked.writer.drain()
    return False


async def with_another_behind(asked: Asked) -> bool:
    """An answer that nobody asked for follows at once."""
    asked.write(response(asked.body) + response(b'{"Item": {"databaseId": {"S": "of another"}}}'))
    return True


async def with_rubbish_behind(asked: Asked) -> bool:
    asked.write(response(asked.body) + b"\x00rubbish")
    return True


# None, or none that can be used.


async def cut_at_once(asked: Asked) -> bool:
    return False


async def reset(asked: Asked) -> bool:
    held: Any = asked.writer.get_extra_info("socket")
    held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


async def cut_in_the_head(asked: Asked) -> bool:
    asked.write(b"HTTP/1.1 200 OK\r\nContent-Le")
    await asked.writer.drain()
    await asyncio.sleep(0.005)
    return False


async def cut_in_the_body(asked: Asked) -> bool:
    asked.write(response(asked.body)[:-5])
    await asked.writer.drain()
    await asyncio.sleep(0.005)
    return False


async def cut_without_a_length(asked: Asked) -> bool:
    asked.write(_unframed(asked.body)[:-5])
    await asked.writer.drain()
    return False


async def never(asked: Asked) -> bool:
    await asyncio.sleep(60)
    return False


async def half_and_never(asked: Asked) -> bool:
    asked.write(response(asked.body)[:-5])
    await asyncio.sleep(60)
    return False


async def drop_by_drop(asked: Asked) -> bool:
    """Each byte comes in time, and the whole never."""
    whole = response(asked.body)
    for place in range(len(whole)):
        asked.write(whole[place : place + 1])
        await asyncio.sleep(0.005)
    return False


async def with_a_wrong_checksum(asked: Asked) -> bool:
    asked.write(response(asked.body, f"x-amz-crc32: {zlib.crc32(asked.body) ^ 1}"))
    return True


async def with_no_number_for_a_checksum(asked: Asked) -> bool:
    asked.write(response(asked.body, "x-amz-crc32: 12x"))
    return True


async def with_too_short_a_length(asked: Asked) -> bool:
    asked.write(response(asked.body, length=len(asked.body) - 3))
    return True


async def with_too_long_a_length(asked: Asked) -> bool:
    asked.write(response(asked.body, length=len(asked.body) + 3))
    await asked.writer.drain()
    await asyncio.sleep(0.005)
    return False


async def with_two_lengths(asked: Asked) -> bool:
    asked.write(response(asked.body, f"Content-Length: {len(asked.body) - 1}"))
    return True


async def with_an_endless_head(asked: Asked) -> bool:
    asked.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(70):
        asked.write(b"X: " + b"x" * 1024 + b"\r\n")
    await asked.writer.drain()
    return True


async def with_a_long_head_at_one_go(asked: Asked) -> bool:
    asked.write(response(asked.body, *(f"X-{number}: {'x' * 1024}" for number in range(70))))
    return True


async def upgraded(asked: Asked) -> bool:
    asked.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
    return True


async def not_http(asked: Asked) -> bool:
    asked.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    return True


async def not_json(asked: Asked) -> bool:
    asked.write(response(b"<html>"))
    return True


async def no_object(asked: Asked) -> bool:
    asked.write(response(b'["ok"]'))
    return True


async def packed(asked: Asked) -> bool:
    """gzip, which was not asked for."""
    asked.write(response(gzip.compress(asked.body), "Content-Encoding: gzip"))
    return True


async def throttled(asked: Asked) -> bool:
    asked.write(refusal("ProvisionedThroughputExceededException"))
    return True


async def broken(asked: Asked) -> bool:
    asked.write(refusal("InternalServerError", "500 Internal Server Error"))
    return True


async def unavailable(asked: Asked) -> bool:
    """What a balancer says."""
    asked.write(response(b"<html>Service Unavailable</html>", status="503 Service Unavailable"))
    return True


def refusal(code: str, status: str = "400 Bad Request") -> bytes:
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "arn:aws:dynamodb:1:table/secret"}
    return response(json.dumps(body).encode(), status=status)


GOOD = (
    truly,
    late,
    in_pieces,
    in_chunks,
    after_interim_answers,
    of_70_kilobytes,
    of_a_megabyte,
    then_closing,
    saying_that_it_closes,
    until_the_connection_ends,
    until_it_ends_without_a_checksum,
    with_another_behind,
    with_rubbish_behind,
)
CUT = (cut_at_once, reset, cut_in_the_head, cut_in_the_body, cut_without_a_length, with_too_long_a_length)
SLOW = (never, half_and_never, drop_by_drop)
WRONG = (
    with_a_wrong_checksum,
    with_no_number_for_a_checksum,
    with_too_short_a_length,
    with_two_lengths,
    with_an_endless_head,
    with_a_long_head_at_one_go,
    upgraded,
    not_http,
    not_json,
    no_object,
    packed,
)
REFUSED = (throttled, broken, unavailable)
BAD = (*CUT, *SLOW, *WRONG, *REFUSED)
