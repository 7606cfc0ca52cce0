import pytest

from tests.harness import Graph


@pytest.mark.parametrize("value", [5, 1.5, True, [], ["2026-07-14T09:30:00Z"], {}, "", "2026-07-14T09:30:00", "now"])
async def test_what_is_no_instant_is_the_clients_mistake(graph: Graph, value: object) -> None:
    document = "query ($begin: DateTime) { executions(filter: {startedFrom: $begin}) { nodes { id } } }"
    answer = await graph.ask(document, begin=value)
    assert answer.data == {"executions": None}
    assert answer.codes == ["BAD_USER_INPUT"]


@pytest.mark.parametrize("literal", ["5", "[5]", "{a: 5}", "true", "NOW"])
async def test_a_literal_that_is_no_instant_is_the_clients_mistake(graph: Graph, literal: str) -> None:
    answer = await graph.ask(f"{{ executions(filter: {{startedTo: {literal}}}) {{ nodes {{ id }} }} }}")
    assert answer.codes == ["BAD_USER_INPUT"]
