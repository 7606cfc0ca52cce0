"""What holds for records of all kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.tables import decode
from graph.tables.builders.executions import ExecutionRecord
from graph.tables.builders.inputs import InputRecord
from graph.tables.builders.outputs import OutputMetadataRecord
from graph.tables.builders.record import InvalidRecord, Record, word
from graph.tables.builders.sizes import item_size
from graph.tables.builders.values import storable
from graph.tables.catalogue import EXECUTION_TABLES
from graph.tables.keys import normalize
from graph.tables.rows import field_names
from graph.tables.states import ExecutionStatus, PipelineExecutionType, TriggerType
from tests.demo.reading import written
from tests.tables.builders.strategies import KINDS, Kind

LARGE = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
KIND = pytest.mark.parametrize("kind", KINDS, ids=str)

# What a record names otherwise than its row, or does not leave as it is.
NORMALIZED = {
    ("InputRecord", "path"),
    ("StepInputFileRecord", "key"),
    ("InputMetadataRecord", "path"),
    ("OutputMetadataRecord", "target_path"),
    ("OutputResultRecord", "relative_path"),
}
OTHERWISE = {
    ("StepRecord", "places"),
    ("InputConfigurationRecord", "tags"),
    ("ConfigurationRecord", "pipelines"),
    ("ConfigurationRecord", "source_assets"),
}

EXECUTION = ExecutionRecord(
    execution_id="0" * 32,
    workflow_database_id="plant",
    workflow_id="convert",
    workflow_arn="",
    arn="",
    started_at=datetime(2026, 6, 30, 10, tzinfo=UTC),
    triggered_by="ana@example.com",
    trigger_type=TriggerType.MANUAL,
)
INPUT = InputRecord(
    execution_id="0" * 32,
    workflow_database_id="plant",
    workflow_id="convert",
    started_at=datetime(2026, 6, 30, 10, tzinfo=UTC),
    database_id="plant",
    asset_id="pump",
    path="/a.step",
    bucket="assets",
    root="pump/",
)


def test_every_execution_table_has_one_kind_of_record() -> None:
    assert sorted(kind.record.table.name for kind in KINDS) == sorted(table.name for table in EXECUTION_TABLES)
    assert all(kind.record.table is kind.row.table for kind in KINDS)


@KIND
@LARGE
@given(st.data())
def test_dynamodb_takes_every_item(kind: Kind, data: st.DataObject) -> None:
    item, table = data.draw(kind.examples).item(), kind.record.table
    assert item_size(item) <= 400 * 1024
    index_keys = {name for index in table.indexes for name in (index.partition, index.sort) if name}
    assert all(item[name] for name in table.key)
    assert all(item[name] for name in index_keys & item.keys())
    for name in item:
        if ":" in name:
            assert item[name] == ":".join(item[part] for part in name.split(":"))


@KIND
@LARGE
@given(st.data())
def test_a_record_is_read_as_it_was_written(kind: Kind, data: st.DataObject) -> None:
    record = data.draw(kind.examples)
    item = record.item()
    row = kind.row.decode(written(item), field_names(kind.row))
    compared = [field.name for field in fields(record) if hasattr(row, field.name)]
    assert compared
    for name in compared:
        if (str(kind), name) not in OTHERWISE:
            there = getattr(record, name)
            there = normalize(there) if (str(kind), name) in NORMALIZED else there
            assert_kept(there, getattr(row, name), whole=not any(_flags(item)) and item_size(item) < 380 * 1024)


def assert_kept(wrote: Any, read: Any, *, whole: bool) -> None:
    """The value that was read is the one that was written, or its beginning where the item was truncated."""
    match wrote:
        case datetime():
            assert read == wrote.replace(microsecond=0)
        case "" | None:
            assert not read
        case str():
            assert read == wrote if whole else wrote.startswith(read or "")
        case Mapping():
            stored = decode.plain(written({"a": storable(wrote)})["a"])
            kept = stored if whole else {name: stored[name] for name in sorted(stored)[: len(read)]}
            assert read == kept
        case Sequence():
            stored = decode.plain(written({"a": storable(wrote)})["a"])
            assert list(read) == (stored if whole else stored[: len(read)])
        case _:
            assert read == wrote


def _flags(item: Mapping[str, Any]) -> list[bool]:
    flags = [value for name, value in item.items() if name.endswith("Truncated")]
    assert all(isinstance(flag, bool) for flag in flags)
    return flags


@pytest.mark.parametrize(
    ("record", "attribute"),
    [
        (replace(EXECUTION, execution_id=""), "workflowExecutionId"),
        (replace(INPUT, execution_id=""), "workflowExecutionId"),
        (
            OutputMetadataRecord(pipeline_execution_id="", target_path="/", key="k", value="", source_key=""),
            "pipelineExecutionId",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_empty_key_is_refused(record: Record, attribute: str) -> None:
    with pytest.raises(InvalidRecord, match=f"{attribute} is a key and must not be empty"):
        record.item()


@pytest.mark.parametrize("size", [1024, 1025])
def test_a_sort_key_has_at_most_1024_bytes(size: int) -> None:
    long = replace(INPUT, path="/" + "ü" * ((size - len("plant:pump:/pump/")) // 2) + "x" * (size % 2))
    sort_key = long.attributes()["databaseId:assetId:inputAssetFileKey"]
    if len(sort_key.encode()) <= 1024:
        assert long.item()["databaseId:assetId:inputAssetFileKey"] == sort_key
    else:
        with pytest.raises(InvalidRecord, match="more than a key may have"):
            long.item()


def test_an_item_that_no_budget_bounds_is_refused_when_it_is_too_large() -> None:
    with pytest.raises(InvalidRecord, match="DynamoDB takes 409600"):
        replace(EXECUTION, triggered_by="x" * 400 * 1024).item()


@pytest.mark.parametrize("member", [ExecutionStatus.UNKNOWN, TriggerType.UNKNOWN, PipelineExecutionType.UNKNOWN])
def test_what_stands_for_unknown_texts_is_not_written(member: Any) -> None:
    with pytest.raises(InvalidRecord, match="has no stored text"):
        word(member)


def test_an_id_that_cannot_be_stored_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        replace(EXECUTION, triggered_by="\ud800").item()
