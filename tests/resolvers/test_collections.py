from typing import Any

import pytest

from graph.demo.database import EmbeddedDatabase
from graph.demo.samples import SAMPLE_STEP_IDS
from graph.resolvers import sources
from graph.settings import Settings
from tests.harness import Graph

METADATA = """
query ($step: String!, $before: String) {
  pipelineExecution(pipelineExecutionId: $step) {
    inputMetadata(scope: ASSET, before: $before) { edges { cursor } pageInfo { endCursor } shortPageReason }
  }
}
"""


async def test_a_page_that_has_come_to_its_stop_ends_there_whatever_the_budget(
    database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "EVALUATED", 1)
    ample = Graph(database.client, database.names)
    first, second, *_ = (await metadata(ample))["edges"]
    settings = Settings(cursor_secrets=["a secret of the tests"], read_budget_pages=3)
    scarce = Graph(database.client, database.names, settings)
    assert await metadata(scarce, before=second["cursor"]) == {
        "edges": [first],
        "pageInfo": {"endCursor": first["cursor"]},
        "shortPageReason": None,
    }


async def metadata(graph: Graph, **variables: str) -> dict[str, Any]:
    found = await graph.data(METADATA, step=SAMPLE_STEP_IDS[0], **variables)
    graph.close()
    page: dict[str, Any] = found["pipelineExecution"]["inputMetadata"]
    return page
