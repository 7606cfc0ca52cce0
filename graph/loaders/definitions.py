"""Loaders of assets, their file versions, databases, workflows and pipelines."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import chain

from graph.batching import Loader
from graph.loaders.base import FirstLoader, KeyLoader, KeyRange, LoaderGroup, RangeLoader, Reading
from graph.tables import catalogue, keys
from graph.tables.keys import is_sort_key
from graph.tables.queries import Between
from graph.tables.records.definitions import AssetRow, BucketRow, DatabaseRow, FileVersionRow, PipelineRow, WorkflowRow

_NEAR = 10  # rows that are read for each file that is wanted: VAMS may look for it in two places


class AssetLoaders(LoaderGroup):
    """Assets by database and id, in use or archived: both places are asked for in the same call."""

    by_key = cached_property(lambda self: KeyLoader(AssetRow, self.reading))

    async def find(self, database_id: str, asset_id: str) -> AssetRow | None:
        """Return an asset wherever it is kept; None when it is in neither place, or the ids can be of no asset."""
        return (await self.find_all([(database_id, asset_id)]))[0]

    async def find_all(self, named: Collection[tuple[str, str]]) -> list[AssetRow | None]:
        """Return some assets by database and id, each as :meth:`find` finds it."""
        possible = [each for each in named if keys.is_id(each[0]) and keys.is_asset_id(each[1])]
        places = [(place, asset_id) for name, asset_id in possible for place in (name, keys.archived(name))]
        rows = iter(await self.by_key.load_all(places))
        found = {each: in_use or archived for each, in_use, archived in zip(possible, rows, rows, strict=True)}
        return [found.get(each) for each in named]


class BucketLoaders(LoaderGroup):
    """Buckets that VAMS registered, by id and by name."""

    by_id = cached_property(lambda self: FirstLoader(BucketRow, self.reading))
    by_name = cached_property(lambda self: RangeLoader(BucketRow, self.reading, catalogue.BUCKETS_BY_NAME))


class DefinitionLoaders(LoaderGroup):
    """Databases, workflows and pipelines by key."""

    databases = cached_property(lambda self: KeyLoader(DatabaseRow, self.reading))
    workflows = cached_property(lambda self: KeyLoader(WorkflowRow, self.reading))
    pipelines = cached_property(lambda self: KeyLoader(PipelineRow, self.reading))


class FileVersionLoader(Loader[tuple[str, str], FileVersionRow | None]):
    """The version that a run made of a file, by execution id and ``database:asset:path``.

    The files of one run that are asked for together mostly follow each other: one Query over the index by execution
    reads from the first of them. Those that lie beyond what it reads, since too much is between, get one each.
    """

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading.scope)
        self._by_execution = RangeLoader(FileVersionRow, reading, catalogue.FILE_VERSIONS_BY_EXECUTION)

    async def read(self, keys: Sequence[tuple[str, str]]) -> Sequence[FileVersionRow | None | Exception]:
        """Return the versions of files; None when the run made none, or the bucket has no versions (``null``)."""
        files: dict[str, list[str]] = defaultdict(list)
        for execution_id, file_key in keys:
            if is_sort_key(file_key):
                files[execution_id].append(file_key)
        found = await self.scope.settle(
            [self._versions(execution_id, wanted) for execution_id, wanted in files.items()]
        )
        of_run = dict(zip(files, found, strict=True))
        return [
            versions if isinstance(versions := of_run.get(execution_id, {}), Exception) else versions.get(file_key)
            for execution_id, file_key in keys
        ]

    async def _versions(self, execution_id: str, wanted: Sequence[str]) -> dict[str, FileVersionRow]:
        """Return the versions of some files of one run, by file; of several versions of a file, the last."""
        near = await self._by_execution.load(
            KeyRange(execution_id, limit=_NEAR * len(wanted), sort=Between(min(wanted), max(wanted)))
        )
        beyond = [file_key for file_key in wanted if near.end is not None and file_key >= str(near.end[0])]
        far = await self._by_execution.load_all(
            KeyRange(execution_id, sort=Between(file_key, file_key)) for file_key in beyond
        )
        rows = chain(near.rows, *(found.rows for found in far))
        return {row.file_key: row for row in rows if row.version_id != "null"}
