"""The graph gives the same by plans and by graphql-core, to users who may see all or little, with tables that fail."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from graphql import GraphQLObjectType, is_required_argument
from hypothesis import given, note, settings
from hypothesis import strategies as st
from strawberry.types import ExecutionResult

from graph.auth.identity import Viewer
from graph.demo import world
from graph.demo.gaps import MALFORMED_DATE_ID
from graph.demo.permissions import ROLES_OF
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.settings import Settings
from graph.tables import ids
from graph.tables.catalogue import INPUTS, OUTPUT_FILES, PIPELINES, STEPS, WORKFLOWS, Table
from graph.tables.reader import Reader
from tests import faults
from tests.execution.comparing import encoded, errors_of
from tests.execution.operations import operations, variables
from tests.harness import SCHEMA, Graph
from tests.memory import NAMES, MemoryDatabase

FAILING: list[Table | None] = [None, None, STEPS, OUTPUT_FILES, PIPELINES, WORKFLOWS, INPUTS]
EXECUTIONS = [SAMPLE_EXECUTION_ID, MALFORMED_DATE_ID, "0" * 32]
NODES = [
    ids.encode("PipelineExecution", SAMPLE_STEP_IDS[0], SAMPLE_EXECUTION_ID),
    ids.encode("Asset", world.PLANT, world.PUMP_STATION.asset_id),
    ids.encode("Database", world.PLANT),
    ids.encode("ExecutionGroup", "nightly"),
    "nonsense",
]
_WORKFLOW = f'databaseId: "GLOBAL", workflowId: "{world.CONVERT_QA_THUMB.workflow_id}"'
GIVEN: dict[tuple[str, str], Sequence[str]] = {
    ("Query", "execution"): [f'(executionId: "{one}")' for one in EXECUTIONS] + ["(executionId: $given)"],
    ("Query", "executions"): ["(first: 2)", "(last: 1)", "(first: $number)", "(first: -1)", '(after: "x")'],
    ("Query", "node"): [f'(id: "{one}")' for one in NODES],
    ("Query", "nodes"): [f"(ids: [{', '.join(f'{one!r}' for one in NODES)}])".replace("'", '"'), "(ids: [])"],
    ("Query", "executionGroup"): ['(groupId: "nightly")', '(groupId: "nothing")'],
    ("Query", "pipelineExecution"): [f'(pipelineExecutionId: "{one}")' for one in SAMPLE_STEP_IDS],
    ("Query", "workflow"): [f"({_WORKFLOW})"],
    ("Query", "pipeline"): [f'(databaseId: "{world.PLANT}", pipelineId: "{world.MESH_CONVERT.pipeline_id}")'],
    ("Query", "asset"): [f'(databaseId: "{world.PLANT}", assetId: "{world.PUMP_STATION.asset_id}")'],
    ("Query", "database"): [f'(databaseId: "{world.PLANT}")', '(databaseId: "nowhere")'],
    ("PipelineExecution", "registeredLog"): ['(logId: "nothing")'],
    ("StoredText", "content"): ["", "(maxBytes: 3)", "(maxBytes: -1)"],
    ("StoredText", "part"): ["", "(fromByte: 3)", "(fromByte: -1)"],
    ("Stage", "visit"): ["(enteredEventId: 2)", "(enteredEventId: 3)", "(enteredEventId: -1)"],
    ("MapRun", "execution"): ['(name: "nothing")'],
    ("Stage", "visits"): ["(first: 2)", "(last: 1)", "(first: 2, status: [FAILED])"],
    ("EngineExecution", "history"): ["(first: 2)", "(last: 1)", "(around: 3, first: 2)", "(around: 3, last: 2)"],
}
PAGES = ["(first: 2)", "", "(last: 1)", "(first: 1000)"]


def arguments(kind: str, field: str) -> Sequence[str]:
    """The ways to give arguments to a field; pages are small."""
    given = GIVEN.get((kind, field))
    if given is None and "first" in SCHEMA.core.type_map[kind].fields[field].args:  # type: ignore[attr-defined]
        return PAGES
    return given or [""]


@pytest.fixture(scope="module")
def both(memory: MemoryDatabase) -> Iterator["Both"]:
    with pytest.MonkeyPatch.context() as patch:
        faults.without_pauses(patch)
        both = Both(memory)
        yield both
        both.planned.close()
        both.by_core.close()


class Both:
    """The graph that answers by plans, and the one that does not, over tables one of which can fail."""

    failing: Table | None = None

    def __init__(self, memory: MemoryDatabase) -> None:
        self.planned, self.by_core = (
            Graph(faults.FaultyClient(memory, NAMES, self._plan), NAMES, self._settings(by_plans=fast), reader=Reader)
            for fast in (True, False)
        )
        for graph in (self.planned, self.by_core):
            graph.services = replace(graph.services, clock=lambda: datetime(2026, 7, 15, tzinfo=UTC))

    def _plan(self, request: faults.Request) -> faults.Fault:
        name = request.get("TableName") or next(iter(request["RequestItems"]))
        return faults.broken if self.failing is not None and name == NAMES[self.failing] else faults.truly

    def _settings(self, *, by_plans: bool) -> Settings:
        return Settings(
            cursor_secrets=["a secret of the tests"],
            dynamodb_attempts=1,
            fast_execution=by_plans,
            max_price=10**9,
            rate_points=0,
        )


def test_every_field_that_needs_arguments_is_given_some() -> None:
    for kind in SCHEMA.core.type_map.values():
        if isinstance(kind, GraphQLObjectType) and kind is not SCHEMA.core.mutation_type:
            for name, field in kind.fields.items():
                if any(map(is_required_argument, field.args.values())):
                    assert all(arguments(kind.name, name)), f"{kind.name}.{name}"


@settings(max_examples=40)
@given(
    operation=operations(SCHEMA.core, arguments, depth=6),
    values=variables(number=[1, 3], given=[SAMPLE_EXECUTION_ID]),
    user=st.sampled_from([None, *ROLES_OF, "nobody"]),
    failing=st.sampled_from(FAILING),
)
def test_random_operations_over_the_demo(
    both: Both, operation: str, values: dict[str, Any], user: str | None, failing: Table | None
) -> None:
    note(operation)
    both.failing = failing
    viewer = None if user is None else Viewer(user, is_mfa=True, method="api_key")

    async def compare() -> None:
        planned, by_core, again = [
            await _answer(graph, operation, viewer, values) for graph in (both.planned, both.by_core, both.planned)
        ]
        for result in (planned, again):
            assert encoded(result.data) == encoded(by_core.data)
            assert errors_of(result) == errors_of(by_core)

    asyncio.run(compare())


async def _answer(graph: Graph, operation: str, viewer: Viewer | None, values: dict[str, Any]) -> ExecutionResult:
    sent = await graph.sent(operation)
    return await graph.schema.answer(sent.document, await graph.context(viewer), sent.variables(values))
