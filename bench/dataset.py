"""What the compared servers read: runs that all ended well, as the demo writes runs, and who may see them.

Sixteen *wide* runs have ten steps with eighty output files and five registered logs each. The *recent* runs are newer,
so that lists show them alone; they have three steps without files. Every run reads one asset and writes another, but
those of the *crowd*, which read all assets of it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from graph.demo.model import (
    REGION,
    Asset,
    Database,
    OutputFile,
    Pipeline,
    Run,
    Selection,
    Specified,
    Workflow,
    identifier,
)
from graph.demo.permissions import permission_rows
from graph.demo.rows import Row, asset_row, database_row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.timeline import execution_id, later, played
from graph.tables.catalogue import ALL_TABLES, Index, Table

WIDE_RUNS, WIDE_STEPS, FILES, LOGS = 16, 10, 80, 5
RECENT_RUNS, RECENT_STEPS = 200, 3
ASSETS = 20
CROWD = 99

_DATABASE = Database("plant-models", "Models of the plant", ASSETS)  # the one that the demo's plant users may see
_FIRST_CROWDED, _FIRST_WIDE, _FIRST_RECENT = "2026-05-01T06:00:00Z", "2026-06-01T06:00:00Z", "2026-07-01T06:00:00Z"
_SOURCES = ("stateMachine", "lambda", "batch", "ecs", "container")


def wide_run_ids() -> list[str]:
    """Return the ids of the runs with ten steps."""
    return [execution_id(f"wide {number}") for number in range(WIDE_RUNS)]


def rows() -> Iterator[Row]:
    """Yield every item of the data set."""
    wide, recent = _workflow("wide", WIDE_STEPS), _workflow("recent", RECENT_STEPS)
    assets, crowd = _assets("asset", ASSETS), _assets("crowd", CROWD)
    yield database_row(_DATABASE)
    yield from map(asset_row, assets + crowd)
    for workflow in (wide, recent):
        yield workflow_row(workflow)
        yield from (pipeline_row(specified.pipeline) for specified in workflow.specified)
    yield from permission_rows()
    for number, run_id in enumerate(wide_run_ids()):
        run = _run(run_id, wide, later(_FIRST_WIDE, number * 3_600), assets, number)
        for place in range(WIDE_STEPS):
            run = run.with_step(place, files=tuple(_files(place)), logs=tuple(_logs(run.steps[place].step_id)))
        yield from run_rows(run)
    for number in range(RECENT_RUNS):
        yield from run_rows(
            _run(execution_id(f"recent {number}"), recent, later(_FIRST_RECENT, number * 900), assets, number)
        )
    everything = tuple(Selection(asset) for asset in crowd)
    for number in range(CROWD):
        run = _run(execution_id(f"crowd {number}"), recent, later(_FIRST_CROWDED, number * 900), assets, number)
        yield from run_rows(replace(run, inputs=everything, group_id="crowd"))


def write_items(path: Path, rows: Iterable[Row]) -> None:
    """Write what the stub of DynamoDB is fed with: a line for each table, then one for each item."""
    serialize = TypeSerializer().serialize
    with path.open("w") as lines:
        for table in ALL_TABLES:
            lines.write(_line(_described(table)))
        for table, attributes in rows:
            lines.write(_line({"of": table.name, "item": serialize(attributes)["M"]}))


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _described(table: Table) -> dict[str, Any]:
    return {"table": table.name, "key": table.key, "indexes": {index.name: _key(index) for index in table.indexes}}


def _key(index: Index) -> tuple[str, ...]:
    return (index.partition,) if index.sort is None else (index.partition, index.sort)


def _assets(name: str, count: int) -> list[Asset]:
    return [Asset(_DATABASE.database_id, f"{name}-{number:02}", f"Part {number}", "A part") for number in range(count)]


def _workflow(name: str, steps: int) -> Workflow:
    pipelines = [
        Pipeline(_DATABASE.database_id, f"{name}-{place}", f"Step {place}", "conversion", "Converts")
        for place in range(steps)
    ]
    specified = tuple(Specified(one, one.pipeline_id, f"{one.pipeline_id}-1a2b") for one in pipelines)
    return Workflow(_DATABASE.database_id, name, name.title(), "conversion", f"{steps} steps in a row", specified)


def _run(run_id: str, workflow: Workflow, started_at: str, assets: list[Asset], number: int) -> Run:
    return replace(
        played(run_id, workflow, started_at),
        inputs=(Selection(assets[number % ASSETS], "/part.step", f"v{number}"),),
        output_asset=assets[(number + 1) % ASSETS],
        triggered_by=f"user-{number % 7}@example.com",
        group_id=f"group-{number // 10}",
    )


def _files(place: int) -> Iterator[OutputFile]:
    for number in range(FILES):
        digits = identifier("file", str(place), str(number))
        yield OutputFile(f"out/part-{number:04}.laz", int(digits[:7], 16), version_id=digits)


def _logs(step_id: str) -> Iterator[dict[str, str]]:
    for number, source in enumerate(_SOURCES[:LOGS]):
        group = f"/aws/vendedlogs/convert-{number}"
        yield {
            "logGroupArn": f"arn:aws:logs:{REGION}:123456789012:log-group:{group}:*",
            "logGroupName": group,
            "logStreamName": f"stream/{identifier('stream', step_id, str(number))}",
            "logStreamPrefix": "",
            "stageName": f"Stage{number}",
            "label": f"Log {number}",
            "sourceType": source,
        }
