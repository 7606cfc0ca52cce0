from tests.harness import Graph

HISTORY = """
query ($after: String, $before: String) {
  asset(databaseId: "plant-models", assetId: "pump-station") {
    executions(first: 10, after: $after, before: $before) { edges { cursor node { startedAt } } }
  }
}
"""


async def test_nothing_lies_between_cursors_in_the_wrong_order_and_nothing_is_asked_for(graph: Graph) -> None:
    edges = (await graph.data(HISTORY))["asset"]["executions"]["edges"]
    assert edges[0]["node"]["startedAt"] > edges[-1]["node"]["startedAt"]
    answer = await graph.ask(HISTORY, after=edges[-1]["cursor"], before=edges[0]["cursor"])
    assert not answer.errors
    assert answer.data == {"asset": {"executions": {"edges": []}}}
    assert {call.table for call in answer.calls} == {"AssetStorageTable"}
