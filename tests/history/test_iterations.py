"""Iterations of a Map as rows, tries of a visit, and how often a transition was taken."""

from datetime import datetime

import pytest

from graph.history import StageSummary, StageTransitionKind, Transition, attribute, iterations_of, parse_definition
from graph.history.visit import MAX_TRIES
from tests.history.tables import events, read, stages

EACH = """
    1 ExecutionStarted 0
    2 MapStateEntered 0 name: Each
    3 MapStateStarted 2 length: 4
    4 MapIterationStarted 3 09:00:01 name: Each, index: 0
    5 MapIterationStarted 3 09:00:02 name: Each, index: 1
    6 MapIterationStarted 3 09:00:03 name: Each, index: 2
    7 TaskStateEntered 4 name: Work
    8 TaskStateEntered 5 name: Work
    9 TaskStateEntered 6 name: Work
    10 TaskScheduled 7
    11 TaskScheduled 8
    12 TaskSucceeded 10
    13 TaskStateExited 12 name: Work
    14 MapIterationSucceeded 13 09:01:00 name: Each, index: 0
    15 TaskFailed 11 error: E
    16 MapIterationFailed 15 09:02:00 name: Each, index: 1
    17 MapIterationAborted 15 09:03:00 name: Each, index: 2
    18 MapStateFailed 15 error: E
    19 ExecutionFailed 18 error: E
"""


def rows(table: str, place: int = 0) -> list[str]:
    attribution = read(table)
    visit = [one for one in attribution.visits if one.state_type == "Map"][place]
    return [
        f"{one.index} {one.status} {one.started_at:%H:%M:%S}-{f'{one.stopped_at:%H:%M:%S}' if one.stopped_at else ''}"
        + (f" {one.failed.name} {one.failed.error}" if one.failed is not None else "")
        for one in iterations_of(visit, attribution.visits)
    ]


def test_each_iteration_is_a_row_with_what_became_of_it() -> None:
    assert rows(EACH) == [
        "0 SUCCEEDED 09:00:01-09:01:00",
        "1 FAILED 09:00:02-09:02:00 Work E",
        "2 ABORTED 09:00:03-09:03:00",
    ]


def test_iterations_that_nothing_ended_are_open_until_the_run_ends() -> None:
    running = "\n".join(EACH.strip().splitlines()[:11])
    assert [row.partition(" ")[2] for row in rows(running)] == [
        "RUNNING 09:00:01-",
        "RUNNING 09:00:02-",
        "RUNNING 09:00:03-",
    ]
    assert rows(running + "\n12 ExecutionAborted 0 10:00:00")[2] == "2 ABORTED 09:00:03-10:00:00"


def test_what_failed_an_iteration_is_the_innermost_state() -> None:
    table = """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 09:00:01 name: Each, index: 0
        5 ParallelStateEntered 4 name: Fan
        6 ParallelStateStarted 5
        7 TaskStateEntered 6 name: Do
        8 TaskScheduled 7
        9 TaskFailed 8 error: E
        10 ParallelStateFailed 9 error: E
        11 MapIterationFailed 10 09:00:09 name: Each, index: 0
        12 MapStateFailed 10 error: E
        13 ExecutionFailed 12 error: E
    """
    assert rows(table) == ["0 FAILED 09:00:01-09:00:09 Do E"]


def test_other_states_and_distributed_maps_have_none() -> None:
    table = """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapRunStarted 3 mapRunArn: arn
    """
    assert rows(table) == []
    attribution = read("1 ExecutionStarted 0\n2 TaskStateEntered 0 name: Do")
    assert iterations_of(attribution.visits[0], attribution.visits) == ()


def _seconds(at: datetime | None) -> str:
    return f"{at:%S}" if at is not None else ""


def tries(table: str) -> list[str]:
    visit = read(table).visits[0]
    return [
        " ".join(filter(None, (f"{one.redrive_index} {one.started_at:%S}-{_seconds(one.stopped_at)}", one.error)))
        for one in visit.tries or ()
    ]


TRIED = """
    1 ExecutionStarted 0
    2 TaskStateEntered 0 name: Do
    3 TaskScheduled 2
    4 TaskFailed 3 error: Busy
    5 TaskScheduled 4
    6 TaskTimedOut 5 error: States.Timeout
"""


def test_each_try_has_its_times_and_its_error() -> None:
    assert tries(TRIED) == ["0 03-04 Busy", "0 05-06 States.Timeout"]
    assert tries(TRIED + "7 TaskScheduled 6\n8 TaskSucceeded 7\n9 TaskStateExited 8 name: Do") == [
        "0 03-04 Busy",
        "0 05-06 States.Timeout",
        "0 07-08",
    ]
    assert tries(TRIED + "7 TaskScheduled 6\n8 ExecutionAborted 0")[2] == "0 07-08"
    assert tries(TRIED + "7 TaskScheduled 6")[2] == "0 07-"


def test_a_try_after_a_redrive_says_so() -> None:
    redriven = "7 ExecutionFailed 6\n8 ExecutionRedriven 7 redriveCount: 1\n9 TaskScheduled 2"
    assert tries(TRIED + redriven) == ["0 03-04 Busy", "0 05-06 States.Timeout", "1 09-"]


def test_attempts_of_a_container_are_its_tries() -> None:
    assert tries("""
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 TaskStateEntered 3 name: Do
        5 TaskScheduled 4
        6 TaskFailed 5 error: First
        7 ParallelStateStarted 6
        8 TaskStateEntered 7 name: Do
        9 TaskScheduled 8
        10 TaskFailed 9 error: Second
        11 ParallelStateFailed 10
        12 ExecutionFailed 11
    """) == ["0 03-07 First", "0 07-11 Second"]


def test_only_the_newest_tries_are_kept() -> None:
    lines = ["1 ExecutionStarted 0", "2 TaskStateEntered 0 name: Do"]
    for number in range(150):
        lines += [
            f"{3 + 2 * number} TaskScheduled {2 + 2 * number}",
            f"{4 + 2 * number} TaskFailed {3 + 2 * number} error: E{number}",
        ]
    visit = read("\n".join(lines)).visits[0]
    assert visit.attempts == 150
    assert [one.error for one in visit.tries or ()] == [f"E{number}" for number in range(150 - MAX_TRIES, 150)]


LOOP = {
    "StartAt": "Ask",
    "States": {
        "Ask": {
            "Type": "Task",
            "Resource": "r",
            "Next": "Enough",
            "Catch": [{"ErrorEquals": ["Busy", "Slow"], "Next": "Enough"}],
        },
        "Enough": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.n", "NumericLessThan": 3, "Next": "Ask"}, {"Variable": "$.m", "Next": "Done"}],
            "Default": "Done",
        },
        "Done": {"Type": "Succeed"},
    },
}
TURNS = """
    1 ExecutionStarted 0
    2 TaskStateEntered 0 name: Ask
    3 TaskScheduled 2
    4 TaskSucceeded 3
    5 TaskStateExited 4 name: Ask
    6 ChoiceStateEntered 5 name: Enough
    7 ChoiceStateExited 6 name: Enough
    8 TaskStateEntered 7 name: Ask
    9 TaskScheduled 8
    10 TaskFailed 9 error: Busy
    11 TaskStateExited 10 name: Ask
    12 ChoiceStateEntered 11 name: Enough
    13 ChoiceStateExited 12 name: Enough
    14 SucceedStateEntered 13 name: Done
    15 SucceedStateExited 14 name: Done
    16 ExecutionSucceeded 15
"""


def counts(stage: StageSummary) -> dict[tuple[str, str], int | None]:
    return {(way.to, way.kind.value): stage.taken_count(way) for way in stage.transitions or ()}


def test_transitions_are_counted_by_where_they_lead_and_whether_a_catch_led_there() -> None:
    found = stages(TURNS, LOOP)
    assert counts(found["Ask"]) == {("Enough", "NEXT"): 1, ("Enough", "CATCH"): 1}
    assert counts(found["Enough"]) == {("Ask", "CHOICE"): 1, ("Done", "CHOICE"): None, ("Done", "DEFAULT"): None}


def test_a_transition_is_labelled_by_its_rule_or_its_errors() -> None:
    states = parse_definition(LOOP).states
    assert [way.label for way in states["Ask"].transitions] == [None, "Busy, Slow"]
    assert states["Enough"].transitions[0] == Transition(
        "Ask", StageTransitionKind.CHOICE, '{"Variable": "$.n", "NumericLessThan": 3}'
    )
    assert {name for name, state in states.items() if state.is_start} == {"Ask"}


@pytest.mark.parametrize("errors", [None, "Busy", [], [7, None], {}])
def test_errors_of_another_kind_are_no_label(errors: object) -> None:
    body = {"Type": "Task", "Catch": [{"ErrorEquals": errors, "Next": "A"}], "End": True}
    assert parse_definition({"StartAt": "A", "States": {"A": body}}).states["A"].transitions[0].label is None


def test_a_visit_knows_the_innermost_iteration_and_branch_around_it() -> None:
    attribution = attribute(events(EACH))
    assert [visit.iteration for visit in attribution.visits] == [None, 0, 1, 2]
    assert {visit.branch for visit in attribution.visits} == {None}
