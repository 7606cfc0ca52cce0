import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from graph.auth import routes
from graph.auth.access import MOST_ASSETS
from graph.auth.policy import Policy
from graph.demo.model import Asset, Metadata, Run
from graph.demo.rows import asset_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.errors import Forbidden, Throttled
from graph.tables.catalogue import (
    ASSETS,
    CONFIGURATIONS,
    DATABASES,
    INPUTS,
    PIPELINES,
    STEPS,
    WORKFLOWS,
    Table,
)
from graph.tables.records.definitions import AssetRow, DatabaseRow, PipelineRow, WorkflowRow
from graph.tables.records.steps import StepRow
from tests.demo.reading import ITEMS
from tests.worlds import (
    EVERYTHING,
    WORKFLOW,
    MemoryReader,
    access,
    allow,
    asset,
    decoded,
    deny,
    everything_but,
    executions,
    items,
    only,
    run,
)

PUMP, SPEC, OLD = asset("plant", "pump", "hot"), asset("plant", "spec", "locked"), asset("plant", "old", archived=True)
GONE = asset("plant", "gone")
RUN = replace(run("one", PUMP), source_assets=(SPEC,), output_asset=PUMP)


def reader_of(*runs: Run, assets: tuple[Asset, ...] = (PUMP, SPEC, OLD)) -> MemoryReader:
    rows = [row for of in runs for row in run_rows(of)]
    return MemoryReader(items(rows, [workflow_row(WORKFLOW)], map(asset_row, assets)))


async def sees(policy: Policy, reader: MemoryReader) -> bool:
    (execution,) = executions(reader)
    return await access(policy, reader).sees(execution)


async def may_abort(policy: Policy, reader: MemoryReader) -> bool:
    (execution,) = executions(reader)
    return await access(policy, reader).may_abort(execution)


# -------------------------------------------------------------------------------------------------- the first tier


async def test_a_route_that_is_not_permitted_is_refused() -> None:
    guarded = access(everything_but(deny("api", "route__path", "ends_with", "/logs")), reader_of())
    guarded.require(routes.execution_details("1"))
    with pytest.raises(Forbidden):
        guarded.require(routes.execution_logs("1"))


async def test_a_route_is_permitted_for_each_method_on_its_own() -> None:
    guarded = access(only(allow("api", "route__path", "starts_with", "/workflows", "GET")), reader_of())
    assert guarded.permits("/workflows/executions/1")
    assert not guarded.permits("/workflows/executions/1", "DELETE")


async def test_the_details_of_an_execution_need_their_route() -> None:
    assert await sees(everything_but(), reader_of(RUN))
    assert not await sees(everything_but(deny("api", "route__path", "ends_with", "/details")), reader_of(RUN))


# ------------------------------------------------------------------------------------------------- the second tier


@pytest.mark.parametrize(
    "missing",
    [
        deny("workflow", "workflowId", "equals", "nightly"),
        deny("workflow", "name", "equals", "Nightly"),
        deny("workflow", "category", "equals", "conversion"),
        deny("database", "databaseId", "equals", "named"),
        deny("database", "databaseId", "equals", "captured"),
        deny("asset", "assetName", "equals", "pump"),
        deny("asset", "tags", "is_one_of", "locked"),
        deny("asset", "databaseId", "equals", "elsewhere"),
    ],
    ids=lambda rule: rule["constraintId"],
)
async def test_an_execution_is_seen_by_those_who_may_see_all_that_it_touched(missing: dict[str, Any]) -> None:
    of = replace(RUN, output_asset=asset("elsewhere", "model"), metadata=(Metadata("captured", None),))
    reader = reader_of(replace(of, named_database="named"), assets=(PUMP, SPEC, asset("elsewhere", "model")))
    assert await sees(everything_but(deny("asset", "databaseId", "equals", "unrelated")), reader)
    assert not await sees(everything_but(missing), reader)


async def test_a_workflow_that_is_gone_is_judged_by_its_ids_alone() -> None:
    reader = reader_of(RUN)
    by_name, by_id = (
        deny("workflow", "name", "equals", "Nightly"),
        deny("workflow", "workflowId", "equals", "nightly"),
    )
    reader.held[WORKFLOWS].clear()
    assert await sees(everything_but(by_name), reader)
    assert not await sees(everything_but(by_id), reader)


async def test_an_archived_asset_is_judged_as_the_asset_it_was() -> None:
    reader = reader_of(replace(RUN, inputs=(), source_assets=(OLD,), output_asset=None))
    in_plant = allow("asset", "databaseId", "equals", "plant")
    others = [rule for rule in EVERYTHING if rule["objectType"] != "asset"]
    assert await sees(only(*others, in_plant), reader)
    assert not await sees(everything_but(deny("asset", "databaseId", "equals", "plant")), reader)
    assert not await sees(everything_but(deny("asset", "assetName", "equals", "old")), reader)


async def test_an_asset_that_is_gone_is_judged_by_its_database() -> None:
    reader = reader_of(run("one", GONE))
    assert await sees(everything_but(deny("asset", "assetName", "equals", "gone")), reader)
    assert not await sees(everything_but(deny("database", "databaseId", "equals", "plant")), reader)


async def test_the_database_of_an_asset_that_is_gone_is_asked_for_the_same_action() -> None:
    reader = reader_of(run("one", GONE))
    assert not await may_abort(everything_but(deny("database", "databaseId", "equals", "plant", "POST")), reader)
    assert await sees(everything_but(deny("database", "databaseId", "equals", "plant", "POST")), reader)


async def test_a_run_without_inputs_and_output_is_guarded_by_its_workflow_alone() -> None:
    reader = reader_of(replace(run("one"), output_asset=None))
    rest = [rule for rule in EVERYTHING if rule["objectType"] in ("api", "workflow")]
    assert await sees(only(*rest), reader)
    assert not await sees(everything_but(deny("workflow", "databaseId", "equals", "home")), reader)


@pytest.mark.parametrize(
    ("flag", "kind", "is_seen"),
    [
        ("metadataSourceAssetsTruncated", "asset", False),
        ("metadataSourceAssetsTruncated", "database", False),  # by which an asset that is gone is judged
        ("metadataSourceDatabasesTruncated", "asset", True),
        ("metadataSourceDatabasesTruncated", "database", False),
    ],
)
async def test_sources_that_are_not_known_are_seen_by_those_who_may_see_any(
    flag: str, kind: str, is_seen: bool
) -> None:
    reader = reader_of(RUN)
    reader.held[CONFIGURATIONS][0][flag] = True
    assert await sees(everything_but(), reader)
    assert await sees(everything_but(deny(kind, "databaseId", "equals", "elsewhere")), reader) is is_seen


async def test_a_partly_deleted_run_stays_guarded_by_what_is_left() -> None:
    reader = reader_of(RUN)
    reader.held[CONFIGURATIONS].clear()
    assert not await sees(everything_but(deny("asset", "assetName", "equals", "pump")), reader)
    assert await sees(everything_but(deny("asset", "assetName", "equals", "spec")), reader)


@pytest.mark.parametrize("table", [CONFIGURATIONS, INPUTS, ASSETS, WORKFLOWS])
async def test_what_cannot_be_read_fails_and_decides_nothing(table: Table) -> None:
    reader = reader_of(RUN)
    reader.failing = {table}
    with pytest.raises(Throttled):
        await sees(everything_but(deny("asset", "databaseId", "equals", "elsewhere")), reader)
    guarded = access(everything_but(deny("asset", "databaseId", "equals", "elsewhere")), reader)
    with pytest.raises(Throttled):
        await guarded.page_of_executions()(executions(reader))


async def test_aborting_needs_its_route_and_posting_to_every_asset() -> None:
    reader = reader_of(RUN)
    assert await may_abort(everything_but(), reader)
    assert not await may_abort(everything_but(deny("api", "route__path", "contains", ".*", "DELETE")), reader)
    assert not await may_abort(everything_but(deny("asset", "tags", "is_one_of", "locked", "POST")), reader)
    assert await may_abort(everything_but(deny("asset", "tags", "is_one_of", "locked", "PUT")), reader)


async def test_those_who_may_do_everything_cost_no_read() -> None:
    reader = reader_of(RUN)
    assert await sees(everything_but(), reader)
    assert await may_abort(everything_but(), reader)
    assert reader.calls == []


# -------------------------------------------------------------------------------------------------- single objects


@pytest.mark.parametrize(
    ("row", "table", "object_rule", "route"),
    [
        (AssetRow, ASSETS, deny("asset", "assetName", "equals", "Pump station"), "/database/plant-models/assets/.*"),
        (DatabaseRow, DATABASES, deny("database", "databaseId", "equals", "plant-models"), "/database/plant-models"),
        (
            WorkflowRow,
            WORKFLOWS,
            deny("workflow", "name", "starts_with", "Convert, check"),
            "/database/plant-models/workflows/convert-qa-thumb",
        ),
        (
            PipelineRow,
            PIPELINES,
            deny("pipeline", "pipelineExecutionType", "equals", "Lambda"),
            "/database/plant-models/pipelines/quality-check",
        ),
    ],
)
async def test_an_object_needs_its_own_route_and_itself(
    row: type[Any], table: Table, object_rule: dict[str, Any], route: str
) -> None:
    names = {"plant-models", "pump-station", "convert-qa-thumb", "quality-check"}
    item = next(item for item in ITEMS[table] if all(item[name] in names for name in table.key))
    of_interest = decoded(row, item)
    assert await access(everything_but(), reader_of()).sees(of_interest)
    assert not await access(everything_but(object_rule), reader_of()).sees(of_interest)
    assert not await access(everything_but(deny("api", "route__path", "equals", route)), reader_of()).sees(of_interest)


async def test_a_row_without_a_gate_of_its_own_is_a_fault() -> None:
    step = decoded(StepRow, ITEMS[STEPS][0])
    with pytest.raises(AssertionError, match="StepRow has no gate of its own"):
        await access(everything_but(), reader_of()).sees(step)


# ------------------------------------------------------------------------------------------------------- whole pages


def many(count: int, assets: int) -> MemoryReader:
    """Runs that each read some assets of their own."""
    owned = [[asset("plant", f"a{number}-{place}") for place in range(assets)] for number in range(count)]
    return reader_of(
        *(run(str(number), *of_run, minute=number) for number, of_run in enumerate(owned)),
        assets=tuple(one for of_run in owned for one in of_run),
    )


NOT_QUITE_ALL = everything_but(deny("asset", "databaseId", "equals", "elsewhere"))


async def test_verdicts_end_before_the_execution_that_takes_too_many_assets() -> None:
    reader = many(8, 120)
    verdicts = access(NOT_QUITE_ALL, reader).page_of_executions()
    rows = executions(reader)
    assert await verdicts(rows[:3]) == [True] * 3
    assert await verdicts(rows[3:]) == [True]
    assert await verdicts(rows[4:]) == []
    assert 4 * 120 <= MOST_ASSETS < 5 * 120


async def test_an_execution_that_alone_takes_too_many_assets_is_decided_as_the_first_of_a_page() -> None:
    reader = many(2, MOST_ASSETS + 1)
    guarded = access(NOT_QUITE_ALL, reader)
    rows = executions(reader)
    assert await guarded.page_of_executions()(rows) == [True]
    assert await guarded.page_of_executions()(rows[1:]) == [True]


async def test_those_who_see_everything_have_no_bound() -> None:
    reader = many(8, 120)
    assert await access(everything_but(), reader).page_of_executions()(executions(reader)) == [True] * 8


# --------------------------------------------------------------------------------------------------------- the audit


def audited(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    lines = [record.getMessage() for record in caplog.records if record.name == "graph.auth.audit"]
    return [json.loads(line.removeprefix("denied ")) for line in lines]


async def test_a_denial_is_noted_with_user_object_and_rule(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    await sees(everything_but(deny("asset", "tags", "is_one_of", "locked")), reader_of(RUN))
    assert audited(caplog) == [
        {
            "user_id": "bob",
            "object_type": "asset",
            "object_id": "plant:spec",
            "action": "GET",
            "rule": "deny-asset-locked",
        }
    ]
    assert "hot" not in caplog.text


async def test_a_denial_without_a_rule_says_that_none_allows_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert not access(only(), reader_of()).permits("/workflows/executions")
    assert [(line["object_id"], line["rule"]) for line in audited(caplog)] == [
        ("/workflows/executions", "not allowed by any constraint")
    ]


async def test_a_truncated_list_is_the_rule_that_decided(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reader = reader_of(replace(RUN, source_assets_truncated=True))
    await sees(NOT_QUITE_ALL, reader)
    assert [(line["object_type"], line["object_id"], line["rule"]) for line in audited(caplog)] == [
        ("execution", RUN.execution_id, "not all that it touched is known")
    ]


async def test_the_same_denial_is_noted_once_in_an_operation(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reader = reader_of(run("one", SPEC), run("two", SPEC))
    guarded = access(everything_but(deny("asset", "tags", "is_one_of", "locked")), reader)
    assert await guarded.page_of_executions()(executions(reader)) == [False, False]
    assert len(audited(caplog)) == 1


async def test_what_is_allowed_is_not_noted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert await sees(NOT_QUITE_ALL, reader_of(RUN))
    assert audited(caplog) == []


async def test_a_line_of_the_audit_cannot_be_forged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    access(only(), reader_of()).permits("/a\nINFO denied nobody")
    assert all("\n" not in record.getMessage() for record in caplog.records)
