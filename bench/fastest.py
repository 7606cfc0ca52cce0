"""Prints the fastest Python of this machine: ``python3 bench/fastest.py [PYTHON ...]``.

How a Python was compiled makes a third of its speed, and not every build says how it was. So each is timed. Runs with
any Python 3 and nothing else.
"""

import os
import subprocess
import sys
from pathlib import Path

NAMES = ["python3", *(f"python3.{minor}" for minor in range(11, 16))]
PLACES = [*os.environ.get("PATH", os.defpath).split(os.pathsep), "/usr/local/bin", "/usr/bin"]

ROUNDS = 3  # in turn, so that a busy moment of the machine slows no Python alone

LOOP = """
import sys, time
if sys.version_info < (3, 11):
    sys.exit("too old")
def loop():
    held = {}
    for number in range(300_000):
        held[number % 1_000] = (number, str(number))
    return held
best = 9.9
for _ in range(5):
    begun = time.process_time()
    loop()
    best = min(best, time.process_time() - begun)
print(best, sys.implementation.name == "cpython")
"""


def main() -> None:
    """Print the path of the fastest, and on the side how fast each is."""
    found: dict[str, float] = {}
    paths = sys.argv[1:] or sorted({str(path.resolve()) for path in places() if os.access(path, os.X_OK)})
    for path in paths * ROUNDS:
        seconds = timed(path)
        if seconds is not None:
            found[path] = min(seconds, found.get(path, seconds))
    for path, seconds in found.items():
        print(f"{seconds * 1000:7.1f} ms  {path}", file=sys.stderr)
    if not found:
        sys.exit("Python 3.11 or newer is needed.")
    print(min(found, key=found.__getitem__))


def places() -> "list[Path]":
    """Return where a Python may be."""
    return [Path(place) / name for place in PLACES for name in NAMES]


def timed(path: str) -> "float | None":
    """Return the seconds that the loop takes in a Python; None where it is no CPython that is new enough."""
    run = subprocess.run([path, "-c", LOOP], capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode:
        return None
    seconds, is_cpython = run.stdout.split()
    return float(seconds) if is_cpython == "True" else None


if __name__ == "__main__":
    main()
