"""What engines tell of logs: a history as lines, and the streams of a Batch job that a stage ran."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.aws.calls import CallFailed
from graph.engines.engine import NoHistory
from graph.engines.service import Engines
from graph.history import Event, batch_job
from graph.logs.lines import Allowance, Line, LineWindow, Mark, Span
from graph.logs.reading import LineReader, LogReading
from graph.operation import OperationScope
from graph.tables.records.executions import ExecutionRow


class EngineLogs:
    """The engines' part in reading logs. One per process."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def history(self, execution: ExecutionRow, span: Span, text: str) -> LineReader:
        """Return the history of an execution as lines, those within a span that hold a text."""
        return _HistoryReader(self._engines, execution.arn, span, text)

    async def batch_streams(self, sub_executions: Sequence[Mapping[str, Any]], stage_name: str) -> tuple[str, ...]:
        """Return the log streams of the Batch job that a stage of a step's registered state machines ran, if known."""
        async with OperationScope() as scope:
            operation = self._engines.operation(scope)
            registrations = filter(None, map(operation.registration, sub_executions))
            for reference in dict.fromkeys(filter(None, (each.run for each in registrations))):
                if operation.run(reference) is None:
                    continue
                stage = (await operation.detail(reference)).stage(stage_name)
                visits = reversed(stage.visits) if stage is not None else ()
                for job in [job for visit in visits if (job := batch_job(visit))][:1]:
                    if job.log_stream_name is not None:
                        return (job.log_stream_name,)
                    described = (await operation.batch_job(job.job_id)).value
                    if described is not None and described.log_streams:
                        return described.log_streams
        return ()


@dataclass(frozen=True, slots=True)
class _HistoryReader:
    """Reads a history as lines: one JSON object an event. A line's mark is its event's time and id."""

    engines: Engines
    reference: str
    span: Span
    text: str

    async def read(self, window: LineWindow, allowance: Allowance) -> LogReading:
        """Return the lines of a window, page by page from the end where it begins."""
        if self.engines.run(self.reference) is None:
            return LogReading(())
        engine = self.engines.of(self.reference)
        lines: list[Line] = []
        token = None
        while len(lines) <= window.count:
            if allowance.spent is not None:
                return LogReading(lines, lines[-1].mark if lines else window.begin)
            allowance.spend(1)
            try:
                page = await engine.history(self.reference, newest_first=not window.forward, token=token)
            except NoHistory:
                return LogReading(())
            except CallFailed as failure:
                return LogReading(lines, failure=failure.code)
            lines += (line for event in page.events if (line := self._line(event)) and window.wants(line.mark))
            token = page.token
            if token is None:
                break
        return LogReading(lines[: window.count + 1])

    def _line(self, event: Event) -> Line | None:
        at = round(event.time.timestamp() * 1000) if event.time is not None else 0
        told = {"id": event.id, "previousEventId": event.previous_id, "type": event.type, "details": dict(event.detail)}
        message = json.dumps(told, default=str)
        if not self.span.low <= at <= self.span.high or self.text not in message:
            return None
        return Line(Mark(at, 0, event.id), message, None)
