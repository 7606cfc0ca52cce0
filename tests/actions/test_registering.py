"""What an event registers, and what that changes of a step's lists: pure."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.actions.registering import NotRegistered, Reason, apply, read_event
from graph.tables.builders.steps import MOST_REGISTERED

STEP = "1" * 32
ARN = "arn:aws:states:us-west-2:123456789012:execution:inner:one"
GROUP = "arn:aws:logs:us-west-2:123456789012:log-group:/aws/batch/job"


def event(sub: Any = None, logs: Any = None, **changes: Any) -> dict[str, Any]:
    detail: dict[str, Any] = {"pipelineExecutionId": STEP}
    if sub is not None:
        detail["subExecution"] = sub
    if logs is not None:
        detail["logs"] = logs
    of = {"detail-type": "pipeline.execution.register", "source": f"vams.execution.{'2' * 32}.pipeline.{STEP}"}
    return {**of, "detail": detail, **changes}


def log(**fields: str) -> dict[str, str]:
    names = ("logGroupArn", "logGroupName", "logStreamName", "logStreamPrefix", "stageName", "label", "sourceType")
    return dict.fromkeys(names, "") | fields


def read(sub: Any = None, logs: Any = None) -> tuple[list[Any], list[Any], dict[str, str]]:
    found = read_event(event(sub, logs))
    dropped = {one.place: one.reason.value for one in found.dropped}
    return [one for _, one in found.sub_executions], [one for _, one in found.logs], dropped


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (None, Reason.NOT_A_REGISTRATION),
        ("text", Reason.NOT_A_REGISTRATION),
        ({}, Reason.NOT_A_REGISTRATION),
        (event(**{"detail-type": "another"}), Reason.NOT_A_REGISTRATION),
        (event(detail=None), Reason.MALFORMED),
        (event(detail={"pipelineExecutionId": 5}), Reason.MALFORMED),
        (event(detail={"pipelineExecutionId": "x"}), Reason.MALFORMED),
        (event(source=None), Reason.FOREIGN_SOURCE),
        (event(source=f"vams.execution.1.pipeline.{'3' * 32}"), Reason.FOREIGN_SOURCE),
        (event(source=STEP), Reason.FOREIGN_SOURCE),
        (event(source=f"vams.pipeline.{STEP}.more"), Reason.FOREIGN_SOURCE),
    ],
)
def test_an_event_of_another_kind_or_of_another_step_registers_nothing(of: Any, reason: Reason) -> None:
    with pytest.raises(NotRegistered) as refused:
        read_event(of)
    assert refused.value.reason is reason


@pytest.mark.parametrize(
    ("entry", "stored", "dropped"),
    [
        ({"executionArn": ARN}, {"resourceType": "stepFunctionsExecution", "executionArn": ARN}, {}),
        ({"resourceType": "batchJob", "jobId": "j-1"}, {"resourceType": "batchJob", "jobId": "j-1"}, {}),
        (
            {"resourceType": "ecsTask", "taskArn": ARN, "label": "Web"},
            {"resourceType": "ecsTask", "taskArn": ARN, "label": "Web"},
            {},
        ),
        ({"resourceType": "a b", "jobId": "j-1"}, None, {"subExecution.resourceType": "INVALID_FIELD"}),
        ({"resourceType": 5, "jobId": "j-1"}, None, {"subExecution.resourceType": "INVALID_FIELD"}),
        ({"resourceType": "batchJob"}, None, {"subExecution": "NO_LOCATOR"}),
        ({"jobArn": "no arn"}, None, {"subExecution.jobArn": "INVALID_FIELD", "subExecution": "NO_LOCATOR"}),
        (
            {"jobId": "j", "stageName": "x" * 81},
            {"resourceType": "stepFunctionsExecution", "jobId": "j"},
            {"subExecution.stageName": "INVALID_FIELD"},
        ),
        (
            {"jobId": "j", "label": "a\nb"},
            {"resourceType": "stepFunctionsExecution", "jobId": "j"},
            {"subExecution.label": "INVALID_FIELD"},
        ),
        ({"jobId": "j", "label": "", "arn": None}, {"resourceType": "stepFunctionsExecution", "jobId": "j"}, {}),
        (
            {"jobId": "j", "secret": "x"},
            {"resourceType": "stepFunctionsExecution", "jobId": "j"},
            {"subExecution.secret": "UNKNOWN_FIELD"},
        ),
        ([], None, {"subExecution": "MALFORMED"}),
        ("text", None, {"subExecution": "MALFORMED"}),
    ],
)
def test_a_sub_execution_keeps_what_is_valid(entry: Any, stored: Any, dropped: dict[str, str]) -> None:
    subs, logs, told = read(entry)
    assert (subs, logs) == ([] if stored is None else [stored], [])
    if stored is None and "subExecution.resourceType" in dropped:
        dropped = dropped | {"subExecution": "INVALID_FIELD"}
    assert told == dropped


@pytest.mark.parametrize(
    ("entry", "stored", "dropped"),
    [
        ({"logGroupArn": GROUP}, log(logGroupArn=GROUP), {}),
        (
            {"logGroupName": "/aws/batch/job", "logStreamPrefix": "a/"},
            log(logGroupName="/aws/batch/job", logStreamPrefix="a/"),
            {},
        ),
        ({"logGroupName": "/a", "sourceType": "batch"}, log(logGroupName="/a", sourceType="batch"), {}),
        ({"logGroupName": "/a", "sourceType": "mine"}, log(logGroupName="/a", sourceType="custom"), {}),
        ({"logGroupName": "a b"}, None, {"logs[0].logGroupName": "INVALID_FIELD", "logs[0]": "NO_LOCATOR"}),
        (
            {"logGroupName": "/a", "logStreamName": "a:b"},
            log(logGroupName="/a"),
            {"logs[0].logStreamName": "INVALID_FIELD"},
        ),
        ({"logStreamName": "only"}, None, {"logs[0]": "NO_LOCATOR"}),
        ("text", None, {"logs[0]": "MALFORMED"}),
        (None, None, {"logs[0]": "MALFORMED"}),
    ],
)
def test_a_log_keeps_what_is_valid(entry: Any, stored: Any, dropped: dict[str, str]) -> None:
    assert read(logs=[entry]) == ([], [] if stored is None else [stored], dropped)


def test_what_is_no_list_of_logs_is_dropped() -> None:
    assert read(logs={"logGroupName": "/a"}) == ([], [], {"logs": "MALFORMED"})


def test_a_stored_location_is_only_completed() -> None:
    stored = [log(logGroupArn=f"{GROUP}:*", label="Old"), {"logGroupName": "/a"}]
    given = [
        {"logGroupArn": GROUP, "label": "New", "stageName": "Convert", "sourceType": "batch"},
        {"logGroupName": "/a", "stageName": "First"},
        {"logGroupName": "/a", "stageName": "Second", "label": "A"},
    ]
    changes = apply(read_event(event(logs=given)), (), stored)
    assert (changes.sub_executions, changes.logs, changes.dropped) == ([], [], [])
    assert changes.filled == {
        (0, "stageName"): "Convert",
        (0, "sourceType"): "batch",
        (1, "stageName"): "First",
        (1, "label"): "A",
    }


def test_locations_of_one_event_are_one_entry() -> None:
    given = [{"logGroupName": "/a"}, {"logGroupName": "/a", "label": "A"}, {"logGroupName": "/a", "logStreamName": "s"}]
    changes = apply(read_event(event(logs=given)), (), ())
    assert changes.logs == [log(logGroupName="/a", label="A"), log(logGroupName="/a", logStreamName="s")]


def test_beyond_fifty_nothing_is_stored_and_that_is_told() -> None:
    subs = [{"resourceType": "batchJob", "jobId": f"j-{number}"} for number in range(MOST_REGISTERED)]
    logs = [log(logGroupName=f"/{number}") for number in range(MOST_REGISTERED - 1)]
    given = [{"logGroupName": "/new"}, {"logGroupName": "/newer"}, {"logGroupName": "/3", "label": "L"}]
    changes = apply(read_event(event({"resourceType": "batchJob", "jobId": "j-50"}, given)), subs, logs)
    assert (changes.sub_executions, changes.logs) == ([], [log(logGroupName="/new")])
    assert changes.filled == {(3, "label"): "L"}
    assert [(one.place, one.reason.value) for one in changes.dropped] == [
        ("subExecution", "CAP_REACHED"),
        ("logs[1]", "CAP_REACHED"),
    ]
    again = apply(read_event(event({"resourceType": "batchJob", "jobId": "j-7"})), subs, logs)
    assert not again
    assert again.dropped == []


NAMES = st.sampled_from(["/a", "/b", "/c", f"{GROUP}:*", GROUP, "no group", ""])
ENTRIES = st.dictionaries(
    st.sampled_from(["logGroupArn", "logGroupName", "logStreamName", "stageName", "label", "sourceType", "other"]),
    st.one_of(NAMES, st.sampled_from(["batch", "x", "a:b"]), st.none(), st.integers()),
)


@given(st.lists(st.lists(ENTRIES, max_size=4), max_size=6))
def test_applied_again_nothing_changes_and_no_location_is_there_twice(events: list[list[dict[str, Any]]]) -> None:
    logs: list[dict[str, Any]] = []
    for entries in events:
        registration = read_event(event(logs=entries))
        changes = apply(registration, (), logs)
        logs += [dict(one) for one in changes.logs]
        for (place, name), text in changes.filled.items():
            assert not logs[place][name]
            logs[place][name] = text
        assert not apply(registration, (), logs)
    places = [
        (one["logGroupArn"].removesuffix(":*") or one["logGroupName"], one["logStreamName"], one["logStreamPrefix"])
        for one in logs
    ]
    assert len(set(places)) == len(places)
