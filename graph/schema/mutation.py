"""What changes something. Each field passes the gate of the object that it changes before anything is begun."""

import strawberry

from graph.actions import abort, delete
from graph.actions import group as groups
from graph.actions.abort import AbortOutcome
from graph.actions.results import ActionWarning
from graph.context import Context, Extra
from graph.execution_warnings import ExecutionWarning as Warned
from graph.resolvers import executions, nodes
from graph.schema.execution import ENGINE_RUN, Execution, ExecutionGroup
from graph.schema.execution_warning import ExecutionWarning
from graph.schema.fields import answer, attribute, object_type, root
from graph.schema.logs import LOG_SOURCES
from graph.tables.records.executions import ExecutionRow


@strawberry.input(description="Which run to abort.")
class AbortExecutionInput:
    """A run to abort."""

    execution_id: str = strawberry.field(description="The id of the run.")


async def aborted_execution(of: abort.Abort, context: Context) -> ExecutionRow | None:
    """Return the run that was aborted, as it is now."""
    return await executions.execution(context, of.execution_id)


_SUBJECTS = LOG_SOURCES + ENGINE_RUN  # as of any node


async def warnings_of(of: abort.Abort | delete.Deletion, context: Context) -> list[Warned]:
    """Return the warnings of an action, each with its subject if that is selected and the viewer may see it."""
    wants_subject = Extra.WARNING_SUBJECT in context.selection.extras
    return [await _shown(warning, context, wants_subject=wants_subject) for warning in of.warnings]


async def _shown(warning: ActionWarning, context: Context, *, wants_subject: bool) -> Warned:
    subject = await nodes.node(context, warning.subject_id) if wants_subject else None
    return Warned(warning.code, warning.message, subject)


@object_type(abort.Abort, description="What an abort did.")
class AbortExecutionPayload:
    """An abort of one run."""

    execution: Execution | None = answer(aborted_execution, "The run, as it was written.")
    outcome: AbortOutcome = attribute("How it ended.", reads=())
    warnings: list[ExecutionWarning] = answer(warnings_of, "What was left running or not written.", reads=_SUBJECTS)


async def abort_execution(context: Context, input: AbortExecutionInput) -> abort.Abort | None:
    """Abort a run."""
    return await abort.abort_execution(context, input.execution_id)


@strawberry.input(description="Which group to abort.")
class AbortExecutionGroupInput:
    """A group to abort."""

    group_id: str = strawberry.field(description="The id of the group.")


async def listed_execution(of: abort.Abort, context: Context) -> ExecutionRow | None:
    """Return the run of a group that was aborted, as it is now and as lists show it."""
    found = await context.loaders.executions.by_id.load(of.execution_id)
    if found is None:
        return None
    (is_seen,) = await context.access.page_of_executions()([found])
    return found if is_seen else None


async def aborted_group(of: groups.GroupAbort, context: Context) -> executions.ExecutionGroup | None:
    """Return the group whose runs were aborted."""
    return await executions.group(context, of.group_id)


@object_type(groups.MemberAbort, description="What an abort did to one run of a group.")
class AbortExecutionResult:
    """An abort of one run of a group."""

    execution_id: str = attribute("The id of the run.", reads=())
    execution: Execution | None = answer(listed_execution, "The run, as it was written.")
    outcome: AbortOutcome = attribute("How it ended.", reads=())
    warnings: list[ExecutionWarning] = answer(warnings_of, "What was left running or not written.", reads=_SUBJECTS)


@object_type(groups.GroupAbort, description="What an abort did to a group.")
class AbortExecutionGroupPayload:
    """An abort of a group."""

    group: ExecutionGroup | None = answer(aborted_group, "The group.")
    results: list[AbortExecutionResult] = attribute(
        "What was acted on. Members that had ended, or that the viewer may not see, are in no list and no count.",
        reads=(),
        most=groups.MOST,
    )
    forbidden_count: int = attribute("Members passed over that the viewer sees but may not stop.", reads=())
    is_complete: bool = attribute(
        "False where the limit or the time ended the call before all were looked at; never for a member that FAILED.",
        reads=(),
    )


async def abort_execution_group(context: Context, input: AbortExecutionGroupInput) -> groups.GroupAbort | None:
    """Abort the runs of a group."""
    return await groups.abort_group(context, input.group_id)


@strawberry.input(description="Which run to delete.")
class DeleteExecutionInput:
    """A run to delete."""

    execution_id: str = strawberry.field(description="The id of the run.")
    confirm: bool = strawberry.field(description="Must be true: what is deleted does not come back.")


@object_type(delete.Deletion, description="What a deletion did.")
class DeleteExecutionPayload:
    """A deletion of one run."""

    execution_id: str = attribute("The id of the run.", reads=())
    deleted_id: strawberry.ID | None = attribute(
        "The global id; null while rows are left, which a repeat removes. After that the run is unknown: a repeat is "
        "null.",
        reads=(),
    )
    warnings: list[ExecutionWarning] = answer(warnings_of, "What was left.", reads=_SUBJECTS)


async def delete_execution(context: Context, input: DeleteExecutionInput) -> delete.Deletion | None:
    """Delete a run."""
    return await delete.delete_execution(context, input.execution_id, confirm=input.confirm)


@strawberry.type(description="What changes something. A server without actions does not have it.")
class Mutation:
    """The roots of changes."""

    abort_execution: AbortExecutionPayload | None = root(
        abort_execution,
        "Stops a run and what its steps registered, from the outside in. Repeating it sweeps late registrations and "
        "changes nothing that ended. Null when there is no such run or the viewer may not see it.",
        cost=500,
    )
    abort_execution_group: AbortExecutionGroupPayload | None = root(
        abort_execution_group,
        "Stops the runs of a group that the viewer may stop, newest first, at most 200 a call; call again while "
        "isComplete is false. Null when the viewer sees no execution of it.",
        cost=20_000,
    )
    delete_execution: DeleteExecutionPayload | None = root(
        delete_execution,
        "Removes every row of a run that has ended; CONFLICT while it is in progress. Files in S3 and versions of "
        "assets stay. Null when there is no such run or the viewer may not see it; FORBIDDEN too where the server "
        "deletes none.",
        cost=2_000,
    )
