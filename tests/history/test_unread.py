"""Histories of which a part was not read: what it may have changed is UNKNOWN."""

from typing import Any

import pytest

from tests.history.tables import place, read, visits

PAR: dict[str, Any] = {
    "StartAt": "First",
    "States": {
        "First": {"Type": "Pass", "Next": "Each"},
        "Each": {
            "Type": "Map",
            "ItemProcessor": {
                "StartAt": "Fan",
                "States": {
                    "Fan": {
                        "Type": "Parallel",
                        "Branches": [
                            {"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}},
                            {"StartAt": "B", "States": {"B": {"Type": "Task", "End": True}}},
                        ],
                        "End": True,
                    }
                },
            },
            "Next": "Last",
        },
        "Last": {"Type": "Task", "End": True},
    },
}

HEAD = """
    1 ExecutionStarted 0
    2 PassStateEntered 0 name: First
    3 PassStateExited 2 name: First
    4 MapStateEntered 3 name: Each
    5 MapStateStarted 4 length: 2
    6 MapIterationStarted 5 name: Each, index: 0
"""


def test_what_is_open_in_a_head_may_have_ended_since() -> None:
    assert visits(HEAD, read_to_end=False) == ["First SUCCEEDED 2-3", "Each UNKNOWN 4- x1"]
    assert visits(HEAD, read_to_end=True) == ["First SUCCEEDED 2-3", "Each RUNNING 4- x1"]


def test_what_failed_in_a_head_may_be_redriven_later_but_a_fail_state_has_failed() -> None:
    assert visits(
        """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: A
        5 TaskFailed 4 error: E
        6 FailStateEntered 3 name: B
        7 ParallelStateFailed 5
        8 ExecutionFailed 7 error: E
        """,
        read_to_end=False,
    ) == ["Fan UNKNOWN 2- x1", "Fan[A]/A UNKNOWN 4-", "Fan[B]/B FAILED 6-"]


def test_exits_and_iterations_name_the_states_of_a_tail() -> None:
    table = """
        90 TaskSucceeded 89
        91 TaskStateExited 90 name: B
        92 MapIterationSucceeded 91 name: Each, index: 7
        93 MapStateSucceeded 91
        94 MapStateExited 91 name: Each
        95 TaskStateEntered 94 name: Last
        96 TaskScheduled 95
        97 TaskFailed 96 error: E
        98 ExecutionFailed 97 error: E
    """
    assert visits(table) == ["?/B SUCCEEDED ?-91", "?/Each SUCCEEDED ?-94", "?/Last FAILED 95- x1"]
    assert [event.step_name for event in read(table)] == ["B", "B", *["Each"] * 3, *["Last"] * 3, None]
    assert read(table).gaps == ((1, 89),)


def test_work_is_nobodys_until_an_exit_names_it() -> None:
    attribution = read("""
        90 TaskSucceeded 89
        91 TaskStarted 88
    """)
    assert attribution.visits == []
    assert [(event.is_attributed, event.step_name, event.scope) for event in attribution] == [(False, None, None)] * 2


@pytest.mark.parametrize(
    ("kind", "status"), [("Task", "UNKNOWN"), ("Parallel", "UNKNOWN"), ("Map", "UNKNOWN"), ("Wait", "SUCCEEDED")]
)
def test_an_exit_alone_does_not_tell_whether_a_failure_was_caught(kind: str, status: str) -> None:
    assert visits(f"91 {kind}StateExited 90 name: Do") == [f"?/Do {status} ?-91"]


def test_a_failure_that_was_read_was_caught() -> None:
    assert visits("""
        90 TaskFailed 89 error: E
        91 TaskStateExited 90 name: Do
    """) == ["?/Do CAUGHT ?-91"]


def test_the_definition_places_a_state_but_never_guesses_its_iteration() -> None:
    assert visits(
        """
        90 TaskStateEntered 89 name: B
        91 TaskScheduled 90
        92 PassStateEntered 88 name: A
        93 PassStateExited 92 name: A
        """,
        PAR,
    ) == [
        "Each UNKNOWN ?-",
        "Each#?/Fan UNKNOWN ?-",
        "Each#?/Fan[1]/B UNKNOWN 90- x1",
        "Each#?/Fan UNKNOWN ?-",
        "Each#?/Fan[0]/A SUCCEEDED 92-93",
    ]


def test_a_state_at_the_top_is_at_the_root_even_if_what_came_before_was_not_read() -> None:
    attribution = read("90 TaskStateEntered 89 name: Last", PAR)
    assert attribution.visits[0].scope.path() == ()
    assert place(attribution[0].scope) == ""


def test_a_branch_names_the_parallel_whose_entry_was_not_read() -> None:
    assert visits(
        """
        90 ParallelStateStarted 89
        91 PassStateEntered 90 name: A
        92 TaskStateEntered 90 name: B
        93 PassStateExited 91 name: A
        """,
        PAR,
    )[:3] == ["Each#?/Fan UNKNOWN ?- x1", "Each UNKNOWN ?-", "Each#?/Fan[0]/A SUCCEEDED 91-93"]


def test_an_exit_names_the_parallel_whose_entry_was_not_read() -> None:
    assert visits("""
        90 ParallelStateStarted 89
        91 PassStateEntered 90 name: A
        92 PassStateExited 91 name: A
        93 ParallelStateExited 92 name: Fan
    """) == ["?/Fan SUCCEEDED ?-93 x1", "?/A SUCCEEDED 91-92"]


def test_what_came_after_a_gap_ended_with_the_execution_if_nothing_unread_is_around_it() -> None:
    table = """
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: First
        50 TaskStateEntered 49 name: Last
        51 TaskScheduled 50
        52 ExecutionAborted 0
    """
    assert visits(table) == ["First UNKNOWN 2-", "?/Last UNKNOWN 50- x1"]
    assert visits(table, PAR) == ["First UNKNOWN 2-", "Last ABORTED 50- x1"]


def test_a_gap_hides_what_became_of_what_was_open_before_it() -> None:
    table = """
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Before
        3 TaskScheduled 2
        50 TaskStateEntered 49 name: After
        51 TaskScheduled 50
        52 ExecutionAborted 0
    """
    assert visits(table) == ["Before UNKNOWN 2- x1", "?/After UNKNOWN 50- x1"]
    attribution = read(table)
    assert (attribution.gaps, attribution.is_complete, attribution.unbroken_from) == (((4, 49),), False, 3)


def test_a_state_that_cannot_repeat_is_the_same_on_both_sides_of_a_gap() -> None:
    tail = """
        80 MapIterationStarted 79 name: Each, index: 1
        81 ParallelStateEntered 80 name: Fan
        90 MapStateExited 89 name: Each
    """
    assert visits(HEAD + tail, PAR) == [
        "First SUCCEEDED 2-3",
        "Each UNKNOWN 4-90 x1",
        "Each#1/Fan UNKNOWN 81-",
    ]


@pytest.mark.parametrize("change", [{"Retry": [{"ErrorEquals": ["States.ALL"]}]}, {"Next": "First"}])
def test_a_state_that_can_repeat_may_be_another_one(change: dict[str, Any]) -> None:
    machine = {**PAR, "States": {**PAR["States"], "Each": {**PAR["States"]["Each"], **change}}}
    assert visits(HEAD + "80 MapIterationStarted 79 name: Each, index: 1", machine) == [
        "First SUCCEEDED 2-3",
        "Each UNKNOWN 4- x1",
        "Each UNKNOWN ?-",
    ]


def test_what_goes_on_after_a_gap_is_known_to_run_and_so_is_what_is_around_it() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: A
        5 TaskStateEntered 3 name: B
        50 TaskScheduled 4
    """) == ["Fan RUNNING 2- x1", "Fan[A]/A RUNNING 4- x1", "Fan[B]/B UNKNOWN 5-"]


def test_the_run_of_a_tail_is_told_by_the_next_redrive() -> None:
    attribution = read("""
        90 TaskStateEntered 89 name: Do
        91 ExecutionFailed 90
        92 ExecutionRedriven 91 redriveCount: 3
        93 TaskScheduled 90
        95 TaskFailed 94
    """)
    assert [event.redrive_index for event in attribution] == [2, 2, 3, 3, None]


def test_links_to_later_events_are_links_to_nothing_read() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 PassStateEntered 7 name: A
        3 PassStateExited 3 name: A
    """) == ["?/A UNKNOWN 2-", "?/A SUCCEEDED ?-3"]


def test_events_that_contradict_the_definition_put_nothing_inside_itself() -> None:
    attribution = read(
        """
        90 TaskSucceeded 89
        91 ParallelStateEntered 90 name: Fan
        92 MapIterationSucceeded 91 name: Each, index: 0
        93 MapStateEntered 88 name: Each
        94 MapIterationSucceeded 93 name: Each, index: 0
        95 TaskStateExited 90 name: B
        """,
        PAR,
    )
    assert [visit.scope.depth for visit in attribution.visits if visit.name == "Each"] == [0, 0]
    assert all(len(visit.scope.path() or ()) <= 2 for visit in attribution.visits)


def test_a_state_whose_exit_is_missing_has_ended_when_the_next_one_is_entered() -> None:
    assert visits("""
        1 ExecutionStarted 0
        2 PassStateEntered 0 name: A
        3 PassStateEntered 2 name: B
    """) == ["A UNKNOWN 2-", "B RUNNING 3-"]
