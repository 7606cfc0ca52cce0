"""Loaders of what runs read: inputs, migrated input files, each with its index by asset, and metadata."""

from functools import cached_property

from graph.loaders.base import KeyLoader, KeyRange, LoaderGroup, RangeLoader
from graph.tables import catalogue, keys
from graph.tables.queries import Prefix
from graph.tables.records.inputs import InputAssetRow, InputMetadataRow, InputRow, StepInputFileRow


class InputLoaders(LoaderGroup):
    """Inputs by key, by execution, and newest first by asset; and which assets the inputs of an execution are of."""

    by_key = cached_property(lambda self: KeyLoader(InputRow, self.reading))
    of_execution = cached_property(lambda self: RangeLoader(InputRow, self.reading))
    by_asset = cached_property(lambda self: RangeLoader(InputRow, self.reading, catalogue.INPUTS_BY_ASSET))
    assets_of_execution = cached_property(lambda self: RangeLoader(InputAssetRow, self.reading))

    async def one_of_asset(self, execution_id: str, database_id: str, asset_id: str) -> InputRow | None:
        """Return an input of a run that is of a given asset, if it has one."""
        of_asset = KeyRange(execution_id, limit=1, sort=Prefix(keys.asset_prefix(database_id, asset_id)))
        return next(iter((await self.of_execution.load(of_asset)).rows), None)


class StepInputFileLoaders(LoaderGroup):
    """Input files of migrated steps by key, by step, and by asset."""

    by_key = cached_property(lambda self: KeyLoader(StepInputFileRow, self.reading))
    of_step = cached_property(lambda self: RangeLoader(StepInputFileRow, self.reading))
    by_asset = cached_property(
        lambda self: RangeLoader(StepInputFileRow, self.reading, catalogue.STEP_INPUT_FILES_BY_ASSET)
    )


class InputMetadataLoaders(LoaderGroup):
    """Input metadata by key and by step."""

    by_key = cached_property(lambda self: KeyLoader(InputMetadataRow, self.reading))
    of_step = cached_property(lambda self: RangeLoader(InputMetadataRow, self.reading))
