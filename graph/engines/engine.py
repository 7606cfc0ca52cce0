"""What every engine can tell of a run, in words that do not depend on the engine.

A run is one execution of a state machine (AWS Step Functions) or of a flow (Alibaba Cloud Serverless Workflow). Its
reference is what the engine calls it: an execution ARN, or the names of the flow and of the execution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NamedTuple, Protocol

from graph.aws.calls import CallFailed
from graph.history import Definition, Event, IterationCounts
from graph.tables.states import ExecutionStatus


class EngineName(Enum):
    """The service that ran a state machine or a flow."""

    STEP_FUNCTIONS = "STEP_FUNCTIONS"
    SERVERLESS_WORKFLOW = "SERVERLESS_WORKFLOW"


class RedriveStatus(Enum):
    """Whether a run can be redriven."""

    REDRIVABLE = "REDRIVABLE"
    NOT_REDRIVABLE = "NOT_REDRIVABLE"
    REDRIVABLE_BY_MAP_RUN = "REDRIVABLE_BY_MAP_RUN"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What an engine says of a run. ``input`` and ``output`` are JSON texts; redrives are None where it has none."""

    status: ExecutionStatus
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    input: str | None = None
    output: str | None = None
    error: str | None = None
    cause: str | None = None
    redrive_count: int | None = None
    redrive_status: RedriveStatus | None = None
    redrive_status_reason: str | None = None
    last_redriven_at: datetime | None = None


class HistoryPage(NamedTuple):
    """Some events, in the direction of reading; ``token`` leads to the next page and is None at the end."""

    events: Sequence[Event]
    token: str | None


class StaleToken(CallFailed):
    """The engine does not take the token of a page any more."""


class NoHistory(Exception):
    """The engine keeps no history of such a run; the text says why."""


class Engine(Protocol):
    """One engine. Every call raises :class:`graph.aws.calls.CallFailed` where the engine refuses or does not answer."""

    @property
    def name(self) -> EngineName:
        """Which it is."""

    @property
    def reads_backwards(self) -> bool:
        """Whether a history can be read from its newest event."""

    def is_reference(self, text: str) -> bool:
        """Whether a text can be what the engine calls a run."""

    def run_name(self, reference: str) -> str:
        """The name of a run within its flow."""

    def flow_name(self, reference: str) -> str:
        """The name of the state machine or flow of a run."""

    async def describe(self, reference: str) -> RunFacts:
        """What became of a run."""

    async def definition(self, reference: str) -> str:
        """The text of the definition as it stood when a run started."""

    def parse(self, definition: str, most_bytes: int) -> Definition:
        """The states of a definition.

        Raises:
            DefinitionError: when the text is none, or too large.
        """

    async def history(self, reference: str, *, newest_first: bool, token: str | None) -> HistoryPage:
        """A page of the events of a run.

        Raises:
            NoHistory: when the engine keeps none of such a run.
            StaleToken: when a token has expired.
        """

    async def stop(self, reference: str, *, error: str, cause: str) -> None:
        """Stops a run; one that has ended already stays as it is."""

    async def children(self, map_run: str) -> IterationCounts:
        """What became of the executions that the run of a distributed Map started."""
