"""Loaders of what runs read: inputs, migrated input files, each with its index by asset, and metadata."""

from graph.loaders.base import KeyLoader, Reading, Slice, SliceLoader
from graph.tables import catalogue, keys
from graph.tables.queries import Prefix
from graph.tables.records.inputs import InputAssetRow, InputMetadataRow, InputRow, StepInputFileRow


class InputLoaders:
    """Inputs by key, by execution, and newest first by asset; and which assets the inputs of an execution are of."""

    def __init__(self, reading: Reading) -> None:
        self.by_key = KeyLoader(InputRow, reading)
        self.of_execution = SliceLoader(InputRow, reading, primes=(self.by_key.prime_rows,))
        self.by_asset = SliceLoader(InputRow, reading, catalogue.INPUTS_BY_ASSET, (self.by_key.prime_rows,))
        self.assets_of_execution = SliceLoader(InputAssetRow, reading)

    async def one_of_asset(self, execution_id: str, database_id: str, asset_id: str) -> InputRow | None:
        """An input of a run that is of a given asset, if it has one."""
        of_asset = Slice(execution_id, limit=1, sort=Prefix(keys.asset_prefix(database_id, asset_id)))
        return next(iter((await self.of_execution.load(of_asset)).rows), None)


class StepInputFileLoaders:
    """Input files of migrated steps by key, by step, and by asset."""

    def __init__(self, reading: Reading) -> None:
        self.by_key = KeyLoader(StepInputFileRow, reading)
        primes = (self.by_key.prime_rows,)
        self.of_step = SliceLoader(StepInputFileRow, reading, primes=primes)
        self.by_asset = SliceLoader(StepInputFileRow, reading, catalogue.STEP_INPUT_FILES_BY_ASSET, primes)


class InputMetadataLoaders:
    """Input metadata by key and by step."""

    def __init__(self, reading: Reading) -> None:
        self.by_key = KeyLoader(InputMetadataRow, reading)
        self.of_step = SliceLoader(InputMetadataRow, reading, primes=(self.by_key.prime_rows,))
