"""A server process: how it ends, and what it does when a worker ends."""

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest

from graph.demo.database import EmbeddedDatabase
from tests.serving import server_process

QUERY = {"query": "query Page { executions(first: 20) { nodes { executionId inputFiles { nodes { id } } } } }"}


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


class Load:
    """Clients that ask without pause, each on one connection, until the server takes no more."""

    def __init__(self, port: int, clients: int) -> None:
        self.answered = 0
        self.lost: list[str] = []
        self._url = f"http://127.0.0.1:{port}/graphql"
        self._threads = [threading.Thread(target=self._ask) for _ in range(clients)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        with httpx.Client(timeout=20) as client:
            while True:
                try:
                    response = client.post(self._url, json=QUERY)
                    assert response.json()["data"]["executions"]["nodes"]
                    self.answered += 1
                except (httpx.ConnectError, httpx.ReadError):
                    # It does not listen any more, or stopped before it took the connection from the kernel: either way
                    # the request was never accepted. That none was which is not counted here shows in the log.
                    return
                except (httpx.TransportError, ValueError, KeyError, AssertionError) as error:
                    self.lost.append(repr(error))
                    return


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_under_load_loses_no_request_and_ends_in_time(
    database: EmbeddedDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setenv("VAMS_GRAPH_DRAIN_SECONDS", "3")
    port, path = free_port(), tmp_path / "log"
    with path.open("wb") as log, server_process(database, port, workers, log) as process, Load(port, 2) as load:
        until(lambda: len(started(path)) == workers)
        time.sleep(1)
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        until(lambda: readiness(port) == "draining")
        process.wait(10)
        took = time.monotonic() - begun
    assert load.lost == []
    assert load.answered > 4
    assert took < 10
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    operations = [line for line in lines if line["logger"] == "graph.operations"]
    assert len(operations) == load.answered
    assert {line["name"] for line in operations} == {"Page"}


def test_a_worker_that_is_killed_is_replaced_and_counts_go_on(database: EmbeddedDatabase, tmp_path: Path) -> None:
    port, path = free_port(), tmp_path / "log"
    with path.open("wb") as log, server_process(database, port, 2, log):
        until(lambda: len(started(path)) == 2)
        for _ in range(4):
            assert httpx.post(f"http://127.0.0.1:{port}/graphql", json=QUERY).is_success
        os.kill(started(path)[0], signal.SIGKILL)
        until(lambda: len(started(path)) == 3)
        until(lambda: httpx.get(f"http://127.0.0.1:{port}/readyz").is_success)
        for _ in range(4):
            assert httpx.post(f"http://127.0.0.1:{port}/graphql", json=QUERY).is_success
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert 'vams_graph_operations_total{outcome="OK",status="200"} 8.0' in text


def readiness(port: int) -> str:
    """What the server says of itself, asked with little effort: all of this process compete, and draining is short."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", "/readyz")
        status: str = json.loads(connection.getresponse().read())["status"]
        return status


def started(log: Path) -> list[int]:
    """The processes of the workers that started, as the log tells."""
    return [int(pid) for pid in re.findall(r"Started server process \[(\d+)\]", log.read_text())]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
