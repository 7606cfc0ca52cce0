"""What the whole suite shares: the demo's items in an embedded database and in memory, and the graph over either."""

import gc
import os
from collections.abc import Iterator

import hypothesis
import pytest

from graph.demo.database import EmbeddedDatabase
from graph.tables.reader import Reader
from tests.demo.reading import ITEMS
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase

# A busy machine is no failure. Where the outcome decides about a change, every run draws the same examples.
hypothesis.settings.register_profile(
    "suite",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("suite")


def pytest_collection_finish() -> None:
    """Keep the collector from looking through eight thousand tests again and again: they stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def database() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase() as database:
        yield database


@pytest.fixture
def graph(database: EmbeddedDatabase) -> Iterator[Graph]:
    graph = Graph(database.client, database.names)
    yield graph
    graph.close()


@pytest.fixture(scope="session")
def memory() -> MemoryDatabase:
    """Nobody writes to it."""
    return MemoryDatabase(ITEMS)


@pytest.fixture(scope="session")
def quick(memory: MemoryDatabase) -> Iterator[Graph]:
    """The graph over the demo's items in memory, where rounds are not counted exactly."""
    graph = Graph(memory, NAMES, reader=Reader)
    yield graph
    graph.close()
