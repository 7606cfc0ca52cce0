"""Logs as the rest of the graph reads them: sources to readers, and readings to words."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Hashable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.logs import scope
from graph.logs.cloudwatch import CloudWatch
from graph.logs.engines import Engines
from graph.logs.jobs import Found, Jobs
from graph.logs.lines import Span
from graph.logs.reading import LineReader, LogReadStatus, Reading
from graph.logs.redaction import redact, redact_lines
from graph.logs.scope import Owner, Scope
from graph.logs.sources import LogKind, LogSource
from graph.logs.walks import ScopeReader

_WORDS = {
    LogKind.INVOCATION: "Step invocation log",
    LogKind.REGISTERED: "Sub-process log",
    LogKind.SUB_STATE_MACHINE: "Sub-SFN log",
    LogKind.DEADLINE_CLOUD_JOB: "Deadline Cloud session log",
}
_RUN = "Workflow log"


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be read for one log: a reader, or None and why there is nothing to read.

    ``called`` says in warnings what it is, without an account.
    """

    called: str
    reader: LineReader | None
    status: LogReadStatus = LogReadStatus.READ
    warnings: tuple[str, ...] = ()

    def status_of(self, reading: Reading) -> LogReadStatus:
        """How a reading of it went."""
        if reading.failure is not None:
            return LogReadStatus.of_failure(reading.failure)
        if self.status is LogReadStatus.READ and not reading.lines and reading.stopped_at is None:
            return LogReadStatus.EMPTY
        return self.status

    def warnings_of(self, reading: Reading) -> tuple[str, ...]:
        """What there is to say of a reading of it."""
        failed = () if reading.failure is None else (_failed(self.called, reading.failure),)
        return self.warnings + reading.warnings + failed


class Logs:
    """Reads logs. One per process; safe to use from many operations at once. ``engines`` may be missing."""

    def __init__(self, clients: Clients, caller: Caller, engines: Engines | None = None) -> None:
        self.engines = engines
        self._caller = caller
        self._cloudwatch = CloudWatch(clients.logs, caller)
        self._jobs = Jobs(clients.batch, clients.deadline, caller)

    def close(self) -> None:
        """Waits for calls in flight."""
        self._caller.close()

    async def redact(self, lines: Sequence[tuple[Hashable, str]]) -> list[str]:
        """Lines without their secrets, each given with what identifies its stream, in the order of each stream.

        Megabytes take a while, so the event loop does not wait for them.
        """
        return await self._caller.run(lambda: redact_lines(lines))

    def of_execution(self, group_arn: str, execution_id: str, span: Span, text: str | None) -> Target:
        """An execution's lines in the group that all executions share."""
        return self._of_group(scope.of_execution(group_arn, execution_id), span, text)

    def of_step(self, group_arn: str, owner: Owner, span: Span, text: str | None) -> Target:
        """A step's lines in the group that all executions share."""
        return self._of_group(scope.of_step(group_arn, owner), span, text)

    async def of_source(
        self, source: LogSource, owner: Owner, sub_executions: Sequence[dict[str, Any]], span: Span, text: str | None
    ) -> Target:
        """A source of a step. The streams of jobs are found out first, for which the row's own entries are needed."""
        called = f"{_WORDS[source.kind]} retrieval failed for {source.log_group_name}"
        if source.kind is LogKind.DEADLINE_CLOUD_JOB:
            found = await self._jobs.sessions(source.jobs)
            if found.failure is not None:
                warning = _failed(called, found.failure)
                return Target(called, None, LogReadStatus.of_failure(found.failure), (warning,))
            if not found.streams:
                return Target(called, None, LogReadStatus.NOT_FOUND, (f"No session of {source.label} was found.",))
            return self._target(called, scope.of_sessions(source, found.streams), span, text)
        if not scope.needs_batch_stream(source):
            return self._target(called, scope.of_source(source, owner), span, text)
        found = await self._batch_stream(source, sub_executions)
        stream = next(iter(found.streams), None)
        unknown = f"The stream of {source.label} is not known: all with its prefix were searched for the step's ids."
        warnings = () if stream else (*filter(None, [found.warning]), unknown)
        return self._target(called, scope.of_batch_stream(source, owner, stream), span, text, warnings)

    async def _batch_stream(self, source: LogSource, sub_executions: Sequence[dict[str, Any]]) -> Found:
        if self.engines is not None and source.stage_name:
            stream = await self.engines.batch_stream(sub_executions, source.stage_name)
            if stream:
                return Found((stream,))
        return await self._jobs.batch_stream(sub_executions, source.stage_name)

    def _of_group(self, lines: Scope, span: Span, text: str | None) -> Target:
        group = lines.group_arn.partition(":log-group:")[2]
        return self._target(f"{_RUN} retrieval failed for {group}", lines, span, text)

    def _target(
        self, called: str, lines: Scope, span: Span, text: str | None, warnings: tuple[str, ...] = ()
    ) -> Target:
        reader = ScopeReader(self._cloudwatch, lines.containing(text), span)
        return Target(called, reader, LogReadStatus.READ if lines.is_certain else LogReadStatus.UNSCOPED, warnings)


class OperationLogs:
    """What one operation may read of logs: how many registered sources of a step, how many logs at once, how long."""

    def __init__(self, most_registered: int, at_once: int, seconds: float) -> None:
        self.most_registered = most_registered
        self._ends = time.monotonic() + seconds
        self._registered: dict[str, set[str]] = defaultdict(set)
        self._slots = asyncio.Semaphore(at_once)
        self._redacted: dict[str, str] = {}

    def redacted(self, text: str) -> str:
        """A stored text without its credentials. However many ways lead to it, it is looked through once."""
        found = self._redacted.get(text)
        if found is None:
            found = self._redacted[text] = redact(text)
        return found

    @property
    def slot(self) -> AbstractAsyncContextManager[None]:
        """A place among the readings that go on at once."""
        return self._slots

    @property
    def seconds_left(self) -> float:
        """The time that is left for reading."""
        return max(0.0, self._ends - time.monotonic())

    def admits(self, step_id: str, source: LogSource) -> bool:
        """Whether a source may be read still; those that are asked for first may."""
        if not source.is_registered:
            return True
        admitted = self._registered[step_id]
        if len(admitted) < self.most_registered:
            admitted.add(source.location_digest)
        return source.location_digest in admitted


def _failed(called: str, code: str) -> str:
    return f"{called}: {code}"
