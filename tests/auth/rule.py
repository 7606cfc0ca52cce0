"""VAMS's rule for one execution, in plain Python over the demo's items: what the gate is compared with."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from graph.auth.policy import Policy
from graph.tables.catalogue import ASSETS, CONFIGURATIONS, INPUTS, WORKFLOWS, Table
from tests.demo.reading import ITEMS


def allows_execution(policy: Policy, item: Mapping[str, Any], action: str = "GET") -> bool:
    """VAMS's rule for one execution, read off the items one after the other, with the three differences."""
    execution_id, database_id = item["workflowExecutionId"], item["workflowDatabaseId"]
    workflow = first(WORKFLOWS, databaseId=database_id, workflowId=item["workflowId"]) or {}
    fields = {
        "databaseId": database_id,
        "workflowId": item["workflowId"],
        "category": workflow.get("category"),
        "name": workflow.get("workflowName"),
    }
    if not policy.allows("workflow", fields, "GET"):
        return False
    configuration = first(CONFIGURATIONS, workflowExecutionId=execution_id) or {}
    databases = {configuration.get("inputMetadataDatabaseId"), *configuration.get("metadataSourceDatabases", ())}
    if not all(policy.allows("database", {"databaseId": name}, "GET") for name in databases if name):
        return False
    if configuration.get("metadataSourceAssetsTruncated") and not (
        policy.allows_everything("asset", action) and policy.allows_everything("database", action)
    ):
        return False
    touched = every(INPUTS, workflowExecutionId=execution_id)
    touched += configuration.get("metadataSourceAssets", [])
    if configuration.get("outputDatabaseId") and configuration.get("outputAssetId"):
        touched.append({"databaseId": configuration["outputDatabaseId"], "assetId": configuration["outputAssetId"]})
    gone = []
    for row in touched:
        names = (row["databaseId"], f"{row['databaseId']}#deleted")
        held = next((one for name in names if (one := first(ASSETS, databaseId=name, assetId=row["assetId"]))), None)
        if held is None:
            gone.append(row["databaseId"])
        elif not policy.allows("asset", held | {"databaseId": row["databaseId"]}, action):
            return False
    return all(policy.allows("database", {"databaseId": name}, action) for name in gone)


def first(table: Table, **equal: Any) -> dict[str, Any] | None:
    return next(iter(every(table, **equal)), None)


def every(table: Table, **equal: Any) -> list[dict[str, Any]]:
    return list(_by(table, tuple(equal)).get(tuple(equal.values()), ()))


@cache
def _by(table: Table, names: tuple[str, ...]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """The items of a table by some of their attributes."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for item in ITEMS[table]:
        found.setdefault(tuple(item.get(name) for name in names), []).append(item)
    return found
