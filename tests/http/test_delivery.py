"""How results reach clients: each kind of operation has a delivery, which runs it as often as it takes."""

from collections.abc import AsyncIterator, Mapping

import orjson
import pytest
from graphql import OperationType
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive

from graph.auth.policies import Policies
from graph.auth.policy import Policy
from graph.http import endpoint
from graph.http.access_log import Operation as LogEntry
from graph.http.delivery import Delivery, OneResponse, Run, deliveries
from graph.http.encoding import encode
from graph.http.prepared import PreparedOperation
from graph.schema import Schema
from graph.settings import Settings
from tests.harness import SCHEMA, SUBGRAPH
from tests.memory import MemoryDatabase
from tests.serving import serving


@pytest.mark.parametrize("schema", [SCHEMA, SUBGRAPH], ids=["of all", "of gateways"])
def test_whatever_kind_of_operation_a_schema_has_there_is_a_delivery(schema: Schema) -> None:
    core = schema.core
    kinds = {kind for kind in deliveries(OneResponse(Settings())) if core.get_root_type(kind) is not None}
    roots = [core.query_type, core.mutation_type, core.subscription_type]
    assert len(kinds) == len([root for root in roots if root is not None])


async def streamed(operation: PreparedOperation, run: Run, _receive: Receive, _entry: LogEntry) -> Response:
    """Runs an operation twice, while it is sent."""

    async def results() -> AsyncIterator[bytes]:
        for _ in range(2):
            result, _policy = await run(operation, LogEntry())
            yield encode(result.data) + b"\n"

    return StreamingResponse(results(), media_type="application/jsonl")


async def test_each_run_of_an_operation_has_the_policy_of_its_moment(
    memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed, asked = Policies.policy_of, 0

    async def revoked_later(policies: Policies, user_id: str, *, is_mfa: bool) -> Policy:
        nonlocal asked
        asked += 1
        return await allowed(policies, user_id, is_mfa=is_mfa) if asked == 1 else Policy(())

    def all_streamed(one: OneResponse) -> Mapping[OperationType, Delivery]:
        return dict.fromkeys(deliveries(one), streamed)

    monkeypatch.setattr(Policies, "policy_of", revoked_later)
    monkeypatch.setattr(endpoint, "deliveries", all_streamed)
    async with serving(memory) as client:
        response = await client.post("/graphql", json={"query": "{ executions(first: 1) { nodes { status } } }"})
    first, second = map(orjson.loads, response.text.splitlines())
    assert len(first["executions"]["nodes"]) == 1
    assert second == {"executions": None}
