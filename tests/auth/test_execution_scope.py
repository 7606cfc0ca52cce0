from dataclasses import replace
from typing import Any

import pytest

from graph.auth.execution_scope import ExecutionScope, ScopeLoader
from graph.demo.model import Metadata, Run
from graph.demo.rows import Row, workflow_row
from graph.demo.run_rows import run_rows
from graph.errors import Throttled
from graph.loaders import Loaders
from graph.loaders.base import Reading
from graph.operation import OperationScope
from graph.tables.catalogue import ASSETS, CONFIGURATIONS, INPUTS, WORKFLOWS, Table
from graph.tables.rows import deciding_fields
from graph.tables.tally import Tally
from tests.worlds import WORKFLOW, MemoryReader, asset, items, run

PUMP, VALVE, SPEC = asset("plant", "pump"), asset("plant", "valve"), asset("specs", "spec")
RUN = replace(
    run("one", PUMP, VALVE, PUMP),
    source_assets=(SPEC, PUMP),
    output_asset=VALVE,
    metadata=(Metadata("plant", PUMP), Metadata("captured", None)),
    named_database="named",
)


def reader_of(of: Run, changes: dict[str, Any] | None = None) -> MemoryReader:
    rows = [
        Row(row.table, row.attributes | (changes or {})) if row.table is CONFIGURATIONS else row for row in run_rows(of)
    ]
    return MemoryReader(items(rows, [workflow_row(WORKFLOW)]))


async def scope(reader: MemoryReader) -> ExecutionScope:
    loaders = Loaders(Reading(reader, Tally(), deciding_fields, OperationScope()))
    return await ScopeLoader(loaders).load((RUN.execution_id, "home:nightly"))


async def test_a_run_claims_every_asset_that_it_read_or_wrote_once() -> None:
    found = await scope(reader_of(RUN))
    assert sorted(found.assets) == [("plant", "pump"), ("plant", "valve"), ("specs", "spec")]


async def test_a_run_claims_the_database_that_was_named_and_those_that_were_captured() -> None:
    assert list((await scope(reader_of(RUN))).databases) == ["named", "captured"]


async def test_a_run_claims_its_workflow_even_when_the_definition_is_gone() -> None:
    reader = reader_of(RUN)
    found = await scope(reader)
    assert (found.workflow_database_id, found.workflow_id, found.workflow and found.workflow.name) == (
        "home",
        "nightly",
        "Nightly",
    )
    reader.held[WORKFLOWS].clear()
    found = await scope(reader)
    assert (found.workflow_database_id, found.workflow_id, found.workflow) == ("home", "nightly", None)


async def test_a_run_that_wrote_results_only_claims_no_output() -> None:
    found = await scope(reader_of(replace(RUN, output_asset=None, inputs=(), source_assets=())))
    assert not found.assets


async def test_a_run_whose_configuration_is_gone_still_claims_its_inputs() -> None:
    reader = reader_of(RUN)
    reader.held[CONFIGURATIONS].clear()
    found = await scope(reader)
    assert list(found.assets) == [("plant", "pump"), ("plant", "valve")]
    assert not found.databases
    assert not found.lacks_assets


@pytest.mark.parametrize(
    ("changes", "truncated"),
    [
        ({}, (False, False)),
        ({"metadataSourceAssetsTruncated": True}, (True, False)),
        ({"metadataSourceDatabasesTruncated": True}, (False, True)),
        ({"metadataSourceAssets": [{"databaseId": "specs"}]}, (True, False)),
        ({"metadataSourceAssets": [{"databaseId": "specs", "assetId": 7}]}, (True, False)),
    ],
)
async def test_a_list_of_sources_that_was_cut_or_cannot_be_read_is_known_to_lack_some(
    changes: dict[str, Any], truncated: tuple[bool, bool]
) -> None:
    found = await scope(reader_of(RUN, changes))
    assert (found.lacks_assets, found.lacks_databases) == truncated


@pytest.mark.parametrize("table", [CONFIGURATIONS, INPUTS, WORKFLOWS])
async def test_what_cannot_be_read_is_never_taken_for_absent(table: Table) -> None:
    reader = reader_of(RUN)
    reader.failing = {table}
    with pytest.raises(Throttled):
        await scope(reader)


async def test_claims_read_no_asset() -> None:
    reader = reader_of(RUN)
    await scope(reader)
    assert ASSETS.name not in reader.calls
