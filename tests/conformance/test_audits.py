"""GraphQL over HTTP as the audits of graphql-http see it, which are those that other servers publish."""

from typing import Any

from tests.conformance.conftest import Node
from tests.memory import MemoryDatabase
from tests.serving import listening, make_app

NEEDS_GET = {"5A70", "D6D5", "6A70"}
NEEDS_INTROSPECTION = {"2EA1", "28B9"}


def failed(node: Node, memory: MemoryDatabase, **settings: Any) -> set[str]:
    """The audits that are not passed."""
    with listening(make_app(memory, **settings)) as address:
        results = node.run("audit.mjs", f"{address}/graphql")
    assert len(results) == 61
    return {result["id"] for result in results if result["status"] != "ok"}


def test_development_passes_all(node: Node, memory: MemoryDatabase) -> None:
    assert failed(node, memory, environment="development") == set()


def test_production_fails_those_alone_that_ask_by_get_or_introspect(node: Node, memory: MemoryDatabase) -> None:
    assert failed(node, memory) == NEEDS_GET | NEEDS_INTROSPECTION
