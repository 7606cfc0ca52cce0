"""Rows of roles and constraints that hold a value of another kind than VAMS writes: they deny, and break nothing."""

from decimal import Decimal
from typing import Any

import pytest

from graph.auth.policies import Policies, PolicyUnavailable
from tests.auth.rows import Tables, constraint, criterion

USER = "ana@example.com"
WRONG: dict[str, Any] = {
    "binary": b"true",
    "number": Decimal(1),
    "zero": Decimal(0),
    "true": True,
    "null": None,
    "list": ["plant-user"],
    "list of lists": [["plant-user"]],
    "map": {"S": "plant-user"},
    "empty map": {},
    "set of strings": frozenset({"plant-user"}),
    "set of numbers": frozenset({Decimal(1)}),
    "set of binaries": frozenset({b"x"}),
}
ANY = [criterion("databaseId", "contains", "plant")]
ALLOWED = constraint("allowed", "database", all_of=ANY, allow=["GET"])


class Lenient(Tables):
    """Tables that answer every constraint to any holder: a key of another kind would be found by none."""

    async def constraints_of_group(self, group: str) -> list[dict[str, Any]]:
        return self.constraints if group == "plant-user" else []  # type: ignore[return-value]


async def is_allowed(rows: Tables) -> bool:
    async def at_once(_: float) -> None:
        pass

    try:
        policy = await Policies(rows, sleep=at_once).policy_of(USER, is_mfa=False)
    except PolicyUnavailable:
        return False
    return bool(policy.allows("database", {"databaseId": "plant-1"}, "GET"))


def rows(*constraints: dict[str, Any], **role: Any) -> Lenient:
    return Lenient(
        users={USER: ["plant-user"]}, roles=[{"roleName": "plant-user"} | role], constraints=[ALLOWED, *constraints]
    )


async def test_without_a_wrong_kind_the_constraint_allows() -> None:
    assert await is_allowed(rows())
    assert await is_allowed(rows(mfaRequired=False))
    assert not await is_allowed(rows(constraint("denied", "database", all_of=ANY, deny=["GET"])))


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("effect", ["allow", "deny"])
@pytest.mark.parametrize("name", ["constraintId", "objectType", "criteriaAnd", "criteriaOr", "groupPermissions"])
async def test_a_constraint_of_which_an_attribute_is_of_a_wrong_kind_denies(name: str, effect: str, kind: str) -> None:
    wrong = constraint("wrong", "database", all_of=ANY, **{effect: ["GET"]}) | {name: WRONG[kind]}  # type: ignore[arg-type]
    assert not await is_allowed(rows(wrong))


@pytest.mark.parametrize("kind", WRONG)
async def test_a_second_factor_is_required_where_the_attribute_is_of_a_wrong_kind(kind: str) -> None:
    assert not await is_allowed(rows(mfaRequired=WRONG[kind]))


@pytest.mark.parametrize("kind", WRONG)
async def test_a_role_whose_name_is_of_a_wrong_kind_gives_nothing(kind: str) -> None:
    assert not await is_allowed(rows(roleName=WRONG[kind]))
    assigned = rows()
    assigned.users = {USER: [WRONG[kind]]}
    assert not await is_allowed(assigned)
