"""The one way to call an AWS client: off the event loop, bounded, timed and retried."""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

_FIRST_PAUSE = 0.1  # seconds; doubles with each try, and the pause is drawn from zero to it
_LONGEST_PAUSE = 2.0
_PASSING = {
    "InternalFailure",
    "InternalServerErrorException",
    "KmsThrottlingException",
    "LimitExceededException",
    "RequestLimitExceeded",
    "ServerException",
    "ServiceUnavailableException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
# Logs, executions, machines and files come and go.
_COMMON = {"404", "NoSuchKey", "ResourceNotFoundException", "ExecutionDoesNotExist", "StateMachineDoesNotExist"}

ResultT = TypeVar("ResultT")

log = logging.getLogger(__name__)


class CallFailed(Exception):
    """A call that was refused, or went on failing after every try. ``code`` is that of AWS or of the connection."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Caller:
    """Makes calls of boto3 clients. One per process; safe to use from many operations at once."""

    def __init__(self, *, concurrency: int, attempts: int, name: str = "aws") -> None:
        self._attempts = attempts
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix=name)

    def close(self) -> None:
        """Waits for calls in flight and frees the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def call(self, method: Callable[..., Any], request: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a method of a client answers.

        Raises:
            CallFailed: when it is refused, or fails at every try.
        """
        loop = asyncio.get_running_loop()
        for attempt in range(self._attempts):
            if attempt:
                await asyncio.sleep(random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt)))  # noqa: S311
            try:
                answer: Mapping[str, Any] = await loop.run_in_executor(self._threads, lambda: method(**request))
                return answer
            except (ClientError, BotoCoreError) as fault:
                code, may_pass = _judge(fault)
                if not may_pass or attempt + 1 == self._attempts:
                    if code not in _COMMON:
                        log.warning("a call of AWS failed: %s", code)
                    raise CallFailed(code) from fault
        raise AssertionError("the last try returns or raises")

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """What some work gives that would hold up the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _judge(fault: ClientError | BotoCoreError) -> tuple[str, bool]:
    """The code of a fault, and whether another try may succeed."""
    if not isinstance(fault, ClientError):
        return type(fault).__name__, True
    code = str(fault.response.get("Error", {}).get("Code", "Unknown"))
    status = fault.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return code, code in _PASSING or status >= 500
