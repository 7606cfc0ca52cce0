"""Runs around which something has gone missing, or whose rows say what nobody expects."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from graph.demo import world
from graph.demo.model import OutputFile, Run, Selection
from graph.demo.rows import Row, changed
from graph.demo.run_rows import run_rows
from graph.demo.timeline import execution_id, played
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, INPUTS, Table

ARCHIVED_ASSET_ID = execution_id("archived asset")
DELETED_ASSET_ID = execution_id("deleted asset")
BROKEN_CHAIN_ID = execution_id("broken chain")
PARTLY_DELETED_ID = execution_id("partly deleted")
MALFORMED_DATE_ID = execution_id("malformed date")
UNKNOWN_WORDS_ID = execution_id("unknown words")
PENDING_REDRIVE_ID = execution_id("pending redrive")
DELETED_WORKFLOW_ID = execution_id("deleted workflow")
ARCHIVED_WORKFLOW_ID = execution_id("archived workflow")
DISABLED_PIPELINE_ID = execution_id("disabled pipeline")
TRUNCATED_SOURCES_ID = execution_id("truncated sources")
UNMATCHED_VERSIONS_ID = execution_id("unmatched versions")

MISSING_STEP_ID = "0" * 32

# What no builder gives: the runs that hold it, and in which tables.
_UNREADABLE: dict[str, tuple[tuple[Table, ...], dict[str, Any]]] = {
    MALFORMED_DATE_ID: ((EXECUTIONS, CONFIGURATIONS, INPUTS), {"executionStartDate": "2026-06-31T25:61:00Z"}),
    UNKNOWN_WORDS_ID: ((EXECUTIONS,), {"executionStatus": "HIBERNATING", "triggerType": "Carrier-Pigeon"}),
}


def gap_rows() -> Iterator[Row]:
    """Yield the rows of these runs, without those that are gone."""
    for run in (*_assets(), *_definitions(), *_oddities()):
        tables, unreadable = _UNREADABLE.get(run.execution_id, ((), {}))
        for row in run_rows(run):
            yield changed(row, unreadable) if row.table in tables else row
    # A permanent deletion that stopped halfway: the main row outlives the configuration.
    yield from (row for row in run_rows(_partly_deleted()) if row.table is not CONFIGURATIONS)


def _assets() -> Iterator[Run]:
    yield replace(
        played(ARCHIVED_ASSET_ID, world.CONVERT_QA_THUMB, "2026-05-20T09:00:00Z"),
        inputs=(Selection(world.RETIRED_PUMP, "/pump-1998.step", "rp-7"),),
        output_asset=world.RETIRED_PUMP,
    )
    yield replace(
        played(DELETED_ASSET_ID, world.CONVERT_QA_THUMB, "2026-05-18T09:00:00Z"),
        inputs=(Selection(world.DELETED_BOILER, "/boiler.step", "ob-2"),),
        output_asset=world.DELETED_BOILER,
    )


def _definitions() -> Iterator[Run]:
    yield replace(
        played(DELETED_WORKFLOW_ID, world.NIGHTLY_CHECK, "2026-05-30T01:00:00Z"),
        inputs=(Selection(world.TURBINE_HALL, "/hall.ifc", "th-1"),),
        output_asset=world.TURBINE_HALL,
        triggered_by="SYSTEM_USER",
    )
    yield replace(
        played(ARCHIVED_WORKFLOW_ID, world.LEGACY_CONVERT, "2026-05-12T10:00:00Z"),
        inputs=(Selection(world.CONTROL_ROOM, "/room.dwg", "cr-1"),),
        output_asset=world.CONTROL_ROOM,
    )
    yield replace(
        played(DISABLED_PIPELINE_ID, world.CLASH_REPORT, "2026-06-02T10:00:00Z"),
        inputs=(Selection(world.TURBINE_HALL, "/hall.ifc", "th-1"), Selection(world.PIPE_RACK, "/rack.step", "pr-1")),
        output_asset=world.TURBINE_HALL,
        output_path="/clashes/",
    )


def _oddities() -> Iterator[Run]:
    yield replace(
        played(BROKEN_CHAIN_ID, world.CONVERT_QA_THUMB, "2026-07-02T06:00:00Z"),
        inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
        output_asset=world.PIPE_RACK,
    ).with_step(
        1,
        predecessor=MISSING_STEP_ID,
    )
    hall = (Selection(world.TURBINE_HALL, "/hall.ifc", "th-1"),)
    yield replace(
        played(MALFORMED_DATE_ID, world.THUMBNAILS, "2026-06-30T12:00:00Z"),
        inputs=hall,
        output_asset=world.TURBINE_HALL,
    )
    yield replace(
        played(UNKNOWN_WORDS_ID, world.THUMBNAILS, "2026-06-28T12:00:00Z"),
        inputs=hall,
        output_asset=world.TURBINE_HALL,
    )
    yield replace(
        played(PENDING_REDRIVE_ID, world.TURNTABLE, "2026-06-27T12:00:00Z", "RUNNING", reached=1),
        status="PENDING_REDRIVE",
        inputs=hall,
        output_asset=world.TURBINE_HALL,
    )
    yield replace(
        played(TRUNCATED_SOURCES_ID, world.CONVERT_QA_THUMB, "2026-06-26T12:00:00Z"),
        inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
        source_assets=(world.SPEC_LIBRARY, world.VALVE_KIT),
        source_assets_truncated=True,
        output_asset=world.PIPE_RACK,
    )
    yield replace(
        played(UNMATCHED_VERSIONS_ID, world.LEGACY_CONVERT, "2026-05-11T10:00:00Z"),
        inputs=(Selection(world.CONTROL_ROOM, "/door.dwg", "cr-1"),),
        output_asset=world.CONTROL_ROOM,
    ).with_step(
        -1,
        files=(
            OutputFile("door.glb", 120_332, "model/gltf-binary", "dv1", "null"),
            OutputFile("window.glb", 140_901, "model/gltf-binary", "dv2"),
            OutputFile("frame.glb", 99_001, "model/gltf-binary", "dv3", "cr-frame-3"),
        ),
    )


def _partly_deleted() -> Run:
    run = played(PARTLY_DELETED_ID, world.THUMBNAILS, "2026-06-25T12:00:00Z")
    return replace(run, inputs=(Selection(world.CONTROL_ROOM, "/room.ifc", "cr-2"),), output_asset=world.CONTROL_ROOM)
