"""What clients see of the graph, as graphql-eslint judges it."""

from tests.conformance.conftest import Composed, Node

UNUSUAL = """
type Query {
  things(first: Int): ThingConnection
}
type ThingConnection {
  edges: [ThingEdge]
}
type ThingEdge {
  node: String
}
"""


def test_the_schema_is_clean(node: Node, supergraphs: dict[str, Composed]) -> None:
    assert node.run("lint.mjs", stdin=supergraphs["alone"].api) == []


def test_what_is_unusual_is_found(node: Node) -> None:
    found = {complaint["rule"].removeprefix("@graphql-eslint/") for complaint in node.run("lint.mjs", stdin=UNUSUAL)}
    assert found == {
        "relay-arguments",
        "relay-connection-types",
        "relay-edge-types",
        "relay-page-info",
        "require-description",
    }
