"""Whether the tables of a deployment can be read, by what was last heard of each."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from graph.aws.retries import Failure, RetryPolicy, log_failure
from graph.tables.catalogue import Table

_FRESH_SECONDS = 15.0
_AGAIN_SECONDS = 5.0  # while a table does not answer
_PATIENCE_SECONDS = 0.8
_LONGEST_ROUND = 5.0
_RETRIES = RetryPolicy(attempts=3)


class Availability:
    """Asks DescribeTable of every table, all of them at once, where somebody wants to know and did not 15 seconds ago.

    Each is asked in a thread of its own, and not again before it has answered: there are never more threads than
    tables, whatever hangs. What a table said last counts: that it is there, or that it refused. Failures that may pass
    are retried, twice, and change nothing, unless all tables were silent, not even throttled. A read of the last 15
    seconds that worked shows that its table can be read.

    Args:
        client: a boto3 client of DynamoDB.
        names: the physical names of the tables.
        read_at: when a table was read last, by the clock.
    """

    def __init__(
        self,
        client: Any,
        names: Mapping[Table, str],
        read_at: Callable[[Table], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._names = names
        self._read_at = read_at
        self._clock = clock
        self._codes: dict[Table, str | None] = {}  # of the last answer of each table: None where it was good
        self._asked: set[Table] = set()
        self._failed: dict[Table, tuple[str, int]] = {}  # the code, and at which attempt
        self._began_at = self._answered_at = float("-inf")
        self._is_silent = True  # no table has said that it is there, or none answered lately
        self._is_round_over = True
        self._is_decided = asyncio.Event()  # the round is over, or a table was refused, which no other answer mends

    async def is_given(self) -> bool:
        """Return whether every table can be read: told within a second, by what is known then."""
        if self._is_round_over and self._clock() - self._began_at >= self._pause():
            self._begin()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await self._is_decided.wait()
        if not self._is_round_over and self._clock() - self._began_at >= _LONGEST_ROUND:
            self._failed |= dict.fromkeys(self._asked, ("NoAnswerInTime", 1))
            self._end_round()
        return self._judge()

    def _pause(self) -> float:
        return _FRESH_SECONDS if self._judge() else _AGAIN_SECONDS

    def _judge(self) -> bool:
        since = self._clock() - _FRESH_SECONDS
        if self._is_silent and not any(self._read_at(table) > since for table in self._names):
            return False
        return all(code is None or self._read_at(table) > since for table, code in self._codes.items())

    def _begin(self) -> None:
        self._began_at, self._failed = self._clock(), {}
        self._is_round_over = False
        self._is_decided.clear()
        loop = asyncio.get_running_loop()
        for table in self._names.keys() - self._asked:
            self._asked.add(table)
            threading.Thread(target=self._ask, args=(table, loop), name=f"describe-{table.name}", daemon=True).start()

    def _ask(self, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        """Ask one table, in its thread."""
        attempt = 1
        while (failure := self._describe(table)) is not None:
            if (pause := _RETRIES.pause_after(attempt, failure)) is None:
                break
            time.sleep(pause)
            attempt += 1
        with suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(self._hear, table, failure, attempt)

    def _describe(self, table: Table) -> Failure | None:
        try:
            self._client.describe_table(TableName=self._names[table])
        except Exception as error:  # of credentials too, whose sources raise what they like
            return Failure.of(error)
        return None

    def _hear(self, table: Table, failure: Failure | None, attempt: int) -> None:
        """Take what a table said, in the event loop."""
        self._asked.discard(table)
        if failure is None or failure.is_throttled:
            self._answered_at = self._clock()
        if failure is None:
            self._codes[table] = None
            self._is_silent = False
        else:
            self._failed[table] = failure.code, attempt
            if not failure.may_pass:
                self._codes[table] = failure.code
                self._is_decided.set()
        if not self._asked and not self._is_round_over:
            self._end_round()

    def _end_round(self) -> None:
        if self._answered_at < self._began_at:
            self._is_silent = True
        self._log_failures()
        self._is_round_over = True
        self._is_decided.set()

    def _log_failures(self) -> None:
        """Write a line for each code, not for each table: in an outage all of them fail alike."""
        alike: dict[tuple[str, int], list[str]] = {}
        for table, failed in self._failed.items():
            alike.setdefault(failed, []).append(table.name)
        for (code, attempt), tables in alike.items():
            log_failure("dynamodb.DescribeTable", code, attempt, table=",".join(sorted(tables)))
