"""The run of a state machine or flow: of the execution itself, or one that a step registered."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graph.aws.calls import FORGOTTEN
from graph.context import Context
from graph.engines.engine import EngineName, RunFacts, RunReference
from graph.engines.run_detail import RunDetail, StageSource
from graph.execution_warnings import ExecutionWarning, call_failed, status_unknown
from graph.history import UnreadRange
from graph.logs.redaction import redact, redact_json
from graph.resolvers.gate import visible_execution
from graph.resolvers.history_events import HistoryEvent, history_page
from graph.resolvers.paging import Page, PageRequest
from graph.resolvers.run_detail import Stage, StageOwner, brief
from graph.resolvers.stages import stage_page
from graph.tables import ids
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.executions import duration_ms as milliseconds_between
from graph.tables.states import ExecutionStatus

_LISTED = frozenset({"started_at", "stopped_at", "redrive_count", "last_redriven_at"})  # as ListExecutions says them
_DEEPEST = 200  # levels of a JSON value; with those of a response it stays below what encoders take


@dataclass(frozen=True, slots=True)
class EngineExecution:
    """A run. ``owner`` leads to it: the execution, or the registered entry of a step.

    ``listed`` is what a list of its Map run says of it, which is less than the engine does.
    """

    owner: StageOwner
    run: RunReference
    listed: RunFacts | None = None

    @classmethod
    def of(cls, owner: StageOwner, reference: str | None, context: Context) -> "EngineExecution | None":
        """Return the run that a reference names; None where no engine recognises it."""
        run = context.engines.run(reference) if reference else None
        return cls(owner, run) if run is not None else None

    @property
    def reference(self) -> str:
        """What its engine calls it."""
        return self.run.reference

    @property
    def name(self) -> str:
        """Its name within its flow."""
        return self.run.name

    @property
    def flow_name(self) -> str:
        """The name of its state machine or flow."""
        return self.run.flow_name

    @property
    def engine(self) -> EngineName:
        """The engine that ran it."""
        return self.run.engine

    @property
    def execution_id(self) -> str:
        """The execution that it is of, whose permissions guard it."""
        return self.owner.execution_id

    @property
    def id(self) -> str:
        """The global id."""
        of, child = self.owner, (self.owner.child,) if self.owner.child else ()
        if of.step_id is None:
            return ids.encode("RunChildExecution" if child else "RunEngineExecution", of.execution_id, *child)
        return ids.encode("ChildExecution" if child else "EngineExecution", of.step_id, of.digest, *child)


async def of_execution(execution: ExecutionRow, context: Context) -> EngineExecution | None:
    """Return the run of the workflow's own state machine."""
    return EngineExecution.of(StageOwner(execution.execution_id), execution.arn, context)


async def of_stage(stage: Stage, context: Context) -> EngineExecution | None:
    """Return the run that a stage is of."""
    return EngineExecution.of(stage.owner, stage.reference, context)


async def execution(run: EngineExecution, context: Context) -> ExecutionRow | None:
    """Return the execution that the run is of."""
    return await visible_execution(context, run.execution_id)


async def execution_arn(run: EngineExecution, _context: Context) -> str | None:
    """Return the ARN of the run; None of a flow."""
    return run.run.arn


async def state_machine_arn(run: EngineExecution, _context: Context) -> str | None:
    """Return the ARN of the state machine; None of a flow."""
    return run.run.flow_arn


async def facts(run: EngineExecution, context: Context) -> RunFacts | None:
    """Return what the engine says of the run; None where it does not answer."""
    return (await context.engines.facts(run.reference)).value


def fact(name: str) -> Callable[[EngineExecution, Context], Awaitable[Any]]:
    """Return a resolver of what the engine says under a name."""

    async def said(run: EngineExecution, context: Context) -> Any:
        told = run.listed if run.listed is not None and name in _LISTED else await facts(run, context)
        return getattr(told, name) if told is not None else None

    return said


async def status(run: EngineExecution, context: Context) -> ExecutionStatus:
    """Return how far it has come."""
    said = run.listed or await facts(run, context)
    return said.status if said else ExecutionStatus.UNKNOWN


async def status_warning(run: EngineExecution, context: Context) -> ExecutionWarning | None:
    """Return why its status is not known."""
    if run.listed is not None:
        return status_unknown(run.name) if run.listed.status is ExecutionStatus.UNKNOWN else None
    told = await context.engines.facts(run.reference)
    if told.value is None:
        return call_failed(f"Execution unavailable for {run.name}", told.failure or FORGOTTEN)
    return status_unknown(run.name) if told.value.status is ExecutionStatus.UNKNOWN else None


async def duration_ms(run: EngineExecution, context: Context) -> int | None:
    """Return milliseconds from its start to its end; None while it runs."""
    said = run.listed or await facts(run, context)
    return milliseconds_between(said.started_at, said.stopped_at) if said else None


async def given(run: EngineExecution, context: Context) -> Any:
    """Return the JSON that it was started with."""
    said = await facts(run, context)
    return await _json(said.input if said else None, context)


async def returned(run: EngineExecution, context: Context) -> Any:
    """Return the JSON that it returned."""
    said = await facts(run, context)
    return await _json(said.output if said else None, context)


async def definition(run: EngineExecution, context: Context) -> str | None:
    """Return the text of the definition that it started with."""
    text = (await context.engines.definition(run.reference)).value
    return await context.engines.off_loop(lambda: redact(text)) if text is not None else None


async def error(run: EngineExecution, context: Context) -> str | None:
    """Return the name of the error that ended it."""
    said = await facts(run, context)
    return brief(said.error if said else None)


async def cause(run: EngineExecution, context: Context) -> str | None:
    """Return why it ended so."""
    said = await facts(run, context)
    return brief(said.cause if said else None)


async def detail(run: EngineExecution, context: Context) -> RunDetail:
    """Return what happened inside it."""
    return await context.engines.detail(run.reference)


async def stage_source(run: EngineExecution, context: Context) -> StageSource:
    """Return what its stages are known from."""
    return (await detail(run, context)).stage_source


async def history_is_complete(run: EngineExecution, context: Context) -> bool:
    """Return whether every event was read."""
    return (await detail(run, context)).is_complete


async def unread(run: EngineExecution, context: Context) -> Sequence[UnreadRange]:
    """Return what was not read of the history that its stages and visits are told from."""
    return (await detail(run, context)).attribution.unread()


async def last_event_id(run: EngineExecution, context: Context) -> int | None:
    """Return the id of its newest event."""
    return await context.engines.last_event_id(run.reference)


async def stages(run: EngineExecution, context: Context, request: PageRequest) -> Page[Stage]:
    """Return its stages."""
    return await stage_page(run.owner, run.reference, context, request)


async def history(
    run: EngineExecution,
    context: Context,
    request: PageRequest,
    step_name: str | None = None,
    types: list[str] | None = None,
    around: int | None = None,
) -> Page[HistoryEvent]:
    """Return its events, oldest first; those of a state, of some types."""
    return await history_page(run.owner, run.reference, context, request, step_name, types, around)


async def _json(text: str | None, context: Context) -> Any:
    return await context.engines.off_loop(lambda: _redacted(text)) if text else None


def _redacted(text: str) -> Any:
    """Return a JSON value; what is none, or is too deep to be written as part of a response, as text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return redact(text)
    return redact(text) if _is_deeper(value, _DEEPEST) else redact_json(value)


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether a JSON value holds lists and objects within each other beyond some levels."""
    level = [value]
    for _ in range(levels):
        level = [held for one in level for held in _held(one)]
    return any(isinstance(held, dict | list) for held in level)


def _held(value: Any) -> Iterable[Any]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
    return ()
