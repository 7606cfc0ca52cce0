from graph.demo import migrated
from graph.tables.catalogue import (
    CONFIGURATIONS,
    EXECUTIONS,
    INPUT_METADATA,
    INPUTS,
    PIPELINES,
    STEP_INPUT_FILES,
    STEPS,
    WORKFLOWS,
)
from tests.demo.reading import ITEMS, chain, configuration, execution, of_steps, only, rows


def test_a_migrated_run_has_a_dashed_id_and_no_start_date_anywhere() -> None:
    assert migrated.MIGRATED_ID.count("-") == 4
    [read] = rows(INPUTS, workflowExecutionId=migrated.MIGRATED_ID)
    for row in (execution(migrated.MIGRATED_ID), configuration(migrated.MIGRATED_ID), read):
        assert "executionStartDate" not in row


def test_its_pipeline_is_deleted() -> None:
    [step] = chain(migrated.MIGRATED_ID)
    assert step["pipelineExecutionId"] == migrated.MIGRATED_STEP_ID
    assert step["pipelineId"] == "DELETED"
    assert rows(PIPELINES, pipelineId="DELETED") == []


def test_its_step_knows_no_places_and_no_registrations() -> None:
    [step] = chain(migrated.MIGRATED_ID)
    assert not [name for name in step if name.startswith(("S3", "registered"))]
    assert step["pipeline_execution_sub_arn"] == ""


def test_its_step_has_rows_of_its_input_files() -> None:
    [row] = of_steps(STEP_INPUT_FILES, migrated.MIGRATED_ID)
    assert row["databaseId:assetId:inputAssetFileKey"] == "plant-models:old-asset:/old-asset/part.fbx"


def test_only_migrated_runs_have_such_rows() -> None:
    runs = {row["workflowExecutionId"] for row in ITEMS[CONFIGURATIONS] if row.get("migratedRecord")}
    assert {row["workflowExecutionId"] for row in ITEMS[STEP_INPUT_FILES]} == runs


def test_its_rows_carry_no_flags_of_truncation() -> None:
    for execution_id in (migrated.MIGRATED_ID, migrated.MIGRATED_TWO_STEPS_ID):
        for row in (configuration(execution_id), *of_steps(INPUT_METADATA, execution_id)):
            assert not [name for name in row if name.endswith("Truncated")]


def test_one_start_date_is_estimated() -> None:
    [row] = rows(EXECUTIONS, startDateEstimated=True)
    assert row["workflowExecutionId"] == migrated.MIGRATED_ESTIMATED_ID
    assert row["workflowExecutionId"] == row["workflowExecutionId"].upper()


def test_the_files_of_some_were_found_and_of_others_not() -> None:
    roots = {row["assetRootS3Key"] for row in rows(INPUTS, assetId="old-asset")}
    assert roots == {"", "old-asset/"}


def test_a_migrated_run_of_two_steps_is_a_chain() -> None:
    steps = chain(migrated.MIGRATED_TWO_STEPS_ID)
    assert len(steps) == 2
    assert len(rows(STEPS, workflowExecutionId=migrated.MIGRATED_TWO_STEPS_ID)) == 2


def test_the_workflow_of_migrated_runs_is_archived() -> None:
    assert only(WORKFLOWS, workflowId=execution(migrated.MIGRATED_ID)["workflowId"])["archived"] is True
