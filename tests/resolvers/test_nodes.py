from collections.abc import Iterator
from typing import Any

from graph.demo.samples import SAMPLE_EXECUTION_ID
from tests.harness import Graph

EVERY_NODE = """
query ($id: String!) {
  execution(executionId: $id) {
    id
    workflow { id }
    group { id }
    inputFiles { nodes { id asset { id database { id } } } }
    pipelineExecutions {
      nodes {
        id
        pipeline { id }
        availableLogs { nodes { id } }
        inputMetadata { nodes { id } }
        outputFiles { nodes { id } }
        outputMetadata { nodes { id } }
        outputResults { nodes { id } }
      }
    }
  }
}
"""


async def test_every_object_is_fetched_again_by_its_id(graph: Graph) -> None:
    ids = list(dict.fromkeys(ids_in(await graph.data(EVERY_NODE, id=SAMPLE_EXECUTION_ID))))
    found = await graph.data("query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }", ids=ids)
    assert [node["id"] for node in found["nodes"]] == ids
    assert {node["__typename"] for node in found["nodes"]} == {
        "Execution",
        "ExecutionGroup",
        "PipelineExecution",
        "InputFile",
        "InputMetadata",
        "OutputFile",
        "OutputMetadata",
        "OutputResult",
        "RegisteredLog",
        "Asset",
        "Database",
        "Workflow",
        "Pipeline",
    }
    for known in ids:
        assert (await graph.data("query ($id: ID!) { node(id: $id) { id } }", id=known)) == {"node": {"id": known}}


def ids_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (value["id"],) if "id" in value else ()
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from ids_in(element)
