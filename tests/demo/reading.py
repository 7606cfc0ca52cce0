"""Reads the items of the demo as a test wants them: by execution, by step, in chain order."""

from collections.abc import Mapping
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from graph.demo.data import demo_items
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, STEPS, Table

ITEMS = demo_items()

Item = dict[str, Any]

_SERIALIZER: Any = TypeSerializer()


def rows(table: Table, **equal: Any) -> list[Item]:
    """The items of the table whose attributes equal those given."""
    return [item for item in ITEMS[table] if all(item.get(name) == value for name, value in equal.items())]


def only(table: Table, **equal: Any) -> Item:
    """The one such item."""
    [item] = rows(table, **equal)
    return item


def execution(execution_id: str) -> Item:
    return only(EXECUTIONS, workflowExecutionId=execution_id)


def configuration(execution_id: str) -> Item:
    return only(CONFIGURATIONS, workflowExecutionId=execution_id)


def chain(execution_id: str) -> list[Item]:
    """The steps of a run by following their predecessors, from the one that has none."""
    steps = {step.get("from_pipeline_execution_id", ""): step for step in rows(STEPS, workflowExecutionId=execution_id)}
    ordered: list[Item] = []
    following = steps.get("")
    while following:
        ordered.append(following)
        following = steps.get(following["pipelineExecutionId"])
    return ordered


def of_steps(table: Table, execution_id: str) -> list[Item]:
    """The items of the run's steps in the table, in chain order."""
    return [
        item for step in chain(execution_id) for item in rows(table, pipelineExecutionId=step["pipelineExecutionId"])
    ]


def written(item: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """An item as DynamoDB writes it."""
    return {name: _SERIALIZER.serialize(value) for name, value in item.items()}
