"""What a server keeps of documents that it has answered: ``python -m bench.memory``.

A hundred thousand requests go over ten thousand distinct documents, so that each document is asked ten times. What is
remembered of documents is bounded, so memory must be where it was once the first of them have all come by.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import servers
from bench.comparison import load
from bench.processes import end_like_an_interrupt
from bench.questions import Asker
from bench.servers import ADMINISTRATOR

DOCUMENTS, PASSES = 10_000, 10
TARGET = 1.1
"""The most that memory may be after the last pass, to that after the second."""

_SECONDS = 210  # then it is enough, whatever has been sent


@dataclass(frozen=True)
class Memory:
    """MiB at the start and after each pass, and how long all passes took."""

    at_start: float
    after: list[float]
    seconds: float

    @property
    def growth(self) -> float:
        """Memory after the last pass to that after the second, when every document had come by and come again."""
        return self.after[-1] / self.after[min(1, len(self.after) - 1)]


def measure() -> Memory:
    """Start a server and ask it."""
    with (
        TemporaryDirectory(prefix="vams-graph-bench-") as name,
        servers.database(directory := Path(name)) as stub,
        servers.this_server(directory, stub) as server,
    ):
        asker, requests = Asker(server, ADMINISTRATOR), directory / "requests"
        bodies = [
            {"query": f"query Q{n} {{ executions(first: 1) {{ nodes {{ id f{n}: status startedAt }} }} }}"}
            for n in range(DOCUMENTS)
        ]
        asker.write(bodies, requests)
        at_start, after, begun = server.memory(), [], time.monotonic()
        for number in range(PASSES):
            load(server, requests, DOCUMENTS)
            after.append(server.memory())
            print(f"{(number + 1) * DOCUMENTS:,} requests: {after[-1]:.0f} MiB", file=sys.stderr, flush=True)
            if time.monotonic() - begun > _SECONDS:
                break
        return Memory(at_start, after, time.monotonic() - begun)


def table(memory: Memory) -> Iterator[str]:
    """Yield the results as Markdown."""
    verdict = "met" if memory.growth <= TARGET else "**missed**"
    passes = ", ".join(f"{one:.0f}" for one in memory.after)
    yield "| requests | documents | seconds | MiB at the start, then after each pass | last to second | at most | |"
    yield "| ---: | ---: | ---: | --- | ---: | ---: | --- |"
    yield (
        f"| {len(memory.after) * DOCUMENTS:,} | {DOCUMENTS:,} | {memory.seconds:.0f} "
        f"| {memory.at_start:.0f}; {passes} | {memory.growth:.2f} | {TARGET:.2f} | {verdict} |"
    )


if __name__ == "__main__":
    end_like_an_interrupt()
    print("\n".join(table(measure())))
