"""Runs of every shape: how they ended, what they read and wrote, how their steps follow each other."""

from collections.abc import Iterator
from dataclasses import replace

from graph.demo import world
from graph.demo.model import Configuration, Metadata, OutputFile, OutputMetadata, OutputResult, Run, Selection
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.timeline import execution_id, played

RUNNING_ID = execution_id("running")
FAILED_ID = execution_id("failed")
ABORTED_ID = execution_id("aborted")
TIMED_OUT_ID = execution_id("timed out")
STOPPED_OUTSIDE_ID = execution_id("stopped outside")
RESULTS_ONLY_ID = execution_id("results only")
NO_INPUTS_ID = execution_id("no inputs")
WRITE_ONLY_ID = execution_id("write only")
PIPELINE_TWICE_ID = execution_id("pipeline twice")
SELECTIONS_ID = execution_id("selections")
SPELLINGS_ID = execution_id("spellings")
LONG_CHAIN_ID = execution_id("long chain")


def shape_rows() -> Iterator[Row]:
    """Yield the rows of one run of each shape."""
    for run in (*ENDINGS, *_selections(), *_chains()):
        yield from run_rows(run)


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
    # Stopped in the console of AWS, which VAMS has not been told.
    yield replace(
        played(STOPPED_OUTSIDE_ID, world.AS_BUILT, "2026-07-11T13:00:00Z", "RUNNING", reached=1),
        inputs=(Selection(world.TANK_SCAN, "/flight-3/"),),
        output_asset=world.TANK_SCAN,
    )


def _selections() -> Iterator[Run]:
    yield replace(
        played(RESULTS_ONLY_ID, world.INVENTORY, "2026-07-09T05:00:00Z"),
        inputs=(Selection(world.VALVE_KIT), Selection(world.PIPE_RACK)),
    ).with_step(
        -1,
        results=(
            OutputResult("/inventory.csv", "part,count\nball valve,18\ngate valve,4\ncheck valve,7\n"),
            OutputResult("/missing.txt", "No drawing: gate valve DN80"),
            OutputResult("/summary.md", "# Inventory\n\n29 valves, 3 kinds, 1 drawing missing"),
        ),
    )
    yield replace(
        played(NO_INPUTS_ID, world.INVENTORY, "2026-07-08T05:00:00Z"),
        named_database=world.CITY,
        metadata=(Metadata(world.CITY, None, "/", {"owner": "survey office", "crs": "EPSG:25832"}),),
    ).with_step(
        -1,
        results=(OutputResult("/city.csv", "asset,files\nharbour-bridge,212\ntown-hall,40\ntram-line-4,96\n"),),
    )
    yield replace(
        played(WRITE_ONLY_ID, world.THUMBNAILS, "2026-07-07T05:00:00Z"),
        output_asset=world.CONTROL_ROOM,
        output_path="/stills/",
    ).with_step(
        -1,
        files=(OutputFile("desk.png", 88_412, "image/png", "ds81", "cr-v2"),),
    )
    yield replace(
        played(SELECTIONS_ID, world.CONVERT_QA_THUMB, "2026-07-06T11:00:00Z"),
        inputs=(
            Selection(world.TURBINE_HALL),
            Selection(world.PIPE_RACK, "/sections/north/"),
            Selection(world.VALVE_KIT, "/cad/"),
            Selection(world.PUMP_STATION, "/models/pump.step", "b7QmT2xWc"),
        ),
        output_asset=world.TURBINE_HALL,
        output_path="/merged/",
    ).with_step(
        -1,
        files=(OutputFile("hall.glb", 91_220_114, "model/gltf-binary", "hl20", "th-v9"),),
    )
    yield replace(
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
    ).with_step(
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


def _chains() -> Iterator[Run]:
    yield (
        replace(
            played(PIPELINE_TWICE_ID, world.DECIMATE_TWICE, "2026-07-04T13:00:00Z"),
            inputs=(Selection(world.BRONZE_HORSE, "/horse.obj", "bh-1"),),
            metadata=(Metadata(world.MUSEUM, world.BRONZE_HORSE, "/", {"period": "Han"}),),
            output_asset=world.BRONZE_HORSE,
            output_path="/lod/",
        )
        .with_step(
            0,
            configuration=Configuration('{"ratio":0.5}', "half", (("ratio", "1/2"),)),
            files=(OutputFile("horse-2.glb", 40_118_220, version_id="h2", asset_version_id="bh-lod-2"),),
        )
        .with_step(
            1,
            configuration=Configuration('{"ratio":0.25}', override='{"ratio":0.25,"keepBorders":true}'),
            metadata=(Metadata(world.MUSEUM, world.BRONZE_HORSE, "/", {"period": "Han", "from": "half"}),),
            files=(OutputFile("horse-4.glb", 20_057_008, version_id="h4", asset_version_id="bh-lod-4"),),
        )
    )
    yield replace(
        played(LONG_CHAIN_ID, world.COMMISSIONING, "2026-07-03T06:00:00Z"),
        inputs=(Selection(world.PUMP_STATION),),
        output_asset=world.PUMP_STATION,
        output_path="/commissioning/",
    )


ENDINGS = tuple(_endings())
