"""The dialect that the documentation of execution histories describes: each of its rows and examples."""

import pytest

from graph.history import IterationCounts
from tests.history.tables import place, read, visits

FAN = {
    "StartAt": "Fan",
    "States": {
        "Fan": {
            "Type": "Parallel",
            "Branches": [
                {"StartAt": "A1", "States": {"A1": {"Type": "Pass", "End": True}}},
                {
                    "StartAt": "B1",
                    "States": {"B1": {"Type": "Pass", "Next": "Gate"}, "Gate": {"Type": "Task", "End": True}},
                },
            ],
            "End": True,
        }
    },
}

BRANCHES = """
    1 ExecutionStarted 0
    2 ParallelStateEntered 1 name: Fan
    3 ParallelStateStarted 2
    4 PassStateEntered 3 name: A1
    5 PassStateEntered 3 name: B1
    6 PassStateExited 4 name: A1
    7 PassStateExited 5 name: B1
    8 ParallelStateSucceeded 7
    9 ParallelStateExited 8 name: Fan
"""

ITERATIONS = """
    1 ExecutionStarted 0
    2 MapStateEntered 1 name: Each
    3 MapStateStarted 2 length: 2
    4 MapIterationStarted 3 name: Each, index: 0
    5 MapIterationStarted 3 name: Each, index: 1
    6 PassStateEntered 4 name: Work
    7 PassStateEntered 5 name: Work
    8 PassStateExited 6 name: Work
    9 MapIterationSucceeded 8 name: Each, index: 0
"""


def test_an_expression_that_fails_fails_its_state() -> None:
    attribution = read("""
        1 ExecutionStarted 0
        2 PassStateEntered 1 name: Compute
        3 EvaluationFailed 2 state: Compute, location: Output, error: States.QueryEvaluationError
        4 ExecutionFailed 3 error: States.QueryEvaluationError
    """)
    (visit,) = attribution.visits
    assert (visit.status, visit.error) == ("FAILED", "States.QueryEvaluationError")
    assert attribution[2].visit is visit


def test_a_definition_numbers_the_branches() -> None:
    assert visits(BRANCHES, FAN)[1:] == ["Fan[0]/A1 SUCCEEDED 4-6", "Fan[1]/B1 SUCCEEDED 5-7"]


def test_iterations_are_told_apart() -> None:
    assert visits(ITERATIONS) == [
        "Each RUNNING 2- x1",
        "Each#0/Work SUCCEEDED 6-8",
        "Each#1/Work RUNNING 7-",
    ]


def test_an_event_of_an_iteration_belongs_to_the_map_and_lies_in_the_iteration() -> None:
    found = read(ITERATIONS)[8]
    assert (found.step_name, place(found.scope)) == ("Each", "Each#0/")


def test_an_iteration_is_counted_by_what_became_of_it() -> None:
    (each, *_) = read(
        ITERATIONS
        + """
        10 PassStateExited 7 name: Work
        11 MapIterationFailed 10 name: Each, index: 1
        12 MapStateFailed 11
        13 MapStateExited 12 name: Each
        """
    ).visits
    assert each.status == "CAUGHT"
    assert each.attempt is not None
    assert each.attempt.iterations() == IterationCounts(2, 2, 1, 1, 0, running=0)


@pytest.mark.parametrize("ending", ["Succeeded", "Failed"])
def test_a_distributed_map_is_one_visit_with_a_map_run(ending: str) -> None:
    attribution = read(f"""
        1 ExecutionStarted 0
        2 MapStateEntered 1 name: Each
        3 MapStateStarted 2 length: 0
        4 MapRunStarted 3 mapRunArn: arn
        5 MapRun{ending} 4
        6 MapState{ending} 5
        7 MapStateExited 6 name: Each
    """)
    (visit,) = attribution.visits
    assert visit.map_run == ("arn", 0)
    assert visit.status == ("SUCCEEDED" if ending == "Succeeded" else "CAUGHT")
    assert all(event.visit is visit for event in list(attribution)[1:])


def test_a_parallel_that_is_stopped_is_aborted_with_what_is_in_it() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 1 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: Do
        5 TaskStateAborted 4
        6 ParallelStateAborted 5
        7 ExecutionAborted 6
    """) == ["Fan ABORTED 2- x1", "Fan[Do]/Do ABORTED 4-"]


def test_a_map_whose_time_is_out_is_aborted_with_what_is_in_it() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 MapStateEntered 1 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 TaskStateEntered 4 name: Do
        6 TaskStateAborted 5
        7 MapIterationAborted 6 name: Each, index: 0
        8 MapStateAborted 7
        9 ExecutionTimedOut 8
    """) == ["Each ABORTED 2- x1", "Each#0/Do ABORTED 5-"]


REDRIVEN = """
    1 ExecutionStarted 0
    2 ParallelStateEntered 1 name: Fan
    3 ParallelStateStarted 2
    4 PassStateEntered 3 name: A1
    5 PassStateExited 4 name: A1
    6 PassStateEntered 3 name: B1
    7 PassStateExited 6 name: B1
    8 TaskStateEntered 7 name: Gate
    9 TaskScheduled 8
    10 TaskFailed 9 error: E
    11 ParallelStateFailed 10
    12 ExecutionFailed 11
    13 ExecutionRedriven 12 redriveCount: 1
    14 ParallelStateEntered 13 name: Fan
    15 ParallelStateStarted 14
    16 TaskStateEntered 15 name: Gate
    17 TaskScheduled 16
    18 TaskSucceeded 17
    19 TaskStateExited 18 name: Gate
    20 ParallelStateSucceeded 19
    21 ParallelStateExited 20 name: Fan
    22 ExecutionSucceeded 21
"""


@pytest.mark.parametrize("machine", [FAN, None], ids=["with definition", "without"])
def test_a_redrive_enters_again_what_it_continues_and_only_that(machine: dict[str, object] | None) -> None:
    attribution = read(REDRIVEN, machine)
    one, two = ("0", "1") if machine else ("A1", "B1")
    assert visits(REDRIVEN, machine) == [
        "Fan SUCCEEDED 2-21 x2",
        f"Fan[{one}]/A1 SUCCEEDED 4-5",
        f"Fan[{two}]/B1 SUCCEEDED 6-7",
        f"Fan[{two}]/Gate SUCCEEDED 8-19 x2",
    ]
    assert [visit.redrives for visit in attribution.visits] == [1, 0, 0, 1]
    assert [event.redrive_index for event in attribution] == [0] * 12 + [1] * 10


def test_a_redriven_iteration_keeps_its_index() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 MapStateEntered 1 name: Each
        3 MapStateStarted 2 length: 2
        4 MapIterationStarted 3 name: Each, index: 0
        5 MapIterationStarted 3 name: Each, index: 1
        6 PassStateEntered 4 name: Work
        7 PassStateExited 6 name: Work
        8 MapIterationSucceeded 7 name: Each, index: 0
        9 PassStateEntered 5 name: Work
        10 PassStateExited 9 name: Work
        11 TaskStateEntered 10 name: Save
        12 TaskScheduled 11
        13 TaskFailed 12 error: E
        14 MapIterationFailed 13 name: Each, index: 1
        15 MapStateFailed 14
        16 ExecutionFailed 15
        17 ExecutionRedriven 16 redriveCount: 1
        18 MapStateEntered 17 name: Each
        19 MapStateStarted 18 length: 2
        20 MapIterationStarted 19 name: Each, index: 1
        21 TaskStateEntered 20 name: Save
        22 TaskScheduled 21
        23 TaskSucceeded 22
        24 TaskStateExited 23 name: Save
        25 MapIterationSucceeded 24 name: Each, index: 1
        26 MapStateSucceeded 25
        27 MapStateExited 26 name: Each
    """) == [
        "Each SUCCEEDED 2-27 x2",
        "Each#0/Work SUCCEEDED 6-7",
        "Each#1/Work SUCCEEDED 9-10",
        "Each#1/Save SUCCEEDED 11-24 x2",
    ]


def test_a_parallel_in_an_iteration_resumes_only_its_failed_branch() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 MapStateEntered 1 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 ParallelStateEntered 4 name: Fan
        6 ParallelStateStarted 5
        7 PassStateEntered 6 name: A
        8 PassStateExited 7 name: A
        9 TaskStateEntered 6 name: B
        10 TaskScheduled 9
        11 TaskFailed 10 error: E
        12 ParallelStateFailed 11
        13 MapIterationFailed 12 name: Each, index: 0
        14 MapStateFailed 13
        15 ExecutionFailed 14
        16 ExecutionRedriven 15 redriveCount: 1
        17 MapStateEntered 16 name: Each
        18 MapStateStarted 17 length: 1
        19 MapIterationStarted 18 name: Each, index: 0
        20 ParallelStateEntered 19 name: Fan
        21 ParallelStateStarted 20
        22 TaskStateEntered 21 name: B
        23 TaskScheduled 22
    """) == [
        "Each RUNNING 2- x2",
        "Each#0/Fan RUNNING 5- x2",
        "Each#0/Fan[A]/A SUCCEEDED 7-8",
        "Each#0/Fan[B]/B RUNNING 9- x2",
    ]
