"""Nothing of AWS is loaded, made or asked for before something needs it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.app import create_app, deployment
from graph.aws.sessions import Session
from graph.settings import Settings
from graph.tables.catalogue import TABLES
from tests.aws.keyed import Disk, Keyed

BOTO3 = ["boto3", "botocore.client", "botocore.session"]
TABLE_NAMES = {variable: f"physical-{table.name}" for table in TABLES for variable in table.variables}
ACCEPT = {"Accept": "application/graphql-response+json"}
SECRET = "a secret of the gateway"


@pytest.fixture
def endpoint() -> Iterator[Keyed]:
    keyed = Keyed()
    yield keyed
    keyed.close()


class Runs:
    """Whether the program has run that gives the credentials."""

    def __init__(self, directory: Path) -> None:
        self.mark = directory / "runs"

    def __bool__(self) -> bool:
        return self.mark.exists()


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


@pytest.fixture
def environment(tmp_path: Path, runs: Runs, endpoint: Keyed) -> dict[str, str]:
    """That of a deployment whose credentials a program gives."""
    disk = Disk(tmp_path)
    disk.give_by_process()
    disk.configure(f"region = eu-west-1\ncredential_process = sh -c 'touch {runs.mark}; cat {tmp_path}/told'")
    return TABLE_NAMES | {
        "AWS_SHARED_CREDENTIALS_FILE": str(disk.credentials),
        "AWS_CONFIG_FILE": str(disk.config),
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "*",
        "PATH": os.environ["PATH"],
        "VAMS_GRAPH_DYNAMODB_ENDPOINT": endpoint.url,
        "VAMS_GRAPH_CURSOR_SECRETS": '["a secret of the tests"]',
        "VAMS_GRAPH_GATEWAY_SECRET": SECRET,
    }


@pytest.mark.parametrize(
    "program",
    [
        "import graph",
        "import graph.cli",
        "from graph.cli import main; main(['export-schema'])",
        "from graph.cli import main; main(['export-schema', '--federation'])",
        "import graph; graph.create_app()",
    ],
)
def test_a_program_that_calls_nothing_loads_no_client_and_reads_no_credentials(
    program: str, environment: dict[str, str], runs: Runs, endpoint: Keyed
) -> None:
    told = f"import json, sys; print(json.dumps([name for name in {BOTO3} if name in sys.modules]))"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", f"{program}; {told}"], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == []
    assert endpoint.keys == []
    assert not runs


class Made:
    """The services of which clients were made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.services: list[str] = []
        make = Session.make

        def noting(session: Session, service: str, **given: Any) -> Any:
            self.services.append(service)
            return make(session, service, **given)

        monkeypatch.setattr(Session, "make", noting)


async def test_the_first_request_that_reads_has_the_client_made_and_the_credentials_read(
    environment: dict[str, str], runs: Runs, endpoint: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made = Made(monkeypatch)
    app = create_app(deployment(Settings()))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=ACCEPT) as client:

            async def status(query: str, **headers: str) -> int:
                return (await client.post("/graphql", json={"query": query}, headers=headers)).status_code

            known = {"X-Vams-Gateway-Secret": SECRET, "X-Vams-User": "ana@example.com"}
            assert (await client.get("/healthz")).status_code == 200
            assert await status("{ __typename }") == 401
            assert await status("{ broken", **known) == 400
            assert await status("{ noSuchField }", **known) == 400
            assert (made.services, endpoint.keys, bool(runs)) == ([], [], False)
            assert await status("{ executions(first: 1) { nodes { executionId } } }", **known) == 200
            assert made.services == ["dynamodb"]
            assert runs
            assert set(endpoint.keys) == {"KEYONE"}
            assert (await client.get("/readyz")).status_code == 200
            assert made.services == ["dynamodb"]
