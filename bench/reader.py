"""What one Query of twenty rows costs, with boto3 and over the wire: ``python -m bench.reader``.

A process of its own plays DynamoDB and always gives the same answer, so that what is measured is the reader: making the
request, signing it, sending it, reading the answer and its JSON. Ten calls are in flight. What making rows of the items
adds is told apart. All times are of CPU, of all threads of the process.
"""

import asyncio
import multiprocessing
import statistics
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import cast

import orjson
import uvloop
from botocore.credentials import Credentials

from graph.demo.database import loopback_client
from graph.tables.catalogue import OUTPUT_FILES
from graph.tables.database import Database, ThreadedDatabase
from graph.tables.queries import Query
from graph.tables.reader import Item, Reader
from graph.tables.records.outputs import OutputFileRow
from graph.tables.rows import field_names
from graph.tables.tally import Tally
from graph.tables.wire import WireDatabase

ROWS, IN_FLIGHT, ROUNDS = 20, 10, 7
CALLS = {"boto3": 200, "native": 4000}
FIELDS = field_names(OutputFileRow)
QUERY = Query(
    OUTPUT_FILES, None, "a" * 32, None, (), OutputFileRow.projection(FIELDS), forward=True, after=None, limit=ROWS + 1
)


def main() -> None:
    """Prints the figures."""
    uvloop.run(compare())


async def compare() -> None:
    """Measures the ways in turn, and prints the median of each."""
    with stub() as endpoint:
        databases: dict[str, Database] = {
            "boto3": ThreadedDatabase(loopback_client(endpoint), IN_FLIGHT),
            "native": WireDatabase(endpoint, "eu-west-1", lambda: Credentials("a", "b"), concurrency=IN_FLIGHT),
        }
        readers = {name: Reader(database, {OUTPUT_FILES: "files"}) for name, database in databases.items()}
        costs: dict[str, list[float]] = {name: [] for name in readers}
        for name, reader in readers.items():
            await read(reader, IN_FLIGHT)
            for _ in range(ROUNDS):
                costs[name].append(await cost(reader, CALLS[name]))
        found = {name: statistics.median(of) for name, of in costs.items()}
        for name, microseconds in found.items():
            print(f"{name:>8} {microseconds:>8.0f} us a Query of {ROWS} rows, {len(ANSWER)} bytes")
        print(f"{'ratio':>8} {found['boto3'] / found['native']:>8.1f}")
        for reader in readers.values():
            reader.close()
    print(f"{'rows':>8} {decoding():>8.0f} us to make {ROWS} rows of {len(FIELDS)} fields")


async def cost(reader: Reader, calls: int) -> float:
    """Microseconds of CPU for one call."""
    begun = time.process_time()
    await read(reader, calls)
    return (time.process_time() - begun) / calls * 1e6


async def read(reader: Reader, calls: int) -> None:
    """Makes some calls, ten at a time."""
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


def _serve(ready: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(_Stub, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(serve())


@contextmanager
def stub() -> Iterator[str]:
    """The address of a process that plays DynamoDB."""
    spawn = multiprocessing.get_context("spawn")
    ready, tell = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_serve, args=(tell,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ready.recv()}"
    finally:
        process.terminate()
        process.join()


if __name__ == "__main__":
    main()
