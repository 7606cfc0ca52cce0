"""What an execution touched, which is what its visibility depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.batching import Loader
from graph.loaders import Loaders
from graph.loaders.base import Slice
from graph.tables.reader import Key
from graph.tables.records.definitions import AssetRow, PipelineRow, WorkflowRow
from graph.tables.records.executions import ConfigurationRow
from graph.tables.rows import Fields, Row, StoredFields

# The stored fields that decisions look at, beside what the operation selects.
FIELDS: Mapping[type[Row], Fields] = {
    AssetRow: frozenset({"name", "asset_type", "tags"}),
    ConfigurationRow: frozenset(
        {"named_database_id", "source_assets", "source_assets_are_truncated", "source_databases"}
        | {"source_databases_are_truncated"}
    ),
    PipelineRow: frozenset({"execution_config", "category", "name"}),
    WorkflowRow: frozenset({"category", "name"}),
}

CLAIMED: StoredFields = tuple((row, name) for row, names in FIELDS.items() for name in sorted(names))


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """Everything that an execution touched. ``assets`` is an ordered set of database and asset ids.

    Where the row could not hold all sources of metadata, ``assets`` or ``databases`` lacks some.
    """

    execution_id: str
    workflow_database_id: str
    workflow_id: str
    workflow: WorkflowRow | None
    databases: Sequence[str]
    assets: Mapping[tuple[str, str], None]
    assets_are_truncated: bool
    databases_are_truncated: bool


class ClaimLoader(Loader[Key, Claim]):
    """What executions touched, by their primary keys: one round for a whole page."""

    def __init__(self, loaders: Loaders) -> None:
        super().__init__(loaders.scope)
        self._loaders = loaders

    async def read(self, keys: Sequence[Key]) -> Sequence[Claim | Exception]:
        """The claims of some executions. What cannot be read is an error, never taken for absent."""
        return await self.scope.settle(self._claim(*key) for key in keys)

    async def _claim(self, execution_id: str, workflow_key: str) -> Claim:
        database_id, _, workflow_id = workflow_key.partition(":")
        workflow, configuration, inputs = await self.scope.gather(
            self._loaders.definitions.workflows.load((database_id, workflow_id)),
            self._loaders.configurations.of_execution(execution_id),
            self._loaders.inputs.assets_of_execution.load(Slice(execution_id)),
        )
        assets: dict[tuple[str, str], None] = {(row.database_id, row.asset_id): None for row in inputs.rows}
        databases: dict[str, None] = {}
        if configuration is not None:
            databases |= dict.fromkeys(filter(None, (configuration.named_database_id, *configuration.source_databases)))
            assets |= dict.fromkeys(sources := _named(configuration.source_assets))
            if configuration.database_id and configuration.asset_id:
                assets[configuration.database_id, configuration.asset_id] = None
        return Claim(
            execution_id=execution_id,
            workflow_database_id=database_id,
            workflow_id=workflow_id,
            workflow=workflow,
            databases=tuple(databases),
            assets=assets,
            # An entry that names no asset stands for one that is not known either.
            assets_are_truncated=configuration is not None
            and (configuration.source_assets_are_truncated or len(sources) < len(configuration.source_assets)),
            databases_are_truncated=configuration is not None and configuration.source_databases_are_truncated,
        )


def _named(entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The assets that stored entries name; an entry that names none is left out."""
    pairs = ((entry.get("databaseId"), entry.get("assetId")) for entry in entries)
    return [(database, asset) for database, asset in pairs if isinstance(database, str) and isinstance(asset, str)]
