"""What an execution touched, which is what its visibility depends on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.batching import Loader
from graph.errors import MalformedValue
from graph.files.envelopes import Envelopes, MetadataSources
from graph.loaders import Loaders
from graph.loaders.base import KeyRange
from graph.tables.reader import Key
from graph.tables.records.definitions import AssetRow, WorkflowRow
from graph.tables.records.executions import ConfigurationRow
from graph.tables.records.inputs import InputAssetRow, location
from graph.tables.records.steps import StepRow
from graph.tables.rows import Fields, Row, StoredFields, deciding_fields

# The stored fields that lead to the whole of a list that a row could not hold.
COMPLETING: Mapping[type[Row], Fields] = {
    ConfigurationRow: frozenset({"metadata_file_key"}),
    StepRow: frozenset({"bucket"}),
}

# What a verdict on an execution looks at, and with it whatever says which verdict that is.
SCOPE_FIELDS: StoredFields = tuple(
    (row, name)
    for row in (AssetRow, ConfigurationRow, InputAssetRow, StepRow, WorkflowRow)
    for name in sorted(deciding_fields(row) | COMPLETING.get(row, frozenset()))
)


@dataclass(frozen=True, slots=True, eq=False)
class ExecutionScope:
    """Everything that an execution touched. ``assets`` is an ordered set of database and asset ids.

    ``assets`` or ``databases`` lacks some where a row holds what cannot be read, or could not hold all of them and its
    envelope in S3 does not tell them either.
    """

    execution_id: str
    workflow_database_id: str
    workflow_id: str
    workflow: WorkflowRow | None
    databases: Sequence[str]
    assets: Mapping[tuple[str, str], None]
    lacks_assets: bool
    lacks_databases: bool


class ScopeLoader(Loader[Key, ExecutionScope]):
    """What executions touched, by their primary keys: one round for a whole page."""

    def __init__(self, loaders: Loaders, envelopes: Envelopes | None = None) -> None:
        super().__init__(loaders.scope)
        self._loaders = loaders
        self._envelopes = envelopes

    async def read(self, keys: Sequence[Key]) -> Sequence[ExecutionScope | Exception]:
        """Return the scopes of some executions. What cannot be read is an error, never taken for absent."""
        return await self.scope.settle(self._scope(*key) for key in keys)

    async def _scope(self, execution_id: str, workflow_key: str) -> ExecutionScope:
        database_id, _, workflow_id = workflow_key.partition(":")
        workflow, configuration, inputs = await self.scope.gather(
            self._loaders.definitions.workflows.load((database_id, workflow_id)),
            self._loaders.configurations.of_execution(execution_id),
            self._loaders.inputs.assets_of_execution.load(KeyRange(execution_id)),
        )
        whole = await self._whole(configuration) if configuration is not None else None
        assets, lacks_assets = _assets(inputs.rows, configuration, whole)
        databases, lacks_databases = _databases(configuration, whole)
        return ExecutionScope(
            execution_id=execution_id,
            workflow_database_id=database_id,
            workflow_id=workflow_id,
            workflow=workflow,
            databases=databases,
            assets=assets,
            lacks_assets=lacks_assets,
            lacks_databases=lacks_databases,
        )

    async def _whole(self, configuration: ConfigurationRow) -> MetadataSources | None:
        """Return all that a row could not hold; None where nothing was cut, or the whole does not hold what it should.

        Any step of the run names the bucket that the envelope lies in.
        """
        was_cut = True in (configuration.source_assets_are_truncated, configuration.source_databases_are_truncated)
        if self._envelopes is None or not was_cut or not configuration.metadata_file_key:
            return None
        steps = await self._loaders.steps.by_execution.load(KeyRange(configuration.execution_id))
        bucket = next((step.bucket for step in steps.rows if step.bucket), None)
        place = location(bucket, configuration.metadata_file_key)
        whole = await self._envelopes.sources(place) if place is not None else None
        return whole if whole is not None and _is_within(configuration, whole) else None


def _is_within(configuration: ConfigurationRow, whole: MetadataSources) -> bool:
    """Return whether an envelope names all that the row does: otherwise it is not what the row was cut from."""
    assets, databases = configuration.source_assets, configuration.source_databases
    if isinstance(assets, MalformedValue) or isinstance(databases, MalformedValue):
        return False
    return whole.assets.issuperset(assets) and whole.databases.issuperset(databases)


def _assets(
    inputs: Iterable[InputAssetRow], configuration: ConfigurationRow | None, whole: MetadataSources | None
) -> tuple[Mapping[tuple[str, str], None], bool]:
    """Return the assets that rows name, and whether there may be more: where a list was cut, or cannot be read."""
    named: list[tuple[str | MalformedValue | None, str | MalformedValue | None]] = []
    named += ((row.database_id, row.asset_id) for row in inputs)
    lacks_some = False
    if configuration is not None:
        lacks_some = _lacks_some(configuration.source_assets_are_truncated, whole)
        if isinstance(configuration.source_assets, MalformedValue):
            lacks_some = True
        else:
            named += configuration.source_assets
        named.append((configuration.database_id, configuration.asset_id))
        named += sorted(whole.assets) if whole is not None else ()
    known: dict[tuple[str, str], None] = {}
    for database_id, asset_id in named:
        if isinstance(database_id, MalformedValue) or isinstance(asset_id, MalformedValue):
            lacks_some = True
        elif database_id and asset_id:
            known[database_id, asset_id] = None
    return known, lacks_some


def _databases(configuration: ConfigurationRow | None, whole: MetadataSources | None) -> tuple[Sequence[str], bool]:
    """Return the databases that metadata came from, and whether there may be more, as of assets."""
    if configuration is None:
        return (), False
    named, captured = configuration.named_database_id, configuration.source_databases
    lacks_some = _lacks_some(configuration.source_databases_are_truncated, whole)
    if isinstance(captured, MalformedValue):
        captured, lacks_some = (), True
    if isinstance(named, MalformedValue):
        named, lacks_some = None, True
    more = sorted(whole.databases) if whole is not None else ()
    return tuple(dict.fromkeys((named, *captured, *more) if named else (*captured, *more))), lacks_some


def _lacks_some(is_truncated: bool | MalformedValue, whole: MetadataSources | None) -> bool:
    return is_truncated is not False and (is_truncated is not True or whole is None)
