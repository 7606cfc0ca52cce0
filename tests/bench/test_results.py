"""The page of results holds what was measured, whatever fails after it, and says what failed."""

import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.__main__ import write
from bench.comparison import Unusable
from tests.bench.test_stub import COMPILER, NATIVE
from tests.skipping import give_up


def broken() -> Iterator[str]:
    yield "| one | row |"
    raise Unusable("server failed 9 of 100 requests; request 7: HTTP/1.1 503")


def test_a_section_that_fails_leaves_the_others(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    sections = (("## First", lambda: ["1"]), ("## Second", broken), ("## Third", lambda: ["3"]))
    assert write(page, ["# Results"], sections) == 1
    assert page.read_text() == (
        "# Results\n\n## First\n1\n\n## Second\n| one | row |\n"
        "**Not measured**: Unusable: server failed 9 of 100 requests; request 7: HTTP/1.1 503\n\n## Third\n3\n"
    )


def test_what_was_measured_is_there_when_the_rest_is_interrupted(tmp_path: Path) -> None:
    def interrupted() -> Iterator[str]:
        yield "2"
        raise KeyboardInterrupt

    page = tmp_path / "RESULTS.md"
    with pytest.raises(KeyboardInterrupt):
        write(page, [], (("## First", lambda: ["1"]), ("## Second", interrupted)))
    assert page.read_text() == "\n## First\n1\n\n## Second\n2\n"


class Picky(http.server.BaseHTTPRequestHandler):
    """Refuses every second request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        is_good = json.loads(body)["number"] % 2 == 0
        answer = b'{"data":{}}' if is_good else b'{"errors":[{"extensions":{"code":"OVERLOADED"}}]}'
        self.send_response(200 if is_good else 503)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_the_load_generator_tells_which_requests_failed_and_with_what(tmp_path: Path) -> None:
    if COMPILER is None:
        give_up("THE LOAD GENERATOR IS NOT TESTED: there is no g++")
    binary, requests = tmp_path / "load", tmp_path / "requests"
    subprocess.run([COMPILER, "-std=c++20", "-o", binary, NATIVE / "load.cpp"], check=True)  # noqa: S603
    with requests.open("wb") as file:
        for number in range(4):
            body = json.dumps({"number": number}).encode()
            request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            file.write(b"%d\n%s" % (len(request), request))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Picky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        command = [str(binary), str(server.server_port), str(requests), "1", "8"]
        run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    finally:
        server.shutdown()
        server.server_close()
    assert json.loads(run.stdout)["failures"] == 4
    told = run.stderr.splitlines()
    assert [line.partition(":")[0] for line in told] == ["request 2", "request 4", "request 2"]
    assert all("503" in line and "OVERLOADED" in line for line in told)
