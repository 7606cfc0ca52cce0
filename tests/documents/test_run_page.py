"""A failed run of three steps, with two machines each and 200 iterations, is shown whole by three requests."""

import json
from pathlib import Path

import pytest

from graph.http.limits import Limits
from graph.settings import Settings
from tests.harness import SCHEMA, Graph

HERE = Path(__file__).parent
DOCUMENTS = ("run_page", "run_machine", "run_events")


@pytest.mark.parametrize(("sizes", "most"), [(("steps", "machines"), 5_000), ((), 20_000)], ids=["known", "default"])
async def test_header_chain_machine_failure_and_the_events_around_it_are_cheap(
    quick: Graph, sizes: tuple[str, ...], most: int
) -> None:
    prices = Limits(SCHEMA.core, Settings())
    total = 0
    for name in DOCUMENTS:
        document = (await quick.sent((HERE / f"{name}.graphql").read_text())).document
        variables = json.loads((HERE / f"{name}.variables.json").read_text())
        kept = {key: value for key, value in variables.items() if key not in ("steps", "machines") or key in sizes}
        total += prices.price(document, document.operations[0], kept)
    assert total < most


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_shows_the_failure_where_it_happened(name: str) -> None:
    result = json.loads((HERE / f"{name}.result.json").read_text())
    assert "errors" not in result
    assert "137" in json.dumps(result)
