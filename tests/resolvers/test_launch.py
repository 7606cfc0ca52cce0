import pytest

from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.resolvers.launch import step_count
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from tests.demo.reading import written
from tests.harness import Graph

READS = frozenset({"pipelines", "pipelines_are_truncated", "is_migrated"})


@pytest.mark.parametrize(
    ("configuration", "count"),
    [
        ({"specifiedPipelinesSnapshot": [{}, {}]}, 2),
        ({"specifiedPipelinesSnapshot": [{}], "specifiedPipelinesSnapshotTruncated": True}, None),
        ({"specifiedPipelinesSnapshot": [], "migratedRecord": True}, None),
        ({"specifiedPipelinesSnapshot": []}, None),
        ({}, None),
    ],
)
async def test_steps_are_counted_where_the_row_plans_them(
    graph: Graph, configuration: dict[str, object], count: int | None
) -> None:
    context = await graph.context()
    execution = ExecutionRow.decode(written({"workflowExecutionId": SAMPLE_EXECUTION_ID}), frozenset())
    key = {"workflowExecutionId": SAMPLE_EXECUTION_ID, "recordType": "configuration"}
    prefetched = context.loaders.configurations.reading.prefetched[ConfigurationRow]
    prefetched.append([ConfigurationRow.decode(written(key | configuration), READS)])
    assert await step_count(execution, context) == count
