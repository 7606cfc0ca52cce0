"""What the service was seen to record, where that differs from the dialect that is written down."""

import pytest

from graph.history import IterationCounts
from tests.history.tables import place, read, visits

TASK = {"StartAt": "Do", "States": {"Do": {"Type": "Task", "End": True}}}


@pytest.mark.parametrize("link", [0, 1])
def test_the_first_state_links_to_nothing_or_to_the_start(link: int) -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 PassStateEntered {link} name: First
        3 PassStateExited 2 name: First
        4 ExecutionSucceeded 3
    """) == ["First SUCCEEDED 2-3"]


SERIAL_MAP = """
    1 ExecutionStarted 0
    2 MapStateEntered 0 name: Each
    3 MapStateStarted 2 length: 2
    4 MapIterationStarted 3 name: Each, index: 0
    5 PassStateEntered 4 name: Work
    6 PassStateExited 5 name: Work
    7 MapIterationSucceeded 6 name: Each, index: 0
    8 MapIterationStarted 6 name: Each, index: 1
    9 PassStateEntered 8 name: Work
    10 PassStateExited 9 name: Work
    11 MapIterationSucceeded 10 name: Each, index: 1
    12 MapStateSucceeded 10
"""


def test_an_iteration_links_to_the_last_event_of_the_one_whose_slot_it_took() -> None:
    attribution = read(SERIAL_MAP + "13 MapStateExited 10 name: Each")
    assert visits(SERIAL_MAP + "13 MapStateExited 10 name: Each") == [
        "Each SUCCEEDED 2-13 x1",
        "Each#0/Work SUCCEEDED 5-6",
        "Each#1/Work SUCCEEDED 9-10",
    ]
    assert place(attribution[7].scope) == "Each#1/"


def test_a_caught_parallel_exits_from_its_failure() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 FailStateEntered 3 name: Stop
        5 ParallelStateFailed 4
        6 ParallelStateExited 5 name: Fan
        7 PassStateEntered 6 name: Handle
        8 PassStateExited 7 name: Handle
        9 ExecutionSucceeded 8
    """) == ["Fan CAUGHT 2-6 x1", "Fan[Stop]/Stop FAILED 4-", "Handle SUCCEEDED 7-8"]


@pytest.mark.parametrize("link", [10, 11, 12])
def test_a_map_exits_from_an_iteration_or_from_its_success(link: int) -> None:
    assert visits(SERIAL_MAP + f"13 MapStateExited {link} name: Each")[0] == "Each SUCCEEDED 2-13 x1"


@pytest.mark.parametrize("link", [3, 4])
def test_an_empty_map_exits_from_its_start_or_from_its_success(link: int) -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 0
        4 MapStateSucceeded 3
        5 MapStateExited {link} name: Each
        6 ExecutionSucceeded 5
    """) == ["Each SUCCEEDED 2-5 x1"]


@pytest.mark.parametrize("link", [4, 5, 6], ids=["MapRunStarted", "MapRunSucceeded", "MapStateSucceeded"])
def test_a_distributed_map_exits_from_any_event_of_its_run(link: int) -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 0
        4 MapRunStarted 3 mapRunArn: arn
        5 MapRunSucceeded 4
        6 MapStateSucceeded 5
        7 MapStateExited {link} name: Each
    """) == ["Each SUCCEEDED 2-7 x1"]


@pytest.mark.parametrize("failed_first", [True, False])
def test_the_index_tells_which_iteration_was_aborted(failed_first: bool) -> None:
    endings = ["MapIterationFailed 9 name: Each, index: 0", "MapIterationAborted 9 name: Each, index: 1"]
    first, second = endings if failed_first else reversed(endings)
    table = f"""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 2
        4 MapIterationStarted 3 name: Each, index: 0
        5 MapIterationStarted 3 name: Each, index: 1
        6 TaskStateEntered 4 name: Do
        7 TaskStateEntered 5 name: Do
        8 TaskScheduled 6
        9 TaskFailed 8 error: E
        10 {first}
        11 TaskStateAborted 9
        12 {second}
        13 TaskStateAborted 9
        14 MapStateFailed 9
        15 ExecutionFailed 14 error: E
    """
    assert visits(table) == ["Each FAILED 2- x1", "Each#0/Do FAILED 6- x1", "Each#1/Do ABORTED 7-"]
    each = read(table).visits[0]
    assert each.attempt is not None
    assert each.attempt.iterations() == IterationCounts(2, 2, 0, 1, 1, running=0)


def test_a_redriven_task_goes_on_from_its_first_entry() -> None:
    attribution = read("""
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Do
        3 TaskScheduled 2
        4 TaskFailed 3 error: E
        5 ExecutionFailed 4 error: E
        6 ExecutionRedriven 5 redriveCount: 1
        7 TaskScheduled 2
        8 TaskSucceeded 7
        9 TaskStateExited 8 name: Do
        10 ExecutionSucceeded 9
    """)
    (visit,) = attribution.visits
    assert (visit.status, visit.attempts, visit.redrives, visit.error) == ("SUCCEEDED", 2, 1, None)
    assert [event.redrive_index for event in attribution] == [0] * 5 + [1] * 5


def test_a_redriven_wait_exits_from_its_first_entry() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 WaitStateEntered 0 name: Rest
        3 ExecutionAborted 0
        4 ExecutionRedriven 3 redriveCount: 1
        5 WaitStateExited 2 name: Rest
        6 ExecutionSucceeded 5
    """) == ["Rest SUCCEEDED 2-5"]


def test_a_redriven_parallel_starts_nothing_again() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 PassStateEntered 3 name: A
        5 PassStateExited 4 name: A
        6 TaskStateEntered 3 name: B
        7 TaskScheduled 6
        8 TaskFailed 7 error: E
        9 ParallelStateFailed 8
        10 ExecutionFailed 9 error: E
        11 ExecutionRedriven 10 redriveCount: 1
        12 TaskScheduled 6
        13 TaskSucceeded 12
        14 TaskStateExited 13 name: B
        15 ParallelStateSucceeded 14
        16 ParallelStateExited 14 name: Fan
        17 ExecutionSucceeded 16
    """) == ["Fan SUCCEEDED 2-16 x1", "Fan[A]/A SUCCEEDED 4-5", "Fan[B]/B SUCCEEDED 6-14 x2"]


def test_a_redriven_iteration_starts_nothing_again() -> None:
    attribution = read("""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 TaskStateEntered 4 name: Do
        6 TaskScheduled 5
        7 TaskFailed 6 error: E
        8 MapIterationFailed 7 name: Each, index: 0
        9 MapStateFailed 7
        10 ExecutionFailed 9 error: E
        11 ExecutionRedriven 10 redriveCount: 1
        12 TaskScheduled 5
        13 TaskSucceeded 12
        14 TaskStateExited 13 name: Do
        15 MapIterationSucceeded 14 name: Each, index: 0
        16 MapStateSucceeded 14
        17 MapStateExited 14 name: Each
    """)
    each, do = attribution.visits
    assert (each.status, do.status, do.attempts) == ("SUCCEEDED", "SUCCEEDED", 2)
    assert each.attempt is not None
    assert each.attempt.iterations() == IterationCounts(1, 1, 1, 0, 0, running=0)


def test_an_execution_of_a_map_run_is_a_history_like_any_other() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Do
        3 TaskScheduled 2
        4 TaskFailed 3 error: E
        5 ExecutionFailed 4
        6 ExecutionRedriven 5 redriveCount: 1
        7 TaskScheduled 2
    """) == ["Do RUNNING 2- x2"]


def test_an_error_of_the_interpreter_closes_no_container_and_fails_all_around_it() -> None:
    table = """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 MapStateEntered 3 name: Each
        5 WaitStateEntered 3 name: Rest
        6 MapStateStarted 4 length: 2
        7 MapIterationStarted 6 name: Each, index: 0
        8 MapIterationStarted 6 name: Each, index: 1
        9 WaitStateEntered 7 name: Pick
        10 ChoiceStateEntered 8 name: Pick
        11 ExecutionFailed 10 error: States.Runtime
    """
    assert visits(table) == [
        "Fan FAILED 2- x1",
        "Fan[Each]/Each FAILED 4- x1",
        "Fan[Rest]/Rest ABORTED 5-",
        "Fan[Each]/Each#0/Pick ABORTED 9-",
        "Fan[Each]/Each#1/Pick FAILED 10-",
    ]
    attribution = read(table)
    assert {visit.error for visit in attribution.visits if visit.status == "FAILED"} == {"States.Runtime"}
    each = attribution.visits[1]
    assert each.attempt is not None
    assert each.attempt.iterations() == IterationCounts(2, 2, 0, 1, 1, running=0)


@pytest.mark.parametrize("link", [2, 3])
def test_a_map_that_cannot_start_has_failed(link: int) -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 ExecutionFailed {link} error: States.Runtime
    """) == ["Each FAILED 2- x1"]


CAUSE = (
    "An error occurred while executing the state 'Second' (entered at the event id #4). The expression returned nothing"
)


@pytest.mark.parametrize("link", [0, 3, 4], ids=["nothing", "the state before", "the entry"])
@pytest.mark.parametrize("details", ["state: Second", f"state: Second, cause: {CAUSE}", f"cause: {CAUSE}"])
def test_an_evaluation_fails_the_state_it_names_not_the_one_before(link: int, details: str) -> None:
    table = f"""
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: First
        3 PassStateExited 2 name: First
        4 PassStateEntered 3 name: Second
        5 EvaluationFailed {link} {details}, error: States.QueryEvaluationError
        6 ExecutionFailed 5 error: States.QueryEvaluationError
    """
    assert visits(table) == ["First SUCCEEDED 2-3", "Second FAILED 4-"]
    assert read(table)[4].step_name == "Second"


def test_the_cause_tells_what_failed_where_nothing_links_to_it() -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: First
        3 PassStateExited 2 name: First
        4 TaskStateEntered 3 name: Second
        5 ExecutionFailed 0 error: States.Runtime, cause: {CAUSE}
    """) == ["First SUCCEEDED 2-3", "Second FAILED 4-"]


@pytest.mark.parametrize(
    "cause",
    [
        "An error occurred while executing the state 'First' (entered at the event id #4). A name that does not fit",
        "An error occurred while executing the state 'First' (entered at the event id #2). A state that was left",
        "An error occurred while executing the state 'Second' (entered at the event id #99). An event not there",
        "An error occurred while executing the state 'Second' (entered at the event id #" + "9" * 5000,
        "Something else: An error occurred while executing the state 'Second' (entered at the event id #4).",
    ],
)
def test_a_cause_that_does_not_fit_is_not_believed(cause: str) -> None:
    assert visits(f"""
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: First
        3 PassStateExited 2 name: First
        4 TaskStateEntered 3 name: Second
        5 TaskScheduled 4
        6 ExecutionFailed 5 error: E, cause: {cause}
    """) == ["First SUCCEEDED 2-3", "Second FAILED 4- x1"]


@pytest.mark.parametrize("kind", ["Parallel", "Map"])
def test_a_retried_container_starts_again_within_its_visit(kind: str) -> None:
    def opened(number: int, link: int) -> str:
        if kind == "Parallel":
            return f"{number} Whatever {link}"
        return f"{number} MapIterationStarted {link} name: Outer, index: 0"

    table = f"""
        1 ExecutionStarted 0
        2 {kind}StateEntered 0 name: Outer
        3 {kind}StateStarted 2
        {opened(4, 3)}
        5 TaskStateEntered 4 name: Do
        6 TaskFailed 5 error: E
        7 {kind}StateStarted 6
        {opened(8, 7)}
        9 TaskStateEntered 8 name: Do
        10 TaskFailed 9 error: E
        11 {kind}StateFailed 10
        12 ExecutionFailed 11
    """
    inside = "[Do]" if kind == "Parallel" else "#0"
    assert visits(table) == [
        "Outer FAILED 2- x2",
        f"Outer{inside}/Do FAILED 5-",
        f"Outer{inside}~1/Do FAILED 9-",
    ]


def test_a_handler_that_cannot_take_over_fails_a_parallel_twice() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 FailStateEntered 3 name: Stop
        5 ParallelStateFailed 4
        6 ParallelStateFailed 4
        7 ExecutionFailed 6 error: States.QueryEvaluationError
    """) == ["Fan FAILED 2- x1", "Fan[Stop]/Stop FAILED 4-"]


def test_a_redrive_links_to_what_ended_the_run_and_revives_what_it_had_stopped() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Do
        3 TaskScheduled 2
        4 ExecutionAborted 0
        5 ExecutionRedriven 4 redriveCount: 1
    """) == ["Do RUNNING 2- x1"]


def test_a_state_name_means_the_same_state_everywhere() -> None:
    machine = {
        "StartAt": "Fan",
        "States": {
            "Fan": {"Type": "Parallel", "Branches": [TASK, {"StartAt": "B", "States": {"B": {"Type": "Pass"}}}]}
        },
    }
    assert visits(
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 PassStateEntered 3 name: B
        5 TaskStateEntered 3 name: Do
        """,
        machine,
    )[1:] == ["Fan[1]/B RUNNING 4-", "Fan[0]/Do RUNNING 5-"]
