"""What executions are made from: workflows and pipelines, as they are defined now."""

from graph.context import Context
from graph.resolvers import executions as answers
from graph.resolvers.paging import Page, PageRequest
from graph.schema.connections import BoundedConnection
from graph.schema.costs import LIST_COST, TEXT_COST
from graph.schema.fields import attribute, object_type, page
from graph.schema.filters import ExecutionFilter, to_filter
from graph.schema.lazy import LazyExecution
from graph.schema.node import Node
from graph.schema.scalars import JSON
from graph.tables import states
from graph.tables.records.definitions import PipelineRow, WorkflowRow
from graph.tables.records.executions import ExecutionRow


async def executions(
    workflow: WorkflowRow, context: Context, request: PageRequest, filter: ExecutionFilter | None = None
) -> Page[ExecutionRow]:
    """Return the executions of a workflow."""
    return await answers.executions_of_workflow(workflow, context, request, to_filter(filter))


@object_type(WorkflowRow, description="A workflow: a chain of pipelines.")
class Workflow(Node):
    """A workflow."""

    database_id: str = attribute("The database of the workflow, or GLOBAL.")
    workflow_id: str = attribute("The workflow within its database.")
    name: str | None = attribute("Its name.")
    category: str | None = attribute("What it is for.")
    description: str | None = attribute("What it does.")
    is_enabled: bool = attribute("Whether it can be launched.")
    is_archived: bool = attribute("Whether it was put away.")
    system_config: JSON | None = attribute(
        "Its rules: what it takes, where it writes, what may run at once.", cost=TEXT_COST
    )
    executions: BoundedConnection[LazyExecution] | None = page(
        executions, "The executions of the workflow, newest first, as the filter allows.", cost=LIST_COST
    )


@object_type(PipelineRow, description="A pipeline: what one step of a workflow runs.")
class Pipeline(Node):
    """A pipeline."""

    database_id: str = attribute("The database of the pipeline, or GLOBAL.")
    pipeline_id: str = attribute("The pipeline within its database.")
    name: str | None = attribute("Its name.")
    category: str | None = attribute("What it is for.")
    description: str | None = attribute("What it does.")
    execution_type: states.PipelineExecutionType | None = attribute(
        "The service that runs it.", reads=PipelineRow.fields("execution_type_text")
    )
    is_enabled: bool = attribute("Whether it can be used.")
    is_archived: bool = attribute("Whether it was put away.")
