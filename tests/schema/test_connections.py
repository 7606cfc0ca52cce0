from graph.demo.samples import SAMPLE_EXECUTION_ID
from tests.harness import Graph


async def test_a_total_alone_is_counted_without_reading_rows(graph: Graph) -> None:
    answer = await graph.ask(
        "query ($id: String!) { execution(executionId: $id) { inputFiles { totalCount } } }", id=SAMPLE_EXECUTION_ID
    )
    assert not answer.errors
    assert answer.data == {"execution": {"inputFiles": {"totalCount": 2}}}
    (counted,) = (call for call in answer.calls if call.table == "WorkflowExecutionInputsStorageTable")
    assert counted.request["Select"] == "COUNT"


async def test_a_connection_of_which_nothing_is_selected_is_there(graph: Graph) -> None:
    assert await graph.data("{ executions { __typename } }") == {"executions": {"__typename": "ExecutionConnection"}}
