"""What Prometheus reads."""

from ipaddress import ip_network

import pytest

from graph.http.metrics import allowed
from tests.memory import MemoryDatabase
from tests.serving import serving


async def test_a_thousand_operation_names_add_no_series(memory: MemoryDatabase) -> None:
    async with serving(memory, rate_points=0) as client:

        async def ask(number: int) -> None:
            await client.post(
                "/graphql", json={"query": f"query name{number} {{ a{number}: __typename nothing{number} }}"}
            )
            await client.post("/graphql", json={"query": f"query name{number} {{ a{number}: __typename }}"})

        async def series() -> list[str]:
            return [line.split(" ")[0] for line in (await client.get("/metrics")).text.splitlines()]

        await ask(0)
        before = await series()
        for number in range(1, 1_000):
            await ask(number)
        assert await series() == before
        assert "name" not in "".join(before)


async def test_operations_are_counted_by_outcome_and_root_field(memory: MemoryDatabase) -> None:
    async with serving(memory) as client:
        await client.post("/graphql", json={"query": "{ executions(first: 1) { nodes { id } } }"})
        await client.post("/graphql", json={"query": "{ nothing }"})
        text = (await client.get("/metrics")).text
    assert 'vams_graph_operations_total{outcome="OK",status="200"} 1.0' in text
    assert 'vams_graph_operations_total{outcome="GRAPHQL_VALIDATION_FAILED",status="200"} 1.0' in text
    assert 'vams_graph_root_fields_total{field="executions"} 1.0' in text
    assert "vams_graph_operation_dynamodb_calls_sum 1.0" in text


async def test_metrics_are_there_for_those_who_may_read_them_alone(memory: MemoryDatabase) -> None:
    async with serving(memory, metrics_networks=["10.0.0.0/8"]) as client:
        assert (await client.get("/metrics")).status_code == 404


@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [("10.1.2.3", True), ("::1", True), ("11.0.0.1", False), (None, False), ("testclient", False)],
)
def test_an_address_is_allowed_by_its_network(host: str | None, is_allowed: bool) -> None:
    assert allowed(host, [ip_network("10.0.0.0/8"), ip_network("::1/128")]) == is_allowed
