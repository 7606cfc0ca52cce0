import asyncio
from typing import Any

import pytest

from graph.auth.policies import Policies, PolicyUnavailable
from tests.auth.rows import Clock, Tables, constraint, criterion

USER = "ana@example.com"
ROLES: list[dict[str, Any]] = [
    {"roleName": "reader"},
    {"roleName": "writer", "mfaRequired": False},
    {"roleName": "admin", "mfaRequired": True},
    {"roleName": "null", "mfaRequired": None},
    {"roleName": "zero", "mfaRequired": 0},
    {"roleName": "text", "mfaRequired": "false"},
]


def grant(role: str) -> dict[str, Any]:
    """Every role may read the database of its name."""
    return constraint(role, "database", all_of=[criterion("databaseId", "equals", role)], allow=["GET"], role=role)


def tables(*assigned: str) -> Tables:
    roles = [role["roleName"] for role in ROLES]
    return Tables(
        users={USER: list(assigned)}, roles=ROLES, constraints=[grant(str(role)) for role in [*roles, "gone"]]
    )


async def granted(policies: Policies, *, is_mfa: bool) -> set[str]:
    policy = await policies.policy_of(USER, is_mfa=is_mfa)
    names = [*(str(role["roleName"]) for role in ROLES), "gone", "own"]
    return {name for name in names if policy.allows("database", {"databaseId": name}, "GET")}


async def test_without_a_second_factor_only_roles_that_exist_and_require_none_count() -> None:
    assigned = tables("reader", "writer", "admin", "null", "zero", "text", "gone")
    assert await granted(Policies(assigned), is_mfa=False) == {"reader", "writer"}


async def test_with_a_second_factor_every_assigned_role_counts() -> None:
    assert await granted(Policies(tables("reader", "admin", "zero", "gone")), is_mfa=True) == {
        "reader",
        "admin",
        "zero",
        "gone",
    }


async def test_constraints_for_the_user_count_with_and_without_roles() -> None:
    own = constraint("own", "database", all_of=[criterion("databaseId", "equals", "own")], allow=["GET"], user=USER)
    for assigned in ([], ["reader"]):
        rows = tables(*assigned)
        rows.constraints.append(own)
        assert await granted(Policies(rows), is_mfa=False) == {"own", *assigned}


async def test_the_default_role_is_for_users_without_any_role() -> None:
    assert await granted(Policies(tables(), default_role="reader"), is_mfa=False) == {"reader"}
    assert await granted(Policies(tables("writer"), default_role="reader"), is_mfa=False) == {"writer"}


async def test_the_default_role_does_not_replace_roles_that_require_a_second_factor() -> None:
    assert await granted(Policies(tables("admin"), default_role="reader"), is_mfa=False) == set()


async def test_the_default_role_must_exist_and_may_require_a_second_factor() -> None:
    assert await granted(Policies(tables(), default_role="gone"), is_mfa=True) == set()
    assert await granted(Policies(tables(), default_role="admin"), is_mfa=False) == set()
    assert await granted(Policies(tables(), default_role="admin"), is_mfa=True) == {"admin"}


async def test_a_policy_is_loaded_once_a_minute() -> None:
    rows, clock = tables("reader"), Clock()
    policies = Policies(rows, clock=clock)
    await asyncio.gather(*(policies.policy_of(USER, is_mfa=False) for _ in range(10)))
    assert sorted(rows.reads) == [
        "constraints of role reader",
        f"constraints of user {USER}",
        f"roles of {USER}",
        "roles reader",
    ]
    clock.time += 60
    await policies.policy_of(USER, is_mfa=False)
    assert len(rows.reads) == 8


async def test_sessions_with_and_without_a_second_factor_never_share_a_policy() -> None:
    policies = Policies(tables("reader", "admin"))
    for is_mfa in (True, False, True):
        assert await granted(policies, is_mfa=is_mfa) == ({"reader", "admin"} if is_mfa else {"reader"})


async def test_a_read_that_fails_is_tried_again_a_second_later() -> None:
    rows = tables("reader")
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    rows.failures = 2
    assert await granted(Policies(rows, sleep=sleep), is_mfa=False) == {"reader"}
    assert pauses == [1.0, 1.0]


async def test_a_policy_that_cannot_be_read_is_an_outage_until_the_next_request() -> None:
    rows = tables("reader")
    rows.failures = 1_000
    policies = Policies(rows, sleep=lambda _: asyncio.sleep(0))
    with pytest.raises(PolicyUnavailable) as raised:
        await policies.policy_of(USER, is_mfa=False)
    assert raised.value.extensions == {"code": "UPSTREAM_UNAVAILABLE", "retryable": True}
    rows.failures = 0
    assert await granted(policies, is_mfa=False) == {"reader"}


async def test_a_policy_at_hand_is_used_while_the_tables_are_away_and_no_longer_than_a_minute() -> None:
    rows, clock = tables("reader"), Clock()
    policies = Policies(rows, clock=clock, sleep=lambda _: asyncio.sleep(0))
    await policies.policy_of(USER, is_mfa=False)
    rows.failures = 1_000
    clock.time += 59
    assert await granted(policies, is_mfa=False) == {"reader"}
    clock.time += 1
    with pytest.raises(PolicyUnavailable):
        await policies.policy_of(USER, is_mfa=False)


async def test_tables_that_never_answer_are_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tables("reader")

    async def hang(_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(rows, "constraints_of_user", hang)
    monkeypatch.setattr("graph.auth.policies._LONGEST_LOAD_SECONDS", 0.01)
    with pytest.raises(PolicyUnavailable):
        await Policies(rows).policy_of(USER, is_mfa=False)


async def test_a_user_without_anything_is_denied_and_that_is_remembered() -> None:
    rows = tables()
    policies = Policies(rows)
    assert await granted(policies, is_mfa=True) == await granted(policies, is_mfa=True) == set()
    assert len(rows.reads) == 2


async def test_many_constraints_are_compiled_in_short_turns() -> None:
    rows = tables("reader")
    words = [criterion("databaseId", "starts_with", f"db-{n}[0-9]") for n in range(5)]
    rows.constraints += [
        constraint(f"c{n}", "database", any_of=words, allow=["GET"], role="reader") for n in range(200)
    ]
    turns, done = 0, False

    async def count_turns() -> None:
        nonlocal turns
        while not done:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    assert await granted(Policies(rows), is_mfa=False) == {"reader"}
    done = True
    await counting
    assert turns > 10  # without pauses, only the reads would give others a turn


@pytest.mark.parametrize("attribute", ["roles_of_user", "roles", "constraints_of_group", "constraints_of_user"])
async def test_whatever_read_fails_no_less_than_the_whole_policy_is_used(
    attribute: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tables("reader")

    async def fail(_: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr(rows, attribute, fail)
    with pytest.raises(PolicyUnavailable):
        await Policies(rows, sleep=lambda _: asyncio.sleep(0)).policy_of(USER, is_mfa=False)
