"""Readiness, and what it costs to tell."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from botocore.exceptions import ClientError

from graph.app import create_app, make_services
from graph.context import Services
from graph.demo.database import EmbeddedDatabase
from graph.demo.identity import LoopbackAdministrator
from graph.demo.logs import log_clients
from graph.settings import Settings
from graph.tables.catalogue import EXECUTIONS
from tests.serving import make_app, serving


class Describing:
    """The client of a database that describes some tables as it is told."""

    def __init__(self, database: EmbeddedDatabase, faults: dict[str, Exception]) -> None:
        self._database, self.faults = database, faults
        self.query, self.get_item = database.client.query, database.client.get_item
        self.batch_get_item = database.client.batch_get_item

    def describe_table(self, **request: Any) -> Any:
        if fault := self.faults.get(request["TableName"]):
            raise fault
        return self._database.client.describe_table(**request)


def throttle(operation: str = "DescribeTable") -> ClientError:
    return ClientError({"Error": {"Code": "ThrottlingException"}}, operation)


def services_over(client: Describing, database: EmbeddedDatabase) -> Services:
    settings = Settings(cursor_secrets=["a secret of the tests"])
    return make_services(settings, client, database.names, log_clients(), lambda *_: [LoopbackAdministrator()])


@asynccontextmanager
async def serving_over(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        yield client
    services.close()


async def test_a_throttled_description_of_one_table_takes_no_server_out(database: EmbeddedDatabase) -> None:
    client = Describing(database, {})
    services = services_over(client, database)
    async with serving_over(services) as http:
        assert (await http.get("/readyz")).json() == {"status": "ready"}
        client.faults[database.names[EXECUTIONS]] = throttle()
        services.availability._began_at -= 20  # long ago: they are asked again
        assert (await http.get("/readyz")).json() == {"status": "ready"}


async def test_tables_that_are_refused_take_a_server_out_until_a_read_works(database: EmbeddedDatabase) -> None:
    denied = ClientError({"Error": {"Code": "AccessDeniedException"}}, "DescribeTable")
    client = Describing(database, {database.names[EXECUTIONS]: denied})
    async with serving_over(services_over(client, database)) as http:
        refused = await http.get("/readyz")
        assert (refused.status_code, refused.json()) == (503, {"status": "tables do not answer"})
        asked = await http.post("/graphql", json={"query": "{ executions(first: 1) { nodes { executionId } } }"})
        assert len(asked.json()["data"]["executions"]["nodes"]) == 1
        assert (await http.get("/readyz")).json() == {"status": "ready"}


async def test_a_server_that_drains_is_not_ready_and_ends_connections(database: EmbeddedDatabase) -> None:
    app = make_app(database)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        app.state.readiness.is_draining = True
        response = await client.get("/readyz")
        assert (response.status_code, response.json()) == (503, {"status": "draining"})
        answered = await client.post("/graphql", json={"query": "{ __typename }"})
        assert (answered.status_code, answered.headers["connection"]) == (200, "close")
        assert (await client.get("/healthz")).status_code == 200


async def test_health_needs_no_tables(database: EmbeddedDatabase) -> None:
    async with serving(database) as client:
        response = await client.get("/healthz")
        assert (response.status_code, response.json()) == (200, {"status": "alive"})
