"""Walks through histories of which a run's own reading leaves out the middle."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph.demo.logs import log_clients
from graph.demo.model import ACCOUNT, REGION
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played, RawEvent
from graph.settings import Settings
from tests.harness import Graph
from tests.logs.unruly import Recorded, refused
from tests.memory import NAMES, MemoryDatabase

MOST_EVENTS = 25_000  # of a history, at AWS
START = datetime(2026, 7, 14, 9, 30, tzinfo=UTC)
NAME = "vams-convert-qa-thumb"
MACHINE = Machine(
    f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{NAME}",
    {"StartAt": "Turn", "States": {"Turn": {"Type": "Pass", "Next": "Turn"}}},
)
DOCUMENT = """
query($id: String!, $first: Int, $after: String, $last: Int, $before: String, $step: String, $types: [String!]) {
  execution(executionId: $id) { engineExecution { historyIsComplete unread { afterEventId beforeEventId from to }
    stages { nodes { name visitCount visits(first: 0) { totalCount } } }
    history(first: $first, after: $after, last: $last, before: $before, stepName: $step, types: $types) {
      totalCount shortPageReason edges { cursor node { eventId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def loop(length: int) -> list[RawEvent]:
    """A state that is entered and left until the history has so many events; a rare one is of another type."""
    events: list[RawEvent] = []
    for number in range(1, length + 1):
        kind, name = ("Entered", "Turn") if number % 2 == 0 else ("Exited", "Turn")
        event_type = "ExecutionStarted" if number == 1 else f"PassState{kind}"
        details: dict[str, Any] = {f"state{kind}EventDetails": {"name": name}} if number > 1 else {}
        if number % 4003 == 0:
            event_type, details = "Rare", {}
        time = START + timedelta(milliseconds=number)
        events.append({"id": number, "previousEventId": number - 1, "type": event_type, "timestamp": time, **details})
    return events


def engine(events: list[RawEvent], clock: Clock, status: str = "SUCCEEDED") -> EmbeddedStepFunctions:
    return EmbeddedStepFunctions([Played(MACHINE, SAMPLE_EXECUTION_ID, status, events)], clock=clock)


@pytest.fixture
def make(memory: MemoryDatabase) -> Iterator[Callable[..., Graph]]:
    made: list[Graph] = []

    def graph(states: Any, **settings: Any) -> Graph:
        chosen = Settings(cursor_secrets=["a secret of the tests"], **settings)
        made.append(Graph(memory, NAMES, chosen, logs=replace(log_clients(), states=states)))
        return made[-1]

    yield graph
    for one in made:
        one.close()


async def read(graph: Graph, **arguments: Any) -> Any:
    data = await graph.data(DOCUMENT, id=SAMPLE_EXECUTION_ID, **arguments)
    return data["execution"]["engineExecution"]


async def walk(graph: Graph, size: int, *, forward: bool, cursor: str | None = None, **conditions: Any) -> list[int]:
    """The ids of the events from a cursor on, in the order of the history; no page may stand still."""
    begin, name, from_cursor, more = (
        ("first", "after", "endCursor", "hasNextPage")
        if forward
        else ("last", "before", "startCursor", "hasPreviousPage")
    )
    found: list[int] = []
    seen: set[str | None] = set()
    while True:
        assert cursor not in seen
        seen.add(cursor)
        page = (await read(graph, **{begin: size, name: cursor}, **conditions))["history"]
        ids = [edge["node"]["eventId"] for edge in page["edges"]]
        assert len(ids) <= size
        found = found + ids if forward else ids + found
        if not page["pageInfo"][more]:
            return found
        if len(ids) == size:
            assert page["edges"][-1 if forward else 0]["cursor"] == page["pageInfo"][from_cursor]
        cursor = page["pageInfo"][from_cursor]


@pytest.mark.parametrize("forward", [True, False])
async def test_every_event_of_the_longest_history_is_walked_once_from_either_end(
    make: Callable[..., Graph], forward: bool
) -> None:
    graph = make(engine(loop(MOST_EVENTS), Clock()))
    assert await walk(graph, 1000, forward=forward) == list(range(1, MOST_EVENTS + 1))


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(
    ("length", "pages", "size"),
    [(2500, 1, 700), (2001, 2, 1000), (4000, 2, 999)],
)
async def test_so_it_is_with_any_bound(
    make: Callable[..., Graph], length: int, pages: int, size: int, forward: bool
) -> None:
    graph = make(engine(loop(length), Clock()), history_pages=pages, history_pages_per_operation=pages)
    assert await walk(graph, size, forward=forward) == list(range(1, length + 1))


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(
    ("conditions", "meets"),
    [
        ({"types": ["Rare"]}, lambda number: number % 4003 == 0),
        ({"step": "Turn"}, lambda number: number > 1),
        ({"types": ["None"]}, lambda _: False),
    ],
)
async def test_chosen_events_are_walked_once_too(
    make: Callable[..., Graph], conditions: Any, meets: Callable[[int], bool], forward: bool
) -> None:
    graph = make(engine(loop(9_000), Clock()), history_pages=2)
    assert await walk(graph, 900, forward=forward, **conditions) == [n for n in range(1, 9_001) if meets(n)]


@pytest.mark.parametrize("forward", [True, False])
async def test_a_walk_turns_around_in_the_middle(make: Callable[..., Graph], forward: bool) -> None:
    graph = make(engine(loop(8_000), Clock()), history_pages=2)
    cursor, (begin, name) = None, ("first", "after") if forward else ("last", "before")
    for _ in range(4):
        page = (await read(graph, **{begin: 1000, name: cursor}))["history"]
        cursor = page["pageInfo"]["endCursor" if forward else "startCursor"]
    middle = page["edges"][0 if forward else -1]
    expected = range(1, middle["node"]["eventId"]) if forward else range(middle["node"]["eventId"] + 1, 8_001)
    assert await walk(graph, 1000, forward=not forward, cursor=middle["cursor"]) == list(expected)


@pytest.mark.parametrize("forward", [True, False])
async def test_a_walk_goes_on_when_the_engine_has_forgotten_its_tokens(
    make: Callable[..., Graph], forward: bool
) -> None:
    clock = Clock()
    graph = make(engine(loop(9000), clock), history_pages=2)
    cursor, found = None, list[int]()
    begin, name = ("first", "after") if forward else ("last", "before")
    for _ in range(4):
        page = (await read(graph, **{begin: 1000, name: cursor}))["history"]
        ids = [edge["node"]["eventId"] for edge in page["edges"]]
        found = found + ids if forward else ids + found
        cursor = page["pageInfo"]["endCursor" if forward else "startCursor"]
    clock.now += 25 * 3600
    rest = await walk(graph, 1000, forward=forward, cursor=cursor)
    assert (found + rest if forward else rest + found) == list(range(1, 9001))


async def test_what_a_run_does_meanwhile_comes_at_the_end_of_the_walk(make: Callable[..., Graph]) -> None:
    whole = loop(9500)
    service = engine(whole[:7000], Clock(), "RUNNING")
    graph = make(service, history_pages=2)
    page = (await read(graph, first=1000))["history"]
    found = [edge["node"]["eventId"] for edge in page["edges"]]
    page = (await read(graph, first=1000, after=page["pageInfo"]["endCursor"]))["history"]
    found += [edge["node"]["eventId"] for edge in page["edges"]]
    service.append(f"{MACHINE.execution(SAMPLE_EXECUTION_ID)}", whole[7000:], "SUCCEEDED")
    found += await walk(graph, 1000, forward=True, cursor=page["pageInfo"]["endCursor"])
    assert found == list(range(1, 9501))


async def test_a_page_between_two_cursors_holds_what_lies_between_them(make: Callable[..., Graph]) -> None:
    graph = make(engine(loop(9000), Clock()), history_pages=2)
    head = (await read(graph, first=900))["history"]["pageInfo"]["endCursor"]
    tail = (await read(graph, last=900))["history"]["pageInfo"]["startCursor"]
    found: list[int] = []
    cursor = head
    while True:
        page = (await read(graph, first=1000, after=cursor, before=tail))["history"]
        found += [edge["node"]["eventId"] for edge in page["edges"]]
        cursor = page["pageInfo"]["endCursor"]
        if len(page["edges"]) < 1000:
            break
    assert found == list(range(901, 8101))


async def test_one_page_of_a_walk_reads_one_page_more(make: Callable[..., Graph]) -> None:
    states = Recorded(engine(loop(MOST_EVENTS), Clock()))
    graph = make(states)
    cursor = None
    for _ in range(4):
        states.requests.clear()
        cursor = (await read(graph, first=1000, after=cursor))["history"]["pageInfo"]["endCursor"]
    calls = [request for name, request in states.requests if name == "get_execution_history"]
    assert len(calls) == 5 + 1


async def test_an_operation_reads_on_for_as_many_pages_as_one_history_may_take(make: Callable[..., Graph]) -> None:
    states = Recorded(engine(loop(MOST_EVENTS), Clock()))
    graph = make(states, history_pages=3)
    fields = " ".join(
        f'h{n}: history(types: ["Rare"], {size}: 9) {{ totalCount nodes {{ eventId }} }}'
        for n, size in enumerate(["first", "last", "first", "last"])
    )
    document = f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ engineExecution {{ {fields} }} }} }}'
    await graph.data(document)
    calls = [str(sorted(request.items())) for name, request in states.requests if name == "get_execution_history"]
    assert len(calls) == len(set(calls)) <= 3 + 3


class Failing:
    """Step Functions, which refuses a history after so many pages of it."""

    def __init__(self, states: Any, pages: int) -> None:
        self._states, self.pages = states, pages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._states, name)

    def get_execution_history(self, **request: Any) -> Any:
        self.pages -= 1
        if self.pages < 0:
            raise refused("AccessDeniedException", 400)
        return self._states.get_execution_history(**request)


@pytest.mark.parametrize("pages", [1, 2, 3])
async def test_a_page_that_cannot_be_read_ends_early_and_the_walk_goes_on_from_there(
    make: Callable[..., Graph], pages: int
) -> None:
    service = engine(loop(6000), Clock())
    states = Failing(service, pages)
    graph = make(states, history_pages=2)
    page = (await read(graph, first=1000))["history"]
    found = [edge["node"]["eventId"] for edge in page["edges"]]
    assert page["pageInfo"]["hasNextPage"]
    for pages_more in (2, 3, 1000):
        states.pages = pages_more
        page = (await read(graph, first=1000, after=page["pageInfo"]["endCursor"]))["history"]
        found += [edge["node"]["eventId"] for edge in page["edges"]]
    assert found + await walk(graph, 1000, forward=True, cursor=page["pageInfo"]["endCursor"]) == list(range(1, 6001))


@pytest.mark.parametrize(("length", "is_whole"), [(4999, True), (5000, True), (5001, False), (MOST_EVENTS, False)])
async def test_counts_are_null_until_the_history_is_read_whole(
    make: Callable[..., Graph], length: int, is_whole: bool
) -> None:
    run = await read(make(engine(loop(length), Clock())), first=1000)
    assert run["historyIsComplete"] is is_whole
    assert run["history"]["totalCount"] == (length if is_whole else None)
    ((turn,),) = [run["stages"]["nodes"]]
    assert turn["visitCount"] == turn["visits"]["totalCount"]
    assert turn["visits"]["totalCount"] == (length // 2 - length // 8006 if is_whole else None)


async def test_what_was_left_out_is_told_whatever_page_is_asked_for(make: Callable[..., Graph]) -> None:
    graph = make(engine(loop(MOST_EVENTS), Clock()))
    left_out = {
        "afterEventId": 1000,
        "beforeEventId": 21001,
        "from": "2026-07-14T09:30:01.000Z",
        "to": "2026-07-14T09:30:21.001Z",
    }
    page = await read(graph, first=1000)
    assert page["unread"] == [left_out]
    assert (await read(graph, first=1000, after=page["history"]["pageInfo"]["endCursor"]))["unread"] == [left_out]
    assert (await read(make(engine(loop(5000), Clock()))))["unread"] == []


async def test_a_page_that_may_read_no_further_says_so(make: Callable[..., Graph]) -> None:
    graph = make(engine(loop(9000), Clock()), history_pages=1)
    page = (await read(graph, types=["Rare"]))["history"]
    assert (page["edges"], page["shortPageReason"], page["pageInfo"]["hasNextPage"]) == ([], "READ_BUDGET", True)
    assert (await read(graph, first=1))["history"]["shortPageReason"] is None
