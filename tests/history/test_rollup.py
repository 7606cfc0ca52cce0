"""Stages: what became of each state of a definition."""

import json

import pytest

from graph.history import IterationCounts, StageSummary, attribute, batch_job, frame, parse_definition, roll_up
from tests.history.tables import events, stages

CONVERSION = {
    "StartAt": "Prepare",
    "States": {
        "Prepare": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:prepare", "Next": "ConvertBatch"},
        "ConvertBatch": {
            "Type": "Task",
            "Resource": "arn:aws:states:::batch:submitJob.sync",
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "ReportFailure"}],
            "Next": "Done",
        },
        "ReportFailure": {"Type": "Task", "Resource": "arn:aws:states:::sns:publish", "Next": "ConversionFailed"},
        "ConversionFailed": {"Type": "Fail"},
        "Done": {"Type": "Succeed"},
    },
}

FIRST_TRY = """
    1 ExecutionStarted 0 09:30:05
    2 TaskStateEntered 0 09:30:05 name: Prepare
    3 LambdaFunctionScheduled 2
    4 LambdaFunctionSucceeded 3
    5 TaskStateExited 4 09:30:20 name: Prepare
    6 TaskStateEntered 5 09:30:20 name: ConvertBatch
    7 TaskScheduled 6 resource: submitJob.sync, resourceType: batch
    8 TaskSubmitted 7 resourceType: batch, output: {"JobId":"j-1"}
    9 TaskFailed 8 resourceType: batch, error: States.TaskFailed, cause: Host EC2 terminated
"""

WHOLE = (
    FIRST_TRY
    + """
    10 TaskScheduled 9 resource: submitJob.sync, resourceType: batch
    11 TaskSubmitted 10 resourceType: batch, output: {"JobId":"j-2"}
    12 TaskSucceeded 11 resourceType: batch
    13 TaskStateExited 12 09:36:10 name: ConvertBatch
    14 SucceedStateEntered 13 09:36:10 name: Done
    15 SucceedStateExited 14 09:36:10 name: Done
    16 ExecutionSucceeded 15 09:36:11
"""
)


def row(stage: StageSummary) -> tuple[object, ...]:
    def at(time: object) -> str:
        return f"{time:%H:%M:%S}" if time is not None else ""

    return (
        stage.name,
        stage.state_type,
        stage.status,
        at(stage.started_at),
        at(stage.stopped_at),
        stage.attempts,
        stage.error,
    )


def test_a_conversion_that_succeeds_at_the_second_try() -> None:
    assert [row(stage) for stage in stages(WHOLE, CONVERSION).values()] == [
        ("Prepare", "Task", "SUCCEEDED", "09:30:05", "09:30:20", 1, None),
        ("ConvertBatch", "Task", "SUCCEEDED", "09:30:20", "09:36:10", 2, None),
        ("Done", "Succeed", "SUCCEEDED", "09:36:10", "09:36:10", 0, None),
        ("ReportFailure", "Task", "NOT_STARTED", "", "", 0, None),
        ("ConversionFailed", "Fail", "NOT_STARTED", "", "", 0, None),
    ]
    convert = stages(WHOLE, CONVERSION)["ConvertBatch"]
    assert (convert.duration_ms, convert.cause, convert.is_caught) == (350_000, None, False)
    assert [batch_job(visit) for visit in convert.visits] == [("j-2", None)]


def test_a_conversion_that_will_be_tried_again_is_running() -> None:
    found = stages(FIRST_TRY, CONVERSION)
    assert row(found["ConvertBatch"]) == ("ConvertBatch", "Task", "RUNNING", "09:30:20", "", 1, "States.TaskFailed")
    assert found["ConvertBatch"].cause == "Host EC2 terminated"
    assert [found[name].status for name in ("Done", "ReportFailure", "ConversionFailed")] == ["NOT_STARTED"] * 3


def test_a_conversion_whose_failure_is_handled_is_caught() -> None:
    found = stages(
        FIRST_TRY
        + """
        10 TaskStateExited 9 name: ConvertBatch
        11 TaskStateEntered 10 name: ReportFailure
        """,
        CONVERSION,
    )
    assert (found["ConvertBatch"].status, found["ConvertBatch"].is_caught) == ("CAUGHT", True)
    assert found["ConvertBatch"].error == "States.TaskFailed"
    assert found["ReportFailure"].status == "RUNNING"


def test_what_was_not_read_to_its_end_hides_what_has_not_been_seen() -> None:
    found = stages(FIRST_TRY, CONVERSION, read_to_end=False)
    assert [stage.status for stage in found.values()] == ["SUCCEEDED", *["UNKNOWN"] * 4]


LOOP = {
    "StartAt": "Poll",
    "States": {
        "Poll": {"Type": "Task", "Next": "Again"},
        "Again": {"Type": "Choice", "Choices": [{"Next": "Poll"}], "Default": "End"},
        "End": {"Type": "Succeed"},
    },
}

TWO_TURNS = """
    1 ExecutionStarted 0
    2 TaskStateEntered 0 name: Poll
    3 TaskScheduled 2
    4 TaskFailed 3 error: E
    5 TaskScheduled 4
    6 TaskSucceeded 5
    7 TaskStateExited 6 name: Poll
    8 ChoiceStateEntered 7 name: Again
    9 ChoiceStateExited 8 name: Again
    10 TaskStateEntered 9 name: Poll
    11 TaskScheduled 10
"""


def test_the_last_turn_of_a_loop_counts_and_attempts_are_the_most_of_one_turn() -> None:
    poll = stages(TWO_TURNS + "12 ExecutionTimedOut 0", LOOP)["Poll"]
    assert (poll.status, len(poll.visits), poll.attempts) == ("TIMED_OUT", 2, 2)


def test_a_state_in_a_loop_may_be_visited_again_by_what_was_not_read() -> None:
    found = stages(TWO_TURNS, LOOP, read_to_end=False)
    assert {stage.status for stage in found.values()} == {"UNKNOWN"}


MAP = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "ItemProcessor": {"StartAt": "Do", "States": {"Do": {"Type": "Task", "End": True}}},
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Handle"}],
            "End": True,
        },
        "Handle": {"Type": "Pass", "End": True},
    },
}


def three_iterations(*endings: str) -> str:
    lines = ["1 ExecutionStarted 0", "2 MapStateEntered 0 name: Each", "3 MapStateStarted 2 length: 3"]
    for index, ending in enumerate(endings):
        number = len(lines) + 1
        lines += [
            f"{number} MapIterationStarted 3 name: Each, index: {index}",
            f"{number + 1} TaskStateEntered {number} name: Do",
            f"{number + 2} TaskScheduled {number + 1}",
            f"{number + 3} {ending.format(number + 2)}",
            f"{number + 4} TaskStateExited {number + 3} name: Do"
            if "Failed" not in ending
            else f"{number + 4} Other 0",
        ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("third", "ending", "status"),
    [
        ("TaskSucceeded {}", "", "SUCCEEDED"),
        ("TaskFailed {} error: E", "", "RUNNING"),
        ("TaskFailed {} error: E", "19 MapIterationFailed 17 name: Each, index: 2", "FAILED"),
        ("TaskFailed {} error: E", "19 ExecutionFailed 17 error: E", "FAILED"),
        ("TaskStarted {}", "", "SUCCEEDED"),
    ],
)
def test_a_stage_in_a_map_is_what_its_iterations_are(third: str, ending: str, status: str) -> None:
    table = three_iterations("TaskSucceeded {}", "TaskSucceeded {}", third) + "\n" + ending
    found = stages(table, MAP)
    assert found["Do"].status == status
    assert len(found["Do"].visits) == 3
    assert found["Do"].path == ("Each", "Do")
    assert found["Each"].iterations is not None
    assert found["Each"].iterations[:2] == (3, 3)


def test_a_retried_map_counts_its_current_attempt() -> None:
    found = stages(
        """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 1
        4 MapIterationStarted 3 name: Each, index: 0
        5 TaskStateEntered 4 name: Do
        6 TaskFailed 5 error: E
        7 MapIterationFailed 6 name: Each, index: 0
        8 MapStateStarted 6 length: 1
        9 MapIterationStarted 8 name: Each, index: 0
        10 TaskStateEntered 9 name: Do
        11 TaskSucceeded 10
        12 TaskStateExited 11 name: Do
        13 MapIterationSucceeded 12 name: Each, index: 0
        14 MapStateExited 12 name: Each
        """,
        MAP,
    )
    assert (found["Do"].status, len(found["Do"].visits)) == ("SUCCEEDED", 2)
    assert (found["Each"].status, found["Each"].attempts, found["Each"].iterations) == (
        "SUCCEEDED",
        2,
        IterationCounts(1, 1, 1, 0, 0, running=0),
    )


def test_a_stage_whose_iterations_were_not_all_read_is_unknown_unless_one_failed() -> None:
    tail = """
        90 MapIterationStarted 89 name: Each, index: 7
        91 TaskStateEntered 90 name: Do
        92 TaskSucceeded 91
        93 TaskStateExited 92 name: Do
    """
    assert stages(tail, MAP)["Do"].status == "UNKNOWN"
    assert stages(tail, MAP)["Handle"].status == "UNKNOWN"


def test_iterations_are_not_counted_until_all_were_read() -> None:
    head = """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 9
        4 MapIterationStarted 3 name: Each, index: 0
        5 TaskStateEntered 4 name: Do
    """
    gap = f"{head}\n60 MapIterationSucceeded 59 name: Each, index: 7"
    assert stages(head, MAP)["Each"].iterations == IterationCounts(9, 1, 0, 0, 0, running=1)
    assert stages(gap, MAP)["Each"].iterations == IterationCounts(9)
    in_a_loop = json.loads(json.dumps(MAP))
    in_a_loop["States"]["Each"]["Next"] = "Each"
    assert stages(gap, in_a_loop)["Each"].iterations == IterationCounts(None)


DISTRIBUTED = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "DISTRIBUTED"},
                "StartAt": "Do",
                "States": {"Do": {"Type": "Task", "End": True}},
            },
            "End": True,
        }
    },
}


def test_a_stage_of_a_map_run_is_not_seen_from_its_parent() -> None:
    found = stages(
        """
        1 ExecutionStarted 0
        2 MapStateEntered 0 name: Each
        3 MapStateStarted 2 length: 0
        4 MapRunStarted 3 mapRunArn: arn
        5 MapRunSucceeded 4
        6 MapStateExited 4 name: Each
        """,
        DISTRIBUTED,
    )
    assert (found["Each"].status, found["Each"].map_run, found["Each"].iterations) == ("SUCCEEDED", ("arn", 0), None)
    assert found["Each"].is_distributed
    assert found["Do"].status == "UNKNOWN"


def test_a_stage_of_a_map_that_has_not_started_has_not_either() -> None:
    found = stages("1 ExecutionStarted 0", DISTRIBUTED)
    assert [stage.status for stage in found.values()] == ["NOT_STARTED", "NOT_STARTED"]


def test_states_that_only_the_history_names_come_after_the_frame() -> None:
    table = """
        1 ExecutionStarted 0
        2 ParallelStateEntered 0 name: Fan
        3 ParallelStateStarted 2
        4 PassStateEntered 3 name: Stranger
    """
    assert list(stages(table, LOOP)) == ["Poll", "Again", "End", "Fan", "Stranger"]
    found = roll_up(None, attribute(events(table)))
    assert [(stage.name, stage.path, stage.depth, stage.parent, stage.transitions) for stage in found] == [
        ("Fan", ("Fan",), 0, None, None),
        ("Stranger", ("Fan", "Stranger"), 1, "Fan", None),
    ]


def test_a_state_that_a_bound_cut_from_the_frame_still_shows_its_visits() -> None:
    definition = parse_definition(LOOP)
    found = roll_up(frame(definition, max_stages=1), attribute(events(TWO_TURNS)))
    assert [(stage.name, stage.status) for stage in found] == [("Poll", "RUNNING"), ("Again", "SUCCEEDED")]


def test_redrives_are_counted() -> None:
    poll = stages(
        """
        1 ExecutionStarted 0
        2 TaskStateEntered 0 name: Poll
        3 TaskFailed 2 error: E
        4 ExecutionFailed 3
        5 ExecutionRedriven 4 redriveCount: 1
        6 TaskFailed 2 error: E
        7 ExecutionFailed 6
        """,
        LOOP,
    )["Poll"]
    assert (poll.redrives, poll.status, poll.error) == (1, "FAILED", "E")


def test_a_clock_that_goes_back_gives_no_negative_duration() -> None:
    stage = stages(
        """
        1 ExecutionStarted 0
        2 TaskStateEntered 0 09:00:05 name: Poll
        3 TaskStateExited 2 09:00:01 name: Poll
        """,
        LOOP,
    )["Poll"]
    assert stage.duration_ms == 0
