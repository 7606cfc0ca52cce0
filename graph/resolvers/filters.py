"""Which executions a list shows: conditions, and the index and key range that serve them. Pure."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from graph.tables import keys, states
from graph.tables.queries import Between, OneOf
from graph.tables.records.executions import ExecutionRow
from graph.tables.states import ExecutionStatus, TriggerType

_LAST_SECOND = datetime.max.replace(microsecond=0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ExecutionFilter:
    """Conditions that all hold together; None is no condition. An empty set of statuses or triggers matches nothing."""

    workflow_database_id: str | None = None
    workflow_id: str | None = None
    group_id: str | None = None
    statuses: frozenset[ExecutionStatus] | None = None
    trigger_types: frozenset[TriggerType] | None = None
    triggered_by: str | None = None
    started_from: datetime | None = None
    started_to: datetime | None = None

    def within_workflow(self, database_id: str, workflow_id: str) -> "ExecutionFilter | None":
        """Return the filter with a workflow's own condition; None when they contradict each other."""
        if self.workflow_database_id not in (None, database_id) or self.workflow_id not in (None, workflow_id):
            return None
        return replace(self, workflow_database_id=database_id, workflow_id=workflow_id)

    def within_group(self, group_id: str) -> "ExecutionFilter | None":
        """Return the filter with a group's own condition; None when they contradict each other."""
        return replace(self, group_id=group_id) if self.group_id in (None, group_id) else None

    def of_no_workflow(self) -> "ExecutionFilter":
        """Return the filter with a workflow in the place of its own that cannot exist."""
        return replace(self, workflow_database_id=keys.NO_ID, workflow_id=keys.NO_ID)

    def without_workflow(self) -> "ExecutionFilter":
        """Return the conditions that are left when rows come from the workflow's own index."""
        return replace(self, workflow_database_id=None, workflow_id=None)

    def without_group(self) -> "ExecutionFilter":
        """Return the conditions that are left when rows come from the group's own index."""
        return replace(self, group_id=None)

    def without_dates(self) -> "ExecutionFilter":
        """Return the conditions that are left when the key range is read."""
        return replace(self, started_from=None, started_to=None)

    @property
    def workflow(self) -> tuple[str, str] | None:
        """The database and the id of the workflow that is asked for, where it is named whole."""
        if self.workflow_database_id is None or self.workflow_id is None:
            return None
        return self.workflow_database_id, self.workflow_id

    @property
    def is_possible(self) -> bool:
        """Whether any row could match: no empty set, no ids that can be of nothing, no dates with nothing between."""
        ids = (self.workflow_database_id, self.workflow_id, self.group_id)
        dates = self.key_range
        return (
            all(keys.is_id(value) for value in ids if value is not None)
            and self.statuses != frozenset()
            and self.trigger_types != frozenset()
            and (self.triggered_by is None or keys.is_user_id(self.triggered_by))
            and (dates is None or not dates.is_empty)
        )

    @property
    def key_range(self) -> Between | None:
        """The bounds of the stored start date. They are compared as texts, with or without fraction and zone."""
        if self.started_from is None and self.started_to is None:
            return None
        low = None if self.started_from is None else _whole_seconds_from(self.started_from)
        high = None if self.started_to is None else _seconds(self.started_to) + "Z"
        return Between(low, high)

    def conditions(self) -> tuple[OneOf, ...]:
        """Return the conditions as the database checks them, after the key."""
        one_of = [
            OneOf(attribute, (value,))
            for attribute, value in (
                ("workflowDatabaseId", self.workflow_database_id),
                ("workflowId", self.workflow_id),
                ("executionGroupId", self.group_id),
                ("triggeredByUserId", self.triggered_by),
            )
            if value is not None
        ]
        if self.statuses is not None:
            one_of.append(states.stored_texts("executionStatus", self.statuses, ExecutionStatus.UNKNOWN))
        if self.trigger_types is not None:
            one_of.append(states.stored_texts("triggerType", self.trigger_types, TriggerType.UNKNOWN))
        return tuple(one for one in one_of if one.texts)  # where no text is left out, there is no condition

    def matches(self, execution: ExecutionRow) -> bool:
        """Return whether an execution meets every condition but that of the dates, which the key range has checked."""
        return (
            self.workflow_database_id in (None, execution.workflow_database_id)
            and self.workflow_id in (None, execution.workflow_id)
            and self.group_id in (None, execution.group_id)
            and (self.statuses is None or execution.status in self.statuses)
            and (self.trigger_types is None or execution.trigger_type in self.trigger_types)
            and self.triggered_by in (None, execution.triggered_by)
        )

    def identity(self) -> tuple[object, ...]:
        """Return the filter as plain values, for cursors to be bound to."""
        return (
            self.workflow_database_id,
            self.workflow_id,
            self.group_id,
            None if self.statuses is None else sorted(status.name for status in self.statuses),
            None if self.trigger_types is None else sorted(trigger.name for trigger in self.trigger_types),
            self.triggered_by,
            self.started_from,
            self.started_to,
        )


def _whole_seconds_from(instant: datetime) -> str:
    """Return an instant rounded up to a second, without a zone, so that it sorts before every spelling."""
    if instant.microsecond and instant < _LAST_SECOND:
        instant += timedelta(seconds=1)
    return _seconds(instant)


def _seconds(instant: datetime) -> str:
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
