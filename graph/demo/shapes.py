"""Runs of every shape: how they ended, what they read and wrote, what has gone missing around them."""

from collections.abc import Iterator
from dataclasses import replace

from graph.demo import world
from graph.demo.model import Configuration, Metadata, OutputFile, OutputMetadata, OutputResult, Run, Selection
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.timeline import execution_id, played, with_step
from graph.tables.catalogue import CONFIGURATIONS

RUNNING_ID = execution_id("running")
FAILED_ID = execution_id("failed")
ABORTED_ID = execution_id("aborted")
TIMED_OUT_ID = execution_id("timed out")
RESULTS_ONLY_ID = execution_id("results only")
NO_INPUTS_ID = execution_id("no inputs")
WRITE_ONLY_ID = execution_id("write only")
PIPELINE_TWICE_ID = execution_id("pipeline twice")
SELECTIONS_ID = execution_id("selections")
SPELLINGS_ID = execution_id("spellings")
ARCHIVED_ASSET_ID = execution_id("archived asset")
DELETED_ASSET_ID = execution_id("deleted asset")
LONG_CHAIN_ID = execution_id("long chain")
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


def shape_rows() -> Iterator[Row]:
    """The rows of one run of each shape."""
    for run in (*_endings(), *_selections(), *_chains(), *_definitions(), *_oddities()):
        yield from run_rows(run)
    # A permanent deletion that stopped halfway: the main row outlives the configuration.
    yield from (row for row in run_rows(_partly_deleted()) if row.table is not CONFIGURATIONS)


def _endings() -> Iterator[Run]:
    pump = (Selection(world.PUMP_STATION, "/models/pump.step", "b7QmT2xWc"),)
    yield replace(
        played(RUNNING_ID, world.CONVERT_QA_THUMB, "2026-07-15T08:00:00Z", "RUNNING", reached=1),
        inputs=pump,
        output_asset=world.PUMP_STATION,
    )
    yield replace(
        played(
            FAILED_ID,
            world.CONVERT_QA_THUMB,
            "2026-07-13T16:20:00Z",
            "FAILED",
            reached=1,
            error="QualityError: part 'impeller' has 3 holes and 12 flipped faces",
        ),
        inputs=(Selection(world.HEAT_EXCHANGER, "/plates.step", "Xy41kQ"),),
        output_asset=world.HEAT_EXCHANGER,
    )
    yield replace(
        played(ABORTED_ID, world.AS_BUILT, "2026-07-12T07:45:00Z", "ABORTED", reached=1),
        inputs=(Selection(world.BOILER_SCAN, "/scans/"),),
        output_asset=world.BOILER_SCAN,
        triggered_by="admin@example.com",
    )
    yield replace(
        played(
            TIMED_OUT_ID,
            world.CITY_TILES,
            "2026-07-10T22:00:00Z",
            "TIMED_OUT",
            reached=0,
            error="States.Timeout: the classifier did not answer within 86400 s",
        ),
        inputs=(Selection(world.TOWN_HALL, "/court.e57", "t9hLLq"),),
        output_asset=world.TOWN_HALL,
    )


def _selections() -> Iterator[Run]:
    yield with_step(
        replace(
            played(RESULTS_ONLY_ID, world.INVENTORY, "2026-07-09T05:00:00Z"),
            inputs=(Selection(world.VALVE_KIT), Selection(world.PIPE_RACK)),
        ),
        -1,
        results=(
            OutputResult("/inventory.csv", "part,count\nball valve,18\ngate valve,4\ncheck valve,7\n"),
            OutputResult("/missing.txt", "No drawing: gate valve DN80"),
            OutputResult("/summary.md", "# Inventory\n\n29 valves, 3 kinds, 1 drawing missing"),
        ),
    )
    yield with_step(
        replace(
            played(NO_INPUTS_ID, world.INVENTORY, "2026-07-08T05:00:00Z"),
            named_database=world.CITY,
            metadata=(Metadata(world.CITY, None, "/", {"owner": "survey office", "crs": "EPSG:25832"}),),
        ),
        -1,
        results=(OutputResult("/city.csv", "asset,files\nharbour-bridge,212\ntown-hall,40\ntram-line-4,96\n"),),
    )
    yield with_step(
        replace(
            played(WRITE_ONLY_ID, world.THUMBNAILS, "2026-07-07T05:00:00Z"),
            output_asset=world.CONTROL_ROOM,
            output_path="/stills/",
        ),
        -1,
        files=(OutputFile("desk.png", 88_412, "image/png", "ds81", "cr-v2"),),
    )
    yield with_step(
        replace(
            played(SELECTIONS_ID, world.CONVERT_QA_THUMB, "2026-07-06T11:00:00Z"),
            inputs=(
                Selection(world.TURBINE_HALL),
                Selection(world.PIPE_RACK, "/sections/north/"),
                Selection(world.VALVE_KIT, "/cad/"),
                Selection(world.PUMP_STATION, "/models/pump.step", "b7QmT2xWc"),
            ),
            output_asset=world.TURBINE_HALL,
            output_path="/merged/",
        ),
        -1,
        files=(OutputFile("hall.glb", 91_220_114, "model/gltf-binary", "hl20", "th-v9"),),
    )
    yield with_step(
        replace(
            played(SPELLINGS_ID, world.THUMBNAILS, "2026-07-05T11:00:00Z"),
            inputs=(
                Selection(world.GREAT_HALL, "/Treppe & Säulen/Plan 1:50 (neu).step", "gh+1/=="),
                Selection(world.GREAT_HALL, "/a+b=c%20d%.glb", "null"),
                Selection(world.GREAT_HALL, "/模型/大厅 入口.glb", "zh-1"),
                Selection(world.GREAT_HALL, "/Зал/لوحة/🐎.obj", "ru-1"),
                Selection(world.GREAT_HALL, "/e\u0301cole/école.obj", "fr-1"),
            ),
            metadata=(
                Metadata(world.MUSEUM, world.GREAT_HALL, "/", {"titel": "Große Halle", "名前": "大ホール"}),
                Metadata(world.MUSEUM, world.GREAT_HALL, "/a+b=c%20d%.glb", {"note": "100 % : a+b"}, {"lod:1": "low"}),
            ),
            output_asset=world.GREAT_HALL,
            output_path="/Bilder 1:1/",
            group_id="Fruehjahr_2026",
        ),
        -1,
        files=(
            OutputFile("模型/大厅 入口.png", 61_003, "image/png", "p1", "gh-v3"),
            OutputFile("a+b=c%20d%.png", 59_118, "image/png", "p2", "null"),
            OutputFile("Plan 1:50.previewFile.png", 20_007, "image/png", file_type="preview"),
        ),
        output_metadata=(
            OutputMetadata("/Bilder 1:1/a+b=c%20d%.png", "exif:Model", "Kamera: +1 %", "a.metadata.json"),
            OutputMetadata("/", "Ämter:Größe", "12 m²", "asset.metadata.json"),
        ),
        results=(OutputResult("/Übersicht 1:50.txt", "5 Dateien, 2 Bilder — 完了"),),
    )
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


def _chains() -> Iterator[Run]:
    yield with_step(
        with_step(
            replace(
                played(PIPELINE_TWICE_ID, world.DECIMATE_TWICE, "2026-07-04T13:00:00Z"),
                inputs=(Selection(world.BRONZE_HORSE, "/horse.obj", "bh-1"),),
                metadata=(Metadata(world.MUSEUM, world.BRONZE_HORSE, "/", {"period": "Han"}),),
                output_asset=world.BRONZE_HORSE,
                output_path="/lod/",
            ),
            0,
            configuration=Configuration('{"ratio":0.5}', "half", (("ratio", "1/2"),)),
            files=(OutputFile("horse-2.glb", 40_118_220, version_id="h2", asset_version_id="bh-lod-2"),),
        ),
        1,
        configuration=Configuration('{"ratio":0.25}', override='{"ratio":0.25,"keepBorders":true}'),
        metadata=(Metadata(world.MUSEUM, world.BRONZE_HORSE, "/", {"period": "Han", "from": "half"}),),
        files=(OutputFile("horse-4.glb", 20_057_008, version_id="h4", asset_version_id="bh-lod-4"),),
    )
    yield replace(
        played(LONG_CHAIN_ID, world.COMMISSIONING, "2026-07-03T06:00:00Z"),
        inputs=(Selection(world.PUMP_STATION),),
        output_asset=world.PUMP_STATION,
        output_path="/commissioning/",
    )
    yield with_step(
        replace(
            played(BROKEN_CHAIN_ID, world.CONVERT_QA_THUMB, "2026-07-02T06:00:00Z"),
            inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
            output_asset=world.PIPE_RACK,
        ),
        1,
        predecessor=MISSING_STEP_ID,
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
    hall = (Selection(world.TURBINE_HALL, "/hall.ifc", "th-1"),)
    dated = played(MALFORMED_DATE_ID, world.THUMBNAILS, "2026-06-30T12:00:00Z")
    yield replace(dated, started_at="2026-06-31T25:61:00Z", inputs=hall, output_asset=world.TURBINE_HALL)
    yield replace(
        played(UNKNOWN_WORDS_ID, world.THUMBNAILS, "2026-06-28T12:00:00Z"),
        status="HIBERNATING",
        trigger="Carrier-Pigeon",
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
    yield with_step(
        replace(
            played(UNMATCHED_VERSIONS_ID, world.LEGACY_CONVERT, "2026-05-11T10:00:00Z"),
            inputs=(Selection(world.CONTROL_ROOM, "/door.dwg", "cr-1"),),
            output_asset=world.CONTROL_ROOM,
        ),
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
