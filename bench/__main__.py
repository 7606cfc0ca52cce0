"""Everything that is compared, written to RESULTS.md: ``python -m bench``."""

import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import comparison, memory, stalls
from bench.comparison import CONNECTIONS, ROUNDS
from bench.fastest import timed
from bench.processes import end_like_an_interrupt
from bench.servers import HERE, node

RESULTS = HERE / "RESULTS.md"
_OURS = ("strawberry-graphql", "graphql-core", "starlette", "uvicorn", "uvloop", "httptools", "boto3", "orjson")


Section = tuple[str, Callable[[], Iterable[str]]]

SECTIONS: tuple[Section, ...] = (
    (
        f"## Beside other servers\n\nMedians of {ROUNDS} rounds, {CONNECTIONS} connections, DynamoDB without delay.",
        lambda: comparison.tables(comparison.compare(ROUNDS, delay=0)),
    ),
    ("## Beside the dearest operations\n", lambda: stalls.table(stalls.stalls())),
    ("## Memory\n", lambda: memory.table(memory.measure())),
)


def write(results: Path, head: Iterable[str], sections: Iterable[Section]) -> int:
    """Write each section as it is measured, and return how many fail; one that fails says why, and the others go on."""
    failed = 0
    with results.open("w") as file:

        def say(line: str) -> None:
            print(line, file=file, flush=True)
            print(line, flush=True)

        for line in head:
            say(line)
        for title, measured in sections:
            say(f"\n{title}")
            try:
                for line in measured():
                    say(line)
            except Exception as error:
                failed += 1
                say(f"**Not measured**: {type(error).__name__}: {error}")
    return failed


def head() -> Iterator[str]:
    """Yield what the page begins with."""
    yield "# Results\n"
    yield "Written by `make bench`; [docs/performance.md](../docs/performance.md) says how it is measured.\n"
    yield from machine()


def machine() -> Iterator[str]:
    """Yield what it was measured on, and with."""
    processors = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in processors if line.startswith("model name")]
    arguments = sysconfig.get_config_var("CONFIG_ARGS") or ""
    named = "has" if "--enable-optimizations" in arguments else "lacks"
    loop = (timed(sys.executable) or 0) * 1000
    peers = json.loads((HERE / "peers" / "package.json").read_text())["dependencies"]
    yield (
        f"* {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {len(models)} x {models[0] if models else platform.machine()}, "
        f"{platform.system()} {platform.release()}; load before the run: {os.getloadavg()[0]:.1f}"
    )
    yield (
        f"* CPython {platform.python_version()}, {platform.python_compiler()}: the fastest of this machine "
        f"({loop:.1f} ms for the loop of `bench/fastest.py`); CONFIG_ARGS {named} --enable-optimizations"
    )
    yield f"* {', '.join(f'{name} {version(name)}' for name in _OURS)}"
    shown = subprocess.run([node(), "--version"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    yield f"* Node.js {shown}; {', '.join(f'{name} {number}' for name, number in peers.items())}"


if __name__ == "__main__":
    end_like_an_interrupt()
    sys.exit(write(RESULTS, head(), SECTIONS) > 0)
