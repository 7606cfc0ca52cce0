"""A thousand of the dearest operations at once, and whether the server still answers: ``python -m bench.crowd``.

The server is a process of its own with the settings of production, but no limit of rate: a thousand users, so to say.
Its database is in memory, so that it never waits for one. Another process asks it for ``/healthz`` all the while.
Needs Linux, which tells the memory of a process.
"""

import asyncio
import http.client
import multiprocessing
import os
import re
import socket
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from pathlib import Path

import httpx
import orjson
from starlette.applications import Starlette

from bench.questions import document
from graph.app import settle_garbage_collection
from graph.demo.data import demo_items
from graph.demo.rows import asset_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.server import serve
from graph.settings import Settings
from tests.memory import MemoryDatabase
from tests.serving import make_app
from tests.worlds import WORKFLOW, asset, items, run

HOST = "127.0.0.1"
OPERATIONS = 1_000
RUNS = 99  # of which each reads as many assets
DEAREST = document("deep")
"""Lists within lists within lists, all of them full. Of all shapes that were tried, it takes longest for its price."""

_SECONDS = 90  # for all of it, whatever happens
_PAUSE = 0.1
_STATUS, _CODE = re.compile(rb"HTTP/1.1 (\d+)"), re.compile(rb'"code":"(\w+)"')
_SPAWN = multiprocessing.get_context("spawn")


async def main() -> None:
    """Print what became of the operations, and how the server was meanwhile."""
    with server() as (process, port):
        cost, seconds = await alone(port)
        before = memory(process, "VmRSS")
        with probing(port) as waits:
            begun = time.perf_counter()
            outcomes = await crowd(port)
            took = time.perf_counter() - begun
        print(
            f"{OPERATIONS:,} operations at once, each of {cost:,} points and {seconds:.1f} s when alone: {took:.0f} s"
        )
        for outcome, count in outcomes.most_common():
            print(f"{count:>8,}  {outcome}")
        cuts = statistics.quantiles(waits, n=100, method="inclusive")
        print(f"/healthz, {len(waits)} times: p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms, max {max(waits):.0f} ms")
        most, after = memory(process, "VmHWM"), memory(process, "VmRSS")
        print(f"memory: {before:.0f} MiB before, {most:.0f} at most, {after:.0f} after")


def application() -> Starlette:
    """Return the demo, and runs of one group that all have the same many inputs."""
    assets = [asset("plant", f"a{number}") for number in range(RUNS)]
    runs = [run(str(number), *assets, minute=number, group_id="crowd") for number in range(RUNS)]
    held = demo_items()
    for table, rows in items([workflow_row(WORKFLOW)], map(asset_row, assets), *map(run_rows, runs)).items():
        held[table] += rows
    database = MemoryDatabase(held)
    database.served = deque(maxlen=0)  # nobody asks what it served, which would be ever more
    app = make_app(database, rate_points=0)
    settle_garbage_collection()
    return app


@contextmanager
def server() -> Iterator[tuple[SpawnProcess, int]]:
    """Start a process that serves; yield it, once it answers, and its port."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    process = _SPAWN.Process(target=_serve, args=(port,), daemon=True)
    process.start()
    try:
        deadline = time.monotonic() + 30
        while not _is_alive(port):
            if not process.is_alive() or time.monotonic() > deadline:
                raise AssertionError("the server does not start")
            time.sleep(0.1)
        yield process, port
    finally:
        process.terminate()
        process.join(15)
        if process.is_alive():
            process.kill()


def _serve(port: int) -> None:
    sys.stderr = Path(os.devnull).open("w")  # a line for each operation  # noqa: SIM115
    serve("bench.crowd:application", Settings(host=HOST, port=port))


def _is_alive(port: int) -> bool:
    try:
        return httpx.get(f"http://{HOST}:{port}/healthz").is_success
    except httpx.TransportError:
        return False


async def alone(port: int) -> tuple[int, float]:
    """Return the price of one operation, and the seconds until it is answered when there is no other."""
    async with httpx.AsyncClient(timeout=_SECONDS) as client:
        begun = time.perf_counter()
        response = await client.post(
            f"http://{HOST}:{port}/graphql", json={"query": DEAREST}, headers={"GraphQL-Cost": "1"}
        )
        took = time.perf_counter() - begun
        answer = response.json()
        if "errors" in answer:
            raise AssertionError(f"not answered when alone: {answer['errors']}")
        return answer["extensions"]["cost"]["requested"], took


async def crowd(port: int) -> Counter[str]:
    """Return how many operations ended how, all begun at once, by a client less busy than the server."""
    sent = orjson.dumps({"query": DEAREST})
    head = f"POST /graphql HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    request = b"%sContent-Length: %d\r\n\r\n%s" % (head.encode(), len(sent), sent)

    async def one() -> str:
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        return b" ".join([*_STATUS.findall(answer[:20]), *sorted(set(_CODE.findall(answer)))]).decode()

    tasks = [asyncio.create_task(one()) for _ in range(OPERATIONS)]
    _, late = await asyncio.wait(tasks, timeout=_SECONDS)
    for task in late:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    return Counter(one if isinstance(one, str) else type(one).__name__ for one in ended)


@contextmanager
def probing(port: int) -> Iterator[list[float]]:
    """Milliseconds in which ``/healthz`` answered, there when the block is over."""
    waits: list[float] = []
    is_over, (receiver, sender) = _SPAWN.Event(), _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_probe, args=(port, is_over, sender), daemon=True)
    process.start()
    try:
        receiver.recv()  # it has had its first answer
        yield waits
        is_over.set()
        waits += receiver.recv()
    finally:
        process.terminate()
        process.join()


def _probe(port: int, is_over: Event, sender: Connection) -> None:
    waits: list[float] = []
    connection = http.client.HTTPConnection(HOST, port, timeout=_SECONDS)
    while not is_over.wait(_PAUSE):
        begun = time.perf_counter()
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise AssertionError(f"/healthz says {response.status}")
        if not waits:
            sender.send("ready")
        took = time.perf_counter() - begun
        # Whoever else had asked meanwhile would have waited for the rest of it.
        waits.extend((took - passed * _PAUSE) * 1000 for passed in range(int(took / _PAUSE) + 1))
    sender.send(waits)


def memory(process: SpawnProcess, which: str) -> float:
    """MiB that a process holds, or held at most."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(rf"^{which}:\s+(\d+) kB", status, re.MULTILINE)
    if found is None:
        raise AssertionError(f"the system does not tell {which}")
    return int(found[1]) / 1024


if __name__ == "__main__":
    asyncio.run(main())
