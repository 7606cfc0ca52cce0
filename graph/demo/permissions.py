"""Who may do what in the demo: its users, their roles with the constraints behind them, and an API key for each."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from graph.demo.constraints import CONSTRAINTS_OF_ROLES, Constraint
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
LISTER = "lister@example.com"
AUDITOR = "auditor@example.com"
NOBODY = "nobody@example.com"

API_KEY_OF = {
    ADMIN: "vams_demo_admin",
    BOB: "vams_demo_bob",
    ANA: "vams_demo_ana",
    READER: "vams_demo_reader",
    LISTER: "vams_demo_lister",
    AUDITOR: "vams_demo_auditor",
    NOBODY: "vams_demo_nobody",
}
ROLES_OF = {
    ADMIN: ("demo-admin",),
    BOB: ("plant-user",),
    ANA: ("plant-user", "plant-admin"),
    READER: ("demo-reader",),
    LISTER: ("demo-lister",),
    AUDITOR: ("demo-auditor",),
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
    Role("demo-lister", "Reads lists of runs, and no details"),
    Role("demo-auditor", "Reads everything but metadata of runs"),
)


def permission_rows() -> Iterator[Row]:
    """Yield roles, constraints, the roles of each user, and API keys. A user without roles has no row but the key."""
    for role in ROLES_DEFINED:
        yield _role(role)
    for constraint in CONSTRAINTS_OF_ROLES:
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
    """Return one row for each role that a constraint speaks of; criteria and permissions are JSON texts."""
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
