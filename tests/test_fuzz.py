"""Questions that nobody thought of: documents that schemathesis makes from the schema, with ids that exist.

The environment variable FUZZ_CASES asks for more of them than the few that every run makes.
"""

import os
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from graphql import ArgumentNode, Node, ObjectFieldNode, StringValueNode, Visitor, visit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.demo import world
from graph.demo.notable import NOTABLE_RUNS
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.tables import ids
from tests.memory import MemoryDatabase
from tests.serving import listening, make_app

CASES = int(os.environ.get("FUZZ_CASES", "6"))  # of each root field

EXECUTIONS = [SAMPLE_EXECUTION_ID, *(run.execution_id for run in NOTABLE_RUNS), "0" * 32]
REAL: dict[str, list[str]] = {
    "executionId": EXECUTIONS,
    "pipelineExecutionId": [*SAMPLE_STEP_IDS, "0" * 32],
    "databaseId": [world.PLANT, "GLOBAL", "nowhere"],
    "assetId": [world.PUMP_STATION.asset_id, "nothing"],
    "workflowId": [world.CONVERT_QA_THUMB.workflow_id, world.THUMBNAILS.workflow_id, "nothing"],
    "pipelineId": [world.MESH_CONVERT.pipeline_id, "nothing"],
    "groupId": ["nightly", "nothing"],
}
REAL["id"] = REAL["ids"] = [
    ids.encode("Database", world.PLANT),
    ids.encode("Asset", world.PLANT, world.PUMP_STATION.asset_id),
    ids.encode("Workflow", "GLOBAL", world.CONVERT_QA_THUMB.workflow_id),
    *(ids.encode("PipelineExecution", step, SAMPLE_EXECUTION_ID) for step in SAMPLE_STEP_IDS),
    ids.encode("ExecutionGroup", "nothing"),
    "nonsense",
]
# What a client's own mistake may be answered with, and what the sample data holds broken. Anything else is a fault.
KNOWN = {
    "MALFORMED_VALUE",
    "BAD_USER_INPUT", "INVALID_CURSOR", "INVALID_ID", "COST_LIMIT_EXCEEDED", "GRAPHQL_PARSE_FAILED",
    "GRAPHQL_VALIDATION_FAILED", "OPERATION_RESOLUTION_FAILURE", "PAYLOAD_TOO_LARGE",
}  # fmt: skip


class WithRealIds(Visitor):
    """Puts ids that exist in the place of most made-up ones; which, the made-up one decides."""

    def enter(self, node: Node, *_: Any) -> Node | None:
        if isinstance(node, ArgumentNode | ObjectFieldNode) and node.name.value in REAL:
            return visit(node, _Texts(REAL[node.name.value]))  # type: ignore[no-any-return]
        return None


class _Texts(Visitor):
    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self._texts = texts

    def enter_string_value(self, node: StringValueNode, *_: Any) -> StringValueNode | None:
        chosen = zlib.crc32(node.value.encode()) % (len(self._texts) + 1)
        return StringValueNode(value=self._texts[chosen]) if chosen < len(self._texts) else None


@pytest.fixture(scope="module")
def schema(memory: MemoryDatabase) -> Iterator[Any]:
    """What schemathesis asks: as many documents of each root field as there are cases, right and wrong ones."""
    instants = st.sampled_from(["2026-07-14T09:30:00.000Z", "2026-07-14", "9999-12-31T23:59:59.999Z", ""])
    schemathesis.graphql.scalar("DateTime", instants.map(schemathesis.graphql.nodes.String))
    with listening(make_app(memory, environment="development", rate_points=0)) as address:
        loaded = schemathesis.graphql.from_url(f"{address}/graphql")

        @loaded.hook
        def map_body(_context: Any, body: Any) -> Any:
            return visit(body, WithRealIds())

        yield loaded


def test_no_document_is_a_fault_of_the_server(schema: Any) -> None:
    operations = [result.ok() for result in schema.get_all_operations()]
    assert {operation.label for operation in operations} >= {"Query.executions", "Query.node"}
    for operation in operations:
        ask_all(operation)


def ask_all(operation: Any) -> None:
    @given(operation.as_strategy())
    @settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def ask(case: Any) -> None:
        response = case.call(headers={"Accept": "application/graphql-response+json"})
        assert response.status_code in (200, 400, 413), (case.body, response.text)
        for error in response.json().get("errors", ()):
            assert error["extensions"]["code"] in KNOWN, (case.body, error)

    ask()
