"""What an operation is charged by its answer: for the rows that there are, whatever was read for them."""

from functools import partial
from typing import Any

import httpx
import pytest

from graph.demo.gaps import MALFORMED_DATE_ID
from graph.demo.permissions import BOB
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.documents import Documents
from graph.http.limits import Limits
from graph.rate_limits import LocalTokenBuckets
from graph.schema.costs import ANSWER_COST, LIST_COST, PAGE_COST
from graph.settings import Settings
from tests.harness import SCHEMA
from tests.http.test_endpoint import Named
from tests.memory import MemoryDatabase
from tests.serving import serving

SETTINGS = Settings()
LIMITS = Limits(SCHEMA.core, SETTINGS)


def charge(query: str, data: dict[str, Any], variables: dict[str, Any] | None = None) -> int:
    document = Documents(SCHEMA.core, SETTINGS).parse(query)
    operation = document.operations[0]
    return LIMITS.charges.charge(document, operation, data, LIMITS.price(document, operation, variables))


def connection(*nodes: Any) -> dict[str, Any]:
    return {"nodes": list(nodes)}


ROW: dict[str, Any] = {"id": "x", "executionId": "e"}
STEP = {"pipelineExecutionId": "p"}


@pytest.mark.parametrize(
    ("query", "data", "points"),
    [
        ("{ __typename }", {"__typename": "Query"}, 1),
        ("{ executions { nodes { id } } }", {"executions": connection()}, LIST_COST),
        ("{ executions { nodes { id } } }", {"executions": None}, LIST_COST),
        ("{ executions { nodes { id executionId } } }", {"executions": connection(ROW, ROW)}, LIST_COST + 2 * 3),
        (
            "{ executions { edges { cursor node { id } } pageInfo { hasNextPage } } }",
            {"executions": {"edges": [{"cursor": "c", "node": {"id": "x"}}], "pageInfo": {"hasNextPage": True}}},
            LIST_COST + 2 + 4,
        ),
        (
            "{ executions { nodes { executionId pipelineExecutions { nodes { pipelineExecutionId } } } } }",
            {
                "executions": connection(
                    {"executionId": "e", "pipelineExecutions": connection(STEP, STEP)},
                    {"executionId": "e", "pipelineExecutions": None},
                )
            },
            LIST_COST + 2 * (1 + 1 + PAGE_COST) + 2 * 2,
        ),
        (
            '{ execution(executionId: "x") { pipelineExecutions { nodes { pipelineExecutionId } } } }',
            {"execution": None},
            ANSWER_COST,
        ),
        (
            '{ nodes(ids: ["a", "b", "c"]) { id } }',
            {"nodes": [None, {"id": "b"}, None]},
            3 * ANSWER_COST + 1,
        ),
        (
            "{ all: executions { rows: nodes { id } } none: executions { nodes { id } } }",
            {"all": {"rows": [ROW]}, "none": connection()},
            2 * LIST_COST + 2,
        ),
        (
            """{ executions { ...F } } fragment F on ExecutionConnection { nodes { ...E ...E } }
            fragment E on Execution { id executionId }""",
            {"executions": connection(ROW)},
            LIST_COST + 3,
        ),
        (
            '{ node(id: "x") { id ... on Execution { pipelineExecutions { nodes { pipelineExecutionId } } } } }',
            {"node": {"id": "x", "pipelineExecutions": connection(STEP)}},
            ANSWER_COST + 1 + PAGE_COST + 2,
        ),
        (
            '{ node(id: "x") { id ... on Execution { pipelineExecutions { nodes { pipelineExecutionId } } } } }',
            {"node": {"id": "x"}},
            ANSWER_COST + 1,
        ),
    ],
)
def test_an_operation_is_charged_for_the_rows_that_there_are(query: str, data: dict[str, Any], points: int) -> None:
    assert charge(query, data) == points


@pytest.mark.parametrize("directive", ["@include(if: $with)", "@skip(if: $without)"])
def test_what_is_left_out_is_not_charged(directive: str) -> None:
    query = f"""query ($with: Boolean!, $without: Boolean!) {{
      executions {{ nodes {{ id {directive} executionId ... {directive} {{ stepCount }} }} }}
    }}"""
    left_out, kept = {"executionId": "e"}, {"executionId": "e", "id": "x", "stepCount": 3}
    assert charge(query, {"executions": connection(left_out)}, {"with": False, "without": True}) == LIST_COST + 2
    assert (
        charge(query, {"executions": connection(kept)}, {"with": True, "without": False}) == LIST_COST + 3 + ANSWER_COST
    )


def test_a_full_answer_is_charged_its_price() -> None:
    query = "{ executions(first: 2) { nodes { id inputFiles(first: 2) { nodes { id } } } } }"
    full = connection(*[{"id": "x", "inputFiles": connection(ROW, ROW)}] * 2)
    document = Documents(SCHEMA.core, SETTINGS).parse(query)
    assert charge(query, {"executions": full}) == LIMITS.price(document, document.operations[0])


def test_no_answer_is_charged_more_than_the_price() -> None:
    """A list that is no page is taken to be five long."""
    query = "{ executions(first: 1) { nodes { id } } }"
    assert charge(query, {"executions": connection(*[ROW] * 50)}) == LIST_COST + 2


# Over HTTP

EMPTY = '{ executions(first: 100, filter: { groupId: "none" }) { nodes { executionId } } }'


async def ask(client: httpx.AsyncClient, query: str, user: str = "") -> dict[str, Any]:
    headers = {"GraphQL-Cost": "1", "X-User": user}
    told: dict[str, Any] = (await client.post("/graphql", json={"query": query}, headers=headers)).json()
    return told


def codes(answer: dict[str, Any]) -> list[str]:
    return [error["extensions"]["code"] for error in answer.get("errors", ())]


async def test_the_cost_tells_what_was_asked_for_and_what_was_charged(memory: MemoryDatabase) -> None:
    async with serving(memory) as client:
        cost = (await ask(client, EMPTY))["extensions"]["cost"]
    assert (cost["requested"], cost["charged"]) == (LIST_COST + 200, LIST_COST)


async def test_what_was_not_there_can_be_spent_again(memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.app.LocalTokenBuckets", partial(LocalTokenBuckets, clock=lambda: 0.0))
    async with serving(memory, max_price=1_000, rate_points=1_000, rate_points_per_second=1) as client:
        for _ in range(8):  # after seven, 300 of 1,000 points are left, which is the price
            assert codes(await ask(client, EMPTY)) == []
        assert codes(await ask(client, EMPTY)) == ["RATE_LIMITED"]


async def test_what_a_new_text_costs_to_read_is_kept(memory: MemoryDatabase) -> None:
    long = EMPTY + " #" + "x" * 2_500
    async with serving(memory) as client:
        first, again = [(await ask(client, long))["extensions"]["cost"]["charged"] for _ in range(2)]
    assert (first, again) == (10 + len(long) // 10, LIST_COST)


@pytest.mark.parametrize(
    ("of", "field", "found"),
    [(SAMPLE_EXECUTION_ID, "log { content }", []), (MALFORMED_DATE_ID, "startedAt", ["MALFORMED_VALUE"])],
)
async def test_an_operation_with_an_error_is_charged_its_price(
    memory: MemoryDatabase, of: str, field: str, found: list[str]
) -> None:
    steps = "pipelineExecutions(first: 100) { nodes { pipelineExecutionId } }"
    query = f'{{ execution(executionId: "{of}") {{ {field} {steps} }} }}'
    async with serving(memory) as client:
        answer = await ask(client, query)
    cost = answer["extensions"]["cost"]
    assert codes(answer) == found
    assert (cost["charged"] == cost["requested"]) == bool(found)


async def test_a_refusal_is_no_such_error(memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.app.LocalTokenBuckets", partial(LocalTokenBuckets, clock=lambda: 0.0))
    query = EMPTY[:-1] + f'execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ log {{ content }} }} }}'
    limits = {"max_price": 1_000, "rate_points": 1_000, "rate_points_per_second": 1}
    async with serving(memory, authenticators=[Named()], **limits) as client:
        for _ in range(6):  # of 324 points each, of which 124 are kept
            assert codes(await ask(client, query, BOB)) == ["FORBIDDEN"]
