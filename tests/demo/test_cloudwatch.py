import random
from typing import Any

import pytest
from botocore.exceptions import ClientError

from graph.demo.cloudwatch import EmbeddedLogs, Written

GROUP = "arn:aws:logs:us-west-2:123456789012:log-group:/group"
LINES = [
    *(Written("/group", f"job/{n % 2}", 1_000 + n // 4, f'line {n} of "many"') for n in range(100)),
    Written("/group", "other", 1_010, "needle in a haystack"),
    Written("/secret", "stream", 1_000, "nobody sees this"),
]


@pytest.fixture
def now() -> list[float]:
    return [0.0]


@pytest.fixture
def logs(now: list[float]) -> EmbeddedLogs:
    return EmbeddedLogs(LINES, denied=["/secret"], clock=lambda: now[0])


def search(logs: EmbeddedLogs, **request: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    token: dict[str, str] = {}
    while True:
        page = logs.filter_log_events(logGroupIdentifier=GROUP, **request, **token)
        events += page["events"]
        if "nextToken" not in page:
            return events
        token = {"nextToken": page["nextToken"]}


def refusal(error: pytest.ExceptionInfo[ClientError]) -> str:
    return error.value.response["Error"]["Code"]


def test_a_search_interleaves_streams_by_time(logs: EmbeddedLogs) -> None:
    found = search(logs, limit=7)
    assert len(found) == 101
    assert [event["timestamp"] for event in found] == sorted(event["timestamp"] for event in found)
    assert {event["logStreamName"] for event in found[:4]} == {"job/0", "job/1"}
    assert len({event["eventId"] for event in found}) == 101


def test_a_search_includes_both_ends_of_its_time(logs: EmbeddedLogs) -> None:
    assert {event["timestamp"] for event in search(logs, startTime=1_003, endTime=1_004)} == {1_003, 1_004}


def test_a_search_is_of_some_streams_or_of_those_with_a_prefix(logs: EmbeddedLogs) -> None:
    assert {event["logStreamName"] for event in search(logs, logStreamNamePrefix="job/")} == {"job/0", "job/1"}
    assert {event["logStreamName"] for event in search(logs, logStreamNames=["job/1", "other"])} == {"job/1", "other"}
    with pytest.raises(ClientError) as error:
        search(logs, logStreamNamePrefix="job/", logStreamNames=["other"])
    assert refusal(error) == "InvalidParameterException"


def test_every_term_of_a_pattern_has_to_occur(logs: EmbeddedLogs) -> None:
    assert [event["message"] for event in search(logs, filterPattern='"needle in" haystack')] == [
        "needle in a haystack"
    ]
    assert search(logs, filterPattern='"needle" "line"') == []
    assert search(logs, filterPattern='"Needle"') == []


def test_a_page_is_empty_where_much_was_looked_at_in_vain(logs: EmbeddedLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.demo.cloudwatch._LOOKED_AT", 10)
    page = logs.filter_log_events(logGroupIdentifier=GROUP, filterPattern='"needle"')
    assert page["events"] == []
    assert page["nextToken"]
    assert len(search(logs, filterPattern='"needle"')) == 1


def test_a_page_ends_at_a_megabyte() -> None:
    logs = EmbeddedLogs(Written("/group", "a", n, "x" * 200_000) for n in range(12))
    assert len(logs.filter_log_events(logGroupIdentifier=GROUP)["events"]) == 5
    assert len(logs.get_log_events(logGroupIdentifier=GROUP, logStreamName="a")["events"]) == 5


@pytest.mark.parametrize("changed", [{"startTime": 1}, {"filterPattern": "line"}])
def test_a_token_is_good_for_its_request_and_a_day(
    logs: EmbeddedLogs, now: list[float], changed: dict[str, Any]
) -> None:
    token = logs.filter_log_events(logGroupIdentifier=GROUP, limit=5)["nextToken"]
    logs.filter_log_events(logGroupIdentifier=GROUP, limit=9, nextToken=token)
    with pytest.raises(ClientError) as error:
        logs.filter_log_events(logGroupIdentifier=GROUP, nextToken=token, **changed)
    assert refusal(error) == "InvalidParameterException"
    now[0] = 24 * 3600 + 1
    with pytest.raises(ClientError) as error:
        logs.filter_log_events(logGroupIdentifier=GROUP, nextToken=token)
    assert refusal(error) == "InvalidParameterException"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"logGroupIdentifier": "/secret"}, "AccessDeniedException"),
        ({"logGroupIdentifier": "/nowhere"}, "ResourceNotFoundException"),
        ({"logGroupIdentifier": GROUP, "logStreamNames": ["nowhere"]}, "ResourceNotFoundException"),
        ({"logGroupIdentifier": GROUP, "limit": 10_001}, "InvalidParameterException"),
    ],
)
def test_what_cannot_be_searched_is_refused(logs: EmbeddedLogs, request_: dict[str, Any], code: str) -> None:
    with pytest.raises(ClientError) as error:
        logs.filter_log_events(**request_)
    assert refusal(error) == code


def test_a_stream_excludes_the_end_of_its_time(logs: EmbeddedLogs) -> None:
    page = logs.get_log_events(logGroupIdentifier=GROUP, logStreamName="job/0", startTime=1_003, endTime=1_005)
    assert {event["timestamp"] for event in page["events"]} == {1_003, 1_004}


@pytest.mark.parametrize("forward", [True, False])
def test_a_stream_is_read_from_either_end_until_the_token_stays(logs: EmbeddedLogs, forward: bool) -> None:
    chance = random.Random(3)  # noqa: S311
    name, pages = "nextForwardToken" if forward else "nextBackwardToken", list[list[str]]()
    given: dict[str, str] = {}
    while True:
        request = {"logGroupIdentifier": GROUP, "logStreamName": "job/1", "startFromHead": forward}
        page = logs.get_log_events(**request, limit=chance.randint(1, 9), **given)
        pages.append([event["message"] for event in page["events"]])
        if page[name] == given.get("nextToken"):
            break
        given = {"nextToken": page[name]}
    read = [message for page in (pages if forward else reversed(pages)) for message in page]
    assert read == [line.message for line in LINES if line.stream == "job/1"]
