"""What the whole suite shares: one embedded database with the demo's items, and the graph over it."""

from collections.abc import Iterator

import pytest

from graph.demo.database import EmbeddedDatabase
from tests.harness import Graph


@pytest.fixture(scope="session")
def database() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase() as database:
        yield database


@pytest.fixture
def graph(database: EmbeddedDatabase) -> Iterator[Graph]:
    graph = Graph(database.client, database.names)
    yield graph
    graph.close()
