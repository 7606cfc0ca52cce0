"""What ended a run: of machines at random, and of histories that try to mislead."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.history import StageStatus, attribute, find_failure, parse_definition, parse_events
from tests.history.machines import Machine, machines
from tests.history.simulation import Simulation
from tests.history.tables import events, place, read


@given(machine=machines(), seed=st.integers(0, 2**32), written=st.booleans(), knows=st.booleans())
@settings(max_examples=200, deadline=None)
def test_what_ended_a_run_is_found_in_either_dialect(machine: Machine, seed: int, written: bool, knows: bool) -> None:
    run = Simulation(machine, Random(seed), written=written)  # noqa: S311 - nothing secret
    failure = find_failure(attribute(parse_events(run.events), parse_definition(machine) if knows else None))
    found = failure and (failure.visit.entered_event_id if failure.visit else None, failure.event.id)
    assert found == run.ended_by
    assert failure is None or failure.is_certain


def ended_by(table: str, machine: dict[str, Any] | None = None, *, read_to_end: bool = True) -> str | None:
    """Show what ended a run as ``id Type Map#0/Name Error``, with ``?`` behind it where that is not certain."""
    failure = find_failure(read(table, machine, read_to_end=read_to_end))
    if failure is None:
        return None
    visit = failure.visit
    words = [str(failure.event.id), failure.event.type]
    words += [place(visit.scope.path()) + str(visit.name)] if visit is not None else []
    words += [failure.error] if failure.error is not None else []
    return " ".join(words) + ("" if failure.is_certain else " ?")


TASK_FAILED_FIRST = """
    1 ExecutionStarted 0
    2 TaskStateEntered 0 name: Fetch
    3 TaskScheduled 2
    4 TaskFailed 3 error: Early
"""

TWO_BRANCHES = """
    1 ExecutionStarted 0
    2 ParallelStateEntered 0 name: Fan
    3 ParallelStateStarted 2
    4 TaskStateEntered 3 name: Left
    5 TaskStateEntered 3 name: Right
    6 TaskScheduled 4
    7 TaskScheduled 5
"""

TWO_ITEMS = """
    1 ExecutionStarted 0
    2 MapStateEntered 0 name: Each
    3 MapStateStarted 2 length: 2
    4 MapIterationStarted 3 name: Each, index: 0
    5 MapIterationStarted 3 name: Each, index: 1
    6 TaskStateEntered 4 name: Work
    7 TaskStateEntered 5 name: Work
    8 TaskScheduled 6
    9 TaskScheduled 7
"""


def blames(name: str, event_id: int) -> str:
    return f"An error occurred while executing the state '{name}' (entered at the event id #{event_id}). Why"


MISLEADING = {
    "a caught failure before the one that nothing caught": (
        TASK_FAILED_FIRST
        + """
        5 TaskStateExited 4 name: Fetch
        6 TaskStateEntered 5 name: Clean
        7 TaskScheduled 6
        8 TaskFailed 7 error: Late
        9 ExecutionFailed 8 error: Late
        """,
        "8 TaskFailed Clean Late",
    ),
    "a handler that ends in a Fail": (
        TASK_FAILED_FIRST
        + """
        5 TaskStateExited 4 name: Fetch
        6 FailStateEntered 5 name: GiveUp
        7 ExecutionFailed 6 error: Given
        """,
        "6 FailStateEntered GiveUp Given",
    ),
    "tries that failed for other reasons": (
        TASK_FAILED_FIRST
        + """
        5 TaskScheduled 4
        6 TaskTimedOut 5 error: States.Timeout
        7 TaskScheduled 6
        8 TaskSubmitFailed 7 error: Last
        9 ExecutionFailed 8 error: Last
        """,
        "8 TaskSubmitFailed Fetch Last",
    ),
    "a sibling that is aborted afterwards": (
        TWO_BRANCHES
        + """
        8 TaskFailed 7 error: E
        9 TaskStateAborted 8
        10 TaskStateAborted 8
        11 ParallelStateFailed 8 error: E
        12 ExecutionFailed 11 error: E
        """,
        "8 TaskFailed Fan[Right]/Right E",
    ),
    "a Parallel that links to the sibling that was aborted last": (
        TWO_BRANCHES
        + """
        8 TaskFailed 7 error: E
        9 TaskStateAborted 6
        10 ParallelStateFailed 9
        11 ExecutionFailed 10 error: E
        """,
        "8 TaskFailed Fan[Right]/Right E",
    ),
    "a sibling that had failed and waited for its next try": (
        TWO_BRANCHES
        + """
        8 TaskFailed 6 error: Passing
        9 TaskFailed 7 error: E
        10 TaskStateAborted 9
        11 TaskStateAborted 9
        12 ParallelStateFailed 9
        13 ExecutionFailed 12 error: E
        """,
        "9 TaskFailed Fan[Right]/Right E",
    ),
    "that sibling, linked to because it was aborted last": (
        TWO_BRANCHES
        + """
        8 TaskFailed 7 error: E
        9 TaskFailed 6 error: Passing
        10 TaskStateAborted 9
        11 ParallelStateFailed 10 error: E
        12 ExecutionFailed 11 error: E
        """,
        "8 TaskFailed Fan[Right]/Right E",
    ),
    "an iteration whose failure aborts the other": (
        TWO_ITEMS
        + """
        10 TaskFailed 9 error: E
        11 MapIterationFailed 10 name: Each, index: 1
        12 TaskStateAborted 10
        13 MapIterationAborted 10 name: Each, index: 0
        14 TaskStateAborted 10
        15 MapStateFailed 10 error: E
        16 ExecutionFailed 15 error: E
        """,
        "10 TaskFailed Each#1/Work E",
    ),
    "the other iteration aborted before the failed one is told": (
        TWO_ITEMS
        + """
        10 TaskFailed 9 error: E
        11 MapIterationAborted 10 name: Each, index: 0
        12 MapIterationFailed 10 name: Each, index: 1
        13 MapStateFailed 11 error: E
        14 ExecutionFailed 13 error: E
        """,
        "10 TaskFailed Each#1/Work E",
    ),
    "a Map that links to the iteration that was aborted last, whose task was to be tried again": (
        TWO_ITEMS
        + """
        10 TaskFailed 8 error: E
        11 TaskFailed 9 error: E
        12 MapIterationFailed 10 name: Each, index: 0
        13 MapIterationAborted 11 name: Each, index: 1
        14 MapStateFailed 13
        15 ExecutionFailed 14 error: E
        """,
        "10 TaskFailed Each#0/Work E",
    ),
    "iterations that time out in one instant": (
        TWO_ITEMS
        + """
        10 TaskTimedOut 8 09:01:00 error: States.Timeout
        11 TaskTimedOut 9 09:01:00 error: States.Timeout
        12 MapIterationFailed 11 09:01:00 name: Each, index: 1
        13 MapIterationAborted 11 09:01:00 name: Each, index: 0
        14 MapStateFailed 11 09:01:00
        15 ExecutionFailed 14 09:01:00 error: States.Timeout
        """,
        "11 TaskTimedOut Each#1/Work States.Timeout",
    ),
    "an iteration that caught, beside one that did not": (
        TWO_ITEMS
        + """
        10 TaskFailed 8 error: Caught
        11 TaskStateExited 10 name: Work
        12 PassStateEntered 11 name: Note
        13 TaskFailed 9 error: E
        14 MapIterationFailed 13 name: Each, index: 1
        15 MapIterationAborted 13 name: Each, index: 0
        16 MapStateFailed 13 error: E
        17 ExecutionFailed 16 error: E
        """,
        "13 TaskFailed Each#1/Work E",
    ),
    "an error of the interpreter in an iteration, which fails no iteration": (
        TWO_ITEMS
        + f"""
        10 TaskFailed 8 error: Passing
        11 ExecutionFailed 7 error: States.Runtime, cause: {blames("Work", 7)}
        """,
        "11 ExecutionFailed Each#1/Work States.Runtime",
    ),
    "a Choice without a match in an iteration": (
        """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 ChoiceStateEntered 4 name: Which
        6 MapIterationFailed 5 name: Each, index: 0
        7 MapStateFailed 5 error: States.NoChoiceMatched
        8 ExecutionFailed 7 error: States.NoChoiceMatched
        """,
        "7 MapStateFailed Each#0/Which States.NoChoiceMatched",
    ),
    "children of a distributed Map that failed within what it tolerates": (
        """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2
        4 MapRunStarted 3 mapRunArn: arn
        5 MapRunSucceeded 4
        6 MapStateSucceeded 5
        7 MapStateExited 4 name: Each
        8 TaskStateEntered 7 name: Sum
        9 TaskScheduled 8
        10 TaskFailed 9 error: E
        11 ExecutionFailed 10 error: E
        """,
        "10 TaskFailed Sum E",
    ),
    "children of a distributed Map beyond what it tolerates": (
        """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2
        4 MapRunStarted 3 mapRunArn: arn
        5 MapRunFailed 4 error: States.ExceedToleratedFailureThreshold
        6 MapStateFailed 5
        7 ExecutionFailed 6 error: States.ExceedToleratedFailureThreshold
        """,
        "5 MapRunFailed Each States.ExceedToleratedFailureThreshold",
    ),
    "a run that is stopped while a failed task waits for its next try": (
        TASK_FAILED_FIRST
        + """
        5 TaskStateAborted 4
        6 ExecutionAborted 0 error: Stopped
        """,
        "6 ExecutionAborted Stopped",
    ),
    "a run that is out of time while a failed task waits for its next try": (
        TASK_FAILED_FIRST + "5 ExecutionTimedOut 0",
        "5 ExecutionTimedOut",
    ),
    "a redrive after which another state fails": (
        TASK_FAILED_FIRST
        + """
        5 ExecutionFailed 4 error: Early
        6 ExecutionRedriven 5 redriveCount: 1
        7 TaskScheduled 2
        8 TaskSucceeded 7
        9 TaskStateExited 8 name: Fetch
        10 TaskStateEntered 9 name: Store
        11 TaskScheduled 10
        12 TaskFailed 11 error: E
        13 ExecutionFailed 12 error: E
        """,
        "12 TaskFailed Store E",
    ),
    "a redrive that is stopped": (
        TASK_FAILED_FIRST
        + """
        5 ExecutionFailed 4 error: Early
        6 ExecutionRedriven 5 redriveCount: 1
        7 TaskScheduled 2
        8 ExecutionAborted 0
        """,
        "8 ExecutionAborted",
    ),
    "a Fail state that is redriven, of which nothing new is recorded": (
        """
        1 ExecutionStarted 0
        2 FailStateEntered 0 name: GiveUp
        3 ExecutionFailed 2 error: Given
        4 ExecutionRedriven 3 redriveCount: 1
        5 ExecutionFailed 4 error: Given
        """,
        "5 ExecutionFailed GiveUp Given",
    ),
    "an evaluation that links to the green state before": (
        """
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: Green
        3 PassStateExited 2 name: Green
        4 PassStateEntered 3 name: Red
        5 EvaluationFailed 3 state: Red, error: States.QueryEvaluationError
        6 ExecutionFailed 5 error: States.QueryEvaluationError
        """,
        "5 EvaluationFailed Red States.QueryEvaluationError",
    ),
    "an execution that links to nothing, and names the state": (
        f"""
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: Green
        3 PassStateExited 2 name: Green
        4 ChoiceStateEntered 3 name: Red
        5 ExecutionFailed 0 error: States.Runtime, cause: {blames("Red", 4)}
        """,
        "5 ExecutionFailed Red States.Runtime",
    ),
    "a Catch that fails itself": (
        TWO_BRANCHES
        + """
        8 TaskFailed 7 error: Inner
        9 ParallelStateFailed 8 error: Inner
        10 ParallelStateFailed 8 error: States.QueryEvaluationError
        11 ExecutionFailed 10 error: States.QueryEvaluationError
        """,
        "10 ParallelStateFailed Fan States.QueryEvaluationError",
    ),
    "an output that fails after all branches succeeded": (
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: Left
        5 TaskScheduled 4
        6 TaskFailed 5 error: Caught
        7 TaskStateExited 6 name: Left
        8 ParallelStateFailed 7 error: Own
        9 ExecutionFailed 8 error: Own
        """,
        "8 ParallelStateFailed Fan Own",
    ),
    "an attempt of a Parallel before the last": (
        TWO_BRANCHES
        + """
        8 TaskFailed 6 error: First
        9 TaskStateAborted 8
        10 ParallelStateStarted 8
        11 TaskStateEntered 10 name: Left
        12 TaskStateEntered 10 name: Right
        13 TaskScheduled 12
        14 TaskFailed 13 error: Second
        15 ParallelStateFailed 14
        16 ExecutionFailed 15 error: Second
        """,
        "14 TaskFailed Fan[Right]~1/Right Second",
    ),
    "a Parallel in a Parallel that caught, beside the branch that did not": (
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Outer
        3 ParallelStateStarted 2
        4 ParallelStateEntered 3 name: Inner
        5 TaskStateEntered 3 name: Other
        6 ParallelStateStarted 4
        7 TaskStateEntered 6 name: Do
        8 TaskScheduled 7
        9 TaskScheduled 5
        10 TaskFailed 8 error: Caught
        11 ParallelStateFailed 10 error: Caught
        12 ParallelStateExited 11 name: Inner
        13 TaskFailed 9 error: E
        14 ParallelStateFailed 13 error: E
        15 ExecutionFailed 14 error: E
        """,
        "13 TaskFailed Outer[Other]/Other E",
    ),
    "a Map in a Parallel in a Map": (
        """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Outer
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Outer, index: 0
        5 ParallelStateEntered 4 name: Fan
        6 ParallelStateStarted 5
        7 MapStateEntered 6 name: Inner
        8 MapStateStarted 7 length: 1
        9 MapIterationStarted 8 name: Inner, index: 0
        10 TaskStateEntered 9 name: Do
        11 TaskScheduled 10
        12 TaskFailed 11 error: E
        13 MapIterationFailed 12 name: Inner, index: 0
        14 MapStateFailed 12
        15 ParallelStateFailed 14
        16 MapIterationFailed 15 name: Outer, index: 0
        17 MapStateFailed 15
        18 ExecutionFailed 17 error: E
        """,
        "12 TaskFailed Outer#0/Fan[Inner]/Inner#0/Do E",
    ),
    "a turn of a loop that caught, before the one that did not": (
        TASK_FAILED_FIRST
        + """
        5 TaskStateExited 4 name: Fetch
        6 TaskStateEntered 5 name: Fetch
        7 TaskScheduled 6
        8 TaskFailed 7 error: E
        9 ExecutionFailed 8 error: E
        """,
        "8 TaskFailed Fetch E",
    ),
    "a cause that blames the sibling, as any program may write": (
        TWO_BRANCHES
        + f"""
        8 TaskFailed 7 error: E, cause: {blames("Left", 4)}
        9 ParallelStateFailed 8
        10 ExecutionFailed 9 error: E, cause: {blames("Left", 4)}
        """,
        "8 TaskFailed Fan[Right]/Right E",
    ),
    "iterations that an emulator ends after the end": (
        TWO_ITEMS
        + """
        10 TaskFailed 9 error: E
        11 MapStateFailed 10 error: E
        12 ExecutionFailed 11 error: E
        13 MapIterationFailed 10 name: Each, index: 1
        14 ExecutionAborted 0
        """,
        "10 TaskFailed Each#1/Work E",
    ),
}


@pytest.mark.parametrize(("table", "expected"), MISLEADING.values(), ids=list(MISLEADING))
def test_what_ended_a_run_is_found_whatever_misleads(table: str, expected: str) -> None:
    assert ended_by(table) == expected


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "5 TaskScheduled 4",
        "5 TaskStateExited 4 name: Fetch\n6 ExecutionSucceeded 5",
        "5 ExecutionFailed 4\n6 ExecutionRedriven 5 redriveCount: 1",
        "5 ExecutionFailed 4\n6 ExecutionRedriven 5\n7 TaskScheduled 2\n8 TaskSucceeded 7\n9 ExecutionSucceeded 8",
    ],
)
def test_nothing_ended_a_run_that_goes_on_or_succeeded(rest: str) -> None:
    assert ended_by(TASK_FAILED_FIRST + rest) is None


TAIL = """
    900 TaskFailed 899 error: E
    901 MapIterationFailed 900 name: Each, index: 7
    902 MapIterationAborted 900 name: Each, index: 8
    903 MapStateFailed 900 error: E
    904 ExecutionFailed 903 error: E
"""
MACHINE = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "End": True,
            "ItemProcessor": {"StartAt": "Work", "States": {"Work": {"Type": "Task", "Resource": "r", "End": True}}},
        }
    },
}


def test_of_a_tail_the_event_is_known_and_the_state_as_far_as_it_was_read() -> None:
    assert ended_by(TAIL) == "900 TaskFailed E ?"
    entry = "898 TaskStateEntered 890 name: Work\n899 TaskScheduled 898\n"
    assert ended_by(entry + TAIL, MACHINE) == "900 TaskFailed Each#7/Work E"


def test_of_a_tail_the_visit_has_failed_though_nothing_around_it_was_read() -> None:
    entry = "898 TaskStateEntered 890 name: Work\n899 TaskScheduled 898\n"
    failure = find_failure(read(entry + TAIL, MACHINE))
    assert failure is not None
    assert failure.visit is not None
    assert (failure.visit.status, failure.visit.iteration) == (StageStatus.FAILED, 7)


@pytest.mark.parametrize("cut", [901, 903, 904])
def test_of_a_tail_too_short_the_outer_events_tell_the_reason(cut: int) -> None:
    tail = [event for event in events(TAIL) if event.id >= cut]
    failure = find_failure(attribute(tail, parse_definition(MACHINE)))
    assert failure is not None
    assert (failure.error, failure.is_certain) == ("E", False)


def test_a_run_whose_end_was_not_read_is_not_judged() -> None:
    assert ended_by(TWO_BRANCHES + "8 TaskFailed 7 error: E", read_to_end=False) is None
