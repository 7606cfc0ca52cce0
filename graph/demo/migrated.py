"""Runs that were migrated from the first version of VAMS.

Their rows lack what was never recorded: S3 places, registrations, ``Truncated`` flags, sometimes the start date. They
alone have rows of the files that a step was given.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graph.demo import world
from graph.demo.model import Asset, Pipeline, Workflow, identifier
from graph.demo.rows import Row, built, changed
from graph.demo.timeline import optional_instant
from graph.tables import keys
from graph.tables.builders.executions import AssetKey, ConfigurationRecord, ExecutionRecord
from graph.tables.builders.inputs import InputMetadataRecord, InputRecord, StepInputFileRecord
from graph.tables.builders.record import Record
from graph.tables.builders.steps import InputConfigurationRecord, StepRecord
from graph.tables.states import ExecutionStatus, PipelineExecutionType, TriggerType

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


_MIGRATED = {"migratedRecord": True}
_SUB_EXECUTION = {"pipeline_execution_sub_arn": "", "pipeline_execution_sub_execution_arn": ""}
_SCHEMA_VERSIONS = ("templateSchemaVersion", "tagSchemaVersion")

# Attributes of steps that are younger than the migrated runs.
_YOUNGER = (
    "vendedRoleArn",
    "s3ReadOnlyScopes",
    "s3ReadWriteScopes",
    "credentialVendingState",
    "orchestrationBusEventPrefix",
    "registeredSubExecutions",
    "registeredLogs",
)


def migrated_rows() -> Iterator[Row]:
    """Yield the rows of the migrated runs."""
    for run in _RUNS:
        yield from _rows(run)


def _rows(run: MigratedRun) -> Iterator[Row]:
    estimated = {"startDateEstimated": True} if run.estimated else {}
    unresolved = {} if run.resolved else {"s3Bucket": "", "assetRootS3Key": ""}
    yield _dated(run, _execution(run), estimated)
    yield _dated(run, _configuration(run), {"outputLocationType": "", **_MIGRATED})
    for path in run.files:
        yield _dated(run, _input(run, path), {**unresolved, **estimated})
        yield built(_step_input(run, path))
    # Metadata had no scope then: it was always an asset's.
    yield _unflagged(_input_metadata(run), {}, without=["scope"])
    for place, step_id in enumerate(run.step_ids):
        yield _unflagged(_step(run, place), _SUB_EXECUTION, without=_YOUNGER)
        yield _unflagged(_input_configuration(step_id), _MIGRATED, without=_SCHEMA_VERSIONS)


def _dated(run: MigratedRun, record: Record, changes: Mapping[str, Any]) -> Row:
    """Return the row of a record that has the start date of the run, if that is known."""
    return _unflagged(record, changes, without=() if run.started_at else ["executionStartDate"])


def _unflagged(record: Record, changes: Mapping[str, Any], *, without: Iterable[str]) -> Row:
    """Return the row of a record without its ``Truncated`` flags, and with what else tells it from today's."""
    row = built(record)
    flags = {name for name in row.attributes if name.endswith("Truncated")}
    return changed(row, changes, without=flags.union(without))


def _execution(run: MigratedRun) -> ExecutionRecord:
    return ExecutionRecord(
        execution_id=run.execution_id,
        workflow_database_id=run.workflow.database_id,
        workflow_id=run.workflow.workflow_id,
        workflow_arn="",
        arn="",
        started_at=_start(run),
        stopped_at=optional_instant(run.stopped_at),
        status=ExecutionStatus(run.status),
        triggered_by="SYSTEM_USER",
        trigger_type=TriggerType.MANUAL,
    )


def _start(run: MigratedRun) -> datetime:
    """Return the start of the run; of one whose start is not known, a date that is taken off its rows again."""
    return optional_instant(run.started_at) or datetime.min.replace(tzinfo=UTC)


def _configuration(run: MigratedRun) -> ConfigurationRecord:
    output = run.output_asset
    return ConfigurationRecord(
        execution_id=run.execution_id,
        started_at=_start(run),
        metadata_text="",
        metadata_file_key="",
        pipelines=(),
        output=AssetKey(output.database_id, output.asset_id) if output else None,
    )


def _input(run: MigratedRun, path: str) -> InputRecord:
    return InputRecord(
        execution_id=run.execution_id,
        workflow_database_id=run.workflow.database_id,
        workflow_id=run.workflow.workflow_id,
        started_at=_start(run),
        database_id=run.asset.database_id,
        asset_id=run.asset.asset_id,
        path=path,
        bucket=run.asset.bucket.name,
        root=run.asset.root,
    )


def _step_input(run: MigratedRun, path: str) -> StepInputFileRecord:
    return StepInputFileRecord(
        pipeline_execution_id=run.step_ids[0],
        execution_id=run.execution_id,
        database_id=run.asset.database_id,
        asset_id=run.asset.asset_id,
        key=keys.bucket_key(path, run.asset.root),
    )


def _input_metadata(run: MigratedRun) -> InputMetadataRecord:
    return InputMetadataRecord(
        pipeline_execution_id=run.step_ids[0],
        database_id=run.asset.database_id,
        asset_id=run.asset.asset_id,
        metadata={"origin": "first version"},
        source_file_key="",
    )


def _step(run: MigratedRun, place: int) -> StepRecord:
    last = place == len(run.step_ids) - 1
    return StepRecord(
        pipeline_execution_id=run.step_ids[place],
        execution_id=run.execution_id,
        pipeline_database_id=run.pipeline.database_id,
        pipeline_id=run.pipeline.pipeline_id,
        predecessor_id=run.step_ids[place - 1] if place else None,
        is_end_state=last,
        execution_type=PipelineExecutionType.LAMBDA,
        waits_for_callback=False,
        places=None,
        status=ExecutionStatus(run.status),
        started_at=optional_instant(run.started_at) if place == 0 else None,
        stopped_at=optional_instant(run.stopped_at) if last else None,
    )


def _input_configuration(step_id: str) -> InputConfigurationRecord:
    return InputConfigurationRecord(pipeline_execution_id=step_id, body="", file_key="")
