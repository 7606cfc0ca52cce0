"""What the whole suite shares: one embedded database with the demo's items, and the graph over it."""

import os
from collections.abc import Iterator

import hypothesis
import pytest

from graph.demo.database import EmbeddedDatabase
from tests.harness import Graph

# A busy machine is no failure. Where the outcome decides about a change, every run draws the same examples.
hypothesis.settings.register_profile(
    "suite",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session")
def database() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase() as database:
        yield database


@pytest.fixture
def graph(database: EmbeddedDatabase) -> Iterator[Graph]:
    graph = Graph(database.client, database.names)
    yield graph
    graph.close()
