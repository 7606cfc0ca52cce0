"""How far a request walks: calls of Python functions, and changes of module; ``python -m bench.calls``.

A count is the same on every machine; what it takes of the processor is measured by ``bench.comparison``. Calls of
functions in C are not counted, nor is the event loop, which is uvloop's.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import uvloop
from starlette.applications import Starlette
from starlette.types import Message

from graph.app import create_app, make_services
from graph.auth.identity import Authenticator, Credentials, Viewer
from graph.context import Services
from graph.demo.logs import log_clients
from graph.demo.permissions import ADMIN
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings
from tests.demo.reading import ITEMS
from tests.memory import NAMES, ImmediateDatabase, MemoryDatabase

_ROOT = str(Path(__file__).resolve().parent.parent)
_WARM = 5
_DOCUMENTS = Path(_ROOT) / "tests" / "documents"


def questions() -> Mapping[str, dict[str, Any]]:
    """Return the documents that are counted, by name."""
    names = {
        "detail of three steps": "execution_page",
        "list of fifty": "list_page",
        "history of an asset": "asset_history",
        "files of a step": "step_files",
    }
    documents = {name: _document(stem) for name, stem in names.items()}
    return documents | {"{ __typename }": {"query": "{ __typename }"}}


def _document(stem: str) -> dict[str, Any]:
    variables = _DOCUMENTS / f"{stem}.variables.json"
    return {"query": (_DOCUMENTS / f"{stem}.graphql").read_text(), "variables": json.loads(variables.read_text())}


class _Administrator:
    async def authenticate(self, _credentials: Credentials) -> Viewer:
        return Viewer(ADMIN, is_mfa=False, method="demo")


def _ways(_settings: Settings, _rows: PermissionRows) -> Sequence[Authenticator]:
    return (_Administrator(),)


def application() -> tuple[Starlette, Services]:
    """Return the application as in production, over the demo's rows in memory."""
    memory = MemoryDatabase(ITEMS)
    settings = Settings(cursor_secrets=["a secret of the bench, which is long enough"], rate_points=0)
    services = make_services(settings, memory, NAMES, log_clients(), _ways, database=ImmediateDatabase(memory))
    return create_app(services), services


async def ask(app: Starlette, body: bytes) -> bytes:
    """Return the body of the answer to a request."""
    answer: list[bytes] = []
    given = asyncio.Event()

    async def receive() -> Message:
        if given.is_set():
            await asyncio.Event().wait()
        given.set()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        answer.append(message.get("body", b""))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "path": "/graphql",
        "raw_path": b"/graphql",
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    await app(scope, receive, send)
    return b"".join(answer)


class Counted:
    """What was called while this counts: functions by module, and how often the module changed.

    The database in memory and what asks are not the request's.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.changes = 0
        self._last = ""

    def __enter__(self) -> "Counted":
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, _argument: object) -> None:
        module = frame.f_code.co_filename
        if event != "call" or module.startswith((f"{_ROOT}/tests", f"{_ROOT}/bench")):
            return
        self.calls[module] += 1
        self.changes += module != self._last
        self._last = module


async def count() -> None:
    """Print the counts of each question."""
    app, services = application()
    for name, question in questions().items():
        body = json.dumps(question).encode()
        for _ in range(_WARM):
            answer = await ask(app, body)
            if not answer.startswith(b'{"data":{"'):
                raise ValueError(f"{name}: {answer[:300]!r}")
        with Counted() as counted:
            await ask(app, body)
        print(f"{name}: {counted.calls.total():,} calls, {counted.changes:,} changes of module")
        for module, calls in counted.calls.most_common(12):
            print(f"  {calls:6,} {module.rpartition('site-packages/')[2].removeprefix(_ROOT + '/')}")
    services.close()


if __name__ == "__main__":
    uvloop.run(count())
