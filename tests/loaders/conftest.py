"""The loaders of one operation that needs every stored field, over a client whose faults a test chooses."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from graph.aws.database import Client, ThreadedDatabase
from graph.demo.database import EmbeddedDatabase
from graph.loaders import Loaders
from graph.loaders.base import Reading
from graph.operation import OperationScope
from graph.tables.catalogue import Table
from graph.tables.reader import Reader
from graph.tables.rows import field_names
from graph.tables.tally import Tally
from tests.faults import Fault, FaultyClient, Plan, in_order, without_pauses


class Operation:
    """The loaders of an operation, what they asked the database, and what that cost."""

    def __init__(self, client: FaultyClient, reader: Reader) -> None:
        self.client = client
        self.reader = reader
        self.tally = Tally()
        self.reading = Reading(reader, self.tally, field_names, OperationScope())
        self.loaders = Loaders(self.reading)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Everything that was asked."""
        return self.client.requests


Operate = Callable[..., Operation]


@pytest.fixture
def operate(database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch) -> Iterator[Operate]:
    readers: list[Reader] = []
    without_pauses(monkeypatch)

    def make(
        *faults: Fault, plan: Plan | None = None, client: Client | None = None, names: Mapping[Table, str] | None = None
    ) -> Operation:
        known = database.names if names is None else names
        faulty = FaultyClient(client or database.client, known, plan or in_order(*faults))
        readers.append(Reader(ThreadedDatabase(faulty), known))
        return Operation(faulty, readers[-1])

    yield make
    for reader in readers:
        reader.close()
