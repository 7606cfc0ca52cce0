"""The one policy: what is retried, when, within which budget, and what the log says of it."""

import asyncio
import logging
import time
from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ChecksumError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
)
from botocore.parsers import ResponseParserError
from botocore.retries import standard as botocore_retries

from graph.aws import retries
from graph.aws.retries import Attempts, Failure, RetryPolicy, retry_budget
from tests.faults import without_pauses
from tests.logs.unruly import refused

STANDARD: Any = botocore_retries  # what boto3 retries, by its private names
THROTTLED = Failure.of_code("ThrottlingException")

# What is a failure


@pytest.mark.parametrize(
    "error",
    [
        *(refused(code) for code in STANDARD.ThrottledRetryableChecker._THROTTLED_ERROR_CODES),
        *(refused(code) for code in STANDARD.TransientRetryableChecker._TRANSIENT_ERROR_CODES),
        *(refused("Strange", status) for status in STANDARD.TransientRetryableChecker._TRANSIENT_STATUS_CODES),
        refused("Strange", 429),
        ConnectTimeoutError(endpoint_url="x"),
        ReadTimeoutError(endpoint_url="x"),
        EndpointConnectionError(endpoint_url="x"),
        ConnectionClosedError(endpoint_url="x"),
        SSLError(endpoint_url="x", error=OSError()),
        ResponseStreamingError(error="x"),
    ],
    ids=str,
)
def test_whatever_boto3_tries_again_may_pass(error: Exception) -> None:
    assert Failure.of(error).may_pass


@pytest.mark.parametrize(
    "error",
    [
        IncompleteReadError(actual_bytes=1, expected_bytes=2),
        ChecksumError(checksum_type="crc32", expected_checksum="1", actual_checksum="2"),
        ResponseParserError("no JSON"),
        refused("InternalFailure"),
        refused("KmsThrottlingException"),
        refused("UnprocessedKeys"),
    ],
    ids=str,
)
def test_an_answer_that_did_not_come_whole_may_pass_too(error: Exception) -> None:
    assert Failure.of(error).may_pass


@pytest.mark.parametrize(
    "error",
    [
        refused("AccessDeniedException"),
        refused("ValidationException"),
        refused("UnrecognizedClientException"),
        refused("", 403),
        NoCredentialsError(),
        BotoCoreError(),
        RuntimeError("whatever a source of credentials raises"),
    ],
    ids=str,
)
def test_what_another_attempt_does_not_mend_may_not(error: Exception) -> None:
    assert not Failure.of(error).may_pass


@pytest.mark.parametrize(
    ("code", "is_throttled"),
    [
        ("ThrottlingException", True),
        ("ProvisionedThroughputExceededException", True),
        ("TransactionInProgressException", False),
        ("InternalServerError", False),
    ],
)
def test_a_throttle_is_told_from_a_fault(code: str, is_throttled: bool) -> None:
    assert Failure.of(refused(code)).is_throttled == is_throttled


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (refused("ThrottlingException"), "ThrottlingException"),
        (refused("", 503), "503"),
        (ClientError({}, "Query"), "0"),
        (refused("a\nforged line"), "Unknown"),
        (refused("x" * 101), "Unknown"),
        (NoCredentialsError(), "NoCredentialsError"),
    ],
    ids=str,
)
def test_its_code_is_one_word(error: Exception, code: str) -> None:
    assert Failure.of(error).code == code


# When another attempt follows


def test_pauses_double_up_to_a_bound_and_are_drawn_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[float, float]] = []

    def uniform(low: float, high: float) -> float:
        drawn.append((low, high))
        return high / 2

    monkeypatch.setattr("graph.aws.retries.random.uniform", uniform)
    pauses = [RetryPolicy(8).pause_after(attempt, THROTTLED) for attempt in range(1, 9)]
    assert [high for _, high in drawn] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    assert pauses == [high / 2 for _, high in drawn] + [None]
    assert {low for low, _ in drawn} == {0}


def test_a_failure_that_does_not_pass_has_no_other_attempt() -> None:
    assert RetryPolicy(8).pause_after(1, Failure.of_code("AccessDeniedException")) is None


def test_one_attempt_is_one() -> None:
    assert RetryPolicy(1).pause_after(1, THROTTLED) is None


async def test_all_calls_of_an_operation_share_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)
    made = 0

    async def call(operation: str, most: int) -> None:
        nonlocal made
        attempts = Attempts(RetryPolicy(most), operation)
        while await attempts.again(THROTTLED):
            made += 1

    with retry_budget() as budget:
        await asyncio.gather(*(call("dynamodb.Query", 6) for _ in range(100)))
        assert made == budget.used == 60
        await asyncio.gather(*(call("states.DescribeExecution", 3) for _ in range(100)))
        assert made == budget.used == 60
    with retry_budget():
        await call("dynamodb.Query", 6)
    assert made == 65


async def test_no_retry_begins_after_the_end_of_its_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.aws.retries.random.uniform", lambda _low, high: high)
    now = [time.monotonic()]
    monkeypatch.setattr("graph.aws.retries.time.monotonic", lambda: now[0])
    with retry_budget(0.15):
        assert RetryPolicy(6).pause_after(1, THROTTLED) == 0.1
        now[0] += 0.1
        assert RetryPolicy(6).pause_after(1, THROTTLED) is None
    assert RetryPolicy(6).pause_after(1, THROTTLED) == 0.1


async def test_a_budget_is_that_of_the_operation_it_was_opened_in(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)

    async def operation(calls: int) -> int:
        with retry_budget() as budget:
            await asyncio.gather(*(Attempts(RetryPolicy(3), "x.Y").again(THROTTLED) for _ in range(calls)))
            return budget.used

    assert list(await asyncio.gather(*map(operation, (5, 7)))) == [5, 7]
    assert retries._budget.get() is None


# What the log says


@pytest.mark.parametrize(
    ("operation", "table", "line"),
    [
        ("dynamodb.Query", "Executions", "dynamodb.Query failed: table=Executions code=ThrottlingException attempt=3"),
        ("logs.FilterLogEvents", None, "logs.FilterLogEvents failed: code=ThrottlingException attempt=3"),
    ],
)
async def test_retries_are_quiet_and_the_last_failure_is_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, operation: str, table: str | None, line: str
) -> None:
    without_pauses(monkeypatch)
    caplog.set_level(logging.DEBUG, "graph.aws")
    attempts = Attempts(RetryPolicy(3), operation, table=table)
    assert [await attempts.again(THROTTLED) for _ in range(3)] == [True, True, False]
    told = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "graph.aws.retries"]
    assert told == [
        ("DEBUG", line.replace("attempt=3", "attempt=1")),
        ("DEBUG", line.replace("attempt=3", "attempt=2")),
        ("WARNING", line),
    ]
