"""What could not be read or done, beside what could: a code for programs, and words for people."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from graph.aws.calls import FORGOTTEN, TIME_IS_UP

_LONGEST = 500  # characters of a message, which may repeat a registered label or a name in a definition
_ARN = re.compile(r"\barn:[\w-]+:[\w-]*:[^\s,;]*", re.ASCII)
_ACCOUNT = re.compile(r"(?<![0-9])[0-9]{12}(?![0-9])")


class ExecutionWarningCode(Enum):
    """What a warning is about."""

    HISTORY_CUT = "HISTORY_CUT"
    HISTORY_UNAVAILABLE = "HISTORY_UNAVAILABLE"
    HISTORY_NOT_KEPT = "HISTORY_NOT_KEPT"
    OPERATION_BUDGET = "OPERATION_BUDGET"
    ENGINE_DENIED = "ENGINE_DENIED"
    ENGINE_UNAVAILABLE = "ENGINE_UNAVAILABLE"
    RUN_GONE = "RUN_GONE"
    EVENT_UNKNOWN = "EVENT_UNKNOWN"
    INDEX_UNKNOWN = "INDEX_UNKNOWN"
    DEFINITION_UNAVAILABLE = "DEFINITION_UNAVAILABLE"
    DEFINITION_ODD = "DEFINITION_ODD"
    STAGES_CUT = "STAGES_CUT"
    REGISTRATION_INCOMPLETE = "REGISTRATION_INCOMPLETE"
    NOT_FOLLOWED = "NOT_FOLLOWED"
    JOB_GONE = "JOB_GONE"
    STREAM_UNKNOWN = "STREAM_UNKNOWN"
    STREAM_MISMATCH = "STREAM_MISMATCH"
    LOG_DENIED = "LOG_DENIED"
    LOG_NOT_FOUND = "LOG_NOT_FOUND"
    LOG_UNAVAILABLE = "LOG_UNAVAILABLE"
    LOG_SKIPPED = "LOG_SKIPPED"
    LINES_LEFT_OUT = "LINES_LEFT_OUT"
    WATCH_LIMIT = "WATCH_LIMIT"
    STOP_FAILED = "STOP_FAILED"
    STOP_UNSUPPORTED = "STOP_UNSUPPORTED"
    WRITE_FAILED = "WRITE_FAILED"
    CLEANUP_LEFT = "CLEANUP_LEFT"


_OF_FAILURE = {
    TIME_IS_UP: ExecutionWarningCode.OPERATION_BUDGET,
    "ExecutionDoesNotExist": ExecutionWarningCode.RUN_GONE,
}


@dataclass(frozen=True, slots=True)
class ExecutionWarning:
    """A warning. ``subject`` is the record that it is about, one of an execution, where that has a global id."""

    code: ExecutionWarningCode
    text: str
    subject: Any = None

    @property
    def message(self) -> str:
        """The text as it may be shown: names in it may hold an ARN or an account, or be of any length."""
        text = without_arns(self.text)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

    def about(self, subject: object) -> "ExecutionWarning":
        """Return the warning with its subject."""
        return replace(self, subject=subject)


def without_arns(text: str) -> str:
    """Return a text without the ARNs and the accounts in it."""
    return _ACCOUNT.sub("(account)", _ARN.sub("(ARN)", text))


def distinct(warnings: Iterable[ExecutionWarning]) -> list[ExecutionWarning]:
    """Return each warning once, in their order."""
    found: dict[object, ExecutionWarning] = {}
    for warning in warnings:
        found.setdefault((warning.code, warning.text, getattr(warning.subject, "id", None)), warning)
    return list(found.values())


def status_unknown(called: str) -> ExecutionWarning:
    """Warn of a status that a service names and this release does not know."""
    text = f"The service of {called} names a status that is not known."
    return ExecutionWarning(ExecutionWarningCode.ENGINE_UNAVAILABLE, text)


def call_failed(
    unavailable: str, failure: str, *, otherwise: ExecutionWarningCode = ExecutionWarningCode.ENGINE_UNAVAILABLE
) -> ExecutionWarning:
    """Warn of a failed call of a service that runs something.

    ``unavailable`` says what is missing, ``failure`` is the code of the call; ``otherwise`` is the warning's own where
    that has none.
    """
    if failure == FORGOTTEN:
        return ExecutionWarning(ExecutionWarningCode.JOB_GONE, f"{unavailable}: it is no longer described.")
    denied = ExecutionWarningCode.ENGINE_DENIED if "AccessDenied" in failure else None
    return ExecutionWarning(denied or _OF_FAILURE.get(failure, otherwise), f"{unavailable}: {failure}.")
