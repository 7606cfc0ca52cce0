"""The places where steps write their logs."""

from graph.logs import sources
from graph.resolvers import logs
from graph.schema.fields import answer, attribute, object_type
from graph.schema.lazy import LazyPipelineExecution
from graph.schema.node import Node
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow

# A log source has no row of its own: it is told from these.
LOG_SOURCES = StepRow.fields("execution_type_text", "resource_arn", "logs", "sub_executions") + ExecutionRow.fields(
    "log_group_arn"
)


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
    log_stream_name: str | None = attribute("The log stream, where it is one.", reads=())
    log_stream_prefix: str | None = attribute("What its log streams begin with, where it is several.", reads=())
    pipeline_execution: LazyPipelineExecution | None = answer(logs.step_of, "The step that writes to it.")
