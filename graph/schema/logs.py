"""The places where steps write their logs, and the lines that were written."""

from datetime import datetime
from typing import Annotated

import strawberry

from graph.context import Context
from graph.logs import sources
from graph.logs.reading import LogReadStatus
from graph.resolvers import log_events, log_pages, logs
from graph.resolvers.gate import require_logs
from graph.resolvers.log_events import LONGEST_PAGE, LinesWanted
from graph.resolvers.log_pages import LogPage
from graph.resolvers.paging import PageRequest, ShortPageReason
from graph.schema.connections import WARNINGS, PageInfo
from graph.schema.costs import TEXT_COST
from graph.schema.execution_warning import ExecutionWarning
from graph.schema.fields import answer, attribute, object_type, page
from graph.schema.instants import instant
from graph.schema.lazy import LazyPipelineExecution
from graph.schema.node import Node
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow

LOG_SOURCES = StepRow.fields(
    "execution_type_text", "resource_arn", "logs", "unreadable_logs", "sub_executions"
) + ExecutionRow.fields("log_group_arn")
RUN_TIMES = ExecutionRow.fields("started_at", "stopped_at", "log_group_arn")

_Text = Annotated[
    str | None,
    strawberry.argument(description="Only lines that hold this one literal text; double quotes in it are left out."),
]
_From = Annotated[
    datetime | None,
    strawberry.argument(
        name="from", description="Only lines of this instant or later; else from five minutes before the run's start."
    ),
]
_To = Annotated[
    datetime | None,
    strawberry.argument(
        name="to", description="Only lines of this instant or earlier; else until an hour after the run's end."
    ),
]
_Stage = Annotated[str | None, strawberry.argument(description="Only the sources of this stage, and no other log.")]


async def source_events(
    log: logs.RegisteredLog,
    context: Context,
    request: PageRequest,
    filter_pattern: _Text = None,
    from_: _From = None,
    to: _To = None,
) -> LogPage | None:
    """Return the lines of a log source."""
    return await log_events.source_events(log, context, request, _wanted(filter_pattern, from_, to))


async def execution_events(
    execution: ExecutionRow,
    context: Context,
    request: PageRequest,
    filter_pattern: _Text = None,
    from_: _From = None,
    to: _To = None,
) -> LogPage:
    """Return the lines of a run."""
    return await log_events.execution_events(execution, context, request, _wanted(filter_pattern, from_, to))


async def step_events(
    step: StepRow,
    context: Context,
    request: PageRequest,
    stage_name: _Stage = None,
    filter_pattern: _Text = None,
    from_: _From = None,
    to: _To = None,
) -> LogPage | None:
    """Return the lines of a step."""
    return await log_events.step_events(step, context, request, _wanted(filter_pattern, from_, to), stage_name)


def _wanted(text: str | None, since: datetime | None, until: datetime | None) -> LinesWanted:
    return LinesWanted(text, instant("from", since), instant("to", until))


@object_type(log_pages.LogEvent, description="A line of a log.")
class LogEvent:
    """A line of a log."""

    time: datetime = attribute("When it was written, as its writer says.", reads=())
    ingested_at: datetime | None = attribute("When it arrived in CloudWatch Logs.", reads=())
    message: str = attribute("The text, redacted.", reads=(), cost=TEXT_COST)
    log_group_name: str | None = attribute("The log group that it lies in; null for a line of a history.", reads=())
    log_stream_name: str | None = attribute("The log stream that it lies in.", reads=())
    source: "RegisteredLog | None" = attribute(
        "The source of the step that it is of; null for a line of the group that all executions share.", reads=()
    )


@strawberry.type(description="A line of a page.")
class LogEventEdge:
    """A line and its cursor."""

    node: LogEvent = attribute("The line.", reads=())
    cursor: str = attribute(
        "The position of the line, for after and before. Opaque, and the same whichever way the line was read.",
        reads=(),
    )


@strawberry.type(description="A page of log lines, oldest first.")
class LogEventConnection:
    """A page of lines."""

    edges: list[LogEventEdge] = attribute("The lines of the page, each with its cursor.", reads=())
    nodes: list[LogEvent] = attribute("The lines of the page alone.", reads=())
    page_info: PageInfo = attribute("Where the page stands in its log.", reads=())
    status: LogReadStatus = attribute("How the reading went.", reads=())
    short_page_reason: ShortPageReason | None = attribute(
        "Null when the page is full, the log is at its end, or its reading failed.", reads=()
    )
    warnings: list[ExecutionWarning] = attribute(WARNINGS, reads=())


@object_type(logs.RegisteredLog, description="A place in CloudWatch Logs that a step writes to.")
class RegisteredLog(Node):
    """A log source of a step."""

    log_id: str = attribute(
        "The same value as the REST API's. It hashes the kind too, so it can change when a place is registered later; "
        "the global id hashes the location alone.",
        reads=(),
    )
    kind: sources.LogKind = attribute("How it became known.", reads=())
    label: str = attribute("What to call it.", reads=())
    source_type: sources.LogSourceType = attribute("The service that writes to it.", reads=())
    stage_name: str | None = attribute("The state of the step's own state machine that writes to it.", reads=())
    log_group_name: str = attribute("The log group.", reads=())
    log_group_arn: str | None = answer(
        logs.group_arn, "The ARN of the log group. Needs the logs permission.", guard=require_logs, cost=1
    )
    log_stream_name: str | None = attribute("The log stream, where it is one.", reads=())
    log_stream_prefix: str | None = attribute("What its log streams begin with, where it is several.", reads=())
    pipeline_execution: LazyPipelineExecution | None = answer(logs.step_of, "The step that writes to it.")
    events: LogEventConnection | None = page(
        source_events,
        "The lines of this one source. Needs the permission to read logs: null with FORBIDDEN otherwise.",
        reads=LOG_SOURCES + RUN_TIMES,
        guard=require_logs,
        longest=LONGEST_PAGE,
    )
