"""What the roles of the demo may do, each right with the objects it holds for."""

from typing import NamedTuple

_ALL_ACTIONS = ("GET", "PUT", "POST", "DELETE")


class Criterion(NamedTuple):
    """A condition on one field of an object; a list of values holds when one of them does."""

    field: str
    operator: str
    value: str | list[str]


class Constraint(NamedTuple):
    """What a role may (or with ``permission_type`` deny: may not) do with the objects that match."""

    role: str
    name: str
    description: str
    object_type: str
    actions: tuple[str, ...]
    every: tuple[Criterion, ...] = ()
    some: tuple[Criterion, ...] = ()
    permission_type: str = "allow"


def _paths(operator: str, *values: str) -> tuple[Criterion, ...]:
    return tuple(Criterion("route__path", operator, value) for value in values)


def _in_databases(*databases: str) -> tuple[Criterion, ...]:
    return (Criterion("databaseId", "equals", list(databases) if len(databases) > 1 else databases[0]),)


def _anything(field: str) -> tuple[Criterion, ...]:
    return (Criterion(field, "contains", ".*"),)


_PLANT_DATABASES = ("plant-models", "plant-scans")

_PLANT_USER = (
    Constraint(
        "plant-user",
        "plant-user-api-get",
        "Reads workflows and databases",
        "api",
        ("GET",),
        some=_paths("starts_with", "/workflows", "/database"),
    ),
    Constraint(
        "plant-user",
        "plant-user-executions-admin-deny",
        "Neither reads logs nor deletes runs for good",
        "api",
        ("GET", "DELETE"),
        some=_paths("ends_with", "/logs", "/permanent"),
        permission_type="deny",
    ),
    Constraint(
        "plant-user",
        "plant-user-workflows",
        "Sees and starts the plant's workflows and the global ones",
        "workflow",
        ("GET", "POST"),
        _in_databases("plant-models", "GLOBAL"),
    ),
    Constraint(
        "plant-user",
        "plant-user-assets",
        "Works on plant models",
        "asset",
        ("GET", "POST"),
        _in_databases("plant-models"),
    ),
    Constraint(
        "plant-user",
        "plant-user-database",
        "Sees the plant's database",
        "database",
        ("GET",),
        _in_databases("plant-models"),
    ),
    Constraint(
        "plant-user",
        "plant-user-deny-locked",
        "Leaves locked assets alone",
        "asset",
        ("PUT", "POST", "DELETE"),
        (Criterion("tags", "is_one_of", "locked"),),
        permission_type="deny",
    ),
)

_PLANT_ADMIN = (
    Constraint(
        "plant-admin",
        "plant-admin-api",
        "Every route of workflows, pipelines and databases, logs and deletion included",
        "api",
        _ALL_ACTIONS,
        some=_paths("starts_with", "/workflows", "/pipelines", "/database", "/assets"),
    ),
    *(
        Constraint(
            "plant-admin",
            f"plant-admin-{object_type}s",
            f"Runs every {object_type} of the plant's databases",
            object_type,
            _ALL_ACTIONS,
            _in_databases(*_PLANT_DATABASES),
        )
        for object_type in ("database", "asset", "pipeline", "workflow")
    ),
    *(
        Constraint(
            "plant-admin",
            f"plant-admin-global-{object_type}s",
            f"Sees and starts each global {object_type}",
            object_type,
            ("GET", "POST"),
            _in_databases("GLOBAL"),
        )
        for object_type in ("pipeline", "workflow")
    ),
)

_FIELD_OF_OBJECT_TYPE = {
    "api": "route__path",
    "web": "route__path",
    "database": "databaseId",
    "asset": "databaseId",
    "pipeline": "databaseId",
    "workflow": "databaseId",
    "metadataSchema": "databaseId",
    "tag": "tagName",
    "tagType": "tagTypeName",
    "role": "roleName",
    "userRole": "roleName",
}

_DEMO_ADMIN = tuple(
    Constraint(
        "demo-admin",
        f"demo-admin-{object_type}",
        f"Every action on every {object_type}",
        object_type,
        _ALL_ACTIONS,
        _anything(field),
    )
    for object_type, field in _FIELD_OF_OBJECT_TYPE.items()
)


def _reads_all_but(role: str, description: str, *endings: str) -> tuple[Constraint, ...]:
    """Return what a role may do that reads everything but the routes that end so."""
    reads = (
        Constraint(
            role,
            f"{role}-{object_type}",
            f"Reads every {object_type}",
            object_type,
            ("GET",),
            _anything(_FIELD_OF_OBJECT_TYPE[object_type]),
        )
        for object_type in ("api", "database", "asset", "pipeline", "workflow")
    )
    some = _paths("ends_with", *endings)
    denied = Constraint(role, f"{role}-deny", description, "api", ("GET",), some=some, permission_type="deny")
    return (*reads, denied)


_DEMO_READERS = (
    *_reads_all_but("demo-reader", "Reads no logs", "/logs"),
    *_reads_all_but("demo-lister", "Reads lists, and of no run the details", "/details", "/metadata", "/logs"),
    *_reads_all_but("demo-auditor", "Reads no metadata of runs", "/metadata"),
)

CONSTRAINTS_OF_ROLES = _PLANT_USER + _PLANT_ADMIN + _DEMO_ADMIN + _DEMO_READERS
