from graph.demo.database import EmbeddedDatabase
from graph.tables.catalogue import ASSETS, CONFIGURATIONS, EXECUTIONS, INPUTS
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase

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


async def test_a_run_whose_input_has_no_date_stands_where_it_wrote() -> None:
    run, date = "00000000-0000-4000-8000-000000000001", "2025-11-03T10:12:00Z"
    items = {
        ASSETS: [{"databaseId": "plant-models", "assetId": "pump-station"}],
        EXECUTIONS: [{"workflowExecutionId": run, "workflowDatabaseId:workflowId": "plant-models:convert"}],
        INPUTS: [
            {
                "workflowExecutionId": run,
                "databaseId:assetId:inputAssetFileKey": "plant-models:pump-station:/pump-station/",
                "databaseId:assetId": "plant-models:pump-station",
            }
        ],
        CONFIGURATIONS: [
            {
                "workflowExecutionId": run,
                "recordType": "configuration",
                "outputDatabaseId:outputAssetId": "plant-models:pump-station",
                "executionStartDate": date,
            }
        ],
    }
    document = """{
      asset(databaseId: "plant-models", assetId: "pump-station") {
        executions { edges { roles node { executionId } } }
      }
    }"""
    with EmbeddedDatabase(items) as database:
        graph = Graph(database.client, database.names)
        data = await graph.data(document)
        graph.close()
    edge = {"roles": ["READ", "WROTE"], "node": {"executionId": run}}
    assert data == {"asset": {"executions": {"edges": [edge]}}}


async def test_a_run_whose_input_does_not_say_its_workflow_is_found_by_its_id() -> None:
    run, date = "1" * 32, "2026-03-01T10:00:00Z"
    items = {
        ASSETS: [{"databaseId": "plant-models", "assetId": "pump-station"}],
        EXECUTIONS: [{"workflowExecutionId": run, "workflowDatabaseId:workflowId": "plant-models:convert"}],
        INPUTS: [
            {
                "workflowExecutionId": run,
                "databaseId:assetId:inputAssetFileKey": "plant-models:pump-station:/pump-station/",
                "databaseId:assetId": "plant-models:pump-station",
                "executionStartDate": date,
            }
        ],
    }
    graph = Graph(MemoryDatabase(items), NAMES)
    data = await graph.data(
        '{ asset(databaseId: "plant-models", assetId: "pump-station") { executions { nodes { executionId } } } }'
    )
    graph.close()
    assert data == {"asset": {"executions": {"nodes": [{"executionId": run}]}}}
