"""Properties of attribution, over random machines that run in both dialects."""

import sys
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.history import (
    Attribution,
    Event,
    EventKind,
    IterationCounts,
    StageStatus,
    attribute,
    frame,
    parse_definition,
    parse_events,
    roll_up,
)
from tests.history.machines import Machine, machines
from tests.history.simulation import Path, Simulation

runs = given(machine=machines(), seed=st.integers(0, 2**32), written=st.booleans())
many = settings(max_examples=100, deadline=None)

LASTING = {StageStatus.SUCCEEDED, StageStatus.CAUGHT, StageStatus.FAILED, StageStatus.ABORTED, StageStatus.TIMED_OUT}


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - nothing secret


def simulate(machine: Machine, seed: int, *, written: bool) -> Simulation:
    return Simulation(machine, seeded(seed), written=written)


def summary(attribution: Attribution) -> list[tuple[Any, ...]]:
    return [
        (visit.name, visit.scope.path(), visit.status, visit.attempts, visit.entered_event_id, visit.exited_event_id)
        for visit in attribution.visits
    ]


def without_branch_numbers(path: Path) -> Path:
    return tuple((stage, None, first, iteration, attempt) for stage, _, first, iteration, attempt in path)


@runs
@many
def test_each_visit_is_found_where_it_ran_with_what_became_of_it(machine: Machine, seed: int, written: bool) -> None:
    run = simulate(machine, seed, written=written)
    attribution = attribute(parse_events(run.events), parse_definition(machine))
    assert summary(attribution) == [
        (seen.name, seen.path, seen.status, seen.attempts, seen.entered, seen.exited) for seen in run.seen
    ]


@runs
@many
def test_without_a_definition_only_the_numbers_of_branches_are_missing(
    machine: Machine, seed: int, written: bool
) -> None:
    run = simulate(machine, seed, written=written)
    assert summary(attribute(parse_events(run.events))) == [
        (seen.name, without_branch_numbers(seen.path), seen.status, seen.attempts, seen.entered, seen.exited)
        for seen in run.seen
    ]


@runs
@many
def test_each_event_belongs_to_the_visit_that_caused_it(machine: Machine, seed: int, written: bool) -> None:
    run = simulate(machine, seed, written=written)
    for found in attribute(parse_events(run.events), parse_definition(machine)):
        expected = run.owner.get(found.event.id)
        assert (found.visit.entered_event_id if found.visit else None) == (expected.entered if expected else None)
        assert found.is_attributed == (expected is not None or found.event.kind.startswith("EXECUTION"))


@runs
@many
def test_each_entry_has_one_visit_and_each_exit_closes_one(machine: Machine, seed: int, written: bool) -> None:
    attribution = attribute(parse_events(simulate(machine, seed, written=written).events))
    for kind, closed in ((EventKind.STATE_ENTERED, False), (EventKind.STATE_EXITED, True)):
        visits = [found.visit for found in attribution if found.event.kind is kind]
        assert None not in visits
        if closed:
            assert (
                len(visits) == len(set(visits)) == len([visit for visit in attribution.visits if visit.exited_event_id])
            )


@runs
@many
def test_nothing_runs_after_the_end(machine: Machine, seed: int, written: bool) -> None:
    run = simulate(machine, seed, written=written)
    attribution = attribute(parse_events(run.events))
    is_running = any(visit.status is StageStatus.RUNNING for visit in attribution.visits)
    assert not (run.is_over and is_running)
    assert all(visit.status is not StageStatus.UNKNOWN for visit in attribution.visits)


@runs
@many
def test_a_map_that_succeeded_has_all_its_iterations(machine: Machine, seed: int, written: bool) -> None:
    for visit in attribute(parse_events(simulate(machine, seed, written=written).events)).visits:
        if visit.state_type == "Map" and visit.status is StageStatus.SUCCEEDED and visit.map_run is None:
            assert visit.attempt is not None
            indices = sorted(scope.iteration for scope in visit.attempt.scopes.values() if scope.iteration is not None)
            assert indices == list(range(visit.attempt.length or 0))
            length = len(indices)
            assert visit.attempt.iterations() == IterationCounts(length, length, length, 0, 0, running=0)


@runs
@many
def test_the_order_of_pages_and_repeated_events_change_nothing(machine: Machine, seed: int, written: bool) -> None:
    events = parse_events(simulate(machine, seed, written=written).events)
    pages = [events[start : start + 7] for start in range(0, len(events), 5)]  # overlapping
    seeded(seed).shuffle(pages)
    shuffled = attribute([event for page in pages for event in page])
    assert summary(shuffled) == summary(attribute(events))
    assert shuffled.events == events


@runs
@many
def test_a_head_never_contradicts_the_whole(machine: Machine, seed: int, written: bool) -> None:
    events = parse_events(simulate(machine, seed, written=written).events)
    definition = parse_definition(machine)
    whole = attribute(events, definition)
    final = {visit.entered_event_id: visit for visit in whole.visits}
    stages = {stage.name: stage for stage in roll_up(frame(definition), whole)}
    for length in {seeded(seed + number).randrange(len(events) + 1) for number in range(8)}:
        head = attribute(events[:length], definition, read_to_end=False)
        for visit in head.visits:
            same = final[visit.entered_event_id]
            assert (visit.name, visit.scope.path()) == (same.name, same.scope.path())
            assert visit.status in (same.status, StageStatus.UNKNOWN)
            assert visit.attempts <= same.attempts
            assert visit.exited_event_id in (same.exited_event_id, None)
        for stage in roll_up(frame(definition), head):
            assert stage.status in (stages[stage.name].status, StageStatus.UNKNOWN)


@runs
@many
def test_a_run_that_goes_on_changes_nothing_but_what_runs(machine: Machine, seed: int, written: bool) -> None:
    events = parse_events(simulate(machine, seed, written=written).events)
    whole = attribute(events)
    redrives = [position for position, event in enumerate(events) if event.kind is EventKind.EXECUTION_REDRIVEN]
    final = {visit.entered_event_id: visit for visit in whole.visits}
    for number in range(8):
        length = seeded(seed + number).randrange((redrives or [0])[-1] + 1, len(events) + 1)
        for visit in attribute(events[:length]).visits:
            assert visit.status in (final[visit.entered_event_id].status, StageStatus.RUNNING)


@runs
@many
def test_what_is_left_of_a_history_never_contradicts_the_whole(machine: Machine, seed: int, written: bool) -> None:
    events = parse_events(simulate(machine, seed, written=written).events)
    definition = parse_definition(machine)
    whole = {visit.entered_event_id: visit for visit in attribute(events, definition).visits}
    for number in range(6):
        random = seeded(seed + number)
        first, last = sorted((random.randrange(len(events) + 1), random.randrange(len(events) + 1)))
        left = attribute([*events[:first], *events[last:]], definition)
        exits = [event for event in left.events if event.kind is EventKind.STATE_EXITED]
        assert len(exits) == len([visit for visit in left.visits if visit.exited_event_id])
        for visit in left.visits:
            if visit.entered_event_id is not None and visit.entered_event_id in whole:
                same = whole[visit.entered_event_id]
                assert visit.name == same.name
                if visit.exited_event_id is not None:
                    assert visit.exited_event_id == same.exited_event_id
                    assert visit.status in (same.status, StageStatus.UNKNOWN)


# -- any events at all

ANYTHING = st.lists(
    st.builds(
        Event,
        id=st.integers(1, 40),
        previous_id=st.integers(0, 40),
        type=st.just("Any"),
        kind=st.sampled_from(list(EventKind)),
        time=st.none(),
        step_name=st.sampled_from([None, "A", "B", "C"]),
        state_type=st.sampled_from([None, "Task", "Map", "Parallel", "Fail"]),
        iteration=st.sampled_from([None, 0, 1]),
        detail=st.sampled_from([{}, {"error": 1, "cause": []}, {"length": "x", "redriveCount": -1}]),
    ),
    max_size=30,
)
MACHINES = [
    {"StartAt": "A", "States": {"A": {"Type": "Map", "Iterator": {"StartAt": "B", "States": {"B": {"Type": "Task"}}}}}},
    {"StartAt": "A", "States": {"A": {"Type": "Parallel", "Branches": [{"StartAt": "C", "States": {"C": {}}}]}}},
]
ENDS = {
    EventKind.EXECUTION_SUCCEEDED,
    EventKind.EXECUTION_FAILED,
    EventKind.EXECUTION_ABORTED,
    EventKind.EXECUTION_TIMED_OUT,
}


@given(events=ANYTHING, read_to_end=st.booleans(), machine=st.sampled_from([None, *MACHINES]))
@settings(max_examples=200, deadline=None)
def test_no_events_are_refused(events: list[Event], read_to_end: bool, machine: Machine | None) -> None:
    definition = parse_definition(machine) if machine is not None else None
    attribution = attribute(events, definition, read_to_end=read_to_end)
    assert len(list(attribution)) == len({event.id for event in events})
    exits = [event for event in attribution.events if event.kind is EventKind.STATE_EXITED and event.step_name]
    assert len(exits) == len([visit for visit in attribution.visits if visit.exited_event_id is not None])
    turns = [event.kind for event in attribution.events if event.kind in ENDS | {EventKind.EXECUTION_REDRIVEN}]
    if turns and turns[-1] in ENDS:
        assert all(visit.status is not StageStatus.RUNNING for visit in attribution.visits)
    roll_up(frame(definition) if definition is not None else None, attribution)


# -- cost


class Recorder:
    """Makes long histories of a simple shape."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(
        self,
        kind: EventKind,
        link: int,
        state_type: str | None = None,
        name: str | None = None,
        index: int | None = None,
    ) -> int:
        self.events.append(Event(len(self.events) + 1, link, kind.value, kind, None, name, state_type, index))
        return len(self.events)


def choice_loop(size: int) -> list[Event]:
    recorder, link = Recorder(), 0
    while len(recorder.events) < size:
        entered = recorder.add(EventKind.STATE_ENTERED, link, "Choice", "Again")
        link = recorder.add(EventKind.STATE_EXITED, entered, "Choice", "Again")
    return recorder.events


def serial_map(size: int) -> list[Event]:
    recorder = Recorder()
    link = recorder.add(EventKind.CONTAINER_STARTED, recorder.add(EventKind.STATE_ENTERED, 0, "Map", "Each"), "Map")
    for index in range(size // 4):
        started = recorder.add(EventKind.ITERATION_STARTED, link, "Map", "Each", index)
        link = recorder.add(
            EventKind.STATE_EXITED, recorder.add(EventKind.STATE_ENTERED, started, "Pass", "P"), "Pass", "P"
        )
        recorder.add(EventKind.ITERATION_SUCCEEDED, link, "Map", "Each", index)
    recorder.add(EventKind.STATE_EXITED, link, "Map", "Each")
    return recorder.events


def failing_map(size: int) -> list[Event]:
    recorder, width = Recorder(), size // 8
    start = recorder.add(EventKind.CONTAINER_STARTED, recorder.add(EventKind.STATE_ENTERED, 0, "Map", "Each"), "Map")
    links = [recorder.add(EventKind.ITERATION_STARTED, start, "Map", "Each", index) for index in range(width)]
    links = [recorder.add(EventKind.STATE_ENTERED, link, "Task", "Do") for link in links]
    for kind in (EventKind.WORK_SCHEDULED, EventKind.WORK_STARTED, EventKind.WORK_SUBMITTED):
        links = [recorder.add(kind, link, "Task") for link in links]
    failing = recorder.add(EventKind.WORK_FAILED, links[0], "Task")
    for index in range(width):
        recorder.add(EventKind.STATE_ABORTED, failing, "Task")
        recorder.add(
            EventKind.ITERATION_ABORTED if index else EventKind.ITERATION_FAILED, failing, "Map", "Each", index
        )
    recorder.add(EventKind.EXECUTION_FAILED, recorder.add(EventKind.CONTAINER_FAILED, failing, "Map"))
    return recorder.events


def redriven_again_and_again(size: int) -> list[Event]:
    recorder = Recorder()
    recorder.events.extend(failing_map(size // 2))
    while len(recorder.events) < size:
        recorder.add(EventKind.EXECUTION_REDRIVEN, len(recorder.events))
        recorder.add(EventKind.CONTAINER_FAILED, 5, "Map")
        recorder.add(EventKind.EXECUTION_FAILED, len(recorder.events))
    return recorder.events


def nested(size: int) -> list[Event]:
    recorder, link = Recorder(), 0
    for depth in range(size // 4):
        link = recorder.add(
            EventKind.CONTAINER_STARTED,
            recorder.add(EventKind.STATE_ENTERED, link, "Parallel", f"P{depth}"),
            "Parallel",
        )
    for _ in range(size // 2):
        recorder.add(EventKind.CONTAINER_SUCCEEDED, link, "Map")
    return recorder.events


def retried(size: int) -> list[Event]:
    recorder = Recorder()
    link = recorder.add(EventKind.STATE_ENTERED, 0, "Parallel", "Fan")
    while len(recorder.events) < size:
        start = recorder.add(EventKind.CONTAINER_STARTED, link, "Parallel")
        link = [recorder.add(EventKind.STATE_ENTERED, start, "Task", f"T{branch}") for branch in range(50)][-1]
    return recorder.events


def unread(size: int) -> list[Event]:
    recorder = Recorder()
    for _ in range(size):
        recorder.add(EventKind.STATE_ENTERED, size * 9, "Task", "Do")
    return recorder.events


def steps(work: Callable[[], object]) -> int:
    """Count the lines that run, so that the cost is measured and no clock is."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "history",
    [choice_loop, serial_map, failing_map, redriven_again_and_again, retried, unread],
    ids=lambda make: make.__name__,
)
def test_four_times_the_events_take_four_times_the_steps(history: Callable[[int], list[Event]]) -> None:
    small, large = history(1000), history(4000)

    def cost(events: list[Event]) -> int:
        return steps(lambda: list(attribute(events)))

    assert cost(large) <= 4.4 * cost(small)


def test_nesting_that_nobody_needs_costs_no_more_than_its_length() -> None:
    small, large = nested(1000), nested(4000)  # both beyond the depth that is climbed
    assert steps(lambda: list(attribute(large))) <= 4.4 * steps(lambda: list(attribute(small)))


def test_an_event_takes_few_steps() -> None:
    for history in (choice_loop, serial_map, failing_map):
        events = history(2000)
        assert steps(lambda events=events: attribute(events)) <= 80 * len(events)  # type: ignore[misc]
