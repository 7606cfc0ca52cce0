"""The roles and permission templates that VAMS ships, and what they mean for executions."""

from typing import Any

import pytest

from graph.auth import routes
from graph.auth.policy import Policy
from tests.auth.rows import ALL_ACTIONS, constraint, criterion
from tests.policies import compile_policy

DATABASE = "plant-models"
EXECUTION = "9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65"
ROUTES = {
    "list": (routes.EXECUTIONS, "GET"),
    "history": (routes.asset_executions(DATABASE, "pump"), "GET"),
    "details": (routes.execution_details(EXECUTION), "GET"),
    "metadata": (routes.execution_metadata(EXECUTION), "GET"),
    "logs": (routes.execution_logs(EXECUTION), "GET"),
    "abort": (routes.execution(EXECUTION), "DELETE"),
    "delete": (f"{routes.execution(EXECUTION)}/permanent", "DELETE"),
    "rerun": (f"{routes.execution(EXECUTION)}/rerun", "POST"),
}
READS = {"list", "history", "details", "metadata"}


def api(name: str, operator: str, values: list[str], **effects: Any) -> dict[str, Any]:
    return constraint(name, "api", any_of=[criterion("route__path", operator, value) for value in values], **effects)


def scoped(object_type: str, database: str, allow: list[str]) -> dict[str, Any]:
    equals = [criterion("databaseId", "equals", database)]
    return constraint(f"{object_type}-{database}", object_type, all_of=equals, allow=allow)


def everything(object_type: str, field: str, allow: list[str] | tuple[str, ...]) -> dict[str, Any]:
    return constraint(object_type, object_type, all_of=[criterion(field, "contains", ".*")], allow=allow)


FIELD_OF = {
    "api": "route__path",
    "database": "databaseId",
    "asset": "databaseId",
    "pipeline": "databaseId",
    "workflow": "databaseId",
}
READ_ROUTES = ["/secure-config", "/assets", "/database", "/metadata", "/pipelines", "/workflows"]
NO_LOGS = api("no-logs", "ends_with", ["/logs"], deny=["GET"])

TEMPLATES = {
    "admin": [everything(each, field, ALL_ACTIONS) for each, field in FIELD_OF.items()],
    "basicReadOnly": [
        api("get", "starts_with", READ_ROUTES, allow=["GET"]),
        *(everything(each, "databaseId", ["GET"]) for each in ("database", "asset", "pipeline", "workflow")),
    ],
    "global-readonly": [
        api("get", "starts_with", READ_ROUTES, allow=["GET"]),
        NO_LOGS,
        *(everything(each, "databaseId", ["GET"]) for each in ("database", "asset", "pipeline", "workflow")),
    ],
    "database-admin": [
        api("all", "starts_with", READ_ROUTES, allow=ALL_ACTIONS),
        scoped("database", DATABASE, ["GET", "PUT", "DELETE"]),
        *(scoped(each, DATABASE, list(ALL_ACTIONS)) for each in ("asset", "pipeline", "workflow")),
        *(scoped(each, "GLOBAL", ["GET", "POST"]) for each in ("pipeline", "workflow")),
    ],
    "database-user": [
        api("get", "starts_with", READ_ROUTES, allow=["GET"]),
        api("post", "starts_with", ["/assets", "/database", "/workflows"], allow=["POST"]),
        api("delete", "starts_with", ["/workflows/executions"], allow=["DELETE"]),
        api("no-admin", "ends_with", ["/logs", "/permanent"], deny=["GET", "DELETE"]),
        scoped("database", DATABASE, ["GET"]),
        scoped("asset", DATABASE, list(ALL_ACTIONS)),
        *(scoped(each, name, ["GET", "POST"]) for each in ("pipeline", "workflow") for name in (DATABASE, "GLOBAL")),
    ],
    "database-readonly": [
        api("get", "starts_with", READ_ROUTES, allow=["GET"]),
        NO_LOGS,
        api("post", "starts_with", ["/auth/routes", "/search"], allow=["POST"]),
        *(scoped(each, DATABASE, ["GET"]) for each in ("database", "asset", "pipeline", "workflow")),
    ],
}
DENY_TAGGED = constraint(
    "deny-tagged", "asset", all_of=[criterion("tags", "is_one_of", "locked")], deny=["PUT", "POST", "DELETE"]
)


def policy_of(template: str, *overlays: dict[str, Any]) -> Policy:
    return compile_policy("bob@example.com", ["plant-user"], [*TEMPLATES[template], *overlays])


@pytest.mark.parametrize(
    ("template", "allowed"),
    [
        ("admin", set(ROUTES)),
        ("basicReadOnly", READS | {"logs"}),
        ("global-readonly", READS),
        ("database-admin", set(ROUTES)),
        ("database-user", READS | {"abort", "rerun"}),
        ("database-readonly", READS),
    ],
)
def test_routes(template: str, allowed: set[str]) -> None:
    policy = policy_of(template)
    assert {
        name for name, (path, action) in ROUTES.items() if policy.allows("api", {"route__path": path}, action)
    } == allowed


@pytest.mark.parametrize(
    ("template", "own", "global_", "other"),
    [
        ("admin", "GPUD", "GPUD", "GPUD"),
        ("basicReadOnly", "G", "G", "G"),
        ("global-readonly", "G", "G", "G"),
        ("database-admin", "GPUD", "GP", ""),
        ("database-user", "GP", "GP", ""),
        ("database-readonly", "G", "", ""),
    ],
)
def test_workflows(template: str, own: str, global_: str, other: str) -> None:
    policy = policy_of(template)
    actions = {"G": "GET", "P": "POST", "U": "PUT", "D": "DELETE"}

    def allowed(database: str) -> str:
        fields = {"databaseId": database, "workflowId": "convert", "category": "", "name": "Convert"}
        return "".join(letter for letter, action in actions.items() if policy.allows("workflow", fields, action))

    assert (allowed(DATABASE), allowed("GLOBAL"), allowed("other")) == (own, global_, other)


@pytest.mark.parametrize(
    ("template", "own", "archived", "every"),
    [
        ("admin", True, True, True),
        ("basicReadOnly", True, True, True),
        ("global-readonly", True, True, True),
        ("database-admin", True, False, False),
        ("database-user", True, False, False),
        ("database-readonly", True, False, False),
    ],
)
def test_reading_assets(template: str, own: bool, archived: bool, every: bool) -> None:
    policy = policy_of(template)
    assert policy.allows("asset", {"databaseId": DATABASE, "tags": []}, "GET").allowed is own
    assert policy.allows("asset", {"databaseId": f"{DATABASE}#deleted", "tags": []}, "GET").allowed is archived
    assert policy.allows_everything("asset", "GET") is every


@pytest.mark.parametrize("template", ["admin", "database-admin", "database-user"])
def test_the_overlay_on_tags_denies_aborting_but_not_reading(template: str) -> None:
    policy = policy_of(template, DENY_TAGGED)
    locked, free = ({"databaseId": DATABASE, "tags": tags} for tags in (["locked", "hot"], ["hot"]))
    assert policy.allows("asset", locked, "GET")
    assert not policy.allows("asset", locked, "POST")
    assert policy.allows("asset", free, "POST")
    assert not policy.allows_everything("asset", "POST")
