"""A run in the eleven execution tables, as VAMS writes it today.

Composite keys beside their parts, index keys left out where they would be empty, every ``Truncated`` flag present.
"""

import json
from collections.abc import Iterator
from typing import Any

from graph.demo.model import LOG_GROUP, RUN_BUCKET, Asset, Metadata, Run, Selection, Step
from graph.demo.outcome_rows import outcome_rows, output_key
from graph.demo.rows import Row, effective_system_config, indexed, joined, keyed, specified_pipelines
from graph.tables.catalogue import (
    CONFIGURATIONS,
    CONFIGURATIONS_BY_OUTPUT_ASSET,
    EXECUTIONS,
    EXECUTIONS_BY_DATE,
    EXECUTIONS_BY_GROUP,
    INPUT_CONFIGURATIONS,
    INPUT_METADATA,
    INPUTS,
    INPUTS_BY_ASSET,
    STEPS,
    STEPS_BY_END_STATE,
    STEPS_BY_EXECUTION,
    STEPS_BY_PREDECESSOR,
)


def run_rows(run: Run) -> Iterator[Row]:
    """Every row of a run, with the file versions it made."""
    yield _execution(run)
    yield _configuration(run)
    for selection in run.inputs:
        yield _input(run, selection)
    for number, step in enumerate(run.steps, start=1):
        yield _step(run, step, number)
        yield _input_configuration(run, step, number)
        yield from _input_metadata(run, step, number)
        yield from outcome_rows(run, step)


def input_keys(asset: Asset, path: str) -> tuple[str, str, str]:
    """The file key of a selection (a bucket key with one slash before), its sort key and the key of its asset."""
    file_key = f"/{asset.root}{path.removeprefix('/')}"
    asset_key = joined(asset.database_id, asset.asset_id)
    return file_key, joined(asset_key, file_key), asset_key


def _execution(run: Run) -> Row:
    workflow = run.workflow
    return Row(
        EXECUTIONS,
        {
            **keyed(EXECUTIONS, run.execution_id, joined(workflow.database_id, workflow.workflow_id)),
            **indexed(EXECUTIONS_BY_DATE, "execution", run.started_at),
            **indexed(EXECUTIONS_BY_GROUP, run.group_id, run.started_at),
            "workflowId": workflow.workflow_id,
            "workflowDatabaseId": workflow.database_id,
            "workflow_arn": workflow.arn,
            "workflow_execution_arn": f"{workflow.arn.replace(':stateMachine:', ':execution:')}:{run.execution_id}",
            "executionStopDate": run.stopped_at,
            "executionStatus": run.status,
            "triggeredByUserId": run.triggered_by,
            "triggerType": run.trigger,
            "executionLogGroupArn": LOG_GROUP,
            "lastSfnSyncCheckDate": run.checked_at,
            "executionError": run.error,
            "executionLog": run.log,
        },
    )


def _input(run: Run, selection: Selection) -> Row:
    asset = selection.asset
    file_key, sort_key, asset_key = input_keys(asset, selection.path)
    return Row(
        INPUTS,
        {
            **keyed(INPUTS, run.execution_id, sort_key),
            **indexed(INPUTS_BY_ASSET, asset_key, run.started_at),
            "databaseId": asset.database_id,
            "assetId": asset.asset_id,
            "inputAssetFileKey": file_key,
            "s3Bucket": asset.bucket.name,
            "assetRootS3Key": asset.root,
            "versionId": selection.version_id,
            "workflowId": run.workflow.workflow_id,
            "workflowDatabaseId": run.workflow.database_id,
        },
    )


def _configuration(run: Run) -> Row:
    output = run.output_asset
    databases = [one.database_id for one in run.metadata if one.asset is None]
    return Row(
        CONFIGURATIONS,
        {
            **keyed(CONFIGURATIONS, run.execution_id, "configuration"),
            **indexed(
                CONFIGURATIONS_BY_OUTPUT_ASSET,
                joined(output.database_id, output.asset_id) if output else "",
                run.started_at,
            ),
            "inputMetadata": json.dumps(_envelope(run.metadata)),
            "inputMetadataTruncated": False,
            "inputMetadataFileS3Key": _launch_key(run, "metadata.json"),
            "specifiedPipelinesSnapshot": specified_pipelines(run.workflow.specified),
            "specifiedPipelinesSnapshotTruncated": False,
            "outputLocationType": "asset" if output else "none",
            "outputDatabaseId": output.database_id if output else "",
            "outputAssetId": output.asset_id if output else "",
            "outputFileBaseExecutionPathExtension": run.output_path,
            "inputMetadataDatabaseId": run.named_database,
            "metadataSourceAssets": [
                {"databaseId": asset.database_id, "assetId": asset.asset_id} for asset in run.source_assets
            ],
            "metadataSourceAssetsTruncated": run.source_assets_truncated,
            "metadataSourceDatabases": databases,
            "metadataSourceDatabasesTruncated": False,
        },
    )


def _envelope(captured: tuple[Metadata, ...]) -> dict[str, Any]:
    """The metadata envelope, version 2: assets in order of capture, each with its files, then the databases."""
    assets: dict[str, dict[str, Any]] = {}
    databases = []
    for one in captured:
        if one.asset is None:
            databases.append({"databaseId": one.database_id, "metadata": one.metadata})
            continue
        entry = assets.setdefault(
            joined(one.database_id, one.asset.asset_id),
            {
                "databaseId": one.database_id,
                "assetId": one.asset.asset_id,
                "assetData": {"assetName": one.asset.name},
                "files": [],
            },
        )
        attributes = {"attributes": one.attributes} if one.attributes else {}
        entry["files"].append({"fileKey": one.path, "metadata": one.metadata, **attributes})
    envelope: dict[str, Any] = {"schemaVersion": 2, "assets": list(assets.values())}
    return envelope | {"databases": databases} if databases else envelope


def _step(run: Run, step: Step, number: int) -> Row:
    pipeline = step.pipeline
    predecessor = step.predecessor
    if predecessor is None:
        predecessor = run.steps[number - 2].step_id if number > 1 else ""
    return Row(
        STEPS,
        {
            **keyed(STEPS, step.step_id, run.execution_id),
            **indexed(STEPS_BY_EXECUTION, run.execution_id, joined(pipeline.database_id, pipeline.pipeline_id)),
            **indexed(STEPS_BY_END_STATE, run.execution_id, "true" if number == len(run.steps) else "false"),
            **indexed(STEPS_BY_PREDECESSOR, run.execution_id, predecessor),
            "pipelineId": pipeline.pipeline_id,
            "pipelineDatabaseId": pipeline.database_id,
            "S3AssetPipelineBucket": RUN_BUCKET,
            "S3AssetPipelineBucketInputMetadataFilePrefix": "",
            "S3AssetPipelineBucketInputConfigurationFilePrefix": _launch_key(run, f"pipeline{number}/config.json"),
            "S3AssetPipelineBucketOutputFilesPrefix": output_key(run, "files/"),
            "S3AssetPipelineBucketOutputMetadataPrefix": output_key(run, "metadata/"),
            "S3AssetPipelineBucketOutputPreviewPrefix": output_key(run, "previews/"),
            "S3AssetPipelineBucketOutputResultsPrefix": output_key(run, "results/"),
            "S3AssetAuxPipelineBucket": "vams-aux-bucket",
            "S3AssetAuxPipelineBucketPrefixTemp": f"pipelines/{pipeline.pipeline_id}/{run.execution_id}/",
            "S3AssetAuxPipelineBucketPrefixPreview": "",
            "executionStartDate": step.started_at,
            "executionStopDate": step.stopped_at,
            "executionStatus": step.status,
            "pipelineExecutionType": pipeline.execution_type,
            "waitForCallback": pipeline.wait_for_callback,
            "pipelineResourceArn": pipeline.resource,
            "vendedRoleArn": "",
            "s3ReadOnlyScopes": [],
            "s3ReadWriteScopes": [],
            "credentialVendingState": "notVended",
            "orchestrationBusEventPrefix": f"vams.prod.execution.{run.execution_id}.pipeline.{step.step_id}",
            "registeredSubExecutions": list(step.sub_executions),
            "registeredLogs": list(step.logs),
        },
    )


def _input_configuration(run: Run, step: Step, number: int) -> Row:
    configuration = step.configuration
    schema = "1" if configuration.template else ""
    return Row(
        INPUT_CONFIGURATIONS,
        {
            **keyed(INPUT_CONFIGURATIONS, step.step_id, "configuration"),
            "inputConfiguration": configuration.text,
            "inputConfigurationTruncated": False,
            "inputConfigurationFileS3Key": _launch_key(run, f"pipeline{number}/config.json"),
            "templateId": configuration.template,
            "templateSchemaVersion": schema,
            "tagSchemaVersion": schema,
            "templateTags": [{"key": key, "value": value} for key, value in configuration.tags],
            "templateTagsTruncated": False,
            "customTemplateOverrideUsed": bool(configuration.override),
            "customTemplateOverride": configuration.override,
            "customTemplateOverrideTruncated": False,
            "configFormat": "json",
            "effectiveSystemConfig": effective_system_config(
                file_metadata=configuration.file_metadata, allow=run.workflow.allow
            ),
            "effectiveSystemConfigTruncated": False,
            "templateOverrides": configuration.overridden,
            "templateOverridesTruncated": False,
        },
    )


def _input_metadata(run: Run, step: Step, number: int) -> Iterator[Row]:
    source = "metadata.json" if step.metadata is None else f"pipeline{number}/metadata.json"
    for one in run.metadata if step.metadata is None else step.metadata:
        if one.metadata or one.attributes:
            asset_id = one.asset.asset_id if one.asset else ""
            yield Row(
                INPUT_METADATA,
                {
                    **keyed(INPUT_METADATA, step.step_id, joined(one.database_id, asset_id, one.path)),
                    "databaseId": one.database_id,
                    "assetId": asset_id,
                    "filePath": one.path,
                    "scope": "asset" if one.asset else "database",
                    "metadata": one.metadata or {},
                    "metadataTruncated": False,
                    "attributes": one.attributes,
                    "attributesTruncated": False,
                    "sourceInputMetadataFileS3Key": _launch_key(run, source),
                },
            )


def _launch_key(run: Run, name: str) -> str:
    return f"pipelines/workflowExecutionInputs/{run.execution_id}/{name}"
