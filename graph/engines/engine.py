"""What every engine can tell of a run, in words that do not depend on the engine.

A run is one execution of a state machine (AWS Step Functions) or of a flow (Alibaba Cloud Serverless Workflow). Its
reference is what the engine calls it, such as an execution ARN. Only the engine reads references: to everything else
they are opaque texts, and :class:`graph.engines.service.Engines` finds the engine that recognises one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple, Protocol

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
class RunReference:
    """What an engine reads off the reference of a run, without asking anyone.

    Attributes:
        engine: The engine that recognised it.
        reference: What the engine calls the run.
        name: The name of the run within its flow.
        flow_name: The name of its state machine or flow.
        arn: The ARN of the run; None where the engine has none.
        flow_arn: The ARN of its state machine; None where the engine has none.
    """

    engine: EngineName
    reference: str
    name: str
    flow_name: str
    arn: str | None = None
    flow_arn: str | None = None


class RegisteredRun(NamedTuple):
    """What an engine reads off an entry that a step registered; each is None where the entry does not say.

    Attributes:
        run: The reference of the run.
        flow: The reference of its flow, for :meth:`Engine.log_group`.
        flow_name: The name of its flow.
    """

    run: str | None
    flow: str | None
    flow_name: str | None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What an engine says of a run. ``input`` and ``output`` are JSON texts; redrives are None where it has none.

    ``map_run`` is the reference of the Map run that started it; None where none did.
    """

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
    map_run: str | None = None


@dataclass(frozen=True, slots=True)
class MapRunFacts:
    """What an engine says of the run of a distributed Map; ``run`` is the reference of the run that holds the Map."""

    run: str
    status: ExecutionStatus
    counts: IterationCounts
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    redrive_count: int | None = None


class ListedChild(NamedTuple):
    """An execution that a Map run started, by its reference, and what a list says of it."""

    reference: str
    facts: RunFacts


class ChildPage(NamedTuple):
    """Some executions of a Map run; ``token`` leads to the next page and is None at the end."""

    children: Sequence[ListedChild]
    token: str | None


EVENTS_OF_A_PAGE = 1_000
"""The most events in a page of a history."""


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
    def resource_type(self) -> str:
        """The ``resourceType`` under which steps register its runs."""

    @property
    def reads_backwards(self) -> bool:
        """Whether a history can be read from its newest event."""

    def recognises(self, reference: str) -> bool:
        """Return whether a text has the form of its references: of runs, flows or whatever else it calls by one."""

    def run(self, reference: str) -> RunReference | None:
        """Return what the reference of a run says; None where a text is none."""

    def registration(self, entry: Mapping[str, Any]) -> RegisteredRun:
        """Return what an entry of its resource type says. Values of the entry may be of any type."""

    async def describe(self, reference: str) -> RunFacts:
        """Return what became of a run."""

    async def definition(self, reference: str) -> str:
        """Return the text of the definition as it stood when a run started."""

    def parse(self, definition: str, most_bytes: int) -> Definition:
        """Return the states of a definition.

        Raises:
            DefinitionError: when the text is none, or too large.
        """

    async def history(self, reference: str, *, newest_first: bool, token: str | None) -> HistoryPage:
        """Return a page of the events of a run.

        Raises:
            NoHistory: when the engine keeps none of such a run.
            StaleToken: when a token has expired.
        """

    async def last_event_id(self, reference: str) -> int | None:
        """Return the id of the newest event of a run, from one page of one event; None where there is none.

        Only for engines that read backwards.

        Raises:
            NoHistory: when the engine keeps none of such a run.
        """

    async def stop(self, reference: str, *, error: str, cause: str) -> None:
        """Stop a run; one that has ended already stays as it is."""

    async def map_run(self, map_run: str) -> MapRunFacts:
        """Return what became of the run of a distributed Map."""

    async def children(self, map_run: str, status: ExecutionStatus | None, size: int, token: str | None) -> ChildPage:
        """Return a page of the executions that a Map run started, newest first; of those of a status.

        A token holds for the same status and size.

        Raises:
            StaleToken: when a token has expired.
        """

    def name_within(self, run: str, reference: str) -> str | None:
        """Return the name that tells a Map run, or one of its executions, from others within a run's state machine.

        It holds no account and no region. None where the reference is of none within that machine.
        """

    def reference_within(self, run: str, name: str) -> str | None:
        """Return the reference for the name that :meth:`name_within` gives; None where the name is none."""

    async def log_group(self, flow: str) -> str | None:
        """Return the ARN of the CloudWatch log group that a flow writes to; None without one."""
