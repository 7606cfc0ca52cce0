"""Rows of the auth tables of VAMS, for tests."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any

from graph.auth.constraints import Row

ALL_ACTIONS = ("GET", "PUT", "POST", "DELETE")


def criterion(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def constraint(
    name: str,
    object_type: str,
    *,
    all_of: Sequence[dict[str, Any]] = (),
    any_of: Sequence[dict[str, Any]] = (),
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
    role: str | None = "plant-user",
    user: str | None = None,
) -> dict[str, Any]:
    """One copy of a constraint, as VAMS stores it for a role or for a user."""
    effects = [(action, "allow") for action in allow] + [(action, "deny") for action in deny]
    holder = {"groupId": role} if user is None else {"userId": user}
    permissions = [{**holder, "permission": action, "permissionType": effect} for action, effect in effects]
    return {
        "constraintId": f"{name}#group#{role}" if user is None else f"{name}#user#{user}",
        **holder,
        "objectType": object_type,
        "criteriaAnd": json.dumps(list(all_of)),
        "criteriaOr": json.dumps(list(any_of)),
        "groupPermissions": json.dumps(permissions if user is None else []),
        "userPermissions": json.dumps(permissions if user is not None else []),
    }


class Tables:
    """The auth tables in memory, noting what is read; `failures` reads fail before any succeeds."""

    def __init__(
        self,
        *,
        users: dict[str, list[str]] | None = None,
        roles: Iterable[Row] = (),
        constraints: Iterable[Row] = (),
        api_keys: Iterable[Row] = (),
    ) -> None:
        self.users = users or {}
        self.role_rows = list(roles)
        self.constraints = list(constraints)
        self.api_keys = list(api_keys)
        self.reads: list[str] = []
        self.failures = 0

    async def roles_of_user(self, user_id: str) -> Sequence[Row]:
        await self._read(f"roles of {user_id}")
        return [{"userId": user_id, "roleName": role} for role in self.users.get(user_id, [])]

    async def roles(self, names: Sequence[str]) -> Sequence[Row]:
        await self._read(f"roles {', '.join(names)}")
        return [role for role in self.role_rows if role["roleName"] in names]

    async def constraints_of_group(self, group: str) -> Sequence[Row]:
        await self._read(f"constraints of role {group}")
        return [row for row in self.constraints if row.get("groupId") == group]

    async def constraints_of_user(self, user_id: str) -> Sequence[Row]:
        await self._read(f"constraints of user {user_id}")
        return [row for row in self.constraints if row.get("userId") == user_id]

    async def api_keys_with_hash(self, key_hash: str) -> Sequence[Row]:
        await self._read("API keys")
        return [row for row in self.api_keys if row["apiKeyHash"] == key_hash]

    async def _read(self, what: str) -> None:
        self.reads.append(what)
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise ConnectionError("DynamoDB is away")


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.time = 1_000.0

    def __call__(self) -> float:
        return self.time
