"""The indexes that executions are found by."""

from collections.abc import Iterator

from graph.tables import catalogue
from graph.tables.catalogue import Index, Table


def execution_indexes() -> Iterator[tuple[Table, Index]]:
    """The indexes over the execution tables, each with its table."""
    for table in catalogue.EXECUTION_TABLES:
        for index in table.indexes:
            yield table, index
