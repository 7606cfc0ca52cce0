"""Every connection of the demo, walked by pages of several sizes in both directions."""

from collections import Counter
from collections.abc import Iterator

import pytest

from graph.tables.reader import Reader
from tests import faults
from tests.harness import Graph
from tests.memory import NAMES, MemoryDatabase
from tests.resolvers.model import expected, parents
from tests.resolvers.walks import Connection, Walked, connections, node_names, read_page, walk

CONNECTIONS = list(connections())
SIZES = (1, 2, 3, 7, 100)
LONG = 60  # rows from which a list is walked by pages of 7 and 100 only
ALIKE = 1  # lists of one length in one connection that are walked by the short pages; all are by pages of 100


def empty_start(call: faults.Call) -> faults.Answer:
    """An empty page with a key, where a Query begins: a service that makes no headway between two keys is none."""
    names, places = call.request.get("ExpressionAttributeNames", {}), call.request.get("ProjectionExpression", "")
    has_key = set(call.key) <= {names[place] for place in places.split(", ") if place}
    return faults.page_of(0)(call) if has_key and "ExclusiveStartKey" not in call.request else call.answer()


# A page that is filled to its limit has a key here anyhow.
RESHAPING = (
    empty_start,
    faults.page_of(1),
    faults.page_of(2),
    faults.unprocessed(0),
    faults.unprocessed(1),
    faults.shuffled,
)

_WALKED: dict[Connection, dict[str, Walked]] = {}

each_connection = pytest.mark.parametrize("connection", CONNECTIONS, ids=str)
each_plain_connection = pytest.mark.parametrize(
    "connection", [connection for connection in CONNECTIONS if connection.argument is None], ids=str
)


@each_connection
async def test_a_walk_sees_each_row_once_in_order(quick: Graph, connection: Connection) -> None:
    whole = await _everywhere(quick, connection)
    for parent, walked in whole.items():
        model = expected(connection.type, connection.field, parent, connection.arguments)
        if model is not None:
            assert walked.nodes == model
        assert len(set(walked.nodes)) == len(set(walked.cursors)) == len(walked.nodes)
        if "totalCount" in connection.has:
            assert walked.total == len(walked.nodes)
    for size in SIZES:
        for forward in (True, False):
            chosen = list(_different(whole, size))
            for parent, walked in zip(
                chosen, await walk(quick, connection, chosen, size, forward=forward), strict=True
            ):
                assert (walked.nodes, walked.cursors) == (whole[parent].nodes, whole[parent].cursors)
                assert walked.pages == -(-len(walked.nodes) // size)


def _different(whole: dict[str, Walked], size: int) -> Iterator[str]:
    """Parents with lists to walk by pages of a size."""
    lengths: Counter[int] = Counter()
    for parent, walked in whole.items():
        length = len(walked.nodes)
        lengths[length] += 1
        if length > 0 and lengths[length] <= ALIKE and (length < LONG or size >= 7):
            yield parent


@each_plain_connection
async def test_a_range_between_two_cursors_is_walked_from_either_end(quick: Graph, connection: Connection) -> None:
    parent, whole = await _longest(quick, connection)
    low, high = len(whole.nodes) // 4, len(whole.nodes) * 3 // 4
    between = {"after": whole.cursors[low], "before": whole.cursors[high]}
    inside = whole.nodes[low + 1 : high]
    for size in (1, 3, 100):
        forward = await read_page(quick, connection, parent, first=size, **between)
        assert node_names(forward) == inside[:size]
        assert forward["pageInfo"]["hasPreviousPage"]
        assert forward["pageInfo"]["hasNextPage"]
        backward = await read_page(quick, connection, parent, last=size, **between)
        assert node_names(backward) == inside[-size:]
        assert backward["pageInfo"]["hasPreviousPage"]
        assert backward["pageInfo"]["hasNextPage"]


@each_plain_connection
async def test_first_may_stop_before_a_cursor_and_last_begin_after_one(quick: Graph, connection: Connection) -> None:
    parent, whole = await _longest(quick, connection)
    middle = len(whole.nodes) // 2
    head = await read_page(quick, connection, parent, first=100, before=whole.cursors[middle])
    assert node_names(head) == whole.nodes[:middle][:100]
    assert (head["pageInfo"]["hasPreviousPage"], head["pageInfo"]["hasNextPage"]) == (False, True)
    tail = await read_page(quick, connection, parent, last=100, after=whole.cursors[middle])
    assert node_names(tail) == whole.nodes[middle + 1 :][-100:]
    assert (tail["pageInfo"]["hasPreviousPage"], tail["pageInfo"]["hasNextPage"]) == (True, False)


@each_plain_connection
async def test_no_rows_may_be_asked_for(quick: Graph, connection: Connection) -> None:
    parent, whole = await _longest(quick, connection)
    nothing = {"startCursor": None, "endCursor": None}
    for size in ("first", "last"):
        page = await read_page(quick, connection, parent, **{size: 0})
        follows = "hasNextPage" if size == "first" else "hasPreviousPage"
        assert page["edges"] == []
        assert page["pageInfo"] == {"hasNextPage": False, "hasPreviousPage": False, follows: True} | nothing
    page = await read_page(quick, connection, parent, first=0, after=whole.cursors[-1])
    assert page["pageInfo"] == {
        "hasNextPage": False,
        "hasPreviousPage": True,
        "startCursor": None,
        "endCursor": whole.cursors[-1],
    }


@each_plain_connection
async def test_twenty_rows_are_given_where_no_number_is(quick: Graph, connection: Connection) -> None:
    parent, whole = await _longest(quick, connection)
    assert node_names(await read_page(quick, connection, parent)) == whole.nodes[:20]


async def _everywhere(graph: Graph, connection: Connection) -> dict[str, Walked]:
    """The whole list of every parent, read once for all tests."""
    if connection not in _WALKED:
        everywhere = parents(connection.type)
        _WALKED[connection] = dict(
            zip(everywhere, await walk(graph, connection, everywhere, 100, together=60), strict=True)
        )
    return _WALKED[connection]


async def _longest(graph: Graph, connection: Connection) -> tuple[str, Walked]:
    """The parent with the longest list of a connection, and that list."""
    parent, longest = max((await _everywhere(graph, connection)).items(), key=lambda item: len(item[1].nodes))
    if len(longest.nodes) < 2:
        pytest.skip("no list of the demo has two rows here")
    return parent, longest


@each_connection
@pytest.mark.parametrize("forward", [True, False], ids=["forward", "backward"])
async def test_a_walk_through_a_faulty_database_sees_the_same(
    quick: Graph, memory: MemoryDatabase, monkeypatch: pytest.MonkeyPatch, connection: Connection, forward: bool
) -> None:
    faults.without_pauses(monkeypatch)
    whole = await _everywhere(quick, connection)
    # Faults make a call several; the lists of several hundred rows are left to the walk without faults.
    chosen = [parent for parent in _different(whole, size=3) if len(whole[parent].nodes) < LONG]
    plan = faults.seeded(7, (*faults.PASSING, *RESHAPING), most=2)
    graph = Graph(faults.FaultyClient(memory, NAMES, plan), NAMES, reader=Reader, schema=quick.schema)
    walked = await walk(graph, connection, chosen, 3, forward=forward)
    graph.close()
    assert [one.nodes for one in walked] == [whole[parent].nodes for parent in chosen]
    assert [one.cursors for one in walked] == [whole[parent].cursors for parent in chosen]
