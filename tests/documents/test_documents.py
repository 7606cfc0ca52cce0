"""The operations that a front end sends, each with its expected result and its database calls beside it.

``UPDATE_FIXTURES=1 pytest tests/documents`` writes both anew, so that a review sees what a change does to them.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.demo.database import EmbeddedDatabase
from graph.settings import Settings
from tests.harness import Answer, Graph

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.graphql"))


@pytest.fixture(params=[True, False], ids=["plans", "graphql-core"])
def graph(request: pytest.FixtureRequest, database: EmbeddedDatabase) -> Iterator[Graph]:
    settings = Settings(cursor_secrets=["a secret of the tests"], fast_execution=request.param)
    graph = Graph(database.client, database.names, settings)
    yield graph
    graph.close()


@pytest.mark.parametrize("name", NAMES)
async def test_a_document_gives_its_result_with_its_calls(graph: Graph, name: str) -> None:
    document = (HERE / f"{name}.graphql").read_text()
    answer = await graph.ask(document, **_read(f"{name}.variables.json"))
    if os.environ.get("UPDATE_FIXTURES") and graph.settings.fast_execution:
        _write(f"{name}.result.json", _result(answer))
        _write(f"{name}.calls.json", _cost(answer))
    assert _result(answer) == _read(f"{name}.result.json")
    if graph.settings.fast_execution:  # without plans, nothing tells loaders when all has been asked for
        assert _cost(answer) == _read(f"{name}.calls.json")


def test_every_fixture_is_of_a_document() -> None:
    kinds = (".graphql", ".variables.json", ".result.json", ".calls.json")
    expected = {f"{name}{kind}" for name in NAMES for kind in kinds}
    assert {path.name for path in HERE.iterdir() if path.suffix in {".graphql", ".json"}} == expected


def _result(answer: Answer) -> dict[str, Any]:
    return {"data": answer.data, "errors": answer.errors} if answer.errors else {"data": answer.data}


def _cost(answer: Answer) -> dict[str, Any]:
    return {"calls": answer.tally.calls, "rounds": answer.tally.rounds, "of": answer.cost}


def _read(name: str) -> Any:
    return json.loads((HERE / name).read_text())


def _write(name: str, value: Any) -> None:
    (HERE / name).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
