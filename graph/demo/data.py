"""All items of the demo, by table."""

from collections.abc import Iterator
from typing import Any

from graph.demo import world
from graph.demo.event_kinds import event_kind_rows
from graph.demo.gaps import gap_rows
from graph.demo.insides import insides_rows
from graph.demo.live import LiveRun
from graph.demo.migrated import migrated_rows
from graph.demo.model import BUCKETS
from graph.demo.permissions import permission_rows
from graph.demo.registrations import registration_rows
from graph.demo.routine import routine_rows
from graph.demo.rows import Row, asset_row, bucket_row, database_row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.samples import SAMPLE_RUN
from graph.demo.shapes import shape_rows
from graph.demo.sizes import size_rows
from graph.tables.catalogue import ALL_TABLES, Table

Items = dict[Table, list[dict[str, Any]]]


def demo_items(live: LiveRun | None = None) -> Items:
    """Return every item of every table, as plain Python values; without a live run the same at each call."""
    items: Items = {table: [] for table in ALL_TABLES}
    for table, attributes in (*_rows(), *(live.rows() if live is not None else ())):
        items[table].append(attributes)
    return items


def _rows() -> Iterator[Row]:
    yield from map(bucket_row, BUCKETS)
    yield from map(database_row, world.DATABASES)
    yield from map(asset_row, world.ASSETS)
    yield from map(pipeline_row, world.PIPELINES)
    yield from map(workflow_row, world.WORKFLOWS)
    yield from permission_rows()
    yield from run_rows(SAMPLE_RUN)
    yield from shape_rows()
    yield from gap_rows()
    yield from size_rows()
    yield from registration_rows()
    yield from insides_rows()
    yield from event_kind_rows()
    yield from migrated_rows()
    yield from routine_rows()
