from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played

MACHINE = Machine("arn:aws:states:us-west-2:123456789012:stateMachine:Convert", {})
RUN = MACHINE.execution("run")


def script() -> Script:
    script, last = Script(datetime(2026, 7, 14, tzinfo=UTC)), 0
    for _ in range(10):
        last = script.task("A", last)
    return script


def service(clock: Any = lambda: 0.0) -> EmbeddedStepFunctions:
    return EmbeddedStepFunctions([Played(MACHINE, "run", "RUNNING", script().events)], clock=clock)


def walk(states: EmbeddedStepFunctions, **arguments: Any) -> list[int]:
    found: list[int] = []
    page: dict[str, Any] = {"nextToken": None}
    while "nextToken" in page:
        page = states.get_execution_history(executionArn=RUN, nextToken=page["nextToken"], **arguments)
        found += [event["id"] for event in page["events"]]
    return found


@pytest.mark.parametrize("size", [1, 7, 51, 1000])
def test_pages_hold_every_event_once_in_either_order(size: int) -> None:
    assert walk(service(), maxResults=size) == list(range(1, 52))
    assert walk(service(), maxResults=size, reverseOrder=True) == list(range(51, 0, -1))


def test_a_history_that_grows_is_read_to_its_new_end() -> None:
    states = service()
    page = states.get_execution_history(executionArn=RUN, maxResults=50)
    more = {
        "id": 52,
        "previousEventId": 51,
        "type": "ExecutionSucceeded",
        "timestamp": datetime(2026, 7, 15, tzinfo=UTC),
    }
    states.append(RUN, [more], "SUCCEEDED")
    rest = states.get_execution_history(executionArn=RUN, maxResults=50, nextToken=page["nextToken"])
    assert [event["id"] for event in rest["events"]] == [51, 52]
    assert states.describe_execution(executionArn=RUN)["status"] == "SUCCEEDED"


def test_without_execution_data_the_links_and_names_stay() -> None:
    page = service().get_execution_history(executionArn=RUN, includeExecutionData=False)
    entered = page["events"][1]
    assert entered["stateEnteredEventDetails"] == {"name": "A"}
    assert not any(
        "output" in details for event in page["events"] for details in event.values() if isinstance(details, dict)
    )


def test_a_token_holds_for_its_request_and_for_a_day() -> None:
    now = [0.0]
    states = service(lambda: now[0])
    token = states.get_execution_history(executionArn=RUN, maxResults=5)["nextToken"]
    for arguments in ({"reverseOrder": True}, {"includeExecutionData": False}):
        assert refused(states, token, **arguments) == "InvalidToken"
    assert refused(states, "made up") == "InvalidToken"
    now[0] = 25 * 3600
    assert refused(states, token) == "InvalidToken"


def refused(states: EmbeddedStepFunctions, token: str, **arguments: Any) -> str:
    with pytest.raises(ClientError) as error:
        states.get_execution_history(executionArn=RUN, nextToken=token, **arguments)
    return error.value.response["Error"]["Code"]


def test_what_does_not_exist_is_refused() -> None:
    states = service()
    calls: list[tuple[Any, dict[str, str], str]] = [
        (states.describe_execution, {"executionArn": "x"}, "ExecutionDoesNotExist"),
        (states.describe_state_machine, {"stateMachineArn": "x"}, "StateMachineDoesNotExist"),
        (states.describe_map_run, {"mapRunArn": "x"}, "ResourceNotFound"),
    ]
    for call, arguments, code in calls:
        with pytest.raises(ClientError) as error:
            call(**arguments)
        assert error.value.response["Error"]["Code"] == code
