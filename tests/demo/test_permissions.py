import hashlib
import json

import pytest

from graph.demo.permissions import ANA, API_KEY_OF, BOB, NOBODY, ROLES_OF
from graph.tables.catalogue import API_KEYS, CONSTRAINTS, ROLES, USER_ROLES
from tests.demo.reading import ITEMS, only, rows


@pytest.mark.parametrize("user", API_KEY_OF)
def test_each_user_has_a_key_that_is_stored_as_its_hash_alone(user: str) -> None:
    row = only(API_KEYS, userId=user)
    assert row["apiKeyHash"] == hashlib.sha256(API_KEY_OF[user].encode()).hexdigest()
    assert row["isActive"] == "true"
    assert row["expiresAt"] > "2099"
    assert API_KEY_OF[user] not in row.values()


def test_every_role_of_a_user_exists() -> None:
    assert {row["roleName"] for row in ITEMS[USER_ROLES]} == {row["roleName"] for row in ITEMS[ROLES]}


def test_nobody_has_no_role() -> None:
    assert rows(USER_ROLES, userId=NOBODY) == []


def test_bob_uses_the_plant_and_ana_runs_it_with_a_second_factor() -> None:
    assert ROLES_OF[BOB] == ("plant-user",)
    assert ROLES_OF[ANA] == ("plant-user", "plant-admin")
    assert [only(ROLES, roleName=role)["mfaRequired"] for role in ROLES_OF[ANA]] == [False, True]


def test_a_constraint_speaks_of_the_role_in_its_key() -> None:
    for row in ITEMS[CONSTRAINTS]:
        name, role = row["constraintId"].split("#group#")
        assert (row["name"], row["groupId"]) == (name, role)
        assert {permission["groupId"] for permission in json.loads(row["groupPermissions"])} == {role}


def test_no_constraint_is_without_criteria() -> None:
    for row in ITEMS[CONSTRAINTS]:
        assert json.loads(row["criteriaAnd"]) + json.loads(row["criteriaOr"])


def test_the_plant_user_is_denied_logs_and_permanent_deletion() -> None:
    row = only(CONSTRAINTS, name="plant-user-executions-admin-deny")
    assert [criterion["value"] for criterion in json.loads(row["criteriaOr"])] == ["/logs", "/permanent"]
    assert {(one["permission"], one["permissionType"]) for one in json.loads(row["groupPermissions"])} == {
        ("GET", "deny"),
        ("DELETE", "deny"),
    }


def test_the_plant_user_may_not_post_to_a_locked_asset() -> None:
    row = only(CONSTRAINTS, name="plant-user-deny-locked")
    assert json.loads(row["criteriaAnd"]) == [{"field": "tags", "operator": "is_one_of", "value": "locked"}]


def test_the_admin_may_do_everything_with_everything() -> None:
    granted = {
        (row["objectType"], permission["permission"])
        for row in rows(CONSTRAINTS, groupId="demo-admin")
        for permission in json.loads(row["groupPermissions"])
        if permission["permissionType"] == "allow" and json.loads(row["criteriaAnd"])[0]["value"] == ".*"
    }
    object_types = {row["objectType"] for row in ITEMS[CONSTRAINTS]}
    assert granted == {(kind, action) for kind in object_types for action in ("GET", "PUT", "POST", "DELETE")}


def test_the_reader_reads_everything_but_logs() -> None:
    constraints = rows(CONSTRAINTS, groupId="demo-reader")
    permissions = [one for row in constraints for one in json.loads(row["groupPermissions"])]
    assert {one["permission"] for one in permissions} == {"GET"}
    [denied] = [row for row in constraints if "deny" in row["groupPermissions"]]
    assert json.loads(denied["criteriaOr"]) == [{"field": "route__path", "operator": "ends_with", "value": "/logs"}]
