"""A table with an index, and an engine, take these places alone: the recipes of docs/architecture.md."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from graph.demo.samples import SAMPLE_STEP_IDS

ROOT = Path(__file__).parents[2]

CATALOGUE = """
NOTES_BY_AUTHOR = Index("NotesByAuthorGSI", "author", "noteId")
NOTES = Table(
    "NotesStorageTable",
    ("NOTES_STORAGE_TABLE_NAME",),
    "dynamoTables/notesStorage",
    "pipelineExecutionId",
    "noteId",
    (NOTES_BY_AUTHOR,),
)

EXECUTION_TABLES = (
    NOTES,
"""
RECORD = '''"""Notes that people left on steps."""

from dataclasses import dataclass
from typing import ClassVar

from graph.tables import catalogue, decode
from graph.tables.rows import ObjectRow, key_part, stored


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NoteRow(ObjectRow):
    """A note on a step."""

    table: ClassVar = catalogue.NOTES
    kind: ClassVar = "Note"

    pipeline_execution_id: str = key_part("pipelineExecutionId")
    note_id: str = key_part("noteId")
    author: str = key_part("author")

    body: str = stored("body", decode.text)
'''
LOADER = '''    @cached_property
    def notes(self) -> NoteLoaders:
        """Notes on steps."""
        return NoteLoaders(self._reading)

    @cached_property
    def assets(self)'''
LOADERS = '''"""Loaders of notes, by key, by step and by author."""

from functools import cached_property

from graph.loaders.base import KeyLoader, LoaderGroup, RangeLoader
from graph.tables import catalogue
from graph.tables.records.notes import NoteRow


class NoteLoaders(LoaderGroup):
    """Notes by key, by step, and by author."""

    by_key = cached_property(lambda self: KeyLoader(NoteRow, self.reading))
    of_step = cached_property(lambda self: RangeLoader(NoteRow, self.reading))
    by_author = cached_property(lambda self: RangeLoader(NoteRow, self.reading, catalogue.NOTES_BY_AUTHOR))
'''
RESOLVERS = '''"""Notes on steps."""

from graph.context import Context
from graph.resolvers.collections import of_partition
from graph.resolvers.gate import visible_step
from graph.resolvers.paging import Page, PageRequest
from graph.resolvers.sources import Rows
from graph.tables.records.notes import NoteRow
from graph.tables.records.steps import StepRow


async def of_step(step: StepRow, context: Context, page: PageRequest) -> Page[NoteRow]:
    """The notes on a step."""
    return await of_partition(context, page, step.pipeline_execution_id, Rows(context.loaders.notes.of_step))


async def of_author(step: StepRow, context: Context, page: PageRequest, author: str) -> Page[NoteRow]:
    """The notes of an author."""
    return await of_partition(context, page, author, Rows(context.loaders.notes.by_author))


async def note(context: Context, pipeline_execution_id: str, note_id: str) -> NoteRow | None:
    """The note on a step, if the viewer may see its execution."""
    step = await visible_step(context, pipeline_execution_id)
    return await context.loaders.notes.by_key.load((pipeline_execution_id, note_id)) if step else None
'''
KIND = """    definition(NoteRow, notes.note, "pipelineExecutionId", "noteId"),
    definition(AssetRow,"""
TYPE = '''"""Notes that people left on steps."""

from graph.schema.fields import attribute, object_type
from graph.schema.node import Node
from graph.tables.records.notes import NoteRow


@object_type(NoteRow, description="A note on a step.")
class Note(Node):
    """A note on a step."""

    pipeline_execution_id: str = attribute("The id of the step.")
    note_id: str = attribute("The note within its step.")
    author: str = attribute("Who wrote it.")
    body: str = attribute("What it says.")
'''
FIELD = """    notes: CountedConnection[Note] | None = page(of_step, "Notes on the step.")
    notes_of_author: CountedConnection[Note] | None = page(of_author, "Notes of an author.")
    sub_executions: WarningConnection"""

# Each place: the file, what stands there today, and what stands there then. A new file has nothing today.
PLACES = (
    ("graph/tables/catalogue.py", "\nEXECUTION_TABLES = (\n", CATALOGUE),
    ("graph/tables/records/notes.py", "", RECORD),
    ("graph/loaders/__init__.py", "    @cached_property\n    def assets(self)", LOADER),
    ("graph/loaders/__init__.py", "class Loaders:", "from graph.loaders.notes import NoteLoaders\n\n\nclass Loaders:"),
    ("graph/loaders/notes.py", "", LOADERS),
    ("graph/resolvers/notes.py", "", RESOLVERS),
    ("graph/resolvers/kinds.py", "    definition(AssetRow,", KIND),
    (
        "graph/resolvers/kinds.py",
        "Finder = ",
        "from graph.resolvers import notes\nfrom graph.tables.records.notes import NoteRow\n\nFinder = ",
    ),
    ("graph/schema/notes.py", "", TYPE),
    ("graph/schema/step.py", "    sub_executions: WarningConnection", FIELD),
    (
        "graph/schema/step.py",
        "STATUS = ",
        "from graph.resolvers.notes import of_author, of_step\nfrom graph.schema.notes import Note\n\nSTATUS = ",
    ),
)
SCRIPT = """
import asyncio, json, sys
from graph.tables import catalogue
from graph.demo.data import demo_items
from graph.schema import create_subgraph, federated_sdl
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase

step, document = sys.argv[1:]
database = MemoryDatabase(demo_items())
for number, author in enumerate(["ana", "bob", "ana"]):
    note = {"pipelineExecutionId": step, "noteId": f"n{number}", "author": author, "body": f"says {number}"}
    database.put(catalogue.NOTES, note)
graph = Graph(database, NAMES, schema=create_subgraph(with_node=True))

async def told():
    page = await graph.data(document, id=step)
    (key,) = page["pipelineExecution"]["notesOfAuthor"]["nodes"][1:]
    refetch = "query($id: ID!, $these: [_Any!]!) { node(id: $id) { ...N } _entities(representations: $these) { ...N } }"
    fragment = "fragment N on Note { id body }"
    these = [{"__typename": "Note", "pipelineExecutionId": step, "noteId": "n1"}]
    return page, await graph.data(f"{refetch} {fragment}", id=key["id"], these=these)

page, refetched = asyncio.run(told())
print(json.dumps({"page": page, "refetched": refetched, "sdl": federated_sdl(with_node=True)}))
"""
DOCUMENT = """query($id: String!) { pipelineExecution(pipelineExecutionId: $id) {
  notes(first: 2) { totalCount nodes { id noteId author body } pageInfo { hasNextPage } }
  notesOfAuthor(author: "ana") { nodes { id noteId } } } }"""


FLOWS = (ROOT / "tests" / "engines" / "flows.py").read_text()
ENGINE_PLACES = (
    (
        "graph/engines/engine.py",
        '    STEP_FUNCTIONS = "STEP_FUNCTIONS"\n',
        '    STEP_FUNCTIONS = "STEP_FUNCTIONS"\n    FLOWS = "FLOWS"\n',
    ),
    (
        "graph/engines/flows.py",
        "",
        (ROOT / "tests/engines/flows.py").read_text().replace("SERVERLESS_WORKFLOW", "FLOWS"),
    ),
    (
        "graph/engines/service.py",
        "(StepFunctions(clients.states, caller),)",
        "(StepFunctions(clients.states, caller), Flows())",
    ),
    ("graph/engines/service.py", "class Engines:", "from graph.engines.flows import Flows\n\n\nclass Engines:"),
)
ENGINE_SCRIPT = """
import asyncio, json, sys
from tests.harness import Graph
from tests.memory import NAMES
from tests.resolvers.test_second_engine import RUN, database

graph = Graph(database(RUN, "flow:convert/2026-07-14"), NAMES)
print(json.dumps(asyncio.run(graph.data(sys.argv[2], id=RUN.execution_id))))
"""
ENGINE_DOCUMENT = """query($id: String!) { execution(executionId: $id) {
  engineExecution { engine name status stages { nodes { name } } history { totalCount } } } }"""


@pytest.mark.slow
def test_an_engine_takes_its_places_and_no_other(tmp_path: Path) -> None:
    copy(tmp_path, ENGINE_PLACES)
    assert run(tmp_path, ENGINE_SCRIPT, "", ENGINE_DOCUMENT)["execution"]["engineExecution"] == {
        "engine": "FLOWS",
        "name": "2026-07-14",
        "status": "SUCCEEDED",
        "stages": {"nodes": [{"name": "Bake"}]},
        "history": {"totalCount": 2},
    }


@pytest.mark.slow
def test_a_table_with_an_index_takes_its_places_and_no_other(tmp_path: Path) -> None:
    copy(tmp_path, PLACES)
    told = run(tmp_path, SCRIPT, SAMPLE_STEP_IDS[0], DOCUMENT)
    notes = told["page"]["pipelineExecution"]["notes"]
    assert notes["totalCount"] == 3
    assert [(note["author"], note["body"]) for note in notes["nodes"]] == [("ana", "says 0"), ("bob", "says 1")]
    assert notes["pageInfo"] == {"hasNextPage": True}
    assert [note["noteId"] for note in told["page"]["pipelineExecution"]["notesOfAuthor"]["nodes"]] == ["n0", "n2"]
    assert told["refetched"]["node"]["body"] == "says 2"
    assert told["refetched"]["_entities"][0] == {"id": notes["nodes"][1]["id"], "body": "says 1"}
    assert 'type Note implements Node @key(fields: "pipelineExecutionId noteId")' in told["sdl"]


def copy(place: Path, additions: Iterable[tuple[str, str, str]]) -> None:
    """Copy the package and make the additions to the copy."""
    shutil.copytree(ROOT / "graph", place / "graph", ignore=shutil.ignore_patterns("__pycache__", "static"))
    for name, today, then in additions:
        path = place / name
        assert path.exists() == bool(today)
        text = path.read_text() if today else ""
        assert text.count(today) == 1 or not today, name
        path.write_text(text.replace(today, then) if today else then)


def run(place: Path, script: str, *arguments: str) -> Any:
    """Return what a script prints as JSON, with the package of a place."""
    command = [sys.executable, "-c", script, *arguments]
    environment = {"PYTHONPATH": f"{place}:{ROOT}", "AWS_EC2_METADATA_DISABLED": "true", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
