"""What the suite shares: Node.js with the programs of this directory, and the demo's graph on a loopback port."""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graph.auth.api_keys import ApiKeys
from graph.auth.identity import Authenticator
from graph.demo.database import EmbeddedDatabase
from graph.demo.identity import LoopbackAdministrator
from graph.loaders.permissions import PermissionRows
from graph.schema import federated_sdl
from graph.tables import ids
from tests.demo.reading import ITEMS
from tests.resolvers import model
from tests.serving import listening, make_app
from tests.skipping import give_up
from tests.worlds import MemoryReader

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FEDERATION_SECRET = "a secret of the supergraph"
OLDEST_NODE = 20
ASSET = {"databaseId": "plant-models", "assetId": "pump-station"}


@dataclass(frozen=True)
class Node:
    """Node.js, as far as the suite needs it."""

    executable: str

    def call(
        self, program: str, *arguments: str, stdin: str = "", within: Path = HERE
    ) -> subprocess.CompletedProcess[str]:
        """A program that has run, in a directory of the suite."""
        command = [self.executable, program, *arguments]
        return subprocess.run(  # noqa: S603
            command, cwd=within, input=stdin, capture_output=True, text=True, timeout=60, check=False
        )

    def run(self, program: str, *arguments: str, stdin: Any = None) -> Any:
        """What a program says that succeeds: JSON, as what it is given."""
        done = self.call(program, *arguments, stdin=json.dumps(stdin))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def node() -> Node:
    found = shutil.which("node")
    if found is None or _major_version(found) < OLDEST_NODE:
        give_up(f"CONFORMANCE IS NOT TESTED: Node.js {OLDEST_NODE} or newer is missing")
    if not (HERE / "node_modules").is_dir():
        pytest.fail("The suite is not installed: run `npm ci` in tests/conformance, as `make test` does.")
    return Node(found)


def _major_version(node: str) -> int:
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
    return int(version.lstrip("v").split(".")[0])


@pytest.fixture(scope="package")
def url(database: EmbeddedDatabase) -> Iterator[str]:
    """Where the demo's graph is; for those who know the secret, as a subgraph."""
    keys = ApiKeys(PermissionRows(MemoryReader(ITEMS)))
    ways: list[Authenticator] = [keys, LoopbackAdministrator()]
    app = make_app(database, ways, environment="development", federation_secret=FEDERATION_SECRET, actions=True)
    with listening(app) as address:
        yield f"{address}/graphql"


Builds = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Builds:
    """Build a directory of ``build`` once a run, whichever process of the suite needs it first; the others wait."""
    run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent  # which all processes of the run share

    def build(name: str, make: Callable[[Path], None]) -> Path:
        made = HERE / "build" / name
        with (run / f"{name}.built").open("a") as mark:
            fcntl.flock(mark, fcntl.LOCK_EX)
            if mark.tell() == 0:
                make(made)
                mark.write("built")
        return made

    return build


@pytest.fixture(scope="session")
def compiled(node: Node, once: Builds) -> Path:
    """Where relay-compiler put what it made of the operations in ``relay/app``, and their manifest."""

    def build(made: Path) -> None:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        (made / "manifest.json").write_text("{}")
        done = node.call("../node_modules/relay-compiler/cli.js", "relay.config.json", within=HERE / "relay")
        assert done.returncode == 0, done.stdout + done.stderr

    return once("relay", build)


@pytest.fixture(scope="session")
def generated(node: Node, once: Builds) -> Path:
    """Where graphql-codegen put what it made of the front end's documents."""

    def build(_: Path) -> None:
        names = node.run("codegen.mjs")
        assert {Path(name).name for name in names} == {
            "fragment-masking.ts",
            "gql.ts",
            "graphql.ts",
            "index.ts",
            "persisted-documents.json",
        }

    return once("codegen", build)


@pytest.fixture(scope="session")
def walked() -> dict[str, list[str]]:
    """What a client holds after paging to the end, told from the demo's items."""
    asset = ids.encode("Asset", *ASSET.values())
    executions = model.expected("Query", "executions", "", {})
    history = model.expected("Asset", "executions", asset, {})
    assert executions is not None
    assert history is not None
    assert min(len(executions), len(history)) > 3 * 7  # which takes several pages
    return {"executions": executions, "history": history}


@dataclass(frozen=True)
class Composed:
    """What the compositions have to say against a supergraph, and what clients see of it."""

    complaints: dict[str, list[str]]
    api: str


@pytest.fixture(scope="session")
def supergraphs(node: Node) -> dict[str, Composed]:
    """The graph alone and beside other subgraphs, composed."""
    graph, graph_without_node = ({"name": "vams", "sdl": federated_sdl(with_node=owner)} for owner in (True, False))
    neighbour, owner = (
        {"name": name, "sdl": (HERE / f"{name}.graphql").read_text()} for name in ("neighbour", "owner")
    )
    supergraphs = {
        "alone": [graph],
        "neighbour": [graph, neighbour],
        "other owner of node": [graph_without_node, owner],
        "two owners of node": [graph, owner],
    }
    return {name: Composed(**composed) for name, composed in node.run("compose.mjs", stdin=supergraphs).items()}
