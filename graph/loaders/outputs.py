"""Loaders of what steps wrote, each by key and by step."""

from typing import Generic

from graph.loaders.base import KeyLoader, Reading, RowT, SliceLoader


class OutputLoaders(Generic[RowT]):
    """The rows of one of the output tables: files, metadata or results."""

    def __init__(self, row: type[RowT], reading: Reading) -> None:
        self.by_key = KeyLoader(row, reading)
        self.of_step = SliceLoader(row, reading, primes=(self.by_key.prime_rows,))
