"""Loaders of what steps wrote, each by key and by step."""

from functools import cached_property
from typing import Generic

from graph.loaders.base import KeyLoader, LoaderGroup, RangeLoader, Reading, RowT


class OutputLoaders(LoaderGroup, Generic[RowT]):
    """The rows of one of the output tables: files, metadata or results."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        super().__init__(reading)
        self._row = row

    @cached_property
    def by_key(self) -> KeyLoader[RowT]:
        """One by its key."""
        return KeyLoader(self._row, self.reading)

    @cached_property
    def of_step(self) -> RangeLoader[RowT]:
        """Those of a step."""
        return RangeLoader(self._row, self.reading)
