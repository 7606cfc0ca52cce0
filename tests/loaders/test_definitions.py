import asyncio
from typing import Any

import pytest

from graph.errors import GraphError, Throttled
from graph.tables.catalogue import ASSETS, FILE_VERSIONS, FILE_VERSIONS_BY_EXECUTION
from graph.tables.states import AssetStatus
from tests.demo.reading import ITEMS
from tests.faults import in_order, page_of, throttled
from tests.loaders.conftest import Operate
from tests.memory import NAMES, MemoryDatabase

VERSIONS = {
    (item["changeWorkflowExecutionId"], item["databaseId:assetId:filePath"]): item["versionId"]
    for item in ITEMS[FILE_VERSIONS]
    if item.get("versionId") != "null" and "changeWorkflowExecutionId" in item
}
ARCHIVED = next(item for item in ITEMS[ASSETS] if item["databaseId"].endswith("#deleted"))


async def test_an_asset_in_use_and_an_archived_one_are_found_in_the_same_call(operate: Operate) -> None:
    operation = operate()
    find = operation.loaders.assets.find
    database_id = ARCHIVED["databaseId"].removesuffix("#deleted")
    used, archived, missing = await asyncio.gather(
        find("plant-models", "pump-station"), find(database_id, ARCHIVED["assetId"]), find("plant-models", "nothing")
    )
    assert used is not None
    assert used.status is AssetStatus.ACTIVE
    assert archived is not None
    assert (archived.status, archived.database_id) == (AssetStatus.ARCHIVED, database_id)
    assert missing is None
    assert operation.tally.calls == 1


@pytest.mark.parametrize(
    ("database_id", "asset_id"),
    [
        ("", "pump-station"),
        ("plant-models", ""),
        ("plant-models#deleted", "x"),
        ("plant-models", "a:b"),
        ("\ud800", "x"),
    ],
)
async def test_ids_that_can_be_of_no_asset_are_not_asked_for(operate: Operate, database_id: str, asset_id: str) -> None:
    operation = operate()
    assert await operation.loaders.assets.find(database_id, asset_id) is None
    assert operation.tally.calls == 0


async def test_the_versions_that_a_run_made_are_read_with_one_query(operate: Operate) -> None:
    operation = operate()
    execution_id = "551f2c7e39006d27a47497a53878d28b"
    wanted = [key for key in VERSIONS if key[0] == execution_id]
    assert len(wanted) > 5
    found = await asyncio.gather(*map(operation.loaders.file_versions.load, wanted))
    assert [row.version_id if row else None for row in found] == [VERSIONS[key] for key in wanted]
    (request,) = operation.requests
    assert request["IndexName"] == FILE_VERSIONS_BY_EXECUTION.name


async def test_each_run_has_its_own_query(operate: Operate) -> None:
    operation = operate()
    found = await asyncio.gather(*map(operation.loaders.file_versions.load, VERSIONS))
    assert [row.version_id if row else None for row in found] == list(VERSIONS.values())
    assert operation.tally.calls == len({execution_id for execution_id, _ in VERSIONS})
    assert operation.tally.rounds == 1


async def test_versions_on_later_pages_are_found_too(operate: Operate) -> None:
    operation = operate(plan=in_order(page_of(0), page_of(1), page_of(1)))
    wanted = [key for key in VERSIONS if key[0] == "551f2c7e39006d27a47497a53878d28b"]
    found = await asyncio.gather(*map(operation.loaders.file_versions.load, wanted))
    assert None not in found


def versions_of_one_run(*versions: tuple[str, str]) -> MemoryDatabase:
    rows: list[Any] = [
        {"changeWorkflowExecutionId": "run", "databaseId:assetId:filePath": file_key, "versionId": version}
        for file_key, version in versions
    ]
    return MemoryDatabase({FILE_VERSIONS: rows})


async def test_what_lies_between_files_that_are_far_apart_is_not_read(operate: Operate) -> None:
    files = [f"home:house:/{number:04}" for number in range(2_000)]
    database = versions_of_one_run(*((file_key, f"v{file_key[-4:]}") for file_key in files))
    operation = operate(client=database, names=NAMES)
    found = await asyncio.gather(
        *(operation.loaders.file_versions.load(("run", files[number])) for number in (3, 5, 1_200, 1_999))
    )
    assert [row.version_id if row else None for row in found] == ["v0003", "v0005", "v1200", "v1999"]
    assert len(database.served) <= 4 * 10 + 2
    assert (operation.tally.calls, operation.tally.rounds) == (3, 2)


@pytest.mark.parametrize("count", [9, 10, 11, 20, 21, 30])
async def test_of_many_versions_of_a_file_it_is_the_last(operate: Operate, count: int) -> None:
    """Also where reading from the first file ends among them."""
    database = versions_of_one_run(
        ("home:house:/a", "first"), *(("home:house:/b", f"v{number:02}") for number in range(count))
    )
    loaders = operate(client=database, names=NAMES).loaders
    first, second = await asyncio.gather(
        loaders.file_versions.load(("run", "home:house:/a")), loaders.file_versions.load(("run", "home:house:/b"))
    )
    assert first is not None
    assert second is not None
    assert (first.version_id, second.version_id) == ("first", f"v{count - 1:02}")


async def test_a_file_that_the_run_did_not_make_has_no_version(operate: Operate) -> None:
    (execution_id, file_key), *_ = VERSIONS
    found = await asyncio.gather(
        *map(operate().loaders.file_versions.load, [(execution_id, file_key + "x"), ("0" * 32, file_key)])
    )
    assert found == [None, None]


async def test_versions_that_cannot_be_read_leave_those_of_other_runs(operate: Operate) -> None:
    first = next(iter(VERSIONS))
    other = next(key for key in VERSIONS if key[0] != first[0])
    operation = operate(plan=lambda request: throttled if first[0] in repr(request) else in_order()(request))
    found = await operation.reading.scope.settle(map(operation.loaders.file_versions.load, [first, other]))
    assert isinstance(found[0], Throttled)
    assert found[1] is not None
    assert not isinstance(found[1], GraphError)


async def test_definitions_are_found_by_key(operate: Operate) -> None:
    definitions = operate().loaders.definitions
    database, workflow, pipeline, missing = await asyncio.gather(
        definitions.databases.load(("plant-models",)),
        definitions.workflows.load(("plant-models", "convert-qa-thumb")),
        definitions.pipelines.load(("plant-models", "clash-detect")),
        definitions.pipelines.load(("plant-models", "no-such-pipeline")),
    )
    assert database is not None
    assert workflow is not None
    assert workflow.name == "Convert, check and thumbnail"
    assert pipeline is not None
    assert not pipeline.is_enabled
    assert missing is None
