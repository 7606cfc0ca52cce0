"""A run in the eleven execution tables, as VAMS writes it today."""

import json
from collections.abc import Iterator
from typing import Any

from graph.demo.model import LOG_GROUP, RUN_BUCKET, Metadata, Run, Selection, Step
from graph.demo.outcome_rows import outcome_rows, output_key
from graph.demo.rows import Row, built, changed, effective_system_config, specified_pipelines
from graph.demo.timeline import instant, optional_instant
from graph.tables import keys
from graph.tables.builders.executions import AssetKey, ConfigurationRecord, ExecutionRecord
from graph.tables.builders.inputs import InputMetadataRecord, InputRecord
from graph.tables.builders.steps import InputConfigurationRecord, StepPlaces, StepRecord
from graph.tables.states import ExecutionStatus, PipelineExecutionType, TriggerType

_EVENT_PREFIX = "vams.prod"


def run_rows(run: Run) -> Iterator[Row]:
    """Yield every row of a run, with the file versions it made."""
    yield _execution(run)
    yield _configuration(run)
    for selection in run.inputs:
        yield _input(run, selection)
    for number, step in enumerate(run.steps, start=1):
        yield _step(run, step, number)
        yield _input_configuration(run, step, number)
        yield from _input_metadata(run, step, number)
        yield from outcome_rows(run, step)


def _execution(run: Run) -> Row:
    workflow = run.workflow
    return built(
        ExecutionRecord(
            execution_id=run.execution_id,
            workflow_database_id=workflow.database_id,
            workflow_id=workflow.workflow_id,
            workflow_arn=workflow.arn,
            arn=f"{workflow.arn.replace(':stateMachine:', ':execution:')}:{run.execution_id}",
            started_at=instant(run.started_at),
            stopped_at=optional_instant(run.stopped_at),
            status=ExecutionStatus(run.status),
            status_checked_at=optional_instant(run.checked_at),
            triggered_by=run.triggered_by,
            trigger_type=TriggerType(run.trigger),
            log_group_arn=LOG_GROUP,
            group_id=run.group_id,
            error_text=run.error,
            log_text=run.log,
        )
    )


def _input(run: Run, selection: Selection) -> Row:
    asset = selection.asset
    return built(
        InputRecord(
            execution_id=run.execution_id,
            workflow_database_id=run.workflow.database_id,
            workflow_id=run.workflow.workflow_id,
            started_at=instant(run.started_at),
            database_id=asset.database_id,
            asset_id=asset.asset_id,
            path=selection.path,
            bucket=asset.bucket.name,
            root=asset.root,
            version_id=selection.version_id,
        )
    )


def _configuration(run: Run) -> Row:
    output = run.output_asset
    row = built(
        ConfigurationRecord(
            execution_id=run.execution_id,
            started_at=instant(run.started_at),
            metadata_text=json.dumps(_envelope(run.metadata)),
            metadata_file_key=_launch_key(run, "metadata.json"),
            pipelines=specified_pipelines(run.workflow.specified),
            output=AssetKey(output.database_id, output.asset_id) if output else None,
            path_extension=run.output_path,
            named_database_id=run.named_database,
            source_assets=[AssetKey(asset.database_id, asset.asset_id) for asset in run.source_assets],
            source_databases=[one.database_id for one in run.metadata if one.asset is None],
        )
    )
    return changed(row, {"metadataSourceAssetsTruncated": True}) if run.source_assets_truncated else row


def _envelope(captured: tuple[Metadata, ...]) -> dict[str, Any]:
    """Return the metadata envelope, version 2: assets in order of capture, each with its files, then the databases."""
    assets: dict[str, dict[str, Any]] = {}
    databases = []
    for one in captured:
        if one.asset is None:
            databases.append({"databaseId": one.database_id, "metadata": one.metadata})
            continue
        entry = assets.setdefault(
            keys.asset_key(one.database_id, one.asset.asset_id),
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
    return built(
        StepRecord(
            pipeline_execution_id=step.step_id,
            execution_id=run.execution_id,
            pipeline_database_id=pipeline.database_id,
            pipeline_id=pipeline.pipeline_id,
            predecessor_id=predecessor,
            is_end_state=number == len(run.steps),
            execution_type=PipelineExecutionType(pipeline.execution_type),
            waits_for_callback=pipeline.wait_for_callback == "Enabled",
            places=StepPlaces(
                bucket=RUN_BUCKET,
                configuration_key=_launch_key(run, f"pipeline{number}/config.json"),
                files_prefix=output_key(run, "files/"),
                metadata_prefix=output_key(run, "metadata/"),
                previews_prefix=output_key(run, "previews/"),
                results_prefix=output_key(run, "results/"),
                auxiliary_bucket="vams-aux-bucket",
                auxiliary_prefix=f"pipelines/{pipeline.pipeline_id}/{run.execution_id}/",
            ),
            resource_arn=pipeline.resource,
            event_prefix=_EVENT_PREFIX,
            status=ExecutionStatus(step.status),
            started_at=optional_instant(step.started_at),
            stopped_at=optional_instant(step.stopped_at),
            sub_executions=step.sub_executions,
            logs=step.logs,
        )
    )


def _input_configuration(run: Run, step: Step, number: int) -> Row:
    configuration = step.configuration
    schema = "1" if configuration.template else ""
    return built(
        InputConfigurationRecord(
            pipeline_execution_id=step.step_id,
            body=configuration.text,
            file_key=_launch_key(run, f"pipeline{number}/config.json"),
            template_id=configuration.template,
            template_schema_version=schema,
            tag_schema_version=schema,
            tags=configuration.tags,
            override=configuration.override or None,
            config_format="json",
            effective_system_config=effective_system_config(
                file_metadata=configuration.file_metadata, allow=run.workflow.allow
            ),
            template_overrides=configuration.overridden,
        )
    )


def _input_metadata(run: Run, step: Step, number: int) -> Iterator[Row]:
    source = "metadata.json" if step.metadata is None else f"pipeline{number}/metadata.json"
    for one in run.metadata if step.metadata is None else step.metadata:
        if one.metadata or one.attributes:
            yield built(
                InputMetadataRecord(
                    pipeline_execution_id=step.step_id,
                    database_id=one.database_id,
                    asset_id=one.asset.asset_id if one.asset else None,
                    path=one.path,
                    metadata=one.metadata or {},
                    file_attributes=one.attributes,
                    source_file_key=_launch_key(run, source),
                )
            )


def _launch_key(run: Run, name: str) -> str:
    return f"pipelines/workflowExecutionInputs/{run.execution_id}/{name}"
