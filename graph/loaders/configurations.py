"""Loaders of the configuration table and its index by output asset."""

from functools import cached_property

from graph.loaders.base import KeyLoader, LoaderGroup, RangeLoader
from graph.tables import catalogue, keys
from graph.tables.records.executions import ConfigurationRow


class ConfigurationLoaders(LoaderGroup):
    """Configurations by execution, and newest first by the asset that was written."""

    by_key = cached_property(lambda self: KeyLoader(ConfigurationRow, self.reading))
    by_output_asset = cached_property(
        lambda self: RangeLoader(ConfigurationRow, self.reading, catalogue.CONFIGURATIONS_BY_OUTPUT_ASSET)
    )

    async def of_execution(self, execution_id: str) -> ConfigurationRow | None:
        """Return the configuration of a run; None when it was deleted."""
        return await self.by_key.load((execution_id, keys.CONFIGURATION))
