"""Logs as resolvers read them: choose the reader of a source, and turn readings into statuses and warnings."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Hashable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from graph.aws.batch import DEFAULT_LOG_GROUP
from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.execution_warnings import ExecutionWarning
from graph.execution_warnings import ExecutionWarningCode as Code
from graph.logs import scope
from graph.logs.cloudwatch import MOST_STREAMS, CloudWatch
from graph.logs.engines import LogEngines
from graph.logs.jobs import Found, JobStreams
from graph.logs.lines import Span
from graph.logs.reading import LineReader, LogReading, LogReadStatus
from graph.logs.redaction import redact, redact_lines
from graph.logs.scope import LogScope, Owner
from graph.logs.sources import LogKind, LogSource, LogSourceType
from graph.logs.walks import ScopeReader

_WORDS = {
    LogKind.INVOCATION: "Step invocation log",
    LogKind.REGISTERED: "Sub-process log",
    LogKind.SUB_STATE_MACHINE: "Sub-SFN log",
    LogKind.DEADLINE_CLOUD_JOB: "Deadline Cloud session log",
}
_AT_ONCE = 5  # log sources that one operation reads at the same time
_RUN = "Workflow log"
_OF_STATUS = {LogReadStatus.DENIED: Code.LOG_DENIED, LogReadStatus.NOT_FOUND: Code.LOG_NOT_FOUND}


@dataclass(frozen=True, slots=True)
class Target:
    """The reader of one log; None, with a status and warnings, when there is nothing to read.

    ``called`` is its name in warnings, without an account; ``if_empty`` is the warning when it has no line.
    """

    called: str
    reader: LineReader | None
    status: LogReadStatus = LogReadStatus.READ
    warnings: tuple[ExecutionWarning, ...] = ()
    if_empty: ExecutionWarning | None = None

    def status_of(self, reading: LogReading) -> LogReadStatus:
        """Return the status of a reading of the log."""
        if reading.failure is not None:
            return LogReadStatus.of_failure(reading.failure)
        if self.status is LogReadStatus.READ and not reading.lines and reading.stopped_at is None:
            return LogReadStatus.EMPTY
        return self.status

    def warnings_of(self, reading: LogReading) -> tuple[ExecutionWarning, ...]:
        """Return the warnings of a reading of the log."""
        failed = () if reading.failure is None else (_failed(self.called, reading.failure),)
        empty = (self.if_empty,) if self.if_empty and self.status_of(reading) is LogReadStatus.EMPTY else ()
        return self.warnings + reading.warnings + failed + empty


class Logs:
    """Reads logs. One per process; safe to use from many operations at once. ``engines`` may be missing."""

    def __init__(self, clients: Clients, caller: Caller, engines: LogEngines | None = None) -> None:
        self.engines = engines
        self._caller = caller
        self._cloudwatch = CloudWatch(clients.logs, caller)
        self._jobs = JobStreams(clients.batch, clients.deadline, caller)

    def close(self) -> None:
        """Wait for calls in flight."""
        self._caller.close()

    async def redact(self, lines: Sequence[tuple[Hashable, str]]) -> list[str]:
        """Return lines without their secrets, each given with what identifies its stream, in the order of each stream.

        Megabytes take a while, so the event loop does not wait for them.
        """
        return await self._caller.run(lambda: redact_lines(lines))

    def of_execution(self, group_arn: str, execution_id: str, span: Span, text: str | None) -> Target:
        """Return an execution's lines in the group that all executions share."""
        return self._of_group(scope.of_execution(group_arn, execution_id), span, text)

    def of_step(self, group_arn: str, owner: Owner, span: Span, text: str | None) -> Target:
        """Return a step's lines in the group that all executions share."""
        return self._of_group(scope.of_step(group_arn, owner), span, text)

    async def of_source(
        self, source: LogSource, owner: Owner, sub_executions: Sequence[dict[str, Any]], span: Span, text: str | None
    ) -> Target:
        """Return a source of a step. Find the streams of jobs first, which needs the row's own entries."""
        called = f"{_WORDS[source.kind]} retrieval failed for {source.log_group_name}"
        if source.kind is LogKind.DEADLINE_CLOUD_JOB:
            found = await self._jobs.sessions(source.jobs)
            if found.failure is not None:
                warning = _failed(called, found.failure)
                return Target(called, None, LogReadStatus.of_failure(found.failure), (warning,))
            if not found.streams:
                warning = ExecutionWarning(Code.LOG_NOT_FOUND, f"No session of {source.label} was found.")
                return Target(called, None, LogReadStatus.NOT_FOUND, (warning,))
            return self._target(called, scope.of_sessions(source, found.streams), span, text, found.warnings)
        if scope.is_container(source):
            return await self._of_container(called, source, owner, sub_executions, span, text)
        lines = scope.of_source(source, owner)
        target = self._target(called, lines, span, text)
        if not source.is_registered or not lines.terms:
            return target
        said = f"{source.label}: no line holds the step's ids, and others are not shown."
        return replace(target, if_empty=ExecutionWarning(Code.LINES_LEFT_OUT, said))

    async def _of_container(
        self,
        called: str,
        source: LogSource,
        owner: Owner,
        sub_executions: Sequence[dict[str, Any]],
        span: Span,
        text: str | None,
    ) -> Target:
        kind, stage = source.source_type, source.stage_name
        found = Found(()) if kind is LogSourceType.ECS else await self._batch_streams(source, sub_executions)
        tasks = () if kind is LogSourceType.BATCH else scope.tasks_of(sub_executions, stage)
        lines = scope.of_container(source, owner, found.streams[:MOST_STREAMS], tasks)
        warnings = () if lines.tasks else found.warnings  # its jobs may be another source's then
        if len(found.streams) > MOST_STREAMS:
            said = f"Only the first {MOST_STREAMS} of {len(found.streams)} streams were read."
            warnings += (ExecutionWarning(Code.LINES_LEFT_OUT, said),)
        if not lines.is_certain:
            where = "all with its prefix were" if source.log_stream_prefix else "all of its group was"
            said = f"The stream of {source.label} is not known: {where} searched for the step's ids."
            warnings += (ExecutionWarning(Code.STREAM_UNKNOWN, said),)
        target = self._target(called, lines, span, text, warnings)
        if not lines.tasks:
            return target
        said = f"{source.label}: no line is of the tasks {', '.join(tasks)} or holds the step's ids."
        return replace(target, if_empty=ExecutionWarning(Code.LINES_LEFT_OUT, said))

    async def _batch_streams(self, source: LogSource, sub_executions: Sequence[dict[str, Any]]) -> Found:
        if self.engines is not None and source.stage_name:
            streams = await self.engines.batch_streams(sub_executions, source.stage_name)
            if streams:
                return Found(streams)
        # What is registered as of Batch is taken at its word; any other container may be another job's.
        default = source.log_group_name if source.source_type is LogSourceType.BATCH else DEFAULT_LOG_GROUP
        return await self._jobs.batch_streams(sub_executions, source.stage_name, source.log_group_name, default)

    def _of_group(self, lines: LogScope, span: Span, text: str | None) -> Target:
        group = lines.group_arn.partition(":log-group:")[2]
        return self._target(f"{_RUN} retrieval failed for {group}", lines, span, text)

    def _target(
        self, called: str, lines: LogScope, span: Span, text: str | None, warnings: tuple[ExecutionWarning, ...] = ()
    ) -> Target:
        reader = ScopeReader(self._cloudwatch, lines.containing(text), span)
        return Target(called, reader, LogReadStatus.READ if lines.is_certain else LogReadStatus.UNSCOPED, warnings)


class OperationLogs:
    """What one operation may read of logs: how many registered sources of a step, how many logs at once, how long."""

    def __init__(self, most_registered: int, seconds: float) -> None:
        self.most_registered = most_registered
        self._ends = time.monotonic() + seconds
        self._registered: dict[str, set[str]] = defaultdict(set)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._redacted: dict[str, str] = {}

    def redacted(self, text: str) -> str:
        """Return a stored text without its credentials. However many ways lead to it, it is looked through once."""
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
        """Return whether a source may be read still; those that are asked for first may."""
        if not source.is_registered:
            return True
        admitted = self._registered[step_id]
        if len(admitted) < self.most_registered:
            admitted.add(source.location_digest)
        return source.location_digest in admitted


def _failed(called: str, failure: str) -> ExecutionWarning:
    code = _OF_STATUS.get(LogReadStatus.of_failure(failure), Code.LOG_UNAVAILABLE)
    return ExecutionWarning(code, f"{called}: {failure}.")
