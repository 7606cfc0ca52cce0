"""Metadata envelopes: the whole list of what a run was told of, for runs whose row could not hold it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from graph.errors import UpstreamUnavailable
from graph.files.store import FileStore
from graph.tables.records.inputs import S3Location

MOST_BYTES = 4 * 1024 * 1024
"""Bytes of an envelope that is read; a longer one tells nothing."""

MOST_ENVELOPES = 20
"""Envelopes that one operation reads."""

_VERSION = 2


@dataclass(frozen=True, slots=True)
class MetadataSources:
    """Every asset, by database and id, and every database whose metadata a run was given."""

    assets: frozenset[tuple[str, str]]
    databases: frozenset[str]


class Envelopes:
    """Reads the envelopes of one operation, one after the other: each may take as much memory as a page of runs."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        self._turn = asyncio.Lock()
        self._left = MOST_ENVELOPES

    async def sources(self, place: S3Location) -> MetadataSources | None:
        """Return what an envelope names; None where it cannot be read whole, or is of no version that is known."""
        async with self._turn:
            if self._left <= 0:
                return None
            self._left -= 1
            try:
                read = await self._store.read(place, 0, MOST_BYTES)
            except UpstreamUnavailable:
                return None
            if read is None or len(read[0]) != read[1]:
                return None
            return await self._store.run(lambda: parse_sources(read[0]))


def parse_sources(text: bytes) -> MetadataSources | None:
    """Return what an envelope names; None for anything that is not wholly as VAMS writes it."""
    try:
        envelope = orjson.loads(text)
    except ValueError:
        return None
    if not isinstance(envelope, dict) or envelope.get("schemaVersion") != _VERSION:
        return None
    assets = _named(envelope.get("assets"), ("databaseId", "assetId"))
    databases = _named(envelope.get("databases", []), ("databaseId",))
    if assets is None or databases is None:
        return None
    return MetadataSources(
        frozenset((database_id, asset_id) for database_id, asset_id in assets), frozenset(name for (name,) in databases)
    )


def _named(entries: Any, parts: Iterable[str]) -> list[tuple[str, ...]] | None:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    names = [tuple(entry.get(part) for part in parts) for entry in entries]
    return names if all(isinstance(part, str) and part for name in names for part in name) else None
