import re
from collections import Counter
from collections.abc import Iterator

import pytest

from graph.demo.data import demo_items
from graph.demo.gaps import BROKEN_CHAIN_ID
from graph.tables.builders.sizes import ITEM_LIMIT, item_size
from graph.tables.catalogue import (
    ALL_TABLES,
    CONFIGURATIONS,
    EXECUTIONS,
    INPUT_CONFIGURATIONS,
    INPUT_METADATA,
    OUTPUT_RESULTS,
    STEP_LOGS,
    STEPS,
    Table,
)
from tests.demo.reading import ITEMS, Item, chain, configuration, rows


def every_item() -> Iterator[tuple[Table, Item]]:
    return ((table, item) for table, items in ITEMS.items() for item in items)


def test_two_calls_give_the_same_items() -> None:
    assert demo_items() == ITEMS
    assert demo_items() is not ITEMS


def test_every_table_has_items() -> None:
    assert [table for table in ALL_TABLES if not ITEMS[table]] == []


def test_there_are_at_least_sixty_runs_beside_the_sample() -> None:
    assert len(ITEMS[EXECUTIONS]) > 60


def test_an_execution_has_one_main_row() -> None:
    assert max(Counter(item["workflowExecutionId"] for item in ITEMS[EXECUTIONS]).values()) == 1


@pytest.mark.parametrize("table", ALL_TABLES, ids=repr)
def test_no_two_items_have_the_same_key(table: Table) -> None:
    keys = [tuple(item[attribute] for attribute in table.key) for item in ITEMS[table]]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("table", ALL_TABLES, ids=repr)
def test_no_key_and_no_index_key_is_empty(table: Table) -> None:
    index_keys = {name for index in table.indexes for name in (index.partition, index.sort) if name}
    for item in ITEMS[table]:
        assert all(isinstance(item[name], str) and item[name] for name in table.key)
        assert all(isinstance(item[name], str) and item[name] for name in index_keys & item.keys())


def test_no_item_is_larger_than_dynamodb_allows() -> None:
    assert max(item_size(item) for _, item in every_item()) <= ITEM_LIMIT


def test_a_sort_key_is_no_longer_than_dynamodb_allows() -> None:
    lengths = (len(item[table.sort].encode()) for table, item in every_item() if table.sort)
    assert max(lengths) <= 1024


def test_a_composite_key_agrees_with_its_parts() -> None:
    for _, item in every_item():
        for name, value in item.items():
            if ":" in name:
                assert value == ":".join(item[part] for part in name.split(":")), name


def test_the_execution_ids_are_those_that_vams_accepts() -> None:
    plain = re.compile(r"[0-9a-f]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
    assert all(plain.fullmatch(item["workflowExecutionId"]) for item in ITEMS[EXECUTIONS])
    assert all(plain.fullmatch(item["pipelineExecutionId"]) for item in ITEMS[STEPS])


def test_every_step_belongs_to_a_run_and_every_run_has_steps() -> None:
    assert {step["workflowExecutionId"] for step in ITEMS[STEPS]} == {
        item["workflowExecutionId"] for item in ITEMS[EXECUTIONS]
    }


def test_every_item_of_a_step_belongs_to_a_step() -> None:
    steps = {step["pipelineExecutionId"] for step in ITEMS[STEPS]}
    assert {item["pipelineExecutionId"] for _, item in every_item() if "pipelineExecutionId" in item} == steps


def test_every_chain_but_the_broken_one_holds_all_steps_and_ends_in_the_end_state() -> None:
    for item in ITEMS[EXECUTIONS]:
        execution_id = item["workflowExecutionId"]
        if execution_id != BROKEN_CHAIN_ID:
            steps = chain(execution_id)
            assert len(steps) == len(rows(STEPS, workflowExecutionId=execution_id))
            assert [step["endStatePipeline"] for step in steps] == ["false"] * (len(steps) - 1) + ["true"]


def test_a_chain_follows_the_snapshot() -> None:
    for item in ITEMS[CONFIGURATIONS]:
        execution_id = item["workflowExecutionId"]
        snapshot = [one["pipelineDatabaseId:pipelineId"] for one in item["specifiedPipelinesSnapshot"]]
        if snapshot and execution_id != BROKEN_CHAIN_ID:
            assert [step["pipelineDatabaseId:pipelineId"] for step in chain(execution_id)] == snapshot


@pytest.mark.parametrize(
    ("table", "cut"),
    [
        (
            CONFIGURATIONS,
            {"inputMetadata", "specifiedPipelinesSnapshot", "metadataSourceAssets", "metadataSourceDatabases"},
        ),
        (
            INPUT_CONFIGURATIONS,
            {
                "inputConfiguration",
                "templateTags",
                "customTemplateOverride",
                "effectiveSystemConfig",
                "templateOverrides",
            },
        ),
        (INPUT_METADATA, {"metadata", "attributes"}),
        (OUTPUT_RESULTS, {"resultsContent"}),
        (STEP_LOGS, {"resultLog", "errorLog"}),
    ],
    ids=lambda value: getattr(value, "name", "cut"),
)
def test_a_row_of_today_says_of_each_text_and_collection_whether_it_was_cut(table: Table, cut: set[str]) -> None:
    migrated = {row["workflowExecutionId"] for row in ITEMS[CONFIGURATIONS] if "migratedRecord" in row}
    migrated_steps = {row["pipelineExecutionId"] for row in ITEMS[STEPS] if row["workflowExecutionId"] in migrated}
    for item in ITEMS[table]:
        if item.get("workflowExecutionId") not in migrated and item.get("pipelineExecutionId") not in migrated_steps:
            flags = {name: value for name, value in item.items() if name.endswith("Truncated")}
            assert flags.keys() == {f"{name}Truncated" for name in cut}
            assert all(isinstance(value, bool) for value in flags.values())


def test_an_output_asset_is_indexed_exactly_where_a_run_has_one() -> None:
    for item in ITEMS[CONFIGURATIONS]:
        assert ("outputDatabaseId:outputAssetId" in item) == bool(item["outputAssetId"])
    assert configuration(BROKEN_CHAIN_ID)["outputDatabaseId:outputAssetId"] == "plant-models:pipe-rack"
