"""Histories that a simpler reading gets wrong."""

import pytest

from graph.history import IterationCounts
from tests.history.tables import read, visits


def nested(after: str) -> str:
    return (
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Outer
        3 ParallelStateStarted 2
        4 ParallelStateEntered 3 name: Inner
        5 ParallelStateStarted 4
        6 TaskStateEntered 5 name: Do
        7 TaskScheduled 6
        8 TaskFailed 7 error: E
        """
        + after
    )


def test_what_starts_again_after_the_inner_parallel_failed_is_the_outer_one() -> None:
    assert visits(
        nested("""
        9 ParallelStateFailed 8
        10 ParallelStateStarted 9
        11 ParallelStateEntered 10 name: Inner
        12 ParallelStateStarted 11
        13 TaskStateEntered 12 name: Do
        """)
    ) == [
        "Outer RUNNING 2- x2",
        "Outer[Inner]/Inner FAILED 4- x1",
        "Outer[Inner]/Inner[Do]/Do FAILED 6- x1",
        "Outer[Inner]~1/Inner RUNNING 11- x1",
        "Outer[Inner]~1/Inner[Do]/Do RUNNING 13-",
    ]


def test_what_starts_again_after_a_branch_failed_is_the_inner_parallel() -> None:
    assert visits(
        nested("""
        9 ParallelStateStarted 8
        10 TaskStateEntered 9 name: Do
        """)
    ) == [
        "Outer RUNNING 2- x1",
        "Outer[Inner]/Inner RUNNING 4- x2",
        "Outer[Inner]/Inner[Do]/Do FAILED 6- x1",
        "Outer[Inner]/Inner[Do]~1/Do RUNNING 10-",
    ]


def test_a_map_in_a_loop_is_several_visits_with_iterations_of_their_own() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 PassStateEntered 4 name: Work
        6 PassStateExited 5 name: Work
        7 MapIterationSucceeded 6 name: Each, index: 0
        8 MapStateSucceeded 6
        9 MapStateExited 6 name: Each
        10 ChoiceStateEntered 9 name: Again
        11 ChoiceStateExited 10 name: Again
        12 MapStateEntered 11 name: Each
        13 MapStateStarted 12 length: 1
        14 MapIterationStarted 13 name: Each, index: 0
        15 PassStateEntered 14 name: Work
        16 ExecutionAborted 0
    """) == [
        "Each SUCCEEDED 2-9 x1",
        "Each#0/Work SUCCEEDED 5-6",
        "Again SUCCEEDED 10-11",
        "Each ABORTED 12- x1",
        "Each#0/Work ABORTED 15-",
    ]


def test_a_caught_task_stays_caught_when_its_handler_fails() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 TaskStateEntered 4 name: Do
        6 EvaluationFailed 4 state: Do, error: States.QueryEvaluationError
        7 TaskStateExited 6 name: Do
        8 FailStateEntered 7 name: Stop
        9 MapIterationFailed 8 name: Each, index: 0
        10 MapStateFailed 8
        11 ExecutionFailed 10 error: Broken
    """) == ["Each FAILED 2- x1", "Each#0/Do CAUGHT 5-7", "Each#0/Stop FAILED 8-"]


def test_a_task_that_had_timed_out_has_failed_though_its_iteration_was_aborted() -> None:
    table = """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 2
        4 MapIterationStarted 3 name: Each, index: 0
        5 MapIterationStarted 3 name: Each, index: 1
        6 TaskStateEntered 4 name: Do
        7 TaskStateEntered 5 name: Do
        8 TaskScheduled 6
        9 TaskScheduled 7
        10 TaskTimedOut 8 error: States.Timeout
        11 TaskTimedOut 9 error: States.Timeout
        12 MapIterationFailed 10 name: Each, index: 0
        13 TaskStateAborted 10
        14 MapIterationAborted 10 name: Each, index: 1
        15 TaskStateAborted 10
        16 MapStateFailed 10
        17 ExecutionFailed 16 error: States.Timeout
    """
    assert visits(table) == ["Each FAILED 2- x1", "Each#0/Do FAILED 6- x1", "Each#1/Do FAILED 7- x1"]
    each = read(table).visits[0]
    assert each.attempt is not None
    assert each.attempt.iterations() == IterationCounts(2, 2, 0, 1, 1, running=0)
    assert each.error == "States.Timeout"


def test_a_branch_that_succeeded_keeps_silent_through_a_redrive() -> None:
    attribution = read("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 PassStateEntered 3 name: A
        5 PassStateExited 4 name: A
        6 TaskStateEntered 3 name: B
        7 TaskScheduled 6
        8 TaskFailed 7 error: E
        9 ParallelStateFailed 8
        10 ExecutionFailed 9
        11 ExecutionRedriven 10 redriveCount: 1
        12 TaskScheduled 6
        13 TaskFailed 12 error: E
        14 ParallelStateFailed 13
        15 ExecutionFailed 14
    """)
    assert [(visit.name, visit.status, visit.redrives) for visit in attribution.visits] == [
        ("Fan", "FAILED", 1),
        ("A", "SUCCEEDED", 0),
        ("B", "FAILED", 1),
    ]


def test_attempts_are_counted_over_all_runs() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Do
        3 TaskScheduled 2
        4 TaskFailed 3 error: E
        5 TaskScheduled 4
        6 TaskFailed 5 error: E
        7 ExecutionFailed 6
        8 ExecutionRedriven 7 redriveCount: 1
        9 TaskScheduled 2
        10 TaskFailed 9 error: E
        11 TaskScheduled 10
        12 TaskFailed 11 error: E
        13 ExecutionFailed 12
        14 ExecutionRedriven 13 redriveCount: 2
        15 TaskScheduled 2
        16 TaskSucceeded 15
        17 TaskStateExited 16 name: Do
        18 ExecutionSucceeded 17
    """) == ["Do SUCCEEDED 2-17 x5"]


def test_a_failed_branch_of_an_earlier_attempt_is_not_revived() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: A
        5 TaskFailed 4 error: E
        6 ParallelStateStarted 5
        7 TaskStateEntered 6 name: A
        8 TaskFailed 7 error: E
        9 ParallelStateFailed 8
        10 ExecutionFailed 9
        11 ExecutionRedriven 10 redriveCount: 1
        12 TaskScheduled 7
    """) == ["Fan RUNNING 2- x2", "Fan[A]/A FAILED 4-", "Fan[A]~1/A RUNNING 7- x1"]


def test_a_redriven_parallel_may_still_be_retried() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: A
        5 TaskFailed 4 error: E
        6 ParallelStateFailed 5
        7 ExecutionFailed 6
        8 ExecutionRedriven 7 redriveCount: 1
        9 TaskScheduled 4
        10 TaskFailed 9 error: E
        11 ParallelStateStarted 10
        12 TaskStateEntered 11 name: A
    """) == ["Fan RUNNING 2- x2", "Fan[A]/A FAILED 4- x1", "Fan[A]~1/A RUNNING 12-"]


def test_unknown_events_keep_the_chain() -> None:
    attribution = read("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 SomethingNew 3 what: ever
        5 OracleStateEntered 4 name: Ask
        6 OracleStateConsulted 5
        7 OracleStateExited 6 name: Ask
    """)
    assert [(visit.name, visit.status, visit.state_type) for visit in attribution.visits] == [
        ("Fan", "RUNNING", "Parallel"),
        ("Ask", "SUCCEEDED", "Oracle"),
    ]
    assert [event.step_name for event in attribution] == [None, "Fan", "Fan", "Fan", "Ask", "Ask", "Ask"]


def test_an_event_after_the_end_changes_no_visit() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 PassStateEntered 4 name: Work
        6 PassStateExited 5 name: Work
        7 MapStateExited 6 name: Each
        8 ExecutionSucceeded 7
        9 MapIterationSucceeded 6 name: Each, index: 0
    """) == ["Each SUCCEEDED 2-7 x1", "Each#0/Work SUCCEEDED 5-6"]


@pytest.mark.parametrize("end", ["ExecutionSucceeded", "ExecutionFailed", "ExecutionAborted", "ExecutionTimedOut"])
def test_a_second_end_of_a_run_changes_nothing(end: str) -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Do
        3 ExecutionAborted 0
        4 {end} 2
    """) == ["Do ABORTED 2-"]


def test_the_limit_of_events_fails_what_was_running() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: A
        5 TaskStateEntered 3 name: B
        6 ExecutionFailed 0 error: States.Runtime, cause: The execution reached the maximum number of history events.
    """) == ["Fan FAILED 2- x1", "Fan[A]/A UNKNOWN 4-", "Fan[B]/B UNKNOWN 5-"]


def test_a_visit_stops_when_it_exits_or_when_something_ends_it() -> None:
    attribution = read("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 09:30:00 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 09:30:01 name: A
        5 WaitStateEntered 3 09:30:02 name: B
        6 TaskFailed 4 09:30:03 error: E
        7 ParallelStateFailed 6 09:30:04
        8 ParallelStateExited 7 09:30:05 name: Fan
    """)
    assert [(f"{visit.started_at:%S}", f"{visit.stopped_at:%S}") for visit in attribution.visits] == [
        ("00", "05"),
        ("01", "04"),
        ("02", "04"),
    ]
