"""What ended runs."""

from graph.resolvers import failures
from graph.schema.execution_warning import ExecutionWarning
from graph.schema.fields import answer, attribute, object_type
from graph.schema.lazy import LazyEngineExecution, LazyPipelineExecution, LazySubExecution
from graph.schema.stages import HistoryEvent, Stage, StageVisit


@object_type(
    failures.ExecutionFailure,
    description="What ended a run: the terminal failure, not the first one, not one that was caught, not the abort "
    "that followed. Does not go into children of a distributed Map.",
)
class ExecutionFailure:
    """What ended a run."""

    error: str | None = attribute("The name of the error, redacted, at most 256 characters.", reads=())
    cause: str | None = attribute("Why it failed, redacted, at most 256 characters.", reads=())
    pipeline_execution: LazyPipelineExecution | None = answer(
        failures.pipeline_execution, "The step that failed; null where none did, as of a run that was stopped."
    )
    sub_execution: LazySubExecution | None = answer(
        failures.sub_execution, "The registered entry whose run failed; null where the workflow's own run did."
    )
    engine_execution: LazyEngineExecution | None = answer(
        failures.engine_execution, "The innermost run that the failure was followed to."
    )
    stage: Stage | None = answer(failures.stage, "The state that failed; null where none did.")
    visit: StageVisit | None = attribute("The visit that failed, as far as the newest events tell of it.", reads=())
    event: HistoryEvent | None = attribute(
        "The innermost event that recorded the failure; history(around:) shows what was around it.", reads=()
    )
    warnings: list[ExecutionWarning] = attribute("Why what is null above is not known.", reads=())
