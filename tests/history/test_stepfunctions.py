"""Events of AWS Step Functions in each of the shapes they come in."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.history import Event, EventKind, MalformedHistoryError, parse_event, parse_events

ENTERED = {
    "timestamp": "2026-07-14T09:30:00.250000+00:00",
    "type": "TaskStateEntered",
    "id": 2,
    "previousEventId": 0,
    "stateEnteredEventDetails": {"name": "Do", "input": "{}", "inputDetails": {"truncated": False}},
}


def test_an_event_of_the_command_line() -> None:
    event = parse_event(ENTERED)
    assert event == Event(
        id=2,
        previous_id=0,
        type="TaskStateEntered",
        kind=EventKind.STATE_ENTERED,
        time=datetime(2026, 7, 14, 9, 30, 0, 250_000, UTC),
        step_name="Do",
        state_type="Task",
        iteration=None,
        detail=ENTERED["stateEnteredEventDetails"],  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("timestamp", "time"),
    [
        ("2026-07-14T09:30:00Z", datetime(2026, 7, 14, 9, 30, tzinfo=UTC)),
        ("2026-07-14T11:30:00+02:00", datetime(2026, 7, 14, 9, 30, tzinfo=UTC)),
        ("2026-07-14T09:30:00", datetime(2026, 7, 14, 9, 30, tzinfo=UTC)),
        (1_784_021_400, datetime(2026, 7, 14, 9, 30, tzinfo=UTC)),
        (1_784_021_400.25, datetime(2026, 7, 14, 9, 30, 0, 250_000, UTC)),
        (Decimal("1784021400.25"), datetime(2026, 7, 14, 9, 30, 0, 250_000, UTC)),
        (datetime(2026, 7, 14, 9, 30, tzinfo=UTC), datetime(2026, 7, 14, 9, 30, tzinfo=UTC)),
        (datetime(2026, 7, 14, 9, 30), datetime(2026, 7, 14, 9, 30, tzinfo=UTC)),
        (
            datetime(2026, 7, 14, 11, 30, tzinfo=timezone(timedelta(hours=2))),
            datetime(2026, 7, 14, 9, 30, tzinfo=UTC),
        ),
        ("timestamp", None),
        (None, None),
        ([], None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        (1e300, None),
        (-(10**18), None),
        (Decimal("sNaN"), None),
    ],
)
def test_times_in_each_shape(timestamp: object, time: datetime | None) -> None:
    assert parse_event({**ENTERED, "timestamp": timestamp}).time == time


@pytest.mark.parametrize(
    ("event_type", "kind", "state_type"),
    [
        ("ExecutionStarted", "EXECUTION_STARTED", None),
        ("ExecutionRedriven", "EXECUTION_REDRIVEN", None),
        ("MapStateEntered", "STATE_ENTERED", "Map"),
        ("MapStateStarted", "CONTAINER_STARTED", "Map"),
        ("ParallelStateSucceeded", "CONTAINER_SUCCEEDED", "Parallel"),
        ("ParallelStateFailed", "CONTAINER_FAILED", "Parallel"),
        ("WaitStateAborted", "STATE_ABORTED", "Wait"),
        ("MapIterationAborted", "ITERATION_ABORTED", "Map"),
        ("MapRunRedriven", "MAP_RUN_REDRIVEN", "Map"),
        ("TaskSubmitted", "WORK_SUBMITTED", "Task"),
        ("TaskSubmitFailed", "WORK_FAILED", "Task"),
        ("TaskStartFailed", "WORK_FAILED", "Task"),
        ("LambdaFunctionScheduleFailed", "WORK_FAILED", "Task"),
        ("LambdaFunctionStartFailed", "WORK_FAILED", "Task"),
        ("LambdaFunctionTimedOut", "WORK_FAILED", "Task"),
        ("ActivityScheduleFailed", "WORK_FAILED", "Task"),
        ("ActivityStarted", "WORK_STARTED", "Task"),
        ("EvaluationFailed", "EVALUATION_FAILED", None),
        ("OracleStateEntered", "STATE_ENTERED", "Oracle"),
        ("OracleStateConsulted", "OTHER", None),
        ("StateEntered", "OTHER", None),
        ("", "OTHER", None),
    ],
)
def test_types_have_a_meaning(event_type: str, kind: str, state_type: str | None) -> None:
    event = parse_event({"id": 1, "type": event_type})
    assert (event.kind, event.state_type) == (kind, state_type)


def test_an_iteration_is_named_by_its_map_and_index() -> None:
    details = {"mapIterationStartedEventDetails": {"name": "Each", "index": 0}}
    event = parse_event({"id": 1, "type": "MapIterationStarted", **details})
    assert (event.step_name, event.iteration) == ("Each", 0)


def test_an_evaluation_is_named_by_its_state() -> None:
    event = parse_event({"id": 1, "type": "EvaluationFailed", "evaluationFailedEventDetails": {"state": "Do"}})
    assert event.step_name == "Do"


@pytest.mark.parametrize(
    "details", [None, [], "x", {"name": 7, "index": -1}, {"name": None, "index": True}, {"name": {}, "index": "0"}]
)
def test_details_of_the_wrong_kind_are_no_details(details: object) -> None:
    event = parse_event({"id": 1, "type": "MapIterationStarted", "mapIterationStartedEventDetails": details})
    assert (event.step_name, event.iteration) == (None, None)
    assert (event.text("name"), event.number("index")) in [(None, None), (None, -1)]


@pytest.mark.parametrize("document", [[ENTERED], {"events": [ENTERED], "nextToken": "x"}])
def test_a_history_is_a_list_or_what_the_command_line_prints(document: object) -> None:
    assert parse_events(document) == [parse_event(ENTERED)]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "neither a list of events nor an object"),
        ({}, "neither a list of events nor an object"),
        ({"events": {}}, "neither a list of events nor an object"),
        ([ENTERED, 7], r"events\[1\]: not an object"),
        ([{"type": "X"}], r"events\[0\]: 'id' is not a positive whole number"),
        ([{"id": 0, "type": "X"}], "'id' is not a positive whole number"),
        ([{"id": True, "type": "X"}], "'id' is not a positive whole number"),
        ([{"id": 1.0, "type": "X"}], "'id' is not a positive whole number"),
        ([{"id": 1, "previousEventId": "0", "type": "X"}], "'previousEventId' is not a whole number"),
        ([{"id": 1, "previousEventId": -1, "type": "X"}], "'previousEventId' is not a whole number"),
        ([{"id": 1}], "'type' is not text"),
    ],
)
def test_what_is_no_history_is_refused_with_its_place(document: object, message: str) -> None:
    with pytest.raises(MalformedHistoryError, match=message):
        parse_events(document)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(event=st.fixed_dictionaries({}, optional=dict.fromkeys([*ENTERED, "mapRunStartedEventDetails"], JSON)) | JSON)
def test_anything_is_an_event_or_refused(event: object) -> None:
    try:
        assert parse_event(event).id >= 1
    except MalformedHistoryError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
