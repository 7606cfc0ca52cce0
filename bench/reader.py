"""What one Query of twenty rows costs, with boto3 and over the wire: ``python -m bench.reader``.

A process of its own plays DynamoDB and always gives the same answer, so that what is measured is the reader: making the
request, signing it, sending it, reading the answer and its JSON. Ten calls are in flight. What making rows of the items
adds is told apart. All times are of CPU, of all threads of the process.
"""

import asyncio
import multiprocessing
import statistics
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from ssl import SSLContext
from typing import cast

import orjson
import uvloop
from botocore.credentials import Credentials

from graph.aws.credentials import SharedCredentials
from graph.aws.database import Database, ThreadedDatabase
from graph.aws.wire import WireDatabase
from graph.demo.database import loopback_client
from graph.tables.catalogue import OUTPUT_FILES
from graph.tables.queries import Query
from graph.tables.reader import Item, Reader
from graph.tables.records.outputs import OutputFileRow
from graph.tables.rows import field_names
from graph.tables.tally import Tally
from tests.aws.network.authority import Authority, serving

ROWS, IN_FLIGHT, ROUNDS = 20, 10, 7
FIELDS = field_names(OutputFileRow)
QUERY = Query(
    OUTPUT_FILES,
    None,
    "a" * 32,
    None,
    (),
    OutputFileRow.plan(FIELDS).attributes,
    forward=True,
    after=None,
    limit=ROWS + 1,
)


def main() -> None:
    """Print the figures."""
    uvloop.run(compare())


async def compare() -> None:
    """Measure the readers in turn, and print the median of each."""
    with tempfile.TemporaryDirectory() as directory:
        authority = Authority(Path(directory))
        with stub() as plain, stub(authority.certificate()) as encrypted:
            client = loopback_client(plain)
            costs = {
                "boto3": await costs_of(ThreadedDatabase(client, IN_FLIGHT), 200),
                "native": await costs_of(native(plain), 4000),
                "native, over TLS": await costs_of(native(encrypted, authority.client()), 4000),
            }
    for name, microseconds in costs.items():
        print(f"{name:>16} {microseconds:>6.0f} us a Query of {ROWS} rows, {len(ANSWER)} bytes")
    print(f"{'ratio':>16} {costs['boto3'] / costs['native']:>8.1f}")
    print(f"{'rows':>16} {decoding():>6.0f} us to make {ROWS} rows of {len(FIELDS)} fields")


def native(endpoint: str, tls: SSLContext | None = None) -> WireDatabase:
    """Return the client of the server."""
    return WireDatabase(
        endpoint, "eu-west-1", SharedCredentials(lambda: Credentials("a", "b")), concurrency=IN_FLIGHT, tls=tls
    )


async def costs_of(database: Database, calls: int) -> float:
    """Microseconds of CPU for one call, the median of some rounds."""
    reader = Reader(database, {OUTPUT_FILES: "files"})
    await read(reader, IN_FLIGHT)
    costs = [await cost(reader, calls) for _ in range(ROUNDS)]
    reader.close()
    return statistics.median(costs)


async def cost(reader: Reader, calls: int) -> float:
    """Microseconds of CPU for one call."""
    begun = time.process_time()
    await read(reader, calls)
    return (time.process_time() - begun) / calls * 1e6


async def read(reader: Reader, calls: int) -> None:
    """Make some calls, ten at a time."""
    tally = Tally()

    async def some() -> None:
        for _ in range(calls // IN_FLIGHT):
            page = await reader.query(QUERY, tally)
            if len(page.items) != ROWS:
                raise AssertionError(f"{len(page.items)} rows")

    await asyncio.gather(*(some() for _ in range(IN_FLIGHT)))


def decoding() -> float:
    """Microseconds of CPU to make rows of the items of one answer."""
    items, times = orjson.loads(ANSWER)["Items"], []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(1000):
            for item in items:
                OutputFileRow.decode(item, FIELDS)
        times.append(time.process_time() - begun)
    return statistics.median(times) * 1e3


def _item(number: int) -> Item:
    texts = {
        "pipelineExecutionId": "a" * 32,
        "fileType:relativeFilePath": f"file:/parts/assembly-{number:03}/model.gltf",
        "fileType": "file",
        "relativeFilePath": f"/parts/assembly-{number:03}/model.gltf",
        "contentType": "model/gltf+json",
        "s3Bucket": "vams-prod-assets-eu-west-1",
        "s3Key": f"x{'b' * 31}/parts/assembly-{number:03}/model.gltf",
        "s3VersionId": f"{number:032}",
    }
    return {name: {"S": text} for name, text in texts.items()} | {"fileSize": {"N": str(123_456 + number)}}


ANSWER = orjson.dumps(
    {
        "Items": [_item(number) for number in range(ROWS)],
        "Count": ROWS,
        "ScannedCount": ROWS,
        "ConsumedCapacity": {"TableName": "files", "CapacityUnits": 1.0},
    }
)
_RESPONSE = (
    b"HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\n"
    b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\nConnection: keep-alive\r\n"
    b"x-amzn-RequestId: 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJ\r\nx-amz-crc32: %d\r\n\r\n"
) % (len(ANSWER), zlib.crc32(ANSWER)) + ANSWER


class _Stub(asyncio.Protocol):
    """Answers when a request has come whole; each has a body, with which it ends."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._came = b""

    def data_received(self, data: bytes) -> None:
        self._came += data
        head, separator, body = self._came.partition(b"\r\n\r\n")
        if separator and len(body) >= int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]):
            self._came = b""
            self._transport.write(_RESPONSE)


def _serve(ready: Connection, certificate: Path | None) -> None:
    async def serve() -> None:
        tls = None if certificate is None else serving(certificate)
        server = await asyncio.get_running_loop().create_server(_Stub, "127.0.0.1", 0, ssl=tls)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(serve())


@contextmanager
def stub(certificate: Path | None = None) -> Iterator[str]:
    """Start a process that plays DynamoDB, and yield its address."""
    spawn = multiprocessing.get_context("spawn")
    ready, tell = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_serve, args=(tell, certificate), daemon=True)
    process.start()
    try:
        yield f"{'https' if certificate else 'http'}://localhost:{ready.recv()}"
    finally:
        process.terminate()
        process.join()


if __name__ == "__main__":
    main()
