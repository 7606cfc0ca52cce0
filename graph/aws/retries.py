"""The one retry policy of all calls to AWS: which failures may pass, how long to wait, and when to give up.

Clients of boto3 make one attempt each, because their own retries hold a thread while they wait. An operation has one
budget of retries for all its calls, whichever services they go to, so that an outage costs it no more than a moment.
"""

import asyncio
import logging
import random
import re
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from botocore import exceptions as faults
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

UNPROCESSED = "UnprocessedKeys"
"""The code of a batch that was answered in part, which is a way to throttle. AWS gives it none."""

_THROTTLING = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "KmsThrottlingException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        UNPROCESSED,
    }
)
_TRANSIENT = frozenset(
    {
        "InternalFailure",
        "InternalServerError",
        "InternalServerErrorException",
        "PriorRequestNotComplete",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServerException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "TransactionInProgressException",
    }
)
# The service was not reached, or its answer did not come whole. Missing credentials, say, are neither.
_BROKEN = (
    faults.ConnectionError,
    faults.HTTPClientError,
    faults.IncompleteReadError,
    faults.ChecksumError,
    ResponseParserError,
)
_CODE = re.compile(r"[\w.:-]{1,100}", re.ASCII)

_FIRST_PAUSE = 0.1  # seconds; doubles with each attempt, and the pause is drawn from zero to it
_LONGEST_PAUSE = 2.0
_CALLS_RETRIED_WHOLE = 10  # calls of one operation that may each use all their attempts; then all give up at once

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one attempt failed.

    Attributes:
        code: that of the service, its HTTP status where it gives none, or the exception's name where none answered.
        is_throttled: whether the service wants fewer calls.
        may_pass: whether another attempt may succeed.
    """

    code: str
    is_throttled: bool = False
    may_pass: bool = False

    @classmethod
    def of(cls, error: Exception) -> "Failure":
        """Classify what a client raised. Sources of credentials raise what they like, so any exception is taken."""
        if not isinstance(error, ClientError):
            return cls(type(error).__name__, may_pass=isinstance(error, _BROKEN))
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        return cls.of_code(str(error.response.get("Error", {}).get("Code") or status), status)

    @classmethod
    def of_code(cls, code: str, status: int = 0) -> "Failure":
        """Classify a code of a service and its HTTP status."""
        is_throttled = code in _THROTTLING or status == 429
        shown = code if _CODE.fullmatch(code) else "Unknown"  # whatever an endpoint sends, it stays one word of a line
        return cls(shown, is_throttled, is_throttled or code in _TRANSIENT or status >= 500)


@dataclass(slots=True)
class RetryBudget:
    """What one operation has used of its retries, and when it ends, by the monotonic clock."""

    ends: float = float("inf")
    used: int = 0


_budget: ContextVar[RetryBudget | None] = ContextVar("retry_budget", default=None)


@contextmanager
def retry_budget(seconds: float = float("inf")) -> Iterator[RetryBudget]:
    """Let all calls within share one budget of retries, none of which begins after some seconds."""
    budget = RetryBudget(time.monotonic() + seconds)
    token = _budget.set(budget)
    try:
        yield budget
    finally:
        _budget.reset(token)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a call may be attempted. It holds no state, so all calls of a client share one."""

    attempts: int

    def pause_after(self, attempt: int, failure: Failure) -> float | None:
        """Return the seconds to wait after an attempt, counted from 1, or None where no other may follow.

        Pauses are drawn by chance ("full jitter"), so that clients that failed together do not come back together. What
        is granted is taken from the operation's budget.
        """
        if not failure.may_pass or attempt >= self.attempts:
            return None
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)))  # noqa: S311
        if (budget := _budget.get()) is not None:
            if budget.used >= self.attempts * _CALLS_RETRIED_WHOLE or time.monotonic() + pause >= budget.ends:
                return None
            budget.used += 1
        return pause


class Attempts:
    """The attempts of one call, the first of which has been made.

    Args:
        policy: how many there may be.
        operation: the service and its operation as AWS spells them, such as ``dynamodb.Query``.
        table: the table that is read, by its name in the catalogue, which tells no account.
        expected: codes that are no news, such as that an execution was deleted.
    """

    def __init__(
        self, policy: RetryPolicy, operation: str, *, table: str | None = None, expected: Collection[str] = ()
    ) -> None:
        self._policy, self._operation, self._table, self._expected = policy, operation, table, expected
        self._made = 1

    async def again(self, failure: Failure) -> bool:
        """Wait for the next attempt and return True; else write the one line of the log and return False."""
        pause = self._policy.pause_after(self._made, failure)
        if pause is None:
            level = logging.DEBUG if failure.code in self._expected else logging.WARNING
            log_failure(self._operation, failure.code, self._made, table=self._table, level=level)
            return False
        log_failure(self._operation, failure.code, self._made, table=self._table, level=logging.DEBUG)
        self._made += 1
        await asyncio.sleep(pause)
        return True


def log_failure(
    operation: str, code: str, attempt: int, *, table: str | None = None, level: int = logging.WARNING
) -> None:
    """Write the line that tells of a failed call, in the one form that all clients share."""
    where = f"table={table} " if table else ""
    log.log(level, "%s failed: %scode=%s attempt=%d", operation, where, code, attempt)
