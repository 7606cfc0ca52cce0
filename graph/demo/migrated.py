"""Runs that were migrated from the first version of VAMS.

Their rows lack what was never recorded: S3 places, registrations, ``Truncated`` flags, sometimes the start date. They
alone have rows of the files that a step was given.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graph.demo import world
from graph.demo.model import Asset, Pipeline, Workflow, identifier
from graph.demo.rows import Row, indexed, joined, keyed
from graph.demo.run_rows import input_keys
from graph.tables.catalogue import (
    CONFIGURATIONS,
    CONFIGURATIONS_BY_OUTPUT_ASSET,
    EXECUTIONS,
    EXECUTIONS_BY_DATE,
    INPUT_CONFIGURATIONS,
    INPUT_METADATA,
    INPUTS,
    INPUTS_BY_ASSET,
    STEP_INPUT_FILES,
    STEP_INPUT_FILES_BY_ASSET,
    STEPS,
    STEPS_BY_END_STATE,
    STEPS_BY_EXECUTION,
    STEPS_BY_PREDECESSOR,
)

MIGRATED_ID = "0d5e7c1a-4b3f-4e21-9a68-2f6b1c9d8e70"
MIGRATED_STEP_ID = "7f3a9c1e5b2d48f6a0c4e8d2b6f1a3c5"
MIGRATED_DATED_ID = "3f0c7a52-91de-4c4b-8a3e-5d2b7c60e114"
MIGRATED_ESTIMATED_ID = "C41E9D70-2B68-4F05-9F7A-8E10D3B5A6C2"
MIGRATED_TWO_STEPS_ID = "8a64e0b9-7d13-4b2f-b0c5-91f3d7a2e586"


@dataclass(frozen=True, kw_only=True)
class MigratedRun:
    """``resolved`` tells whether the migration found out where the asset's files lie."""

    execution_id: str
    step_ids: tuple[str, ...]
    files: tuple[str, ...]
    workflow: Workflow = world.LEGACY_CONVERT
    asset: Asset = world.OLD_ASSET
    pipeline: Pipeline = world.DELETED_PIPELINE
    status: str = "SUCCEEDED"
    started_at: str = ""
    stopped_at: str = ""
    estimated: bool = False
    resolved: bool = False
    output_asset: Asset | None = None


_RUNS = (
    MigratedRun(execution_id=MIGRATED_ID, step_ids=(MIGRATED_STEP_ID,), files=("/part.fbx",)),
    MigratedRun(
        execution_id=MIGRATED_DATED_ID,
        step_ids=(identifier("step", MIGRATED_DATED_ID),),
        files=("/part.fbx", "/part two.fbx"),
        pipeline=world.MESH_CONVERT,
        started_at="2025-11-03T10:12:00Z",
        stopped_at="2025-11-03T10:19:00Z",
        resolved=True,
        output_asset=world.OLD_ASSET,
    ),
    MigratedRun(
        execution_id=MIGRATED_ESTIMATED_ID,
        step_ids=(identifier("step", MIGRATED_ESTIMATED_ID),),
        files=("/frame.fbx",),
        status="TIMED_OUT",
        started_at="2025-10-01T00:00:00Z",
        estimated=True,
    ),
    MigratedRun(
        execution_id=MIGRATED_TWO_STEPS_ID,
        step_ids=tuple(identifier("step", MIGRATED_TWO_STEPS_ID, place) for place in "01"),
        files=("/models/pump.step",),
        asset=world.PUMP_STATION,
        status="FAILED",
        resolved=True,
    ),
)


def migrated_rows() -> Iterator[Row]:
    """The rows of the migrated runs."""
    for run in _RUNS:
        yield from _rows(run)


def _rows(run: MigratedRun) -> Iterator[Row]:
    estimated: dict[str, Any] = {"startDateEstimated": True} if run.estimated else {}
    yield _execution(run, estimated)
    yield _configuration(run)
    for path in run.files:
        yield _input(run, path, estimated)
        yield _step_input(run, path)
    yield _input_metadata(run)
    for place in range(len(run.step_ids)):
        yield _step(run, place)
        yield _input_configuration(run.step_ids[place])


def _execution(run: MigratedRun, estimated: dict[str, Any]) -> Row:
    workflow = run.workflow
    return Row(
        EXECUTIONS,
        {
            **keyed(EXECUTIONS, run.execution_id, joined(workflow.database_id, workflow.workflow_id)),
            **indexed(EXECUTIONS_BY_DATE, "execution", run.started_at),
            "workflowId": workflow.workflow_id,
            "workflowDatabaseId": workflow.database_id,
            "workflow_arn": "",
            "workflow_execution_arn": "",
            "executionStopDate": run.stopped_at,
            "executionStatus": run.status,
            "triggeredByUserId": "SYSTEM_USER",
            "triggerType": "Manual",
            "executionLogGroupArn": "",
            "lastSfnSyncCheckDate": "",
            "executionError": "",
            "executionLog": "",
            **estimated,
        },
    )


def _configuration(run: MigratedRun) -> Row:
    output = run.output_asset
    output_key = joined(output.database_id, output.asset_id) if output else ""
    return Row(
        CONFIGURATIONS,
        {
            **keyed(CONFIGURATIONS, run.execution_id, "configuration"),
            **indexed(CONFIGURATIONS_BY_OUTPUT_ASSET, output_key, run.started_at),
            "inputMetadata": "",
            "inputMetadataFileS3Key": "",
            "specifiedPipelinesSnapshot": [],
            "outputLocationType": "",
            "outputDatabaseId": output.database_id if output else "",
            "outputAssetId": output.asset_id if output else "",
            "outputFileBaseExecutionPathExtension": "/",
            "inputMetadataDatabaseId": "",
            "metadataSourceAssets": [],
            "metadataSourceDatabases": [],
            "migratedRecord": True,
        },
    )


def _input(run: MigratedRun, path: str, estimated: dict[str, Any]) -> Row:
    asset = run.asset
    file_key, sort_key, asset_key = input_keys(asset, path)
    return Row(
        INPUTS,
        {
            **keyed(INPUTS, run.execution_id, sort_key),
            **indexed(INPUTS_BY_ASSET, asset_key, run.started_at),
            "databaseId": asset.database_id,
            "assetId": asset.asset_id,
            "inputAssetFileKey": file_key,
            "s3Bucket": asset.bucket.name if run.resolved else "",
            "assetRootS3Key": asset.root if run.resolved else "",
            "versionId": "",
            "workflowId": run.workflow.workflow_id,
            "workflowDatabaseId": run.workflow.database_id,
            **estimated,
        },
    )


def _step_input(run: MigratedRun, path: str) -> Row:
    file_key, sort_key, asset_key = input_keys(run.asset, path)
    return Row(
        STEP_INPUT_FILES,
        {
            **keyed(STEP_INPUT_FILES, run.step_ids[0], sort_key),
            **indexed(STEP_INPUT_FILES_BY_ASSET, asset_key, run.step_ids[0]),
            "databaseId": run.asset.database_id,
            "assetId": run.asset.asset_id,
            "inputAssetFileKey": file_key,
            "workflowExecutionId": run.execution_id,
        },
    )


def _input_metadata(run: MigratedRun) -> Row:
    """Metadata had no scope then: it was always an asset's."""
    asset = run.asset
    return Row(
        INPUT_METADATA,
        {
            **keyed(INPUT_METADATA, run.step_ids[0], joined(asset.database_id, asset.asset_id, "/")),
            "databaseId": asset.database_id,
            "assetId": asset.asset_id,
            "filePath": "/",
            "metadata": {"origin": "first version"},
            "attributes": {},
            "sourceInputMetadataFileS3Key": "",
        },
    )


def _step(run: MigratedRun, place: int) -> Row:
    last = place == len(run.step_ids) - 1
    pipeline = run.pipeline
    return Row(
        STEPS,
        {
            **keyed(STEPS, run.step_ids[place], run.execution_id),
            **indexed(STEPS_BY_EXECUTION, run.execution_id, joined(pipeline.database_id, pipeline.pipeline_id)),
            **indexed(STEPS_BY_END_STATE, run.execution_id, "true" if last else "false"),
            **indexed(STEPS_BY_PREDECESSOR, run.execution_id, run.step_ids[place - 1] if place else ""),
            "pipelineId": pipeline.pipeline_id,
            "pipelineDatabaseId": pipeline.database_id,
            "executionStartDate": run.started_at if place == 0 else "",
            "executionStopDate": run.stopped_at if last else "",
            "executionStatus": run.status,
            "pipelineExecutionType": "Lambda",
            "waitForCallback": "Disabled",
            "pipelineResourceArn": "",
            "pipeline_execution_sub_arn": "",
            "pipeline_execution_sub_execution_arn": "",
        },
    )


def _input_configuration(step_id: str) -> Row:
    return Row(
        INPUT_CONFIGURATIONS,
        {
            **keyed(INPUT_CONFIGURATIONS, step_id, "configuration"),
            "inputConfiguration": "",
            "inputConfigurationFileS3Key": "",
            "templateId": "",
            "templateTags": [],
            "customTemplateOverrideUsed": False,
            "customTemplateOverride": "",
            "configFormat": "",
            "effectiveSystemConfig": {},
            "templateOverrides": {},
            "migratedRecord": True,
        },
    )
