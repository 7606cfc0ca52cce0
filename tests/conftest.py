"""What the whole suite shares: the demo's items in an embedded database and in memory, and the graph over either."""

from collections.abc import Iterator

import pytest
from strawberry.extensions import ParserCache, ValidationCache

from graph.demo.database import EmbeddedDatabase
from graph.schema import create_schema
from graph.tables.reader import Reader
from tests.demo.reading import ITEMS
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase


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
    schema = create_schema()
    schema.extensions = (*schema.extensions, ParserCache, ValidationCache)
    graph = Graph(memory, NAMES, reader=Reader, schema=schema)
    yield graph
    graph.close()
