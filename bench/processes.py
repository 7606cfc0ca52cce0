"""Processes that are measured: each on a core of its own choice, ended whatever happens. Needs Linux."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

HOST = "127.0.0.1"
_START_SECONDS, _END_SECONDS = 60, 10


class NotStarted(Exception):
    """A process ended, or did not answer, before it could be used."""


@dataclass(frozen=True)
class Process:
    """A process that listens on a port."""

    name: str
    pid: int
    port: int

    def cpu_seconds(self) -> float:
        """Return what it and its descendants have used of processors so far, all threads together."""
        return sum(_on_cpu(pid) for pid in _family(self.pid)) / 1e9

    def memory(self) -> float:
        """MiB that it and its descendants hold."""
        return sum(_resident(pid) for pid in _family(self.pid)) / 1024

    def request(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> bytes:
        """Ask it once; the body of the answer."""
        connection = HTTPConnection(HOST, self.port, timeout=_START_SECONDS)
        try:
            connection.request(method, path, body, dict(headers or {}))
            return connection.getresponse().read()
        finally:
            connection.close()


@contextmanager
def running(
    name: str, command: Sequence[str], port: int, core: int, environment: Mapping[str, str], log: Path, path: str = "/"
) -> Iterator[Process]:
    """Run a command on one core until the block is left; it is there once ``path`` is answered."""
    with log.open("wb") as file:
        child = subprocess.Popen(  # noqa: S603
            ["taskset", "-c", str(core), *command],  # noqa: S607
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    try:
        process = Process(name, child.pid, port)
        deadline = time.monotonic() + _START_SECONDS
        while not _answers(process, path):
            if child.poll() is not None or time.monotonic() > deadline:
                raise NotStarted(f"{name} does not start:\n{log.read_text(errors='replace')[-2_000:]}")
            time.sleep(0.1)
        yield process
    finally:
        _end(child)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port


def end_like_an_interrupt() -> None:
    """Let SIGTERM unwind the stack too, so that no process is left behind."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _answers(process: Process, path: str) -> bool:
    try:
        process.request("GET", path)
    except (OSError, HTTPException):
        return False
    return True


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _family(int(child))


def _on_cpu(pid: int) -> int:
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
