import asyncio
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from graph.auth.api_keys import ApiKeys
from graph.auth.identity import Credentials, IdentityUnavailable, Unauthenticated, Viewer
from graph.errors import RateLimited
from tests.auth.rows import Clock, Tables

KEY = "vams_3f9c"
BOB = Viewer("bob@example.com", is_mfa=False, method="api_key")
NOW = datetime(2026, 7, 14, 12, tzinfo=UTC)


def tables(**changes: Any) -> Tables:
    row = {
        "apiKeyId": "key-0001",
        "apiKeyHash": sha256(KEY.encode()).hexdigest(),
        "userId": "bob@example.com",
        "isActive": "true",
        "expiresAt": "2027-01-01T00:00:00Z",
    }
    return Tables(users={"bob@example.com": ["plant-user"]}, api_keys=[row | changes])


def presented(value: str, peer: str | None = "10.0.0.1") -> Credentials:
    return Credentials([(b"authorization", value.encode())], peer)


@pytest.mark.parametrize("value", [KEY, f"Bearer {KEY}", f"bearer  {KEY}"])
async def test_a_key_comes_alone_or_as_a_bearer_token(value: str) -> None:
    assert await ApiKeys(tables(), now=lambda: NOW).authenticate(presented(value)) == BOB


@pytest.mark.parametrize("value", ["Bearer eyJ.eyJ.x", "Basic vams_x", "", "VAMS_3f9c"])
async def test_other_credentials_are_left_to_others(value: str) -> None:
    assert await ApiKeys(tables()).authenticate(presented(value)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"apiKeyHash": "other"},
        {"isActive": "false"},
        {"isActive": True},
        {"isActive": None},
        {"userId": ""},
        {"userId": "SYSTEM_USER"},
        {"userId": "without-a-role@example.com"},
        {"expiresAt": "2026-07-14T11:59:59Z"},
        {"expiresAt": "2026-07-14T11:59:59"},
        {"expiresAt": "2026-07-14T12:59:59+02:00"},
        {"expiresAt": "next year"},
        {"expiresAt": 7},
    ],
)
async def test_unknown_inactive_expired_and_roleless_keys_are_refused(changes: dict[str, Any]) -> None:
    rows = tables(**changes)
    rows.users["SYSTEM_USER"] = ["admin"]
    with pytest.raises(Unauthenticated):
        await ApiKeys(rows, now=lambda: NOW).authenticate(presented(KEY))


@pytest.mark.parametrize("name", ["isActive", "userId", "expiresAt"])
@pytest.mark.parametrize("of_kind", [bytes, list, dict, frozenset, 0, 1, 20991231, False, True])
async def test_a_key_whose_row_holds_another_kind_is_refused(name: str, of_kind: Any) -> None:
    row = tables().api_keys[0]
    inside = {bytes: row[name].encode(), list: [row[name]], dict: {name: row[name]}, frozenset: frozenset([row[name]])}
    for value in (inside[of_kind], of_kind()) if of_kind in inside else (of_kind,):
        with pytest.raises(Unauthenticated):
            await ApiKeys(tables(**{name: value}), now=lambda: NOW).authenticate(presented(KEY))


@pytest.mark.parametrize("end", [None, "", "2026-07-14T12:00:00+00:00", "2026-07-15"])
async def test_a_key_is_good_until_its_end(end: str | None) -> None:
    assert await ApiKeys(tables(expiresAt=end), now=lambda: NOW).authenticate(presented(KEY)) == BOB


async def test_what_is_known_of_a_key_is_used_for_15_seconds() -> None:
    rows, clock = tables(), Clock()
    keys = ApiKeys(rows, clock=clock, now=lambda: NOW)
    await keys.authenticate(presented(KEY))
    rows.api_keys[0] = {**rows.api_keys[0], "isActive": "false"}
    clock.time += 14
    assert await keys.authenticate(presented(KEY)) == BOB
    clock.time += 1
    for _ in range(10):
        with pytest.raises(Unauthenticated):
            await keys.authenticate(presented(KEY))
    assert rows.reads.count("API keys") == 2


async def test_a_key_expires_while_it_is_remembered() -> None:
    now = NOW
    keys = ApiKeys(tables(expiresAt=(NOW + timedelta(seconds=1)).isoformat()), now=lambda: now)
    assert await keys.authenticate(presented(KEY)) == BOB
    now += timedelta(seconds=2)
    with pytest.raises(Unauthenticated):
        await keys.authenticate(presented(KEY))


async def test_a_failing_table_says_nothing_about_a_key() -> None:
    rows = tables()
    rows.failures = 1
    keys = ApiKeys(rows, now=lambda: NOW)
    with pytest.raises(IdentityUnavailable):
        await keys.authenticate(presented(KEY))
    assert await keys.authenticate(presented(KEY)) == BOB


async def outcomes(keys: ApiKeys, values: Iterable[str], peer: str | None = "10.0.0.1") -> Counter[str]:
    """How many of some keys were answered in which way."""
    told = await asyncio.gather(*(keys.authenticate(presented(v, peer)) for v in values), return_exceptions=True)
    return Counter(type(one).__name__ for one in told)


def unknown(number: int, what: str = "unknown") -> list[str]:
    return [f"vams_{what}_{each}" for each in range(number)]


@pytest.mark.parametrize("peer", ["10.0.0.1", "2001:db8::1", None])
async def test_unknown_keys_of_one_address_are_limited_before_they_are_read(peer: str | None) -> None:
    rows, clock = tables(), Clock()
    keys = ApiKeys(rows, clock=clock, now=lambda: NOW)
    assert await outcomes(keys, unknown(1000), peer) == {"Unauthenticated": 200, "RateLimited": 800}
    assert rows.reads.count("API keys") == 200
    clock.time += 2
    assert await outcomes(keys, unknown(1000, "other"), peer) == {"Unauthenticated": 100, "RateLimited": 900}
    assert rows.reads.count("API keys") == 300
    assert await outcomes(keys, [KEY], "10.0.0.2") == {"Viewer": 1}


async def test_an_unknown_key_that_comes_again_and_again_is_read_once() -> None:
    rows = tables()
    keys = ApiKeys(rows, clock=Clock(), now=lambda: NOW)
    assert await outcomes(keys, ["vams_unknown"] * 1000) == {"Unauthenticated": 1000}
    assert rows.reads.count("API keys") == 1


async def test_a_key_that_was_good_is_read_whatever_else_its_address_sends() -> None:
    rows, clock = tables(), Clock()
    keys = ApiKeys(rows, clock=clock, now=lambda: NOW)
    assert await keys.authenticate(presented(KEY)) == BOB
    for _ in range(5):
        clock.time += 16  # no answer is remembered that long
        assert (await outcomes(keys, unknown(1000, str(clock.time))))["RateLimited"] == 800
        assert await keys.authenticate(presented(KEY)) == BOB
    rows.api_keys.clear()
    clock.time += 16
    with pytest.raises(Unauthenticated):
        await keys.authenticate(presented(KEY))
    await outcomes(keys, unknown(200, "last"))
    clock.time += 0.01
    with pytest.raises(Unauthenticated):  # as it is known now
        await keys.authenticate(presented(KEY))


async def test_good_keys_cost_their_address_nothing() -> None:
    rows = tables()
    row = dict(rows.api_keys[0])
    good = unknown(1000, "good")
    rows.api_keys[:] = [row | {"apiKeyHash": sha256(key.encode()).hexdigest()} for key in good]
    keys = ApiKeys(rows, clock=Clock(), now=lambda: NOW)
    for start in range(0, 1000, 100):
        assert await outcomes(keys, good[start : start + 100]) == {"Viewer": 100}
    assert (await outcomes(keys, unknown(1000)))["Unauthenticated"] == 200


async def test_a_limit_says_when_to_come_again() -> None:
    keys = ApiKeys(tables(), clock=Clock(), now=lambda: NOW)
    await outcomes(keys, unknown(200))
    with pytest.raises(RateLimited) as limited:
        await keys.authenticate(presented(KEY))
    assert limited.value.seconds == 1
