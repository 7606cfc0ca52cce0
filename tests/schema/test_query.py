from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.resolvers import nodes
from graph.resolvers.kinds import KINDS
from graph.tables import ids
from tests.harness import Graph


async def test_a_fault_of_the_server_costs_one_of_some_nodes_alone(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(nodes, "KINDS", {**KINDS, "Workflow": replace(KINDS["Workflow"], find=fail)})
    wanted = [ids.encode("Workflow", "plant-models", "convert-qa-thumb"), ids.encode("Database", "plant-models")]
    answer = await graph.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=wanted)
    assert answer.data == {"nodes": [None, {"id": wanted[1]}]}
    assert answer.codes == ["INTERNAL"]


async def test_the_time_is_that_of_the_server(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    before = datetime.now(UTC)
    told = datetime.fromisoformat((await graph.data("{ now }"))["now"])
    assert timedelta(milliseconds=-1) <= told - before < timedelta(minutes=1)
    at = datetime(2026, 7, 15, 8, 9, 10, 123_456, tzinfo=UTC)
    monkeypatch.setattr(graph, "services", replace(graph.services, clock=lambda: at))
    assert (await graph.data("{ now }"))["now"] == "2026-07-15T08:09:10.123Z"
