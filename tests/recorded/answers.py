"""Asks the recorded requests of the application in this process, and puts the answers in a form that can be kept."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import httpx

from graph.app import create_app, make_services
from graph.auth.api_keys import ApiKeys
from graph.auth.identity import Authenticator
from graph.demo.identity import LoopbackAdministrator
from graph.demo.logs import log_clients
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings
from graph.tables.reader import Reader
from tests.harness import LockStepReader
from tests.memory import NAMES, ImmediateDatabase, MemoryDatabase
from tests.recorded.requests import GATEWAY_SECRET, LAST_CURSOR, Recorded, requests

ANSWERS = Path(__file__).parent / "answers.jsonl"

_LONGEST = 800  # characters of a body that are kept; of a longer one, its beginning and its digest
_VOLATILE = {"x-request-id", "content-length", "last-modified", "etag"}
_END_CURSOR = re.compile(r'"endCursor":"([^"]+)"')
_ERROR_ID = re.compile(r'"errorId":"[0-9a-f]+"')


def authenticators(settings: Settings, rows: PermissionRows) -> Sequence[Authenticator]:
    """API keys; in development, whoever asks from this machine is the administrator too."""
    return (ApiKeys(rows), *([LoopbackAdministrator()] if settings.is_development else ()))


async def answers(memory: MemoryDatabase, *, fast_execution: bool) -> list[dict[str, Any]]:
    """Each request with its answer, in their order."""
    with ExitStack() as stack:
        clients = {}
        for environment, reader in product(("production", "development"), (Reader, LockStepReader)):
            settings = Settings(
                environment=environment,
                fast_execution=fast_execution,
                cursor_secrets=["a secret of the tests, which is long enough"],
                federation_secret=GATEWAY_SECRET,
                rate_points=0,
            )
            services = make_services(
                settings, memory, NAMES, log_clients(), authenticators, reader, database=ImmediateDatabase(memory)
            )
            services = replace(services, clock=lambda: datetime(2026, 7, 15, tzinfo=UTC))
            stack.callback(services.close)
            transport = httpx.ASGITransport(create_app(services), client=("127.0.0.1", 1))
            clients[environment, reader] = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        recorded, cursor = [], ""
        for one in requests():
            # Only in lock-step are rounds counted exactly.
            client = clients[one.environment, LockStepReader if "GraphQL-Cost" in one.headers else Reader]
            response = await _ask(client, one, cursor)
            cursors = _END_CURSOR.findall(response.text)
            cursor = cursors[-1] if cursors else ""
            recorded.append(_kept(one, response))
        return recorded


async def _ask(client: httpx.AsyncClient, one: Recorded, cursor: str) -> httpx.Response:
    body = one.body.replace(LAST_CURSOR.encode(), cursor.encode())
    request = client.build_request(one.method, one.target, headers=one.headers, content=body)
    for name in ("accept", "accept-encoding", "user-agent", "content-type"):
        if name not in {header.lower() for header in one.headers}:
            request.headers.pop(name, None)
    return await client.send(request)


def _kept(one: Recorded, response: httpx.Response) -> dict[str, Any]:
    headers = {name: value for name, value in sorted(response.headers.items()) if name not in _VOLATILE}
    if "allow" in headers:
        headers["allow"] = ", ".join(sorted(headers["allow"].split(", ")))
    return {"name": one.name, "status": response.status_code, "headers": headers, **_shortened(response.text)}


def _shortened(text: str) -> dict[str, Any]:
    text = _in_order(_ERROR_ID.sub('"errorId":"..."', text))
    if len(text) <= _LONGEST:
        return {"body": text}
    return {
        "body": text[:_LONGEST],
        "length": len(text),
        "sha256": hashlib.sha256(text.encode(errors="replace")).hexdigest(),
    }


def _in_order(text: str) -> str:
    """The text with its errors in the order of their places: which of two fields fails first is nobody's promise."""
    try:
        body = json.loads(text)
        errors = body["errors"]
    except (ValueError, KeyError, TypeError):
        return text
    errors.sort(key=lambda error: json.dumps([error.get("path"), error]))
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def lines(recorded: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The answers as they are kept, one a line."""
    for one in recorded:
        yield json.dumps(one, ensure_ascii=False)
