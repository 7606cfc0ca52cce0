"""What an execution touched, which is what its visibility depends on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.batching import Loader
from graph.errors import MalformedValue
from graph.loaders import Loaders
from graph.loaders.base import Slice
from graph.tables.reader import Key
from graph.tables.records.definitions import AssetRow, PipelineRow, WorkflowRow
from graph.tables.records.executions import ConfigurationRow
from graph.tables.records.inputs import InputAssetRow
from graph.tables.rows import Fields, Row, StoredFields, deciding_fields

# The stored fields that decisions look at, beside what the operation selects.
FIELDS: Mapping[type[Row], Fields] = {
    row: deciding_fields(row) for row in (AssetRow, ConfigurationRow, InputAssetRow, PipelineRow, WorkflowRow)
}

CLAIMED: StoredFields = tuple((row, name) for row, names in FIELDS.items() for name in sorted(names))


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """Everything that an execution touched. ``assets`` is an ordered set of database and asset ids.

    ``assets`` or ``databases`` lacks some where a row could not hold all of them, or holds what cannot be read.
    """

    execution_id: str
    workflow_database_id: str
    workflow_id: str
    workflow: WorkflowRow | None
    databases: Sequence[str]
    assets: Mapping[tuple[str, str], None]
    lacks_assets: bool
    lacks_databases: bool


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
        assets, lacks_assets = _assets(inputs.rows, configuration)
        databases, lacks_databases = _databases(configuration)
        return Claim(
            execution_id=execution_id,
            workflow_database_id=database_id,
            workflow_id=workflow_id,
            workflow=workflow,
            databases=databases,
            assets=assets,
            lacks_assets=lacks_assets,
            lacks_databases=lacks_databases,
        )


def _assets(
    inputs: Iterable[InputAssetRow], configuration: ConfigurationRow | None
) -> tuple[Mapping[tuple[str, str], None], bool]:
    """The assets that rows name, and whether there may be more: where a list was cut, or cannot be read."""
    named: list[tuple[str | MalformedValue | None, str | MalformedValue | None]] = []
    named += ((row.database_id, row.asset_id) for row in inputs)
    lacks_some = False
    if configuration is not None:
        lacks_some = configuration.source_assets_are_truncated is not False
        if isinstance(configuration.source_assets, MalformedValue):
            lacks_some = True
        else:
            named += configuration.source_assets
        named.append((configuration.database_id, configuration.asset_id))
    known: dict[tuple[str, str], None] = {}
    for database_id, asset_id in named:
        if isinstance(database_id, MalformedValue) or isinstance(asset_id, MalformedValue):
            lacks_some = True
        elif database_id and asset_id:
            known[database_id, asset_id] = None
    return known, lacks_some


def _databases(configuration: ConfigurationRow | None) -> tuple[Sequence[str], bool]:
    """The databases that metadata came from, and whether there may be more, as of assets."""
    if configuration is None:
        return (), False
    named, captured = configuration.named_database_id, configuration.source_databases
    lacks_some = configuration.source_databases_are_truncated is not False
    if isinstance(captured, MalformedValue):
        captured, lacks_some = (), True
    if isinstance(named, MalformedValue):
        named, lacks_some = None, True
    return tuple(dict.fromkeys((named, *captured) if named else captured)), lacks_some
