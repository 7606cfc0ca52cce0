"""Loaders of the main execution table and its three indexes."""

from functools import cached_property

from graph.loaders.base import FirstLoader, KeyLoader, LoaderGroup, RangeLoader
from graph.tables import catalogue
from graph.tables.records.executions import ExecutionRow


class ExecutionLoaders(LoaderGroup):
    """Executions by key, by bare id, and newest first by workflow, by group, and over all."""

    by_key = cached_property(lambda self: KeyLoader(ExecutionRow, self.reading))
    by_id = cached_property(lambda self: FirstLoader(ExecutionRow, self.reading))
    by_workflow = cached_property(
        lambda self: RangeLoader(ExecutionRow, self.reading, catalogue.EXECUTIONS_BY_WORKFLOW)
    )
    by_group = cached_property(lambda self: RangeLoader(ExecutionRow, self.reading, catalogue.EXECUTIONS_BY_GROUP))
    by_date = cached_property(lambda self: RangeLoader(ExecutionRow, self.reading, catalogue.EXECUTIONS_BY_DATE))
