from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.tables.builders.executions import (
    AssetKey,
    ConfigurationRecord,
    ExecutionRecord,
    PlannedPipeline,
    execution_end,
    status_check,
)
from graph.tables.builders.record import InvalidRecord
from graph.tables.states import TERMINAL, ExecutionStatus, TriggerType
from graph.tables.writer import COMPLETION

KIB = 1024
ENDS = [status for status in ExecutionStatus if status in TERMINAL]
GOING_ON = [status for status in ExecutionStatus if status not in TERMINAL]
START = datetime(2026, 7, 14, 9, 30, tzinfo=UTC)
STOP = datetime(2026, 7, 14, 9, 41, 12, 345_678, tzinfo=UTC)
EXECUTION = ExecutionRecord(
    execution_id="9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65",
    workflow_database_id="plant-models",
    workflow_id="convert",
    workflow_arn="arn:machine",
    arn="arn:run",
    started_at=START,
    triggered_by="ana@example.com",
    trigger_type=TriggerType.FILE_UPLOAD,
)
CONFIGURATION = ConfigurationRecord(
    execution_id="9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65",
    started_at=START,
    metadata_text="{}",
    metadata_file_key="pipelines/metadata.json",
    pipelines=[PlannedPipeline(database_id="GLOBAL", pipeline_id="mesh", job_name="convert")],
)


def test_a_run_is_launched_with_a_whole_row() -> None:
    assert EXECUTION.item() == {
        "workflowExecutionId": "9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65",
        "workflowDatabaseId:workflowId": "plant-models:convert",
        "workflowDatabaseId": "plant-models",
        "workflowId": "convert",
        "workflow_arn": "arn:machine",
        "workflow_execution_arn": "arn:run",
        "allListPartition": "execution",
        "executionStartDate": "2026-07-14T09:30:00Z",
        "executionStopDate": "",
        "executionStatus": "RUNNING",
        "lastSfnSyncCheckDate": "",
        "triggeredByUserId": "ana@example.com",
        "triggerType": "File-Upload",
        "executionLogGroupArn": "",
        "executionError": "",
        "executionLog": "",
    }


@pytest.mark.parametrize(("group", "kept"), [("batch-7", "batch-7"), ("", None), (None, None)])
def test_only_a_run_of_a_group_is_in_the_index_of_groups(group: str | None, kept: str | None) -> None:
    assert replace(EXECUTION, group_id=group).item().get("executionGroupId") == kept


@pytest.mark.parametrize(
    ("error", "log", "kept"),
    [
        (10, 10, (10, 10)),
        (195 * KIB, 195 * KIB, (195 * KIB, 195 * KIB)),
        (500 * KIB, 500 * KIB, (195 * KIB, 195 * KIB)),
        (0, 500 * KIB, (0, 390 * KIB)),
        (KIB, 500 * KIB, (KIB, 389 * KIB)),
        (500 * KIB, KIB, (389 * KIB, KIB)),
    ],
)
def test_error_and_log_share_390_kib(error: int, log: int, kept: tuple[int, int]) -> None:
    ended = execution_end(ExecutionStatus.FAILED, STOP, "e" * error, "l" * log)
    row = replace(EXECUTION, error_text="e" * error, log_text="l" * log).item()
    for item in (ended, row):
        assert (len(item.get("executionError", "")), len(item.get("executionLog", ""))) == kept


def test_a_check_changes_its_date_alone() -> None:
    assert status_check(STOP) == {"lastSfnSyncCheckDate": "2026-07-14T09:41:12Z"}


@pytest.mark.parametrize("status", ENDS)
def test_an_end_is_its_status_its_date_and_the_texts_that_there_are(status: ExecutionStatus) -> None:
    ended = {"executionStatus": status.value, "executionStopDate": "2026-07-14T09:41:12Z"}
    assert execution_end(status, STOP) == ended
    assert execution_end(status, STOP, "error", "log") == ended | {"executionError": "error", "executionLog": "log"}


def test_an_end_is_what_the_writer_guards() -> None:
    assert execution_end(ExecutionStatus.FAILED, STOP, "error", "log").keys() == COMPLETION


@pytest.mark.parametrize("status", GOING_ON)
def test_a_status_of_a_run_that_goes_on_is_no_end(status: ExecutionStatus) -> None:
    with pytest.raises(ValueError, match=f"{status.value} ends no execution"):
        execution_end(status, STOP)


def test_a_run_with_an_output_asset_is_in_the_index_of_outputs() -> None:
    item = replace(CONFIGURATION, output=AssetKey("plant", "pump")).item()
    assert item["outputDatabaseId:outputAssetId"] == "plant:pump"
    assert (item["outputLocationType"], item["outputDatabaseId"], item["outputAssetId"]) == ("asset", "plant", "pump")


def test_a_run_that_leaves_results_only_is_in_no_index_of_outputs() -> None:
    item = CONFIGURATION.item()
    assert "outputDatabaseId:outputAssetId" not in item
    assert (item["outputLocationType"], item["outputDatabaseId"], item["outputAssetId"]) == ("none", "", "")


@pytest.mark.parametrize("output", [AssetKey("", "pump"), AssetKey("plant", "")])
def test_half_an_output_asset_is_refused(output: AssetKey) -> None:
    with pytest.raises(InvalidRecord, match="needs both ids"):
        replace(CONFIGURATION, output=output).item()


def test_a_snapshot_keeps_the_order_of_the_steps() -> None:
    assert CONFIGURATION.item()["specifiedPipelinesSnapshot"] == [
        {
            "pipelineDatabaseId": "GLOBAL",
            "pipelineId": "mesh",
            "pipelineDatabaseId:pipelineId": "GLOBAL:mesh",
            "jobName": "convert",
            "defaultTemplateId": "",
        }
    ]


ASSETS = [AssetKey("plant", f"asset-{number}") for number in range(10_000)]
STEPS = [replace(CONFIGURATION.pipelines[0], job_name=f"job-{number}" * 20) for number in range(2_000)]


@pytest.mark.parametrize(
    ("changes", "truncated"),
    [
        ({}, []),
        ({"metadata_text": "x" * 379 * KIB}, []),
        ({"metadata_text": "x" * 381 * KIB}, ["inputMetadata"]),
        ({"source_assets": ASSETS}, ["metadataSourceAssets"]),
        # What the sources and the snapshot take is missing for the text, and what the sources take for the snapshot.
        ({"source_assets": ASSETS, "metadata_text": "x" * 123 * KIB}, ["metadataSourceAssets"]),
        ({"source_assets": ASSETS, "metadata_text": "x" * 125 * KIB}, ["inputMetadata", "metadataSourceAssets"]),
        ({"pipelines": STEPS}, ["specifiedPipelinesSnapshot"]),
        ({"source_databases": ["d" * 60] * 6_000}, ["metadataSourceDatabases"]),
    ],
)
def test_what_does_not_fit_says_so(changes: dict[str, Any], truncated: list[str]) -> None:
    # A snapshot finds room only where the sources leave it.
    item = replace(CONFIGURATION, **({"pipelines": ()} | changes)).item()
    flags = {name for name, value in item.items() if name.endswith("Truncated") and value}
    assert flags == {f"{name}Truncated" for name in truncated}
    assert item["inputMetadata"] == replace(CONFIGURATION, **changes).metadata_text[: len(item["inputMetadata"])]


def test_sources_come_before_the_snapshot() -> None:
    item = replace(CONFIGURATION, source_assets=ASSETS, pipelines=STEPS).item()
    assert len(item["metadataSourceAssets"]) > 4_000
    assert item["specifiedPipelinesSnapshot"] == []
    assert item["specifiedPipelinesSnapshotTruncated"]


def test_metadata_that_is_nowhere_whole_is_not_truncated_but_refused() -> None:
    with pytest.raises(InvalidRecord, match="inputMetadata is too long"):
        replace(CONFIGURATION, metadata_text="x" * 400 * KIB, metadata_file_key="").item()
