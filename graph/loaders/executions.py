"""Loaders of the main execution table and its three indexes."""

from graph.loaders.base import FirstLoader, KeyLoader, Reading, SliceLoader
from graph.tables import catalogue
from graph.tables.records.executions import ExecutionRow


class ExecutionLoaders:
    """Executions by key, by bare id, and newest first by workflow, by group, and over all."""

    def __init__(self, reading: Reading) -> None:
        self.by_key = KeyLoader(ExecutionRow, reading)
        self.by_id = FirstLoader(ExecutionRow, reading)
        primes = (self.by_key.prime_rows, self.by_id.prime_rows)
        self.by_workflow = SliceLoader(ExecutionRow, reading, catalogue.EXECUTIONS_BY_WORKFLOW, primes)
        self.by_group = SliceLoader(ExecutionRow, reading, catalogue.EXECUTIONS_BY_GROUP, primes)
        self.by_date = SliceLoader(ExecutionRow, reading, catalogue.EXECUTIONS_BY_DATE, primes)
