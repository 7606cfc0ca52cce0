"""Warnings: what their messages may hold, and what stands for a failed call."""

import pytest

from graph.aws.calls import FORGOTTEN, TIME_IS_UP
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed, distinct

CUT = ExecutionWarningCode.HISTORY_CUT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Sub-execution status unavailable for arn:aws:states:eu-west-1:123456789012:execution:flow:name: Denied.",
            "Sub-execution status unavailable for (ARN) Denied.",
        ),
        ("The log group arn:aws-us-gov:logs:us-gov-west-1:123456789012:log-group:/a is not known.", None),
        ("/aws/batch/123456789012/job, (123456789012) and a123456789012b are not read.", None),
        ("arn:aws:s3:::bucket/key, then more.", "(ARN), then more."),
        ("Batch job 0b1c2d3e-4f50-4617-8899-aabbccddeeff: 1234567890123 events.", "same"),
        ("A barn: no ARN.", "same"),
    ],
)
def test_a_message_holds_no_arn_and_no_account(text: str, message: str | None) -> None:
    shown = ExecutionWarning(CUT, text).message
    assert "123456789012 " not in shown
    assert "arn:" not in shown.replace("barn:", "")
    assert "123456789012" not in shown.replace("1234567890123", "")
    if message is not None:
        assert shown == (text if message == "same" else message)


def test_a_message_is_cut_where_a_label_is_of_any_length() -> None:
    shown = ExecutionWarning(CUT, "x" * 100_000).message
    assert len(shown) == 500
    assert shown.endswith("x…")


def test_a_long_message_is_cut_after_what_it_may_not_hold_is_gone() -> None:
    shown = ExecutionWarning(CUT, "x" * 490 + " 123456789012").message
    assert "1234" not in shown


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        ("AccessDeniedException", ExecutionWarningCode.ENGINE_DENIED),
        ("AccessDenied", ExecutionWarningCode.ENGINE_DENIED),
        ("ExecutionDoesNotExist", ExecutionWarningCode.RUN_GONE),
        (FORGOTTEN, ExecutionWarningCode.JOB_GONE),
        (TIME_IS_UP, ExecutionWarningCode.OPERATION_BUDGET),
        ("ThrottlingException", CUT),
        ("ConnectTimeoutError", CUT),
    ],
)
def test_a_failed_call_has_the_code_of_its_reason_or_of_what_is_missing(
    failure: str, code: ExecutionWarningCode
) -> None:
    warning = call_failed("The run is not known", failure, otherwise=CUT)
    assert warning.code is code
    assert warning.message.startswith("The run is not known: ")


def test_each_warning_is_said_once_in_their_order() -> None:
    class Log:
        def __init__(self, id_: str) -> None:
            self.id = id_

    first, second = ExecutionWarning(CUT, "b"), ExecutionWarning(CUT, "a")
    of_one, of_another = first.about(Log("1")), first.about(Log("2"))
    assert distinct([first, second, first, of_one, of_another, of_one.about(Log("1"))]) == [
        first,
        second,
        of_one,
        of_another,
    ]
