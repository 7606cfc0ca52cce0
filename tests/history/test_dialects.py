"""What is told alike of histories in both dialects: the documentation's, and the one that the service records.

In the documentation's, each event links to the one before it and a redrive enters again what it continues. In what is
recorded, links skip some events and a redrive goes on from the first entry.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from tests.history.tables import read, visits

TestT = TypeVar("TestT", bound=Callable[..., None])
History = tuple[str, Sequence[str]]


def in_both_dialects(*, written: History, recorded: History) -> Callable[[TestT], TestT]:
    """Give a test each history, with the visits that are in it."""
    return pytest.mark.parametrize(
        ("table", "found"), [pytest.param(*written, id="written"), pytest.param(*recorded, id="recorded")]
    )


@in_both_dialects(
    written=(
        """
        1 ExecutionStarted 0
        2 FailStateEntered 1 name: Stop
        3 ExecutionFailed 2 error: Broken
        """,
        ["Stop FAILED 2-"],
    ),
    recorded=(
        """
        1 ExecutionStarted 0
        2 FailStateEntered 0 name: Stop
        3 ExecutionFailed 2 error: Broken
        4 ExecutionRedriven 3 redriveCount: 1
        5 ExecutionFailed 4 error: Broken
        """,
        ["Stop FAILED 2-"],
    ),
)
def test_a_fail_state_has_no_exit_and_fails_when_it_is_entered(table: str, found: list[str]) -> None:
    assert visits(table) == found
    assert read(table).visits[0].error == "Broken"


@in_both_dialects(
    written=(
        """
        1 ExecutionStarted 0
        2 TaskStateEntered 1 name: Do
        3 TaskScheduled 2
        4 TaskFailed 3 error: E
        5 TaskScheduled 4
        6 TaskSucceeded 5
        7 TaskStateExited 6 name: Do
        8 ExecutionSucceeded 7
        """,
        ["Do SUCCEEDED 2-7 x2"],
    ),
    recorded=(
        """
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Do
        3 LambdaFunctionScheduled 2
        4 LambdaFunctionStarted 3
        5 LambdaFunctionFailed 4 error: E
        6 LambdaFunctionScheduled 5
        7 LambdaFunctionStarted 6
        8 LambdaFunctionFailed 7 error: E
        9 TaskStateExited 8 name: Do
        10 PassStateEntered 9 name: Handle
        """,
        ["Do CAUGHT 2-9 x2", "Handle RUNNING 10-"],
    ),
)
def test_a_retried_task_is_one_visit_of_several_attempts(table: str, found: list[str]) -> None:
    assert visits(table) == found


ABORTED_SIBLINGS = """
    1 ExecutionStarted 0
    2 ParallelStateEntered 0 name: Fan
    3 ParallelStateStarted 2
    4 TaskStateEntered 3 name: A
    5 TaskStateEntered 3 name: B
    6 TaskScheduled 4
    7 TaskScheduled 5
    8 TaskFailed 6 error: E
    9 TaskStateAborted 8
    10 TaskStateAborted 8
    11 ParallelStateFailed 8
    12 ExecutionFailed 11 error: E
"""


@in_both_dialects(
    written=(
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 1 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: A
        5 WaitStateEntered 3 name: B
        6 TaskScheduled 4
        7 TaskFailed 6 error: E
        8 WaitStateAborted 5
        9 ParallelStateFailed 8
        10 ExecutionFailed 9 error: E
        """,
        ["Fan FAILED 2- x1", "Fan[A]/A FAILED 4- x1", "Fan[B]/B ABORTED 5-"],
    ),
    recorded=(
        ABORTED_SIBLINGS,
        ["Fan FAILED 2- x1", "Fan[A]/A FAILED 4- x1", "Fan[B]/B ABORTED 5- x1"],
    ),
)
def test_a_failed_branch_fails_the_parallel_and_aborts_its_siblings(table: str, found: list[str]) -> None:
    assert visits(table) == found


def test_whose_an_abortion_without_a_name_is_cannot_be_told() -> None:
    event = read(ABORTED_SIBLINGS)[8]
    assert (event.is_attributed, event.step_name, event.scope, event.visit) == (False, None, None, None)


@in_both_dialects(
    written=(
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 1 name: Fan
        3 ParallelStateStarted 2
        4 PassStateEntered 3 name: A
        5 PassStateEntered 3 name: B
        6 PassStateExited 4 name: A
        7 PassStateExited 5 name: B
        8 ParallelStateSucceeded 7
        9 ParallelStateExited 8 name: Fan
        """,
        ["Fan SUCCEEDED 2-9 x1", "Fan[A]/A SUCCEEDED 4-6", "Fan[B]/B SUCCEEDED 5-7"],
    ),
    recorded=(
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 PassStateEntered 3 name: A
        5 PassStateEntered 3 name: B
        6 PassStateExited 4 name: A
        7 PassStateExited 5 name: B
        8 ParallelStateSucceeded 7
        9 ParallelStateExited 7 name: Fan
        10 SucceedStateEntered 9 name: Done
        11 SucceedStateExited 10 name: Done
        12 ExecutionSucceeded 11
        """,
        [
            "Fan SUCCEEDED 2-9 x1",
            "Fan[A]/A SUCCEEDED 4-6",
            "Fan[B]/B SUCCEEDED 5-7",
            "Done SUCCEEDED 10-11",
        ],
    ),
)
def test_branches_are_told_apart_however_their_events_interleave(table: str, found: list[str]) -> None:
    assert visits(table) == found


@pytest.mark.parametrize("kind", ["Task", "Wait"])
@pytest.mark.parametrize(
    ("link", "end", "status"),
    [
        pytest.param(1, "3 {kind}StateAborted 2\n4 ExecutionAborted 3", "ABORTED", id="written"),
        pytest.param(0, "3 ExecutionAborted 0", "ABORTED", id="recorded"),
        pytest.param(0, "3 ExecutionTimedOut 0", "TIMED_OUT", id="recorded, out of time"),
    ],
)
def test_a_state_that_is_stopped_ends_as_the_execution_does(kind: str, link: int, end: str, status: str) -> None:
    begun = "1 ExecutionStarted 0\n2 {kind}StateEntered {link} name: Do\n"
    assert visits((begun + end).format(kind=kind, link=link)) == [f"Do {status} 2-"]


@pytest.mark.parametrize(
    ("table", "attempts", "redrives"),
    [
        pytest.param(
            """
            1 ExecutionStarted 0
            2 MapStateEntered 1 name: Each
            3 MapStateStarted 2
            4 MapRunStarted 3 mapRunArn: arn
            5 MapRunFailed 4 error: E
            6 MapStateFailed 5
            7 ExecutionFailed 6
            8 ExecutionRedriven 7 redriveCount: 1
            9 MapStateEntered 8 name: Each
            10 MapStateStarted 9
            11 MapRunRedriven 10 mapRunArn: arn, redriveCount: 1
            12 MapRunSucceeded 11
            13 MapStateSucceeded 12
            14 MapStateExited 13 name: Each
            """,
            2,
            1,
            id="written",
        ),
        pytest.param(
            """
            1 ExecutionStarted 0
            2 MapStateEntered 0 name: Each
            3 MapStateStarted 2
            4 MapRunStarted 3 mapRunArn: arn
            5 MapRunFailed 4 error: E
            6 MapStateFailed 5
            7 ExecutionFailed 6
            8 ExecutionRedriven 7 redriveCount: 1
            9 MapRunRedriven 3 mapRunArn: arn, redriveCount: 1
            10 MapRunSucceeded 9
            11 MapStateSucceeded 9
            12 MapStateExited 9 name: Each
            """,
            1,
            1,
            id="recorded",
        ),
        pytest.param(
            """
            1 ExecutionStarted 0
            2 MapStateEntered 0 name: Each
            3 MapStateStarted 2
            4 MapRunStarted 3 mapRunArn: arn
            5 MapRunFailed 4 error: E
            6 MapStateFailed 5
            7 ExecutionFailed 6
            8 ExecutionRedriven 7 redriveCount: 1
            9 MapRunRedriven 3 mapRunArn: arn, redriveCount: 1
            10 MapRunFailed 9 error: Denied
            11 MapStateFailed 10
            12 ExecutionFailed 11
            13 ExecutionRedriven 12 redriveCount: 2
            14 MapRunRedriven 3 mapRunArn: arn, redriveCount: 2
            15 MapRunSucceeded 14
            16 MapStateSucceeded 14
            17 MapStateExited 14 name: Each
            """,
            1,
            2,
            id="recorded twice",
        ),
    ],
)
def test_a_map_run_is_redriven_within_the_visit_of_its_map(table: str, attempts: int, redrives: int) -> None:
    (visit,) = read(table).visits
    assert (visit.status, visit.error, visit.attempts) == ("SUCCEEDED", None, attempts)
    assert (visit.map_run, visit.redrives) == (("arn", redrives), redrives)
