"""GraphQL over HTTP as the audits of graphql-http see it, which are those that other servers publish."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.memory import MemoryDatabase
from tests.serving import listening, make_app

HERE = Path(__file__).parent
SKIPPED = "THE AUDITS OF GRAPHQL OVER HTTP DID NOT RUN: they need Node 20 or newer"
NEEDS_GET = {"5A70", "D6D5", "6A70"}
NEEDS_INTROSPECTION = {"2EA1", "28B9"}


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None or major_version(found) < 20:
        pytest.skip(SKIPPED)
    if not (HERE / "node_modules").is_dir():
        pytest.fail("The audits are not installed: run `npm ci` in tests/conformance, as `make test` does.")
    return found


def major_version(node: str) -> int:
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
    return int(version.lstrip("v").split(".")[0])


def audit(node: str, memory: MemoryDatabase, **settings: Any) -> list[dict[str, str]]:
    with listening(make_app(memory, **settings)) as address:
        command = [node, "audit.mjs", f"{address}/graphql"]
        run = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    results: list[dict[str, str]] = json.loads(run.stdout)
    assert len(results) == 61
    return results


def failed(results: list[dict[str, str]]) -> set[str]:
    return {result["id"] for result in results if result["status"] != "ok"}


def test_development_passes_all(node: str, memory: MemoryDatabase) -> None:
    assert failed(audit(node, memory, environment="development")) == set()


def test_production_fails_those_alone_that_ask_by_get_or_introspect(node: str, memory: MemoryDatabase) -> None:
    assert failed(audit(node, memory)) == NEEDS_GET | NEEDS_INTROSPECTION
