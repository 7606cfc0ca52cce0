"""The days between: runs on a schedule, a burst of uploads in one second, a group that was started together."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from graph.demo import world
from graph.demo.model import (
    Asset,
    Metadata,
    OutputFile,
    OutputMetadata,
    OutputResult,
    Run,
    Selection,
    Workflow,
    identifier,
)
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.timeline import execution_id, later, played

UPLOAD_GROUP_ID = "upload-2026-06-20"
UPLOAD_DATE = "2026-06-20T08:00:00Z"
NIGHT_GROUP_ID = "night-2026-06-21"

_DAY = 86_400


class Series(NamedTuple):
    """Runs of one workflow, ``days`` apart, that read and write the same assets each time."""

    workflow: Workflow
    turns: int
    first: str
    days: int
    reads: tuple[Selection, ...]
    writes: Asset | None
    folder: str = "/"
    triggered_by: str = "ana@example.com"


_MODEL = Selection(world.PUMP_STATION, "/models/pump.step", "b7QmT2xWc")

_SERIES = (
    Series(world.CONVERT_QA_THUMB, 10, "2026-05-04T06:10:00Z", 7, (_MODEL,), world.PUMP_STATION, "/weekly/"),
    Series(
        world.INVENTORY,
        8,
        "2026-05-06T04:00:00Z",
        8,
        (Selection(world.PUMP_STATION),),
        None,
        triggered_by="SYSTEM_USER",
    ),
    Series(
        world.AS_BUILT,
        6,
        "2026-05-08T19:30:00Z",
        10,
        (Selection(world.BOILER_SCAN, "/scans/"),),
        world.PUMP_STATION,
        "/as-built/",
    ),
    Series(world.THUMBNAILS, 4, "2026-05-11T12:00:00Z", 14, (), world.PUMP_STATION, "/stills/", "admin@example.com"),
    Series(
        world.CLASH_REPORT,
        5,
        "2026-05-13T21:00:00Z",
        9,
        (_MODEL, Selection(world.PIPE_RACK, "/rack.step", "pr-1")),
        world.TURBINE_HALL,
        "/clashes/",
        "bob@example.com",
    ),
    Series(
        world.CITY_TILES,
        4,
        "2026-05-15T22:00:00Z",
        13,
        (Selection(world.HARBOUR_BRIDGE, "/survey/"),),
        world.HARBOUR_BRIDGE,
    ),
    Series(world.CITY_TILES, 3, "2026-05-16T22:00:00Z", 17, (Selection(world.TRAM_LINE),), world.TRAM_LINE, "/tiles/"),
    Series(world.AS_BUILT, 3, "2026-05-19T18:00:00Z", 15, (Selection(world.TANK_SCAN, "/flight/"),), world.TANK_SCAN),
    Series(
        world.TURNTABLE,
        4,
        "2026-05-21T20:00:00Z",
        12,
        (Selection(world.BRONZE_HORSE, "/horse.obj", "bh-1"),),
        world.BRONZE_HORSE,
    ),
    Series(
        world.DECIMATE_TWICE,
        3,
        "2026-05-25T09:00:00Z",
        11,
        (Selection(world.HEAT_EXCHANGER, "/plates.step", "hx-3"),),
        world.VALVE_KIT,
    ),
)

# Three in four succeed.
_ENDINGS = (*("SUCCEEDED",) * 9, "FAILED", "ABORTED", "TIMED_OUT")
_ERRORS = {"FAILED": "ContainerError: exit code 137, out of memory", "TIMED_OUT": "States.Timeout: no answer in time"}


def routine_rows() -> Iterator[Row]:
    """Yield the rows of all of them."""
    for number, series in enumerate(_SERIES):
        for turn in range(series.turns):
            yield from run_rows(_turn(series, f"series {number} turn {turn}", turn))
    for number in range(7):
        yield from run_rows(_upload(number))
    for asset in (world.HARBOUR_BRIDGE, world.TOWN_HALL, world.TRAM_LINE):
        run = played(execution_id(f"night {asset.asset_id}"), world.CITY_TILES, "2026-06-21T23:00:00Z")
        yield from run_rows(
            replace(run, inputs=(Selection(asset),), output_asset=asset, output_path="/night/", group_id=NIGHT_GROUP_ID)
        )


def _turn(series: Series, name: str, turn: int) -> Run:
    chance = int(identifier("chance", name), 16)
    status = _ENDINGS[chance % len(_ENDINGS)]
    run = played(
        execution_id(name),
        series.workflow,
        later(series.first, turn * series.days * _DAY + chance % 3_600),
        status,
        reached=None if status == "SUCCEEDED" else chance // len(_ENDINGS) % len(series.workflow.specified),
        error=_ERRORS.get(status, ""),
    )
    run = replace(
        run,
        triggered_by=series.triggered_by,
        inputs=series.reads,
        metadata=_metadata(series.reads),
        output_asset=series.writes,
        output_path=series.folder,
    )
    for place, step in enumerate(run.steps):
        if step.status == "SUCCEEDED":
            run = _with_outputs(run, place, turn)
    return run


def _metadata(reads: tuple[Selection, ...]) -> tuple[Metadata, ...]:
    """Return the rows of each asset, of the files among the selections, and of their databases."""
    assets = dict.fromkeys(selection.asset for selection in reads)
    databases = dict.fromkeys(asset.database_id for asset in assets)
    return (
        *(Metadata(asset.database_id, asset, "/", {"title": asset.name}) for asset in assets),
        *(
            Metadata(one.asset.database_id, one.asset, one.path, {"units": "mm"}, {"lod": "high"})
            for one in reads
            if not one.path.endswith("/")
        ),
        *(Metadata(database, None, "/", {"owner": "engineering"}) for database in databases),
    )


def _with_outputs(run: Run, place: int, turn: int) -> Run:
    """Return the step with the file it left; the run's metadata and results are those of the end of its chain."""
    if run.output_asset is None:
        return run.with_step(place, results=(OutputResult("/report.txt", f"Turn {turn}: nothing is missing."),))
    path = f"{run.workflow.specified[place].job}/turn-{turn:02}.bin"
    version = identifier("version", run.execution_id, str(place))[:12]
    file = OutputFile(path, 10_000 + turn * 137, version_id=version, asset_version_id=f"a{version}")
    run = run.with_step(place, files=(file,))
    if place < len(run.steps) - 1:
        return run
    return run.with_step(
        place,
        output_metadata=(OutputMetadata(f"/{path}", "turn", str(turn), f"{path}.metadata.json"),),
        results=(OutputResult("/summary.txt", f"Turn {turn}: 1 file written."),),
    )


def _upload(number: int) -> Run:
    """Return seven files that came in the same second, each with a run of its own."""
    run = played(execution_id(f"upload {number}"), world.THUMBNAILS, UPLOAD_DATE)
    run = replace(
        run,
        triggered_by="SYSTEM_USER",
        trigger="System-Reindex" if number == 6 else "File-Upload",
        group_id=UPLOAD_GROUP_ID,
        inputs=(Selection(world.PUMP_STATION, f"/photos/{number}.jpg", f"up-{number}"),),
        output_asset=world.PUMP_STATION,
    )
    return run.with_step(
        0, files=(OutputFile(f"photos/{number}.png", 70_000 + number, "image/png", f"u{number}", f"ps-{number}"),)
    )
