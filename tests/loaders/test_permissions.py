from collections.abc import Iterator
from typing import Any

import pytest

from graph.auth.policies import Policies
from graph.aws.database import ThreadedDatabase
from graph.demo.permissions import ADMIN, ANA, API_KEY_OF, BOB, NOBODY
from graph.errors import Throttled
from graph.loaders.permissions import PermissionRows
from graph.tables.catalogue import API_KEYS, CONSTRAINTS, ROLES, USER_ROLES
from graph.tables.reader import Reader
from tests.demo.reading import ITEMS, only, rows
from tests.memory import NAMES, MemoryDatabase


class Paged:
    """A database that gives at most a few items in one answer, as large ones do."""

    def __init__(self, database: MemoryDatabase) -> None:
        self._database = database
        self.requests: list[dict[str, Any]] = []
        self.get_item, self.batch_get_item = database.get_item, database.batch_get_item

    def query(self, **request: Any) -> Any:
        self.requests.append(request)
        return self._database.query(**request | {"Limit": 3})


@pytest.fixture
def database() -> Paged:
    return Paged(MemoryDatabase(ITEMS))


@pytest.fixture
def stored(database: Paged) -> Iterator[PermissionRows]:
    reader = Reader(ThreadedDatabase(database), NAMES)
    yield PermissionRows(reader)
    reader.close()


async def test_the_roles_of_a_user(stored: PermissionRows) -> None:
    found = await stored.roles_of_user(ANA)
    assert sorted(row["roleName"] for row in found) == ["plant-admin", "plant-user"]
    assert await stored.roles_of_user(NOBODY) == []


async def test_roles_by_name_leave_out_those_that_are_not_there(stored: PermissionRows) -> None:
    found = await stored.roles(["plant-user", "plant-admin", "no-such-role"])
    assert {row["roleName"]: row["mfaRequired"] for row in found} == {"plant-user": False, "plant-admin": True}


async def test_a_role_without_the_flag_has_none(stored: PermissionRows, database: Paged) -> None:
    """That the attribute is absent means something: it is not made false."""
    role = {name: value for name, value in only(ROLES, roleName="plant-user").items() if name != "mfaRequired"}
    database._database.put(ROLES, role)
    assert await stored.roles(["plant-user"]) == [{"roleName": "plant-user"}]


async def test_every_page_of_constraints_is_read(stored: PermissionRows, database: Paged) -> None:
    found = await stored.constraints_of_group("demo-admin")
    assert {row["constraintId"] for row in found} == {
        row["constraintId"] for row in rows(CONSTRAINTS, groupId="demo-admin")
    }
    assert len(database.requests) > len(found) // 3


async def test_constraints_come_with_what_a_policy_looks_at_and_no_more(stored: PermissionRows) -> None:
    (row, *_) = await stored.constraints_of_group("plant-user")
    assert set(row) == {
        "constraintId",
        "objectType",
        "criteriaAnd",
        "criteriaOr",
        "groupPermissions",
        "userPermissions",
    }


async def test_constraints_of_a_user(stored: PermissionRows, database: Paged) -> None:
    of_bob = only(CONSTRAINTS, name="plant-user-assets") | {"constraintId": f"own#user#{BOB}", "userId": BOB}
    database._database.put(CONSTRAINTS, of_bob)
    assert [row["constraintId"] for row in await stored.constraints_of_user(BOB)] == [f"own#user#{BOB}"]
    assert await stored.constraints_of_user(ANA) == []


async def test_a_key_by_its_digest(stored: PermissionRows) -> None:
    row = only(API_KEYS, userId=BOB)
    assert await stored.api_keys_with_hash(row["apiKeyHash"]) == [
        {name: row[name] for name in ("apiKeyId", "apiKeyHash", "userId", "isActive", "expiresAt")}
    ]
    assert await stored.api_keys_with_hash(API_KEY_OF[BOB]) == []


async def test_a_read_that_fails_is_no_empty_answer(database: Paged) -> None:
    class Throttling(Reader):
        async def query(self, *_: Any) -> Any:
            raise Throttled

        async def get_items(self, _table: Any, keys: Any, *_: Any, **__: Any) -> Any:  # type: ignore[override]
            return dict.fromkeys(keys, Throttled())

    reader = Throttling(ThreadedDatabase(database), NAMES)
    stored = PermissionRows(reader)
    with pytest.raises(Throttled):
        await stored.roles_of_user(BOB)
    with pytest.raises(Throttled):
        await stored.roles(["plant-user", "plant-admin"])
    reader.close()


async def test_a_policy_is_made_of_these_rows(stored: PermissionRows) -> None:
    policies = Policies(stored)
    of_admin, of_bob = await policies.policy_of(ADMIN, is_mfa=False), await policies.policy_of(BOB, is_mfa=False)
    assert of_admin.allows_everything("asset", "DELETE")
    assert of_bob.allows("database", {"databaseId": "plant-models"}, "GET")
    assert not of_bob.allows("database", {"databaseId": "city-scans"}, "GET")
    assert [row["roleName"] for row in rows(USER_ROLES, userId=BOB)] == list(of_bob.roles)
