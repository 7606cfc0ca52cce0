"""What carries an action out."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graph.aws.retries import retry_budget
from graph.context import Services
from graph.loaders import Loaders
from graph.loaders.base import RangeLoader, Reading, RowT, Written
from graph.operation import OperationScope
from graph.tables.records.definitions import PipelineRow, WorkflowRow
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.inputs import InputAssetRow, InputRow
from graph.tables.records.steps import StepRow
from graph.tables.rows import Fields, Row
from graph.tables.tally import Tally
from graph.tables.writer import ChangeWriter

READ: dict[type[Row], Fields] = {
    ExecutionRow: frozenset({"arn"}),
    StepRow: frozenset({"status", "started_at", "execution_type", "sub_executions"}),
    PipelineRow: frozenset({"execution_config"}),
    WorkflowRow: frozenset({"system_config"}),
    InputRow: frozenset({"key", "version_id"}),
    InputAssetRow: frozenset({"database_id", "asset_id"}),
    ConfigurationRow: frozenset({"source_assets", "source_assets_are_truncated"}),
}
"""The fields that actions look at."""


@dataclass
class Action:
    """What carries an action out: it reads rows as they stand, and must have begun its last call at a certain time.

    Attributes:
        ends_at: when no further call is begun, in seconds of the monotonic clock.
        written: the rows that it wrote, or found to stand in the way of a write.
    """

    services: Services
    writer: ChangeWriter
    scope: OperationScope
    tally: Tally
    ends_at: float
    written: Written = field(default_factory=dict)

    def loaders(self) -> Loaders:
        """Return loaders that have read nothing yet."""
        return Loaders(self._reading)

    def ranges(self, row: type[RowT]) -> RangeLoader[RowT]:
        """Return a new loader of ranges of a table, which has read nothing yet."""
        return RangeLoader(row, self._reading)

    @property
    def _reading(self) -> Reading:
        reader = self.services.reader
        return Reading(reader, self.tally, lambda row: READ.get(row, frozenset()), self.scope, is_consistent=True)

    @contextmanager
    def retries(self) -> Iterator[None]:
        """Let the calls within have retries of their own, as the operation that began the action may be over."""
        with retry_budget(max(0.0, self.ends_at - time.monotonic())):
            yield

    @property
    def is_late(self) -> bool:
        """Whether no further call may be begun."""
        return time.monotonic() >= self.ends_at

    @property
    def now(self) -> datetime:
        """The time to write."""
        return datetime.fromtimestamp(time.time(), UTC)
