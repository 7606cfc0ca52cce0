"""How an execution and its own fields are answered."""

from graph.auth import routes
from graph.context import Context
from graph.resolvers import gate, lists, references
from graph.resolvers.filters import ExecutionFilter
from graph.resolvers.paging import Filled, Page, PageRequest, Window, paginate
from graph.resolvers.sources import listed
from graph.resolvers.texts import StoredText, log_text
from graph.tables import ids, keys
from graph.tables.records.definitions import WorkflowRow
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.steps import StepRow


class ExecutionGroup:
    """The executions that were launched under one group id. A group has no row of its own."""

    __slots__ = ("group_id",)

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id

    @property
    def id(self) -> str:
        """The global id."""
        return ids.encode("ExecutionGroup", self.group_id)


async def execution(context: Context, execution_id: str) -> ExecutionRow | None:
    """Return the execution of an id, if the viewer may see it.

    What its fields are sure to need is read together with it, and dropped if there is none to be seen.
    """
    if not keys.is_execution_id(execution_id):
        return None
    loaders, begins = context.loaders, context.selection.begins
    if StepRow in begins:
        loaders.steps.chain.begin(execution_id)
    if ConfigurationRow in begins:
        loaders.configurations.by_key.begin((execution_id, keys.CONFIGURATION))
    return await gate.visible_execution(context, execution_id)


async def group(context: Context, group_id: str) -> ExecutionGroup | None:
    """Return the group of an id, if the viewer may see any of its executions."""
    if not context.access.permits(routes.EXECUTIONS):
        return None
    one = PageRequest("Query.executionGroup", first=1)
    found = await lists.executions(context, one, ExecutionFilter(group_id=group_id))
    return ExecutionGroup(group_id) if found.edges else None


async def executions_of_group(
    of: ExecutionGroup, context: Context, page: PageRequest, wanted: ExecutionFilter | None
) -> Page[ExecutionRow]:
    """Return the executions of a group, newest first."""
    return await lists.executions(context, page, wanted and wanted.within_group(of.group_id), (of.group_id,))


async def executions_of_workflow(
    of: WorkflowRow, context: Context, page: PageRequest, wanted: ExecutionFilter | None
) -> Page[ExecutionRow]:
    """Return the executions of a workflow, newest first."""
    key = (of.database_id, of.workflow_id)
    return await lists.executions(context, page, wanted and wanted.within_workflow(*key), key)


async def workflow(execution: ExecutionRow, context: Context) -> WorkflowRow | None:
    """Return the definition that the execution ran, as it stands now."""
    return await references.workflow(context, execution.workflow_database_id, execution.workflow_id)


async def own_group(execution: ExecutionRow, context: Context) -> ExecutionGroup | None:
    """Return the group of the execution, if the viewer may list what is in it, which is at least this run."""
    if not execution.group_id or not context.access.permits(routes.EXECUTIONS):
        return None
    return ExecutionGroup(execution.group_id)


async def log(execution: ExecutionRow, context: Context) -> StoredText | None:
    """Return the log text that was captured at the end of the run."""
    return log_text(context, execution.log_text)


async def steps(execution: ExecutionRow, context: Context, page: PageRequest) -> Page[StepRow]:
    """Return the steps of the execution, in chain order."""

    async def read(window: Window) -> Filled[StepRow]:
        chain = await context.loaders.steps.chain.load(execution.execution_id)
        return listed(chain.steps, lambda step: step.pipeline_execution_id, window)

    async def count() -> int:
        return len((await context.loaders.steps.chain.load(execution.execution_id)).steps)

    return await paginate(context, page, (execution.execution_id,), read, count)


async def end_step(execution: ExecutionRow, context: Context) -> StepRow | None:
    """Return the step that ends the chain."""
    return await context.loaders.steps.end(execution.execution_id)


async def may_abort(execution: ExecutionRow, context: Context) -> bool:
    """Return whether the viewer may abort the run, whatever its status."""
    return await context.access.may_abort(execution)


async def may_delete(execution: ExecutionRow, context: Context) -> bool:
    """Return whether the viewer may delete the run here, whatever its status."""
    settings = context.services.settings
    return settings.actions and settings.delete_executions and await context.access.may_delete(execution)


async def may_abort_newest(of: ExecutionGroup, context: Context) -> bool | None:
    """Return whether the viewer may abort the newest run of the group that the viewer sees."""
    one = PageRequest("ExecutionGroup.viewerCanAbort", first=1)
    found = await lists.executions(context, one, ExecutionFilter(group_id=of.group_id))
    return await context.access.may_abort(found.nodes[0]) if found.nodes else None


async def may_read_details(execution: ExecutionRow, context: Context) -> bool:
    """Return whether the viewer may read what is beyond the row of a list."""
    return context.access.permits(routes.execution_details(execution.execution_id))


async def may_read_metadata(execution: ExecutionRow, context: Context) -> bool:
    """Return whether the viewer may read any metadata of the run."""
    return await may_read_details(execution, context) and context.access.permits(
        routes.execution_metadata(execution.execution_id)
    )


async def may_read_logs(execution: ExecutionRow, context: Context) -> bool:
    """Return whether the viewer may read any log text of the run."""
    return gate.may_read_logs(execution, context)
