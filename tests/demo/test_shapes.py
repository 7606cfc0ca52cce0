import json
import unicodedata

from graph.demo import shapes
from graph.tables.catalogue import (
    FILE_VERSIONS,
    INPUT_CONFIGURATIONS,
    INPUT_METADATA,
    INPUTS,
    OUTPUT_FILES,
    OUTPUT_METADATA,
    OUTPUT_RESULTS,
    STEP_LOGS,
)
from tests.demo.reading import chain, configuration, execution, of_steps, rows


def statuses(execution_id: str) -> tuple[str, list[str]]:
    return execution(execution_id)["executionStatus"], [step["executionStatus"] for step in chain(execution_id)]


def test_a_run_is_still_running() -> None:
    assert statuses(shapes.RUNNING_ID) == ("RUNNING", ["SUCCEEDED", "RUNNING", "NEW"])
    assert execution(shapes.RUNNING_ID)["executionStopDate"] == ""


def test_a_run_failed_and_took_the_steps_after_with_it() -> None:
    assert statuses(shapes.FAILED_ID) == ("FAILED", ["SUCCEEDED", "FAILED", "FAILED"])
    assert "impeller" in execution(shapes.FAILED_ID)["executionError"]
    assert len(of_steps(STEP_LOGS, shapes.FAILED_ID)) == 2


def test_a_run_was_aborted() -> None:
    assert statuses(shapes.ABORTED_ID) == ("ABORTED", ["SUCCEEDED", "ABORTED", "ABORTED"])


def test_a_run_timed_out_and_its_steps_never_heard_of_it() -> None:
    assert statuses(shapes.TIMED_OUT_ID) == ("TIMED_OUT", ["RUNNING", "NEW"])


def test_a_run_left_results_only() -> None:
    row = configuration(shapes.RESULTS_ONLY_ID)
    assert row["outputLocationType"] == "none"
    assert "outputDatabaseId:outputAssetId" not in row
    assert of_steps(OUTPUT_FILES, shapes.RESULTS_ONLY_ID) == []
    assert len(of_steps(OUTPUT_RESULTS, shapes.RESULTS_ONLY_ID)) == 3


def test_a_run_had_no_inputs_but_the_metadata_of_a_named_database() -> None:
    assert rows(INPUTS, workflowExecutionId=shapes.NO_INPUTS_ID) == []
    assert configuration(shapes.NO_INPUTS_ID)["inputMetadataDatabaseId"] == "city-scans"
    [told] = of_steps(INPUT_METADATA, shapes.NO_INPUTS_ID)
    assert (told["scope"], told["assetId"]) == ("database", "")


def test_a_run_wrote_to_an_asset_and_read_none() -> None:
    assert rows(INPUTS, workflowExecutionId=shapes.WRITE_ONLY_ID) == []
    assert configuration(shapes.WRITE_ONLY_ID)["outputDatabaseId:outputAssetId"] == "plant-models:control-room"


def test_a_run_used_one_pipeline_twice_and_told_each_step_something_else() -> None:
    assert [step["pipelineId"] for step in chain(shapes.PIPELINE_TWICE_ID)] == ["decimate", "decimate", "thumbnailer"]
    half, quarter, _ = of_steps(INPUT_CONFIGURATIONS, shapes.PIPELINE_TWICE_ID)
    assert half["templateId"] == "half"
    assert quarter["customTemplateOverrideUsed"] is True
    told = [row["metadata"] for row in of_steps(INPUT_METADATA, shapes.PIPELINE_TWICE_ID)]
    assert told[:2] == [{"period": "Han"}, {"period": "Han", "from": "half"}]


def test_a_run_was_given_a_whole_asset_two_folders_and_a_file() -> None:
    keys = [row["inputAssetFileKey"] for row in rows(INPUTS, workflowExecutionId=shapes.SELECTIONS_ID)]
    assert keys == [
        "/turbine-hall/",
        "/pipe-rack/sections/north/",
        "/vendor/valve-kit/cad/",
        "/pump-station/models/pump.step",
    ]


def test_a_run_has_forty_steps() -> None:
    assert len(chain(shapes.LONG_CHAIN_ID)) == 40


def test_file_keys_hold_spaces_colons_signs_and_letters_of_other_scripts() -> None:
    inputs = rows(INPUTS, workflowExecutionId=shapes.SPELLINGS_ID)
    keys = "".join(row["inputAssetFileKey"] for row in inputs)
    assert set(" :+%&=模Зل🐎") <= set(keys)
    assert "null" in {row["versionId"] for row in inputs}


def test_a_file_key_spells_one_letter_in_two_normal_forms() -> None:
    keys = [row["inputAssetFileKey"] for row in rows(INPUTS, workflowExecutionId=shapes.SPELLINGS_ID)]
    folder, file = next(key for key in keys if key.endswith("cole.obj")).removesuffix(".obj").split("/")[-2:]
    assert folder != file
    assert unicodedata.normalize("NFC", folder) == file


def test_a_metadata_key_and_its_target_both_hold_colons() -> None:
    targets = {row["targetFilePath"]: row["metadataKey"] for row in of_steps(OUTPUT_METADATA, shapes.SPELLINGS_ID)}
    assert targets == {"/Bilder 1:1/a+b=c%20d%.png": "exif:Model", "/": "Ämter:Größe"}


def test_a_version_is_called_null() -> None:
    versions = rows(FILE_VERSIONS, changeWorkflowExecutionId=shapes.SPELLINGS_ID)
    assert {row["versionId"] for row in versions} == {"gh-v3", "null"}


def test_a_run_is_grouped() -> None:
    assert execution(shapes.SPELLINGS_ID)["executionGroupId"] == "Fruehjahr_2026"
    assert "executionGroupId" not in execution(shapes.RUNNING_ID)


def test_every_line_of_a_log_is_json() -> None:
    events = [json.loads(line)["type"] for line in execution(shapes.TIMED_OUT_ID)["executionLog"].splitlines()]
    assert events == ["ExecutionStarted", "TaskStateEntered", "ExecutionTimedOut"]
