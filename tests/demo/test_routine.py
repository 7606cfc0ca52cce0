from collections import Counter

from graph.demo.routine import NIGHT_GROUP_ID, UPLOAD_DATE, UPLOAD_GROUP_ID
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, INPUTS
from tests.demo.reading import ITEMS, rows

READ = {row["workflowExecutionId"] for row in ITEMS[INPUTS] if row["assetId"] == "pump-station"}
WROTE = {row["workflowExecutionId"] for row in ITEMS[CONFIGURATIONS] if row["outputAssetId"] == "pump-station"}


def test_many_runs_touched_the_pump_station_and_each_way_is_common() -> None:
    assert len(READ | WROTE) >= 30
    assert len(READ - WROTE) >= 10
    assert len(WROTE - READ) >= 10
    assert len(READ & WROTE) >= 10


def test_seven_uploads_to_one_asset_and_workflow_came_in_the_same_second() -> None:
    uploads = rows(EXECUTIONS, executionStartDate=UPLOAD_DATE)
    assert len(uploads) == 7
    assert {row["workflowDatabaseId:workflowId"] for row in uploads} == {"GLOBAL:thumbnails"}
    assert {row["workflowExecutionId"] for row in uploads} <= READ & WROTE


def test_groups_hold_the_runs_that_were_started_together() -> None:
    groups = Counter(row.get("executionGroupId") for row in ITEMS[EXECUTIONS])
    assert (groups[UPLOAD_GROUP_ID], groups[NIGHT_GROUP_ID]) == (7, 3)


def test_every_trigger_occurs() -> None:
    assert {row["triggerType"] for row in ITEMS[EXECUTIONS]} >= {"Manual", "File-Upload", "System-Reindex"}


def test_most_runs_succeed_and_every_ending_occurs() -> None:
    statuses = Counter(row["executionStatus"] for row in ITEMS[EXECUTIONS])
    assert statuses.most_common(1)[0][0] == "SUCCEEDED"
    assert min(statuses[ending] for ending in ("FAILED", "ABORTED", "TIMED_OUT")) >= 3


def test_several_databases_own_workflows_that_ran() -> None:
    databases = {row["workflowDatabaseId"] for row in ITEMS[EXECUTIONS]}
    assert databases == {"plant-models", "plant-scans", "city-scans", "GLOBAL"}
