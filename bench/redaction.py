"""What it costs to redact a megabyte: ``python -m bench.redaction``.

Each hostile shape of the tests, repeated until it is a megabyte, beside ordinary log text. Milliseconds of the
thread's CPU, so that other work on the machine counts as little as can be.
"""

import statistics
import time

from graph.logs.redaction import redact
from tests.logs.test_redaction import HOSTILE

SIZE = 1_000_000
ROUNDS = 7
TARGET_MS = 50.0
CLEAN = (
    "2026-06-01T08:00:00.123Z INFO  [worker-7] converted pump-7.step to pump-7.glb in 1.72 s (4,096 faces)\n"
    '{"level": "info", "message": "read the model", "assetId": "pump-7", "databaseId": "plant", "bytes": 73211}\n'
    "    at com.example.Converter.run(Converter.java:81)\n"
)


def main() -> None:
    """Print a table, the slowest shape first."""
    shapes = {"clean log text": CLEAN, **{repr(unit): unit for unit in HOSTILE}}
    rows = sorted((*measured(unit), name) for name, unit in shapes.items())
    print(f"{'min ms':>8} {'median ms':>10}  one megabyte of")
    for least, median, name in reversed(rows):
        print(f"{least:>8.1f} {median:>10.1f}  {name}")
    over = sum(least > TARGET_MS for least, _, _ in rows)
    print(f"{over} of {len(rows)} shapes above {TARGET_MS:.0f} ms")


def measured(unit: str) -> tuple[float, float]:
    """Return the least and the median of the milliseconds that a megabyte of one shape takes."""
    text = unit * (SIZE // len(unit))
    milliseconds = []
    for _ in range(ROUNDS):
        begun = time.thread_time()
        redact(text)
        milliseconds.append((time.thread_time() - begun) * 1000)
    return min(milliseconds), statistics.median(milliseconds)


if __name__ == "__main__":
    main()
