"""What the servers are asked is of the contract, and the data holds what it is said to hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import build_schema, parse, validate

from bench.dataset import FILES, LOGS, RECENT_STEPS, WIDE_STEPS, rows
from bench.questions import DETAIL, DETAILED, LIST, LISTED, NODE, NODES, QUESTIONS, UNSEEN, Question, comparable
from bench.stalls import operations
from graph.demo.data import Items
from graph.settings import Settings
from graph.tables.catalogue import TABLES
from tests.harness import Answer, Graph
from tests.http.test_limits import price
from tests.memory import NAMES, MemoryDatabase

SCHEMA = build_schema((Path(__file__).resolve().parents[2] / "schema.graphql").read_text())


@pytest.fixture(scope="module")
def held() -> Iterator[Graph]:
    items: Items = {table: [] for table in TABLES}
    for table, attributes in rows():
        items[table].append(attributes)
    graph = Graph(MemoryDatabase(items), NAMES)
    yield graph
    graph.close()


@pytest.fixture
async def ids(held: Graph) -> list[str]:
    listed = await held.data("{ executions(first: 100) { nodes { id } } }")
    return [node["id"] for node in listed["executions"]["nodes"]]


async def answer(held: Graph, question: Question, ids: list[str]) -> Answer:
    body = next(question.bodies(ids))
    answer = await held.ask(body["query"], **body.get("variables", {}))
    assert not answer.errors
    return answer


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_each_document_is_valid(question: Question) -> None:
    body = next(question.bodies(["an id"] * 100))
    assert validate(SCHEMA, parse(body["query"])) == []


@pytest.mark.parametrize(
    ("question", "calls", "rounds"), [(DETAIL, 12, 2), (LIST, 51, 2), (NODE, 1, 1)], ids=["detail", "list", "nodes"]
)
async def test_each_is_answered_in_as_few_calls_and_rounds_as_there_can_be(
    held: Graph, ids: list[str], question: Question, calls: int, rounds: int
) -> None:
    tally = (await answer(held, question, ids)).tally
    assert (tally.calls, tally.rounds) == (calls, rounds)


async def test_a_detail_holds_as_many_steps_files_and_logs_as_it_says(held: Graph, ids: list[str]) -> None:
    data = (await answer(held, DETAIL, ids)).data or {}
    steps = [edge["node"] for edge in data["execution"]["pipelineExecutions"]["edges"]]
    assert len(steps) == WIDE_STEPS
    assert {len(step["outputFiles"]["edges"]) for step in steps} == {DETAILED}
    assert {len(step["registeredLogs"]["edges"]) for step in steps} == {LOGS}


async def test_a_list_holds_as_many_executions_and_steps_as_it_says(held: Graph, ids: list[str]) -> None:
    data = (await answer(held, LIST, ids)).data or {}
    executions = [edge["node"] for edge in data["executions"]["edges"]]
    assert len(executions) == LISTED
    assert {len(execution["pipelineExecutions"]["edges"]) for execution in executions} == {RECENT_STEPS}


def test_no_unseen_document_comes_twice() -> None:
    bodies = UNSEEN.bodies([f"id {number}" for number in range(100)])
    documents = [next(bodies)["query"] for _ in range(1_000)]
    assert len(set(documents)) == 1_000
    assert all(document.count("node(id:") == NODES for document in documents)


@pytest.mark.parametrize("name", operations())
def test_the_dearest_operations_are_allowed_and_cost_nearly_all_that_is(name: str) -> None:
    body = operations()[name]
    most = Settings().max_price
    assert 0.95 * most < price(body["query"], body.get("variables")) <= most


def test_answers_compare_without_each_servers_own_texts() -> None:
    one = {"data": {"node": {"id": "a", "edges": [{"cursor": "b", "node": {"status": "NEW", "id": None}}]}}}
    other = {"data": {"node": {"id": "x", "edges": [{"cursor": "y", "node": {"status": "NEW", "id": None}}]}}}
    assert comparable(one) == comparable(other)
    other["data"]["node"]["edges"][0]["node"] = {"status": "RUNNING", "id": None}  # type: ignore[index]
    assert comparable(one) != comparable(other)


def test_a_missing_id_is_a_difference() -> None:
    assert comparable({"id": None}) != comparable({"id": "a"})


def test_files_are_four_times_as_many_in_the_larger_detail() -> None:
    assert FILES == 4 * DETAILED
