"""The graph as a part of supergraphs, as the three compositions judge it."""

import pytest
from graphql import build_schema, lexicographic_sort_schema, print_schema

from tests.conformance.conftest import ROOT, Composed

# Where two subgraphs know different things of one value, Apollo notes it, on the lowest of its levels.
NOTED_OF_THE_NEIGHBOUR = {
    "apollo": [
        f'Field "Viewer.{name}" of non-entity object type "Viewer"' for name in ("displayName", "userId", "roles")
    ]
}

each_composition = pytest.mark.parametrize("composition", ["apollo", "hive", "wundergraph"])


@each_composition
def test_accepts_the_graph_alone(supergraphs: dict[str, Composed], composition: str) -> None:
    assert supergraphs["alone"].complaints[composition] == []


@each_composition
def test_accepts_a_neighbour_that_owns_part_of_it_and_refers_to_it(
    supergraphs: dict[str, Composed], composition: str
) -> None:
    complaints = supergraphs["neighbour"].complaints[composition]
    noted = [complaint.partition(" is defined in some but not all")[0] for complaint in complaints]
    assert noted == NOTED_OF_THE_NEIGHBOUR.get(composition, [])


@each_composition
def test_accepts_another_owner_of_node(supergraphs: dict[str, Composed], composition: str) -> None:
    assert supergraphs["other owner of node"].complaints[composition] == []


@each_composition
def test_refuses_two_owners_of_node(supergraphs: dict[str, Composed], composition: str) -> None:
    assert supergraphs["two owners of node"].complaints[composition] != []


def test_clients_of_the_supergraph_see_the_graph(supergraphs: dict[str, Composed]) -> None:
    exported = build_schema((ROOT / "schema.graphql").read_text())
    exported.directives = build_schema(
        "type Query { a: Int }"
    ).directives  # prices stay between the graph and its gateway
    shown = build_schema(supergraphs["alone"].api)
    assert print_schema(lexicographic_sort_schema(shown)) == print_schema(lexicographic_sort_schema(exported))
