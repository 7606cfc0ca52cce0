"""The order of states, and loops."""

from hypothesis import given
from hypothesis import strategies as st

from graph.history.ordering import in_running_order, on_cycles

graphs = st.dictionaries(
    st.sampled_from("ABCDEFG"), st.lists(st.sampled_from("ABCDEFG"), max_size=3), min_size=1, max_size=7
).map(lambda graph: {name: [to for to in successors if to in graph] for name, successors in graph.items()})


def reachable(graph: dict[str, list[str]], names: list[str]) -> set[str]:
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names.extend(graph[name])
    return found


def test_a_main_path_comes_before_its_handlers_and_a_join_after_what_leads_to_it() -> None:
    graph = {
        "Construct": ["Batch"],
        "Batch": ["End", "HandleBatchError"],
        "HandleBatchError": ["End"],
        "End": ["Choice"],
        "Choice": ["Success", "Fail"],
        "Success": [],
        "Fail": [],
    }
    expected = ["Construct", "Batch", "HandleBatchError", "End", "Choice", "Success", "Fail"]
    assert in_running_order("Construct", graph) == expected


@given(graphs)
def test_everything_reachable_is_listed_once(graph: dict[str, list[str]]) -> None:
    start = min(graph)
    order = in_running_order(start, graph)
    assert order[0] == start
    assert len(order) == len(set(order))
    assert set(order) == reachable(graph, [start])


@given(graphs)
def test_without_loops_nothing_comes_before_what_leads_to_it(graph: dict[str, list[str]]) -> None:
    forward = {name: [to for to in successors if to > name] for name, successors in graph.items()}
    order = in_running_order(min(forward), forward)
    for name in order:
        assert all(order.index(name) < order.index(to) for to in forward[name])


@given(graphs)
def test_what_is_on_a_cycle_can_reach_itself(graph: dict[str, list[str]]) -> None:
    order = in_running_order(min(graph), graph)
    assert on_cycles(order, graph) == {name for name in order if name in reachable(graph, list(graph[name]))}


def test_long_chains_need_no_recursion() -> None:
    graph = {str(number): [str(number + 1)] for number in range(5_000)} | {"5000": ["0"]}
    order = in_running_order("0", graph)
    assert order == [str(number) for number in range(5_001)]
    assert len(on_cycles(order, graph)) == 5_001
