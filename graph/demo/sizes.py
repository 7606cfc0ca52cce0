"""Runs at the bounds of what a row or a collection can hold."""

import json
from collections.abc import Iterator
from dataclasses import replace

from graph.demo import world
from graph.demo.model import (
    Configuration,
    Metadata,
    OutputFile,
    OutputMetadata,
    OutputResult,
    Run,
    Selection,
    StepLog,
    identifier,
)
from graph.demo.rows import Row, changed
from graph.demo.run_rows import run_rows
from graph.demo.timeline import COMPLETE, execution_id, later, played
from graph.tables.builders.budgets import LOG_BUDGET

LARGE_LOG_ID = execution_id("large log")
LARGE_METADATA_ID = execution_id("large metadata")
MANY_OUTPUTS_ID = execution_id("many outputs")
MANY_INPUTS_ID = execution_id("many inputs")
CUT_SHORT_ID = execution_id("cut short")

_CUT_CONFIGURATION = '{"format":"glb","tolerance":0.1,"materials":["steel","bra'
_CUT_REPORT = "Of 1,204 welds the following are to be checked agai"
WHOLE_TEXTS = {
    f"{CUT_SHORT_ID}/pipeline1/config.json": _CUT_CONFIGURATION
    + 'ss",'
    + ",".join(f'"alloy {number:05} für Rohre"' for number in range(12_000))
    + "]}",
    f"{CUT_SHORT_ID}/results/report.txt": _CUT_REPORT
    + "n:\n"
    + "".join(f"weld {number:04}: seam {number * 37 % 90} bis {number * 7 % 100} mm\n" for number in range(1_204)),
}
"""What lies whole in S3 of the run whose texts are cut, by the end of the key."""

# What VAMS takes of one entity's metadata.
METADATA_BYTES = 300 * 1024


def size_rows() -> Iterator[Row]:
    """Yield the rows of the large runs."""
    for run in (_large_log(), _large_metadata(), _many_outputs(), _many_inputs()):
        yield from run_rows(run)
    yield from map(_flagged, run_rows(_cut_short()))


def _large_log() -> Run:
    run = played(LARGE_LOG_ID, world.CITY_TILES, "2026-06-18T20:00:00Z")
    text = _log_text(run.started_at)
    run = replace(
        run, inputs=(Selection(world.TRAM_LINE, "/track.laz", "tl-1"),), output_asset=world.TRAM_LINE, log=text
    )
    return run.with_step(-1, log=StepLog(COMPLETE, text))


def _log_text(started_at: str) -> str:
    """Log lines, some of them beyond ASCII, cut to the byte at the limit."""
    lines = (
        json.dumps(
            {
                "time": later(started_at, number),
                "level": "INFO",
                "message": f"Kachel {number}: {number * 7919 % 90_000} Punkte geprüft, {number % 7} verworfen",
                "request": identifier("request", str(number)),
            },
            ensure_ascii=False,
        )
        for number in range(3_000)
    )
    text = "\n".join(lines).encode()[:LOG_BUDGET].decode(errors="ignore")
    return text + "." * (LOG_BUDGET - len(text.encode()))


def _large_metadata() -> Run:
    """Return one entity's metadata at its caps: a thousand entries in 300 KiB."""
    keys = [f"sensor-{number:04}" for number in range(1_000)]
    spare = METADATA_BYTES - len(json.dumps(dict.fromkeys(keys, "")))
    length, longer = divmod(spare, len(keys))
    metadata = {key: (f"{key} calibrated; " * 20)[: length + (place < longer)] for place, key in enumerate(keys)}
    run = played(LARGE_METADATA_ID, world.CONVERT_QA_THUMB, "2026-06-17T09:00:00Z")
    facts = (
        Metadata(world.PLANT, world.TURBINE_HALL, "/", metadata),
        Metadata(world.PLANT, world.TURBINE_HALL, "/hall.ifc", {"units": "mm"}, {"lod": "300"}),
    )
    run = replace(
        run,
        inputs=(Selection(world.TURBINE_HALL, "/hall.ifc", "th-1"),),
        metadata=facts,
        output_asset=world.TURBINE_HALL,
    )
    for place in (1, 2):
        run = run.with_step(place, metadata=facts[1:])
    return run


def _many_outputs() -> Run:
    run = replace(
        played(MANY_OUTPUTS_ID, world.CITY_TILES, "2026-06-16T18:00:00Z"),
        inputs=(Selection(world.HARBOUR_BRIDGE, "/survey/"),),
        output_asset=world.HARBOUR_BRIDGE,
        output_path="/tiles/",
    )
    classes = tuple(
        OutputFile(f"classes/strip-{number:03}.laz", 8_000_000 + number * 4_096, version_id=f"cl{number}")
        for number in range(240)
    )
    tiles = tuple(
        OutputFile(
            f"{number % 5}/{number // 5 % 16}/tile-{number:04}.pnts",
            30_000 + number * 11,
            "application/octet-stream",
            f"t{number}",
            f"hb-tile-{number}" if number % 100 == 0 else "",
        )
        for number in range(1_200)
    )
    previews = tuple(
        OutputFile(f"overview/{number:02}.previewFile.png", 40_000 + number, "image/png", file_type="preview")
        for number in range(12)
    )
    return run.with_step(0, files=classes).with_step(
        1,
        files=tiles + previews,
        output_metadata=tuple(
            OutputMetadata(f"/tiles/{level}", "pointCount", str(1_000_000 >> level), f"{level}.metadata.json")
            for level in range(60)
        ),
        results=tuple(
            OutputResult(f"/levels/{level:02}.txt", f"level {level}: {1_200 >> level % 5} tiles\n")
            for level in range(40)
        ),
    )


def _many_inputs() -> Run:
    photos = tuple(Selection(world.BRONZE_HORSE, f"/photos/{number:04}.jpg", f"ph-{number}") for number in range(400))
    return replace(
        played(MANY_INPUTS_ID, world.TURNTABLE, "2026-06-15T07:00:00Z"),
        inputs=photos,
        metadata=tuple(
            Metadata(world.MUSEUM, world.BRONZE_HORSE, selection.path, {"lens": "50 mm"}, {"blurred": "no"})
            for selection in photos[:150]
        ),
        output_asset=world.BRONZE_HORSE,
    )


def _cut_short() -> Run:
    """Return a run whose every text ends in the middle, as if it had not fitted its row."""
    text = _CUT_CONFIGURATION
    run = replace(
        played(CUT_SHORT_ID, world.THUMBNAILS, "2026-06-14T07:00:00Z"),
        inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
        metadata=(Metadata(world.PLANT, world.PIPE_RACK, "/", {"a": "the first of many"}, {"b": "the first of many"}),),
        output_asset=world.PIPE_RACK,
    )
    return run.with_step(
        0,
        configuration=Configuration(text, "high-quality", (("tolerance", "0.1"),), override=text),
        results=(OutputResult("/report.txt", _CUT_REPORT),),
        log=StepLog("Workflow Execution Outp", '{"id":"1","type":"Execu'),
    )


def _flagged(row: Row) -> Row:
    """Return the row with every sign of truncation but that of metadata sources, which decide who may see it."""
    flags = (name for name in row.attributes if name.endswith("Truncated") and not name.startswith("metadataSource"))
    return changed(row, dict.fromkeys(flags, True))
