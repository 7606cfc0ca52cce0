"""The log sources of a step, and its stored log texts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from graph.context import Context
from graph.execution_warnings import ExecutionWarning, ExecutionWarningCode, call_failed
from graph.logs import sources
from graph.resolvers.gate import visible_step
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.registered import SubExecution, left_out, of_step
from graph.resolvers.sources import listed
from graph.resolvers.texts import StoredText, log_text
from graph.tables import ids, keys
from graph.tables.records.steps import StepLogRow, StepRow

_MOST_FLOWS = 20  # VAMS follows no more per step


@dataclass(frozen=True, slots=True)
class RegisteredLog:
    """A log source as a step has it."""

    pipeline_execution_id: str
    execution_id: str
    source: sources.LogSource
    kind: sources.LogKind
    label: str
    source_type: sources.LogSourceType
    stage_name: str | None
    log_group_name: str
    log_stream_name: str | None
    log_stream_prefix: str | None

    @classmethod
    def of(cls, step: StepRow, source: sources.LogSource) -> "RegisteredLog":
        """Return the source as one of a step's."""
        return cls(
            pipeline_execution_id=step.pipeline_execution_id,
            execution_id=step.execution_id,
            source=source,
            kind=source.kind,
            label=source.label,
            source_type=source.source_type,
            stage_name=source.stage_name,
            log_group_name=source.log_group_name,
            log_stream_name=source.log_stream_name,
            log_stream_prefix=source.log_stream_prefix,
        )

    @property
    def id(self) -> str:
        """The global id: the step and the location, whatever the kind."""
        return ids.encode("RegisteredLog", self.pipeline_execution_id, self.source.location_digest)

    @property
    def log_id(self) -> str:
        """The id that VAMS' REST API gives the source."""
        return self.source.log_id


async def group_arn(log: RegisteredLog, _context: Context) -> str:
    """Return the ARN of the log group."""
    return log.source.log_group_arn


async def available_logs(step: StepRow, context: Context, page: PageRequest) -> Page[RegisteredLog]:
    """Return every log source of a step, each location once."""
    return await _page(step, context, page, only_registered=False)


async def registered_logs(step: StepRow, context: Context, page: PageRequest) -> Page[RegisteredLog]:
    """Return the log sources that the step itself registered."""
    return await _page(step, context, page, only_registered=True)


async def registered_log(step: StepRow, context: Context, log_id: str) -> RegisteredLog | None:
    """Return the log source of a log id, which may have been made under any kind of its location."""
    source = sources.find_log(await log_sources(step, context), log_id)
    return RegisteredLog.of(step, source) if source else None


async def log_at(step: StepRow, context: Context, location_digest: str) -> RegisteredLog | None:
    """Return the log source at a location."""
    for source in await log_sources(step, context):
        if source.location_digest == location_digest:
            return RegisteredLog.of(step, source)
    return None


async def result_log(step: StepRow, context: Context) -> StoredText | None:
    """Return the stored summary of how the step ended."""
    row = await _stored(step, context)
    return log_text(context, row.result_log, row.result_log_is_truncated) if row else None


async def error_log(step: StepRow, context: Context) -> StoredText | None:
    """Return the stored log text of the step; VAMS keeps the text of the run's end here, even after success."""
    row = await _stored(step, context)
    return log_text(context, row.error_log, row.error_log_is_truncated) if row else None


async def step_of(log: RegisteredLog, context: Context) -> StepRow | None:
    """Return the step that has the log source."""
    return await visible_step(context, log.pipeline_execution_id)


async def log_sources(step: StepRow, context: Context) -> Sequence[sources.LogSource]:
    """Return the log sources of a step: those that its row tells of, and where its state machines log.

    Places without an account are in that of the run's own log group.
    """
    return await _log_sources(step, context, (await _destinations(step, context)).known)


async def sources_left_out(step: StepRow, context: Context) -> Sequence[ExecutionWarning]:
    """Warn of log sources that a step may have and that are not known."""
    return [*left_out(step.unreadable_logs), *(await _destinations(step, context)).warnings]


async def _log_sources(
    step: StepRow, context: Context, destinations: Sequence[sources.Destination]
) -> Sequence[sources.LogSource]:
    execution = await context.loaders.executions.by_id.load(step.execution_id)
    return sources.available_logs(
        pipeline_execution_type=step.execution_type_text,
        pipeline_resource_arn=step.resource_arn or "",
        registered_logs=step.logs,
        registered_sub_executions=step.sub_executions,
        execution_log_group_arn=execution.log_group_arn if execution else "",
        region=context.services.settings.region or "",
        destinations=destinations,
    )


class _Destinations(NamedTuple):
    """Where the state machines of a step log, and warnings of those that are not known to."""

    known: Sequence[sources.Destination]
    warnings: Sequence[ExecutionWarning]


async def _destinations(step: StepRow, context: Context) -> _Destinations:
    """Return where the registered state machines log, as VAMS asks: of the first twenty whose entries name their type.

    One that does not tell has none.
    """
    flows: dict[str, SubExecution] = {}
    for sub in of_step(step):
        if sub.entry.get("resourceType"):
            registration = context.engines.registration(sub.entry)
            if registration is not None and registration.flow is not None:
                flows.setdefault(registration.flow, sub)
    asked = dict(islice(flows.items(), _MOST_FLOWS))
    told = await context.scope.gather(*map(context.engines.log_group, asked))
    known, warnings = [], []
    for group, sub in zip(told, asked.values(), strict=True):
        if group.value is not None:
            known.append(sources.Destination(group.value, sub.stage_name or ""))
        elif group.failure is not None:
            warnings.append(_unknown_group(sub, group.failure))
    if len(asked) < len(flows):
        text = f"Only the first {len(asked)} of {len(flows)} registered state machines were asked where they log."
        warnings.append(ExecutionWarning(ExecutionWarningCode.LOG_SKIPPED, text))
    return _Destinations(known, warnings)


def _unknown_group(sub: SubExecution, failure: str) -> ExecutionWarning:
    text = f"The log group of {sub.label or 'a registered state machine'} is not known"
    is_gone = failure == "StateMachineDoesNotExist"
    code = ExecutionWarningCode.LOG_NOT_FOUND if is_gone else ExecutionWarningCode.LOG_UNAVAILABLE
    return call_failed(text, failure, otherwise=code).about(sub)


async def _page(step: StepRow, context: Context, request: PageRequest, *, only_registered: bool) -> Page[RegisteredLog]:
    async def logs() -> list[RegisteredLog]:
        found = await _log_sources(step, context, ()) if only_registered else await log_sources(step, context)
        chosen = sources.registered_logs(found) if only_registered else found
        return [RegisteredLog.of(step, source) for source in chosen]

    async def read(window: Window) -> Filled[RegisteredLog]:
        warnings = left_out(step.unreadable_logs) if only_registered else await sources_left_out(step, context)
        return replace(listed(await logs(), lambda log: log.source.location_digest, window), warnings=warnings)

    async def count() -> int:
        return len(await logs())

    return await paginate(context, request, (step.pipeline_execution_id,), read, count)


async def _stored(step: StepRow, context: Context) -> StepLogRow | None:
    return await context.loaders.step_logs.load((step.pipeline_execution_id, keys.SUMMARY))
