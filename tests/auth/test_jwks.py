import asyncio
import json
from typing import Any

import pytest

from graph.auth.identity import IdentityUnavailable, Unauthenticated
from graph.auth.jwks import SigningKeys
from tests.auth.issuer import KEYS_URL, URL, KeysSite, jwk
from tests.auth.rows import Clock

DISCOVERY = f"{URL}/.well-known/openid-configuration"


def keys_of(site: KeysSite, clock: Clock | None = None) -> SigningKeys:
    return SigningKeys(URL, KEYS_URL, fetch=site, clock=clock or Clock())


async def outcome(keys: SigningKeys, key_id: str) -> Exception | None:
    """Why a key is not found; None when it is."""
    try:
        await keys.find(key_id)
    except (Unauthenticated, IdentityUnavailable) as error:
        return error
    return None


async def settled(keys: SigningKeys) -> None:
    """Waits for a fetch in the background."""
    if keys._running is not None:
        await keys._running


async def test_keys_are_fetched_once_for_all_who_want_them() -> None:
    site = KeysSite()
    keys = keys_of(site)
    found = await asyncio.gather(*(keys.find("rsa-1") for _ in range(20)))
    assert len(set(map(id, found))) == 1
    assert site.fetched == [KEYS_URL]


async def test_unknown_key_ids_cause_at_most_one_fetch() -> None:
    for at_once in (True, False):
        for is_warm in (True, False):
            site = KeysSite()
            keys = keys_of(site)
            if is_warm:
                await keys.find("rsa-1")
                site.fetched.clear()
            if at_once:
                await asyncio.gather(*(keys.find(f"made-up-{n}") for n in range(20)), return_exceptions=True)
            else:
                for n in range(20):
                    with pytest.raises(Unauthenticated):
                        await keys.find(f"made-up-{n}")
            assert site.fetched == [KEYS_URL]


async def test_a_rotated_key_is_picked_up_at_once() -> None:
    site = KeysSite()
    keys = keys_of(site)
    await keys.find("rsa-1")
    site.publish(jwk("rsa-2"))
    assert (await keys.find("rsa-2")).algorithms >= {"RS256"}
    with pytest.raises(Unauthenticated):
        await keys.find("rsa-1")


@pytest.mark.parametrize("pause", [0.5, 1, 4, 4.9])
async def test_a_rotated_key_is_picked_up_within_seconds_however_often_made_up_ones_arrive(pause: float) -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    clock.time += 100
    start, rotated = clock.time, clock.time + 30
    while clock.time < rotated:
        with pytest.raises(Unauthenticated):
            await keys.find("made-up")
        clock.time += pause
    site.publish(jwk("rsa-2"))
    while await outcome(keys, "rsa-2") is not None:
        assert clock.time < rotated + 6
        await outcome(keys, "made-up")
        clock.time += pause
    assert isinstance(await outcome(keys, "rsa-1"), Unauthenticated)
    assert len(site.fetched) <= 3 + (clock.time - start) / 5


async def test_a_key_that_is_published_late_is_picked_up_within_seconds() -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    clock.time += 100
    for second in range(5):
        assert isinstance(await outcome(keys, "rsa-2"), Unauthenticated)
        clock.time += 1
        if second == 2:
            site.publish(jwk("rsa-1"), jwk("rsa-2"))
    assert await outcome(keys, "rsa-2") is None
    assert len(site.fetched) == 3


async def test_a_withdrawn_key_is_refused_after_five_minutes_although_made_up_ones_arrive() -> None:
    for made_up in (False, True):
        site, clock = KeysSite("rsa-1", "rsa-2"), Clock()
        keys = keys_of(site, clock)
        await keys.find("rsa-1")
        clock.time += 299
        if made_up:
            site.error = ConnectionError("away for a moment")  # what that fetch tells puts off no refresh
            assert isinstance(await outcome(keys, "made-up"), IdentityUnavailable)
            site.error = None
        site.publish(jwk("rsa-2"))
        assert await outcome(keys, "rsa-1") is None
        clock.time += 1
        await outcome(keys, "rsa-1")
        await settled(keys)
        assert isinstance(await outcome(keys, "rsa-1"), Unauthenticated)


async def test_keys_are_refreshed_before_they_grow_old_even_if_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.auth.jwks._FRESH_SECONDS", 0.01)
    site = KeysSite("rsa-1")
    keys = SigningKeys(URL, KEYS_URL, fetch=site)
    await keys.find("rsa-1")
    site.publish(jwk("rsa-2"))
    async with asyncio.timeout(5):
        while len(site.fetched) < 3:  # noqa: ASYNC110 - nobody asks, so nobody is told
            await asyncio.sleep(0.01)
    assert isinstance(await outcome(keys, "rsa-1"), Unauthenticated)
    assert await outcome(keys, "rsa-2") is None


@pytest.mark.parametrize("age", [300, 601, 3_599])
async def test_nobody_waits_for_an_issuer_that_hangs_while_a_usable_key_is_there(age: float) -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    site.hangs = asyncio.Event()
    clock.time += age
    async with asyncio.timeout(1):
        await asyncio.gather(*(keys.find("rsa-1") for _ in range(50)))
        await asyncio.sleep(0)
    assert len(site.fetched) == 2
    site.hangs.set()
    await settled(keys)


async def test_keys_stay_in_use_for_an_hour_while_the_issuer_is_away() -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    site.error = ConnectionError("away")
    for age in range(1, 3_600):
        clock.time += 1
        assert await outcome(keys, "rsa-1") is None, age
        await settled(keys)
    assert 2 + 3_300 / 30 - 1 <= len(site.fetched) <= 2 + 3_300 / 30
    clock.time += 1
    assert isinstance(await outcome(keys, "rsa-1"), IdentityUnavailable)
    site.error = None
    clock.time += 5
    assert await outcome(keys, "rsa-1") is None


async def test_an_issuer_that_is_away_is_asked_every_five_seconds() -> None:
    site, clock = KeysSite(), Clock()
    site.error = TimeoutError()
    keys = keys_of(site, clock)
    for _ in range(10):
        with pytest.raises(IdentityUnavailable):
            await keys.find("rsa-1")
    assert len(site.fetched) == 1
    site.error = None
    clock.time += 5
    await keys.find("rsa-1")


async def test_a_key_id_is_not_called_unknown_while_the_issuer_is_away() -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    clock.time += 5
    site.error = ConnectionError("away")
    for _ in range(3):
        assert isinstance(await outcome(keys, "rsa-2"), IdentityUnavailable)
        clock.time += 1
    assert await outcome(keys, "rsa-1") is None


async def test_an_issuer_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.auth.jwks._LONGEST_FETCH", 0.02)
    site = KeysSite()
    site.hangs = asyncio.Event()
    found = await asyncio.gather(*(outcome(keys_of(site), f"rsa-{n}") for n in range(5)))
    assert all(isinstance(each, IdentityUnavailable) for each in found)


async def test_who_hangs_up_makes_no_room_for_more_made_up_key_ids() -> None:
    site = KeysSite()
    keys = keys_of(site)
    await keys.find("rsa-1")
    for number in range(20):
        asking = asyncio.create_task(keys.find(f"made-up-{number}"))
        await asyncio.sleep(0)
        asking.cancel()
        await settled(keys)
    assert len(site.fetched) == 2


async def test_who_gives_up_waiting_stops_the_fetch_of_nobody_else() -> None:
    site = KeysSite()
    site.hangs = asyncio.Event()
    keys = keys_of(site)
    impatient, patient = asyncio.create_task(keys.find("rsa-1")), asyncio.create_task(keys.find("rsa-1"))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.sleep(0)
    site.hangs.set()
    assert (await patient).algorithms
    assert len(site.fetched) == 1


async def test_one_odd_key_does_not_hide_the_others() -> None:
    odd: list[dict[str, Any]] = [
        {"kty": "RSA", "n": 7, "e": "AQAB"},
        {"kty": "EC", "crv": "P-256", "x": "?", "y": None},
        {"kty": "OKP", "crv": []},
        {"kty": {}},
        {},
    ]
    site = KeysSite()
    site.publish(*({"kid": f"odd-{n}"} | key for n, key in enumerate(odd)), jwk("rsa-1"))
    assert await outcome(keys_of(site), "rsa-1") is None


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"keys": 7}',
        b"[" * 100_000,
        json.dumps({"keys": [{}] * 101}).encode(),
        b'{"keys": [{"kid": "x"}, {"kid": "rsa-1", "kty": "RSA", "n": 7}]}',
    ],
)
async def test_an_odd_document_is_no_set_of_keys(document: bytes) -> None:
    site = KeysSite()
    site.documents[KEYS_URL] = document
    with pytest.raises((IdentityUnavailable, Unauthenticated)):
        await keys_of(site).find("rsa-1")


async def test_only_public_keys_for_signatures_are_taken() -> None:
    site = KeysSite()
    secret = {"kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", "kid": "secret"}
    site.publish(jwk("rsa-1", use="enc"), jwk("rsa-2", alg="RSA-OAEP"), secret, jwk("rsa-3", alg="RS512"), jwk("ec-1"))
    keys = keys_of(site)
    assert (await keys.find("rsa-3")).algorithms == {"RS512"}
    assert (await keys.find("ec-1")).algorithms == {"ES256"}
    for kid in ("rsa-1", "rsa-2", "secret"):
        with pytest.raises(Unauthenticated):
            await keys.find(kid)


@pytest.mark.parametrize(
    ("use", "is_taken"),
    [
        ({"use": "sig"}, True),
        ({"key_ops": ["verify"]}, True),
        ({"key_ops": ["sign", "verify"], "use": "sig"}, True),
        ({"use": "enc"}, False),
        ({"use": None}, False),
        ({"use": ["sig"]}, False),
        ({"key_ops": ["encrypt"]}, False),
        ({"key_ops": ["wrapKey", "deriveKey"]}, False),
        ({"key_ops": []}, False),
        ({"key_ops": None}, False),
        ({"key_ops": "verify"}, False),
        ({"key_ops": {"verify": True}}, False),
        ({"key_ops": ["verify"], "use": "enc"}, False),
        ({"key_ops": ["encrypt"], "use": "sig"}, False),
    ],
)
@pytest.mark.parametrize("kid", ["rsa-1", "ec-1"])
async def test_a_key_of_another_use_verifies_nothing(kid: str, use: dict[str, Any], *, is_taken: bool) -> None:
    site = KeysSite()
    site.publish(jwk(kid, **use), jwk("rsa-3"))
    assert isinstance(await outcome(keys_of(site), kid), type(None) if is_taken else Unauthenticated)


async def test_where_the_keys_are_is_discovered() -> None:
    site = KeysSite()
    site.documents[DISCOVERY] = json.dumps({"issuer": URL, "jwks_uri": KEYS_URL}).encode()
    await SigningKeys(URL, fetch=site).find("rsa-1")
    assert site.fetched == [DISCOVERY, KEYS_URL]


async def test_keys_that_move_are_found_where_they_are() -> None:
    site, clock, moved = KeysSite(), Clock(), f"{URL}/other-keys"
    site.documents[DISCOVERY] = json.dumps({"issuer": URL, "jwks_uri": KEYS_URL}).encode()
    keys = SigningKeys(URL, fetch=site, clock=clock)
    await keys.find("rsa-1")
    site.documents[DISCOVERY] = json.dumps({"issuer": URL, "jwks_uri": moved}).encode()
    site.documents[moved] = json.dumps({"keys": [jwk("rsa-2")]}).encode()
    clock.time += 5
    assert await outcome(keys, "rsa-2") is None


@pytest.mark.parametrize(
    "configuration",
    [
        {"issuer": "https://evil.example.com", "jwks_uri": KEYS_URL},
        {"issuer": URL},
        {"issuer": URL, "jwks_uri": "http://id.example.com/keys"},
    ],
)
async def test_a_configuration_of_another_issuer_or_without_safe_keys_is_refused(configuration: dict[str, str]) -> None:
    site = KeysSite()
    site.documents[DISCOVERY] = json.dumps(configuration).encode()
    with pytest.raises(IdentityUnavailable):
        await SigningKeys(URL, fetch=site).find("rsa-1")
    assert site.fetched == [DISCOVERY]


@pytest.mark.parametrize("url", ["http://id.example.com", "file:///etc/passwd", "id.example.com", "https://", ""])
def test_an_issuer_must_have_a_safe_address(url: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        SigningKeys(url)
