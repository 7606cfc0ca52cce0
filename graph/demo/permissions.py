"""Who may do what in the demo: five users, their roles with the constraints behind them, and an API key for each."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from graph.demo.model import identifier
from graph.demo.rows import Row, indexed, keyed
from graph.tables.catalogue import (
    API_KEYS,
    API_KEYS_BY_HASH,
    CONSTRAINTS,
    CONSTRAINTS_BY_GROUP,
    ROLES,
    USER_ROLES,
)

ADMIN = "admin@example.com"
BOB = "bob@example.com"
ANA = "ana@example.com"
READER = "reader@example.com"
NOBODY = "nobody@example.com"

API_KEY_OF = {
    ADMIN: "vams_demo_admin",
    BOB: "vams_demo_bob",
    ANA: "vams_demo_ana",
    READER: "vams_demo_reader",
    NOBODY: "vams_demo_nobody",
}
ROLES_OF = {
    ADMIN: ("demo-admin",),
    BOB: ("plant-user",),
    ANA: ("plant-user", "plant-admin"),
    READER: ("demo-reader",),
    NOBODY: (),
}


class Role(NamedTuple):
    """A role; with ``mfa_required`` it counts only in sessions with a second factor, so never for an API key."""

    name: str
    description: str
    mfa_required: bool = False


ROLES_DEFINED = (
    Role("demo-admin", "Everything on everything"),
    Role("plant-user", "Plant users"),
    Role("plant-admin", "Plant admins", mfa_required=True),
    Role("demo-reader", "Reads everything but logs"),
)

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

_DEMO_READER = (
    *(
        Constraint(
            "demo-reader",
            f"demo-reader-{object_type}",
            f"Reads every {object_type}",
            object_type,
            ("GET",),
            _anything(_FIELD_OF_OBJECT_TYPE[object_type]),
        )
        for object_type in ("api", "database", "asset", "pipeline", "workflow")
    ),
    Constraint(
        "demo-reader",
        "demo-reader-deny-logs",
        "Reads no logs",
        "api",
        ("GET",),
        some=_paths("ends_with", "/logs"),
        permission_type="deny",
    ),
)

CONSTRAINTS_DEFINED = _PLANT_USER + _PLANT_ADMIN + _DEMO_ADMIN + _DEMO_READER


def permission_rows() -> Iterator[Row]:
    """Roles, constraints, the roles of each user, and API keys. A user without roles has no row but the key."""
    for role in ROLES_DEFINED:
        yield _role(role)
    for constraint in CONSTRAINTS_DEFINED:
        yield _constraint(constraint)
    for user, roles in ROLES_OF.items():
        for role_name in roles:
            yield Row(USER_ROLES, {**keyed(USER_ROLES, user, role_name), "createdOn": "2026-01-07T09:00:00.000000"})
    for number, (user, key) in enumerate(API_KEY_OF.items(), start=1):
        yield _api_key(f"key-{number:04}", key, user)


def _role(role: Role) -> Row:
    digits = identifier("role", role.name)
    return Row(
        ROLES,
        {
            **keyed(ROLES, role.name),
            "id": "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])),
            "description": role.description,
            "createdOn": "2026-01-06T09:00:00",
            "source": "INTERNAL_SYSTEM",
            "sourceIdentifier": None,
            "mfaRequired": role.mfa_required,
        },
    )


def _constraint(constraint: Constraint) -> Row:
    """One row for each role that a constraint speaks of; criteria and permissions are JSON texts."""
    permissions = [
        {"groupId": constraint.role, "permission": action, "permissionType": constraint.permission_type}
        for action in constraint.actions
    ]
    return Row(
        CONSTRAINTS,
        {
            **keyed(CONSTRAINTS, f"{constraint.name}#group#{constraint.role}"),
            **indexed(CONSTRAINTS_BY_GROUP, constraint.role, constraint.object_type),
            "name": constraint.name,
            "description": constraint.description,
            "criteriaAnd": json.dumps([criterion._asdict() for criterion in constraint.every]),
            "criteriaOr": json.dumps([criterion._asdict() for criterion in constraint.some]),
            "groupPermissions": json.dumps(permissions),
            "userPermissions": "[]",
            "dateCreated": "2026-01-06T09:00:00",
            "dateModified": "2026-01-06T09:00:00",
            "createdBy": "SYSTEM_USER",
            "modifiedBy": "SYSTEM_USER",
        },
    )


def _api_key(key_id: str, key: str, user: str) -> Row:
    return Row(
        API_KEYS,
        {
            **keyed(API_KEYS, key_id),
            **indexed(API_KEYS_BY_HASH, sha256(key.encode()).hexdigest()),
            "userId": user,
            "isActive": "true",
            "expiresAt": "2099-01-01T00:00:00Z",
        },
    )
