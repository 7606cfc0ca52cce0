import base64
import hashlib
import json
from typing import Any

from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.tables.catalogue import ASSETS, EXECUTIONS, FILE_VERSIONS, INPUT_METADATA, INPUTS, OUTPUT_FILES, STEPS
from tests.demo.reading import chain, configuration, execution, of_steps, only, rows


def test_the_chain_is_convert_check_thumbnail() -> None:
    steps = chain(SAMPLE_EXECUTION_ID)
    assert [step["pipelineExecutionId"] for step in steps] == list(SAMPLE_STEP_IDS)
    assert [step["pipelineId"] for step in steps] == ["mesh-convert", "quality-check", "thumbnailer"]


def test_the_index_order_differs_from_the_chain() -> None:
    keys = sorted(
        step["pipelineDatabaseId:pipelineId"] for step in rows(STEPS, workflowExecutionId=SAMPLE_EXECUTION_ID)
    )
    assert keys == ["GLOBAL:mesh-convert", "GLOBAL:thumbnailer", "plant-models:quality-check"]


def test_the_inputs_are_a_versioned_file_and_a_folder_behind_a_base_prefix() -> None:
    file, folder = rows(INPUTS, workflowExecutionId=SAMPLE_EXECUTION_ID)
    assert (file["inputAssetFileKey"], file["assetRootS3Key"]) == ("/pump-station/models/pump.step", "pump-station/")
    assert file["versionId"] == "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrH"
    assert (folder["inputAssetFileKey"], folder["assetRootS3Key"]) == ("/vendor/valve-kit/cad/", "vendor/valve-kit/")
    assert folder["versionId"] == ""


def test_the_gate_is_three_assets_and_no_database() -> None:
    row = configuration(SAMPLE_EXECUTION_ID)
    assert row["metadataSourceAssets"] == [{"databaseId": "plant-models", "assetId": "spec-library"}]
    assert row["outputDatabaseId:outputAssetId"] == "plant-models:pump-station"
    assert row["inputMetadataDatabaseId"] == ""


def test_one_output_joins_its_version_as_it_stands_and_one_with_the_path_extension() -> None:
    extension = configuration(SAMPLE_EXECUTION_ID)["outputFileBaseExecutionPathExtension"]
    versions = {
        row["filePath"]: row["versionId"] for row in rows(FILE_VERSIONS, changeWorkflowExecutionId=SAMPLE_EXECUTION_ID)
    }
    paths = [row["relativeFilePath"] for row in of_steps(OUTPUT_FILES, SAMPLE_EXECUTION_ID)]
    assert {path: versions[f"/{path}"] for path in paths if f"/{path}" in versions} == {
        "qa-2026-07-14/thumbs/pump.png": "7HrRxW2iZy3s"
    }
    assert {path: versions[f"{extension}{path}"] for path in paths if f"{extension}{path}" in versions} == {
        "converted/pump.glb": "9GqQwV1hYx2r"
    }


def test_the_registered_logs_have_the_log_ids_that_vams_gives_them() -> None:
    logs = [log for step in chain(SAMPLE_EXECUTION_ID) for log in step["registeredLogs"]]
    assert [_log_id(log) for log in logs] == ["91bc79f04fef629e", "ecd4e27db623e44c", "633b4a30ee6b3dff"]


def _log_id(log: dict[str, Any]) -> str:
    group = execution(SAMPLE_EXECUTION_ID)["executionLogGroupArn"].split(":log-group:")[0]
    arn = log["logGroupArn"] or f"{group}:log-group:{log['logGroupName']}"
    payload = json.dumps(["registered", arn, log["logStreamName"], log["logStreamPrefix"]])
    return hashlib.sha256(payload.encode()).hexdigest()[:16]


def test_the_by_date_cursor_is_that_of_the_rest_api() -> None:
    row = execution(SAMPLE_EXECUTION_ID)
    keys = ("allListPartition", "executionStartDate", *EXECUTIONS.key)
    cursor = base64.b64encode(json.dumps({key: row[key] for key in keys}).encode()).decode()
    assert cursor == (
        "eyJhbGxMaXN0UGFydGl0aW9uIjogImV4ZWN1dGlvbiIsICJleGVjdXRpb25TdGFydERhdGUiOiAiMjAyNi0wNy0xNFQwOTozMDowMFoiLCAi"
        "d29ya2Zsb3dFeGVjdXRpb25JZCI6ICI5YjFjMGY1ZTdkNmE0YjNjOGUyZjFhMGQ5YzhiN2E2NSIsICJ3b3JrZmxvd0RhdGFiYXNlSWQ6d29y"
        "a2Zsb3dJZCI6ICJwbGFudC1tb2RlbHM6Y29udmVydC1xYS10aHVtYiJ9"
    )


def test_a_step_that_takes_no_file_metadata_was_given_none() -> None:
    told = {
        step_id: [row["databaseId:assetId:filePath"] for row in rows(INPUT_METADATA, pipelineExecutionId=step_id)]
        for step_id in SAMPLE_STEP_IDS
    }
    assert told == {
        SAMPLE_STEP_IDS[0]: [
            "plant-models:pump-station:/",
            "plant-models:pump-station:/models/pump.step",
            "plant-models:valve-kit:/",
            "plant-models:spec-library:/",
            "plant-models::/",
        ],
        SAMPLE_STEP_IDS[1]: ["plant-models:pump-station:/", "plant-models::/"],
        SAMPLE_STEP_IDS[2]: [],
    }


def test_the_envelope_lists_assets_in_order_of_selection() -> None:
    envelope = json.loads(configuration(SAMPLE_EXECUTION_ID)["inputMetadata"])
    assert [asset["assetId"] for asset in envelope["assets"]] == ["pump-station", "valve-kit", "spec-library"]
    assert envelope["assets"][1]["files"][1] == {"fileKey": "/cad/", "metadata": None}
    assert envelope["databases"] == [{"databaseId": "plant-models", "metadata": {"owner": "plant-eng"}}]


def test_the_locked_library_is_tagged_and_the_retired_pump_archived() -> None:
    assert only(ASSETS, assetId="spec-library")["tags"] == ["locked"]
    retired = only(ASSETS, assetId="retired-pump")
    assert (retired["databaseId"], retired["status"]) == ("plant-models#deleted", "archived")
