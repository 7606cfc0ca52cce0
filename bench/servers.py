"""What is compared: this server as it runs in production, and the servers that a user would otherwise take."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.dataset import rows, write_items
from bench.processes import Process, free_port, running
from graph.demo.model import REGION
from graph.demo.permissions import ADMIN, BOB
from graph.tables.catalogue import TABLES

HERE = Path(__file__).resolve().parent
PEERS = {"mercurius": "Mercurius, JIT", "yoga": "GraphQL Yoga", "apollo": "Apollo Server"}
OURS = "VAMS Graph"
SERVER_CORE, OTHER_CORE = 0, 1

_SECRET = "a secret between gateway and server"  # noqa: S105 - of no server but the one that is measured
_AWS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_REGION": REGION}

Headers = Mapping[str, str]


def headers_of(user: str) -> Headers:
    """Return the headers of a gateway that has checked the user's token. The peers ask for none."""
    return {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "X-VAMS-User": user,
        "X-VAMS-Gateway-Secret": _SECRET,
    }


ADMINISTRATOR, CONSTRAINED = headers_of(ADMIN), headers_of(BOB)
"""One is allowed everything, unconditionally; what the other may see depends on the assets of each execution."""


@contextmanager
def database(directory: Path, delay: int = 0) -> Iterator[Process]:
    """Start the stub of DynamoDB with the data set; it delays each answer by some microseconds."""
    items = directory / "items.jsonl"
    write_items(items, rows())
    port = free_port()
    command = [str(HERE / "build" / "stub"), str(port), str(items), str(delay)]
    with running("DynamoDB", command, port, OTHER_CORE, {}, directory / "stub.log") as process:
        yield process


def calls(stub: Process) -> int:
    """Return how many calls the stub has answered."""
    answered: int = json.loads(stub.request("GET", "/"))["calls"]
    return answered


@contextmanager
def this_server(directory: Path, stub: Process) -> Iterator[Process]:
    """``vams-graph serve`` with one worker, the settings of production, and a gateway in front that names the user.

    Only the limit of rate is out of reach: one user stands for many.
    """
    port = free_port()
    environment = {
        **_AWS,
        **{variable: table.name for table in TABLES for variable in table.variables},
        "PYTHONPATH": str(HERE.parent),
        "VAMS_GRAPH_PORT": str(port),
        "VAMS_GRAPH_REGION": REGION,
        "VAMS_GRAPH_DYNAMODB_ENDPOINT": f"http://127.0.0.1:{stub.port}",
        "VAMS_GRAPH_CURSOR_SECRETS": '["a secret of the bench"]',
        "VAMS_GRAPH_GATEWAY_SECRET": _SECRET,
        "VAMS_GRAPH_RATE_POINTS": str(10**15),
    }
    command = [sys.executable, "-m", "graph", "serve", "--workers", "1"]
    with running(OURS, command, port, SERVER_CORE, environment, directory / "server.log", "/healthz") as process:
        yield process


@contextmanager
def peers(directory: Path, stub: Process) -> Iterator[list[Process]]:
    """Start the peers, on Node.js 24."""
    with ExitStack() as stack:
        started = []
        for module, name in PEERS.items():
            port = free_port()
            environment = {
                **_AWS,
                "DYNAMODB_ENDPOINT": f"http://127.0.0.1:{stub.port}",
                "NODE_ENV": "production",
                "PORT": str(port),
            }
            command = [str(node()), str(HERE / "peers" / f"{module}.js")]
            log = directory / f"{module}.log"
            started.append(stack.enter_context(running(name, command, port, SERVER_CORE, environment, log)))
        yield started


def node() -> Path:
    """Return the Node.js that npm installed with the peers, whichever else the machine has."""
    return next((HERE / "peers" / "node_modules").glob("node-linux-*/bin/node"))
