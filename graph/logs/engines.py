"""What only the engines that run executions can tell of logs. Where a server has none, CloudWatch alone is read."""

from collections.abc import Sequence
from typing import Any, Protocol

from graph.logs.lines import Span
from graph.logs.reading import LineReader
from graph.tables.records.executions import ExecutionRow


class LogEngines(Protocol):
    """The engines' part in reading logs."""

    def history(self, execution: ExecutionRow, span: Span, text: str) -> LineReader:
        """Return the history of an execution as lines, those within a span that hold a text."""

    async def batch_streams(self, sub_executions: Sequence[dict[str, Any]], stage_name: str) -> tuple[str, ...]:
        """Return the log streams of the Batch job that a stage of a step's registered state machines ran, if known."""
