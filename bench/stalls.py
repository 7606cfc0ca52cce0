"""How long others wait for a turn beside one of the dearest operations: ``python -m bench.stalls``.

Another connection asks for ``/healthz``, again as soon as it is answered. Its longest wait is the longest stretch for
which the event loop served nobody, and what the machine adds to it.
"""

import asyncio
import json
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import servers
from bench.dataset import FILES, wide_run_ids
from bench.processes import HOST, Process, end_like_an_interrupt
from bench.questions import Body, document
from bench.servers import ADMINISTRATOR, OTHER_CORE

TURNS = 3
TARGET_MS = 20.0
WIDE = 6  # executions with as many files as fit the price together

_PROBE = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
_SECONDS = 60


@dataclass(frozen=True)
class Stall:
    """What one operation did to others, over some turns."""

    name: str
    price: int
    seconds: float
    longest_ms: list[float]

    @property
    def typical_ms(self) -> float:
        """The longest wait of the median turn: a pause of the machine itself is in few of them."""
        return statistics.median(self.longest_ms)


def operations() -> dict[str, Body]:
    """Operations at the highest price: much of one kind, and lists within lists."""
    text = document("detail")
    one = text[text.index("execution(") : text.rindex("}")]
    each = (f"w{n}: " + one.replace("$executionId", f'"{run_id}"') for n, run_id in enumerate(wide_run_ids()[:WIDE]))
    wide = "query Wide($files: Int!) {" + "".join(each) + "}"
    return {
        f"{WIDE} details with {FILES} files a step": {"query": wide, "variables": {"files": FILES}},
        "the asset and the execution of each input of 99 executions": {"query": document("deep")},
    }


async def stall(server: Process, name: str, body: Body) -> Stall:
    """Run an operation some times, and others beside it."""
    price, took, longest = 0, [], []
    for _ in range(TURNS):
        probing = asyncio.create_task(probe(server))
        await asyncio.sleep(0.1)
        begun = time.perf_counter()
        answer = await asyncio.wait_for(ask(server, body), _SECONDS)
        took.append(time.perf_counter() - begun)
        probing.cancel()
        longest.append(max(await probing) * 1000)
        if "errors" in answer:
            raise AssertionError(f"{name}: {answer['errors']}")
        price = answer["extensions"]["cost"]["requested"]
    return Stall(name, price, statistics.median(took), longest)


async def probe(server: Process) -> list[float]:
    """Ask for ``/healthz`` until cancelled; the seconds of each wait, the one that was cut short too."""
    waits = []
    reader, writer = await asyncio.open_connection(HOST, server.port)
    begun = time.perf_counter()
    with suppress(asyncio.CancelledError):
        while True:
            begun = time.perf_counter()
            writer.write(_PROBE)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(_length(head))
            waits.append(time.perf_counter() - begun)
    writer.close()
    return [*waits, time.perf_counter() - begun]


async def ask(server: Process, body: Body) -> Body:
    """Ask once; the answer is decoded when the probe has had its turn."""
    content = json.dumps(body).encode()
    headers = {**ADMINISTRATOR, "GraphQL-Cost": "1", "Host": HOST, "Content-Length": str(len(content))}
    head = "\r\n".join(["POST /graphql HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())])
    reader, writer = await asyncio.open_connection(HOST, server.port)
    writer.write(f"{head}\r\n\r\n".encode() + content)
    answer = await reader.readexactly(_length(await reader.readuntil(b"\r\n\r\n")))
    writer.close()
    return await asyncio.to_thread(json.loads, answer)


def _length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))


def stalls() -> list[Stall]:
    """Start a server, and measure each of the operations."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {OTHER_CORE})
    try:
        with (
            TemporaryDirectory(prefix="vams-graph-bench-") as name,
            servers.database(Path(name)) as stub,
            servers.this_server(Path(name), stub) as server,
        ):
            return [asyncio.run(stall(server, name, body)) for name, body in operations().items()]
    finally:
        os.sched_setaffinity(0, cores)


def table(measured: list[Stall]) -> Iterator[str]:
    """Yield the results as Markdown."""
    yield f"| operation | points | seconds | longest wait of {TURNS} turns, ms | median, ms | at most | |"
    yield "| --- | ---: | ---: | --- | ---: | ---: | --- |"
    for one in measured:
        turns = ", ".join(f"{ms:.1f}" for ms in one.longest_ms)
        verdict = "met" if one.typical_ms <= TARGET_MS else "**missed**"
        yield (
            f"| {one.name} | {one.price:,} | {one.seconds:.2f} | {turns} "
            f"| {one.typical_ms:.1f} | {TARGET_MS:.0f} | {verdict} |"
        )


if __name__ == "__main__":
    end_like_an_interrupt()
    print("\n".join(table(stalls())))
