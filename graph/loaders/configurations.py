"""Loaders of the configuration table and its index by output asset."""

from graph.loaders.base import KeyLoader, Reading, SliceLoader
from graph.tables import catalogue, keys
from graph.tables.records.executions import ConfigurationRow


class ConfigurationLoaders:
    """Configurations by execution, and newest first by the asset that was written."""

    def __init__(self, reading: Reading) -> None:
        self.by_key = KeyLoader(ConfigurationRow, reading)
        self.by_output_asset = SliceLoader(
            ConfigurationRow, reading, catalogue.CONFIGURATIONS_BY_OUTPUT_ASSET, (self.by_key.prime_rows,)
        )

    async def of_execution(self, execution_id: str) -> ConfigurationRow | None:
        """The configuration of a run; None when it was deleted."""
        return await self.by_key.load((execution_id, keys.CONFIGURATION))
