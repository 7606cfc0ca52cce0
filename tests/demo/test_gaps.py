from datetime import datetime

import pytest

from graph.demo import gaps
from graph.tables.catalogue import ASSETS, CONFIGURATIONS, FILE_VERSIONS, INPUTS, PIPELINES, STEPS, WORKFLOWS
from tests.demo.reading import chain, configuration, execution, only, rows


def test_a_run_read_an_asset_that_is_archived() -> None:
    [read] = rows(INPUTS, workflowExecutionId=gaps.ARCHIVED_ASSET_ID)
    assert read["databaseId:assetId"] == "plant-models:retired-pump"
    assert only(ASSETS, assetId="retired-pump")["databaseId"] == "plant-models#deleted"


def test_a_run_read_an_asset_that_is_deleted() -> None:
    [read] = rows(INPUTS, workflowExecutionId=gaps.DELETED_ASSET_ID)
    assert rows(ASSETS, assetId=read["assetId"]) == []


def test_a_chain_is_broken() -> None:
    steps = rows(STEPS, workflowExecutionId=gaps.BROKEN_CHAIN_ID)
    ids = {step["pipelineExecutionId"] for step in steps}
    predecessors = {step["from_pipeline_execution_id"] for step in steps if "from_pipeline_execution_id" in step}
    assert predecessors - ids == {gaps.MISSING_STEP_ID}
    assert len(chain(gaps.BROKEN_CHAIN_ID)) == 1


def test_a_run_is_partly_deleted() -> None:
    assert rows(CONFIGURATIONS, workflowExecutionId=gaps.PARTLY_DELETED_ID) == []
    assert execution(gaps.PARTLY_DELETED_ID)
    assert chain(gaps.PARTLY_DELETED_ID)


def test_a_start_date_is_malformed() -> None:
    with pytest.raises(ValueError, match="out of range"):
        datetime.fromisoformat(execution(gaps.MALFORMED_DATE_ID)["executionStartDate"])


def test_a_status_and_a_trigger_are_unknown() -> None:
    row = execution(gaps.UNKNOWN_WORDS_ID)
    assert (row["executionStatus"], row["triggerType"]) == ("HIBERNATING", "Carrier-Pigeon")


def test_a_run_waits_to_be_redriven() -> None:
    row = execution(gaps.PENDING_REDRIVE_ID)
    assert (row["executionStatus"], row["executionStopDate"]) == ("PENDING_REDRIVE", "")


def test_a_workflow_is_deleted() -> None:
    row = execution(gaps.DELETED_WORKFLOW_ID)
    assert rows(WORKFLOWS, workflowId=row["workflowId"]) == []


def test_a_workflow_is_archived() -> None:
    row = execution(gaps.ARCHIVED_WORKFLOW_ID)
    assert only(WORKFLOWS, workflowId=row["workflowId"])["archived"] is True


def test_a_pipeline_is_disabled() -> None:
    first, _ = chain(gaps.DISABLED_PIPELINE_ID)
    assert only(PIPELINES, pipelineId=first["pipelineId"])["enabled"] is False


def test_the_metadata_sources_of_one_run_are_cut_short() -> None:
    assert configuration(gaps.TRUNCATED_SOURCES_ID)["metadataSourceAssetsTruncated"] is True
    assert len(rows(CONFIGURATIONS, metadataSourceAssetsTruncated=True)) == 1


def test_of_three_outputs_one_has_no_version_and_one_is_called_null() -> None:
    versions = rows(FILE_VERSIONS, changeWorkflowExecutionId=gaps.UNMATCHED_VERSIONS_ID)
    assert {row["filePath"]: row["versionId"] for row in versions} == {
        "/door.glb": "null",
        "/frame.glb": "cr-frame-3",
    }
