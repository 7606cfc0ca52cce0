"""The one way to call an AWS client: off the event loop, bounded, timed and retried."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from graph.aws.retries import Attempts, Failure, RetryPolicy

NOT_FOUND = frozenset(
    {"404", "NoSuchKey", "ResourceNotFoundException", "ExecutionDoesNotExist", "StateMachineDoesNotExist"}
)
"""Codes that the log need not warn of: logs, executions, machines and files come and go."""

ResultT = TypeVar("ResultT")


FORGOTTEN = "NotDescribed"  # the code where a service answers, and knows nothing of what it was asked
NOT_KEPT = "NotKept"  # the code where an engine keeps no history of such a run
TIME_IS_UP = "TimeBudget"  # the code of a call that the operation has no time left for


class CallFailed(Exception):
    """A call that failed at every attempt, or must not be retried. ``code`` is that of AWS or of the connection."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def is_throttle(failure: CallFailed) -> bool:
    """Return whether a service throttled a call."""
    return Failure.of_code(failure.code).is_throttled


CALLS: ContextVar[Counter[str] | None] = ContextVar("CALLS", default=None)
"""The counts of an operation's calls, by service; its tasks inherit its context."""


class Caller:
    """Makes calls of boto3 clients. One per process; safe to use from many operations at once."""

    def __init__(self, *, concurrency: int, attempts: int, name: str = "aws") -> None:
        self._retries = RetryPolicy(attempts)
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix=name)

    def close(self) -> None:
        """Wait for calls in flight and free the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def call(
        self,
        operation: str,
        method: Callable[..., Any],
        request: Mapping[str, Any],
        *,
        expected: Collection[str] = NOT_FOUND,
    ) -> Mapping[str, Any]:
        """Call a method of a client in a thread, with retries, and return its answer.

        Args:
            operation: the service and operation that the log names, such as ``states.DescribeExecution``.
            method: the client's method for it.
            request: its parameters.
            expected: codes that the caller can deal with, and of which the log need not warn.

        Raises:
            CallFailed: when it is refused, or fails at every attempt.
        """
        loop = asyncio.get_running_loop()
        attempts = Attempts(self._retries, operation, expected=expected)
        service = operation.partition(".")[0]
        counts = CALLS.get()
        while True:
            if counts is not None:
                counts[service] += 1
            try:
                answer: Mapping[str, Any] = await loop.run_in_executor(self._threads, lambda: method(**request))
                return answer
            except (ClientError, BotoCoreError) as error:
                failure = Failure.of(error)
                if not await attempts.again(failure):
                    raise CallFailed(failure.code) from error

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Run work that would block the event loop in a thread, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
