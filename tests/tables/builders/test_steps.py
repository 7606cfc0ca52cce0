from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.tables.builders.record import InvalidRecord
from graph.tables.builders.sizes import item_size
from graph.tables.builders.steps import (
    InputConfigurationRecord,
    StepLogRecord,
    StepPlaces,
    StepRecord,
    registered_log,
    step_end,
)
from graph.tables.states import TERMINAL, ExecutionStatus, PipelineExecutionType

KIB = 1024
ENDS = [status for status in ExecutionStatus if status in TERMINAL]
GOING_ON = [status for status in ExecutionStatus if status not in TERMINAL]
STOP = datetime(2026, 7, 14, 9, 41, 12, tzinfo=UTC)
PLACES = StepPlaces(
    bucket="run-bucket",
    configuration_key="inputs/config.json",
    files_prefix="out/files/",
    metadata_prefix="out/metadata/",
    previews_prefix="out/previews/",
    results_prefix="out/results/",
    auxiliary_bucket="aux-bucket",
    auxiliary_prefix="aux/",
)
STEP = StepRecord(
    pipeline_execution_id="1" * 32,
    execution_id="0" * 32,
    pipeline_database_id="GLOBAL",
    pipeline_id="mesh",
    predecessor_id=None,
    is_end_state=False,
    execution_type=PipelineExecutionType.LAMBDA,
    waits_for_callback=True,
    places=PLACES,
)
CONFIGURATION = InputConfigurationRecord(pipeline_execution_id="1" * 32, body="{}", file_key="inputs/config.json")


def test_a_step_is_queued_with_a_whole_row() -> None:
    assert STEP.item() == {
        "pipelineExecutionId": "1" * 32,
        "workflowExecutionId": "0" * 32,
        "pipelineDatabaseId:pipelineId": "GLOBAL:mesh",
        "pipelineDatabaseId": "GLOBAL",
        "pipelineId": "mesh",
        "endStatePipeline": "false",
        "S3AssetPipelineBucket": "run-bucket",
        "S3AssetPipelineBucketInputMetadataFilePrefix": "",
        "S3AssetPipelineBucketInputConfigurationFilePrefix": "inputs/config.json",
        "S3AssetPipelineBucketOutputFilesPrefix": "out/files/",
        "S3AssetPipelineBucketOutputMetadataPrefix": "out/metadata/",
        "S3AssetPipelineBucketOutputPreviewPrefix": "out/previews/",
        "S3AssetPipelineBucketOutputResultsPrefix": "out/results/",
        "S3AssetAuxPipelineBucket": "aux-bucket",
        "S3AssetAuxPipelineBucketPrefixTemp": "aux/",
        "S3AssetAuxPipelineBucketPrefixPreview": "",
        "executionStartDate": "",
        "executionStopDate": "",
        "executionStatus": "NEW",
        "pipelineExecutionType": "Lambda",
        "waitForCallback": "Enabled",
        "pipelineResourceArn": "",
        "vendedRoleArn": "",
        "s3ReadOnlyScopes": [],
        "s3ReadWriteScopes": [],
        "credentialVendingState": "notVended",
        "orchestrationBusEventPrefix": "",
        "registeredSubExecutions": [],
        "registeredLogs": [],
    }


@pytest.mark.parametrize(("predecessor", "kept"), [("2" * 32, "2" * 32), ("", None), (None, None)])
def test_the_first_step_is_in_no_index_of_predecessors(predecessor: str | None, kept: str | None) -> None:
    assert replace(STEP, predecessor_id=predecessor).item().get("from_pipeline_execution_id") == kept


def test_the_last_step_is_found_by_a_text() -> None:
    assert replace(STEP, is_end_state=True).item()["endStatePipeline"] == "true"


def test_a_step_sends_its_events_under_a_source_of_its_own() -> None:
    source = replace(STEP, event_prefix="vams.prod").item()["orchestrationBusEventPrefix"]
    assert source == f"vams.prod.execution.{'0' * 32}.pipeline.{'1' * 32}"


def test_a_step_whose_places_are_not_known_names_none() -> None:
    assert not any(name.startswith("S3Asset") for name in replace(STEP, places=None).item())


def test_two_items_share_no_list() -> None:
    one = STEP.item()
    for name in ("s3ReadOnlyScopes", "s3ReadWriteScopes", "registeredLogs", "registeredSubExecutions"):
        one[name].append("changed")
        assert STEP.item()[name] == []


@pytest.mark.parametrize("field", ["logs", "sub_executions"])
def test_a_step_holds_fifty_registrations_of_a_kind(field: str) -> None:
    def with_entries(count: int) -> StepRecord:
        changes: dict[str, Any] = {field: [registered_log("arn:group")] * count}
        return replace(STEP, **changes)

    assert with_entries(50).item()
    with pytest.raises(InvalidRecord, match="at most 50"):
        with_entries(51).item()


def test_a_registered_log_has_every_field() -> None:
    assert registered_log("arn:group", stream="s", source_type="batch") == {
        "logGroupArn": "arn:group",
        "logGroupName": "",
        "logStreamName": "s",
        "logStreamPrefix": "",
        "stageName": "",
        "label": "",
        "sourceType": "batch",
    }


@pytest.mark.parametrize("status", ENDS)
def test_an_end_is_a_status_and_a_date(status: ExecutionStatus) -> None:
    assert step_end(status, STOP) == {"executionStatus": status.value, "executionStopDate": "2026-07-14T09:41:12Z"}


@pytest.mark.parametrize("status", GOING_ON)
def test_a_status_of_a_step_that_goes_on_is_no_end(status: ExecutionStatus) -> None:
    with pytest.raises(ValueError, match=f"{status.value} ends no step"):
        step_end(status, STOP)


@pytest.mark.parametrize(("override", "used", "kept"), [(None, False, ""), ("", True, ""), ("{}", True, "{}")])
def test_an_override_may_be_empty(override: str | None, used: bool, kept: str) -> None:
    item = replace(CONFIGURATION, override=override).item()
    assert (item["customTemplateOverrideUsed"], item["customTemplateOverride"]) == (used, kept)


def large(mark: str) -> dict[str, str]:
    return {f"{mark}{number:04}": "x" * 100 for number in range(3_000)}


@pytest.mark.parametrize(
    ("changes", "truncated"),
    [
        ({}, set()),
        ({"body": "x" * 381 * KIB}, {"inputConfiguration"}),
        ({"override": "x" * 381 * KIB}, {"customTemplateOverride"}),
        ({"body": "x" * 200 * KIB, "override": "y" * 170 * KIB}, set()),
        ({"body": "x" * 200 * KIB, "override": "y" * 185 * KIB}, {"inputConfiguration"}),
        ({"tags": [("t", "x" * 1_000)] * 300}, {"templateTags"}),
        ({"template_overrides": large("a")}, {"templateOverrides"}),
        ({"effective_system_config": large("a")}, {"effectiveSystemConfig"}),
        (
            {"effective_system_config": large("a"), "template_overrides": large("b"), "body": "x" * 130 * KIB},
            {"effectiveSystemConfig", "templateOverrides", "inputConfiguration"},
        ),
    ],
)
def test_what_of_a_configuration_does_not_fit_says_so(changes: dict[str, Any], truncated: set[str]) -> None:
    item = replace(CONFIGURATION, **changes).item()
    assert {name.removesuffix("Truncated") for name, value in item.items() if value is True} == truncated | (
        {"customTemplateOverrideUsed"} & {"customTemplateOverrideUsed" * ("override" in changes)}
    )


def test_many_small_collections_still_fit_into_the_item() -> None:
    nested: list[Any] = [[[[]]]] * 100
    item = replace(CONFIGURATION, tags=[("tag", nested)] * 1_000, body="x" * 380 * KIB).item()
    assert item["templateTagsTruncated"]
    assert item_size(item) <= 400 * KIB


def test_a_body_that_is_nowhere_whole_is_refused() -> None:
    with pytest.raises(InvalidRecord, match="inputConfiguration is too long"):
        replace(CONFIGURATION, body="x" * 400 * KIB, file_key="").item()


@pytest.mark.parametrize(
    ("result", "error", "kept", "flags"),
    [
        (10, 20, (10, 20), (False, False)),
        (10, 390 * KIB, (10, 390 * KIB - 10), (False, True)),
        (390 * KIB, 390 * KIB, (195 * KIB, 195 * KIB), (True, True)),
    ],
)
def test_the_logs_of_a_step_share_390_kib(
    result: int, error: int, kept: tuple[int, int], flags: tuple[bool, bool]
) -> None:
    item = StepLogRecord(pipeline_execution_id="1" * 32, result_log="r" * result, error_log="e" * error).item()
    assert item["logType"] == "summary"
    assert (len(item["resultLog"]), len(item["errorLog"])) == kept
    assert (item["resultLogTruncated"], item["errorLogTruncated"]) == flags
