"""The application over the demo's tables: in process, in a thread, and as a process of its own."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

import httpx
import uvicorn
from starlette.applications import Starlette

from graph.app import connect, create_app, make_changes, make_services
from graph.auth.identity import Authenticator
from graph.aws import wire
from graph.demo.database import EmbeddedDatabase
from graph.demo.identity import LoopbackAdministrator
from graph.demo.logs import log_clients
from graph.http import access_log
from graph.loaders.permissions import PermissionRows
from graph.server import configuration
from graph.settings import Settings
from graph.tables.catalogue import Table
from graph.tables.reader import Reader
from tests.harness import demo_clients
from tests.memory import NAMES, MemoryDatabase

GRAPHQL_RESPONSE = {"Accept": "application/graphql-response+json"}


def administrator(_settings: Settings, _rows: PermissionRows) -> Sequence[Authenticator]:
    """Whoever asks from this machine is the demo's administrator."""
    return [LoopbackAdministrator()]


def application() -> Starlette:
    """What workers run in tests."""
    access_log.write_json()
    settings = Settings()
    client, names = connect(settings)
    reads = wire.reads(settings, client)
    return create_app(make_services(settings, client, names, log_clients(), administrator, database=reads))


def make_app(
    database: EmbeddedDatabase | MemoryDatabase,
    authenticators: Sequence[Authenticator] = (LoopbackAdministrator(),),
    reader: type[Reader] = Reader,
    **settings: Any,
) -> Starlette:
    given = Settings(cursor_secrets=["a secret of the tests"], **settings)
    held = (database, NAMES) if isinstance(database, MemoryDatabase) else (database.client, database.names)
    client, names = cast("tuple[Any, Mapping[Table, str]]", held)
    changes = make_changes(given, client, names)
    return create_app(
        make_services(given, client, names, demo_clients(), lambda *_: authenticators, reader, changes=changes)
    )


@asynccontextmanager
async def serving(database: EmbeddedDatabase | MemoryDatabase, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application in this process."""
    app = make_app(database, **options)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield client


@contextmanager
def listening(app: Starlette, **bounds: Any) -> Iterator[str]:
    """The address of an application that listens in a thread."""
    config = configuration(app, Settings(**bounds), host="127.0.0.1", port=0)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def server_process(database: EmbeddedDatabase, port: int, workers: int, log: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that serves as ``vams-graph serve`` does, once it answers."""
    imports = "from graph.server import serve; from graph.settings import Settings"
    program = f"{imports}; serve('tests.serving:application', Settings())"
    environment = {
        **os.environ,
        **database.environment(),
        **database.access(),
        "VAMS_GRAPH_CURSOR_SECRETS": '["a secret of the tests"]',
        "VAMS_GRAPH_PORT": str(port),
        "VAMS_GRAPH_WORKERS": str(workers),
        "PYTHONPATH": os.getcwd(),
    }
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=log)  # noqa: S603
    try:
        deadline = time.monotonic() + 30
        while not _answers(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(15)


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").is_success
    except httpx.TransportError:
        return False
