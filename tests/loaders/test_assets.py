import asyncio
from typing import Any

import pytest

from graph.errors import Throttled
from graph.loaders.base import Reading
from graph.loaders.definitions import AssetLoaders
from graph.operation import OperationScope
from graph.tables.catalogue import ASSETS
from graph.tables.states import AssetStatus
from graph.tables.tally import Tally
from tests.demo.reading import ITEMS
from tests.worlds import MemoryReader


def loaders(reader: MemoryReader) -> AssetLoaders:
    return AssetLoaders(Reading(reader, Tally(), lambda _row: frozenset(), OperationScope()))


@pytest.fixture
def reader() -> MemoryReader:
    return MemoryReader({table: list(rows) for table, rows in ITEMS.items()})


async def test_assets_are_found_in_use_or_archived_by_one_call(reader: MemoryReader) -> None:
    found = await loaders(reader).find_all(
        [
            ("plant-models", "retired-pump"),
            ("plant-models", "no-such"),
            ("plant-models", "pump-station"),
            ("", "pump-station"),
            ("plant-models", "a/b"),
            ("plant-models#deleted", "retired-pump"),
        ]
    )
    assert [asset and (asset.database_id, asset.asset_id, asset.status) for asset in found] == [
        ("plant-models", "retired-pump", AssetStatus.ARCHIVED),
        None,
        ("plant-models", "pump-station", AssetStatus.ACTIVE),
        None,
        None,
        None,
    ]
    assert reader.calls == [ASSETS.name]


async def test_an_asset_in_use_comes_before_an_archived_one_of_its_name(reader: MemoryReader) -> None:
    reader.held[ASSETS].append({"databaseId": "plant-models#deleted", "assetId": "pump-station", "assetName": "Old"})
    asset = await loaders(reader).find("plant-models", "pump-station")
    assert asset is not None
    assert asset.status is AssetStatus.ACTIVE


async def test_no_assets_are_found_without_a_call(reader: MemoryReader) -> None:
    assert await loaders(reader).find_all([]) == []
    assert await loaders(reader).find_all([("", "")]) == [None]
    assert reader.calls == []


async def test_assets_that_cannot_be_read_are_an_error(reader: MemoryReader) -> None:
    reader.failing = {ASSETS}
    with pytest.raises(Throttled):
        await loaders(reader).find_all([("plant-models", "pump-station"), ("plant-models", "valve-kit")])


async def test_one_who_gives_up_the_wait_does_not_stop_it_for_the_others(reader: MemoryReader) -> None:
    found = loaders(reader)
    named = [("plant-models", "pump-station"), ("plant-models", "valve-kit")]
    impatient: asyncio.Task[Any] = asyncio.create_task(found.find_all(named))
    patient = asyncio.create_task(found.find_all(named))
    await asyncio.sleep(0)
    impatient.cancel()
    assert all(await patient)
    assert all(await found.find_all(named))
    assert reader.calls == [ASSETS.name]
