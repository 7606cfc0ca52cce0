"""The inputs that choose among executions and their files."""

from datetime import datetime

import strawberry

from graph.resolvers import filters, references
from graph.schema.instants import instant
from graph.tables import states


@strawberry.input(description="Names a workflow.")
class WorkflowRef:
    """Names a workflow."""

    database_id: str = strawberry.field(description="The database of the workflow, or GLOBAL.")
    workflow_id: str = strawberry.field(description="The workflow within its database.")


@strawberry.input(description="Names an asset.")
class AssetRef:
    """Names an asset."""

    database_id: str = strawberry.field(description="The database of the asset.")
    asset_id: str = strawberry.field(description="The asset within its database.")

    def to_reference(self) -> references.AssetReference:
        """Return the asset that is named."""
        return references.AssetReference(self.database_id, self.asset_id)


@strawberry.input(
    description=(
        "Conditions on executions. All given conditions hold together, with the parent's own too; a contradiction or "
        "an empty list matches nothing. A workflow or a group selects its own index; the rest is filtered after the "
        "key, within the read budget. There is no hidden window of time; executions without a start date are in no "
        "list."
    )
)
class ExecutionFilter:
    """Conditions on executions."""

    workflow: WorkflowRef | None = strawberry.field(default=None, description="Executions of this workflow.")
    workflow_database_id: str | None = strawberry.field(
        default=None, description="Executions of workflows of a database."
    )
    workflow_id: str | None = strawberry.field(default=None, description="Executions of workflows with this id.")
    group_id: str | None = strawberry.field(default=None, description="Executions that were launched under a group id.")
    status: list[states.ExecutionStatus] | None = strawberry.field(
        default=None, description="Executions whose stored status is one of these."
    )
    trigger_type: list[states.TriggerType] | None = strawberry.field(
        default=None, description="Executions that one of these started."
    )
    triggered_by: str | None = strawberry.field(default=None, description="Executions that this user id started.")
    started_from: datetime | None = strawberry.field(default=None, description="Started at this instant or later.")
    started_to: datetime | None = strawberry.field(default=None, description="Started at this instant or earlier.")


def to_filter(given: ExecutionFilter | None) -> filters.ExecutionFilter | None:
    """Return the conditions that are given; None when they contradict each other.

    Raises:
        BadUserInput: for a date that is no instant in a zone.
    """
    if given is None:
        return filters.ExecutionFilter()
    wanted = filters.ExecutionFilter(
        workflow_database_id=given.workflow_database_id,
        workflow_id=given.workflow_id,
        group_id=given.group_id,
        statuses=None if given.status is None else frozenset(given.status),
        trigger_types=None if given.trigger_type is None else frozenset(given.trigger_type),
        triggered_by=given.triggered_by,
        started_from=instant("startedFrom", given.started_from),
        started_to=instant("startedTo", given.started_to),
    )
    if given.workflow is None:
        return wanted
    return wanted.within_workflow(given.workflow.database_id, given.workflow.workflow_id)
