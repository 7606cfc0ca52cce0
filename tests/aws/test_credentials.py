import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.credentials import Credentials, ReadOnlyCredentials, RefreshableCredentials
from botocore.exceptions import CredentialRetrievalError, NoCredentialsError

from graph.aws.credentials import SharedCredentials, Signers
from graph.aws.signing import Signer

HOUR = 3600


class Source:
    """Where credentials come from: each fetch gives the next ones, which last an hour; faults come in their place."""

    def __init__(self, clock: "Clock") -> None:
        self.fetched = 0
        self.loaded = 0
        self.faults: list[Exception] = []
        self.go = threading.Event()
        self.go.set()
        self.threads: set[int] = set()
        self._clock = clock

    def load(self) -> Credentials:
        self.loaded += 1
        first = self.fetch()
        expiry = datetime.fromisoformat(first["expiry_time"])
        keys = (first["access_key"], first["secret_key"], first["token"])
        return RefreshableCredentials(*keys, expiry, self.fetch, "test", time_fetcher=lambda: self._clock.now)

    def fetch(self) -> dict[str, str]:
        self.threads.add(threading.get_ident())
        assert self.go.wait(5)
        if self.faults:
            raise self.faults.pop(0)
        self.fetched += 1
        expiry = (self._clock.now + timedelta(hours=1)).isoformat()
        return {"access_key": f"id-{self.fetched}", "secret_key": "s", "token": "t", "expiry_time": expiry}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> float:
        return self.now.timestamp()

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def source(clock: Clock) -> Source:
    return Source(clock)


def signers_of(load: Callable[[], Credentials | None], clock: Clock) -> Signers:
    def make(credentials: ReadOnlyCredentials) -> Signer:
        return Signer(credentials, "eu-west-1", "http://127.0.0.1")

    return Signers(SharedCredentials(load, clock), make, clock)


@pytest.fixture
def signers(source: Source, clock: Clock) -> Signers:
    return signers_of(source.load, clock)


def key_of(signer: Signer | None) -> Any:
    assert signer is not None
    return signer._access_key


async def settled(signers: Signers) -> None:
    """Waits for the renewal that is going on."""
    if signers._renewal is not None:
        await asyncio.wait([signers._renewal])


async def test_credentials_are_fetched_once_for_all_who_wait_and_off_the_loop(signers: Signers, source: Source) -> None:
    found = await asyncio.gather(*(signers.current() for _ in range(50)))
    assert {key_of(signer) for signer in found} == {"id-1"}
    assert source.loaded == 1
    assert threading.get_ident() not in source.threads


async def test_those_without_an_end_are_never_fetched_again(clock: Clock) -> None:
    loads: list[Credentials] = []

    def load() -> Credentials:
        loads.append(Credentials("id", "secret"))
        return loads[-1]

    signers = signers_of(load, clock)
    first = await signers.current()
    clock.forward(100 * HOUR)
    assert await signers.current() is first
    assert len(loads) == 1


async def test_nobody_waits_for_a_renewal_in_good_time(signers: Signers, source: Source, clock: Clock) -> None:
    await signers.current()
    clock.forward(HOUR - 14 * 60)
    source.go.clear()
    assert {key_of(await signers.current()) for _ in range(20)} == {"id-1"}
    source.go.set()
    await settled(signers)
    assert key_of(await signers.current()) == "id-2"
    assert source.fetched == 2


async def test_all_wait_for_one_renewal_of_credentials_that_ran_out(
    signers: Signers, source: Source, clock: Clock
) -> None:
    await signers.current()
    clock.forward(HOUR + 1)
    found = await asyncio.gather(*(signers.current() for _ in range(50)))
    assert {key_of(signer) for signer in found} == {"id-2"}
    assert source.fetched == 2


async def test_a_renewal_that_fails_in_good_time_harms_nobody(signers: Signers, source: Source, clock: Clock) -> None:
    await signers.current()
    clock.forward(HOUR - 5 * 60)
    source.faults.append(CredentialRetrievalError(provider="p", error_msg="m"))
    assert key_of(await signers.current()) == "id-1"
    await settled(signers)
    assert key_of(await signers.current()) == "id-1"
    clock.forward(6)
    await signers.current()
    await settled(signers)
    assert key_of(await signers.current()) == "id-2"


async def test_credentials_that_ran_out_and_cannot_be_renewed_are_an_error_until_they_can(
    signers: Signers, source: Source, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    await signers.current()
    clock.forward(HOUR + 1)
    source.faults.append(CredentialRetrievalError(provider="p", error_msg="a secret"))
    with pytest.raises(CredentialRetrievalError):
        await signers.current()
    clock.forward(2)
    assert key_of(await signers.current()) == "id-2"
    assert "Loading AWS credentials failed: CredentialRetrievalError of p" in caplog.messages
    assert [record for record in caplog.records if record.name.startswith("graph") and "secret" in record.message] == []


async def test_that_there_are_none_is_an_error(clock: Clock) -> None:
    signers = signers_of(lambda: None, clock)
    for _ in range(2):
        with pytest.raises(NoCredentialsError):
            await signers.current()


async def test_whoever_gives_up_waiting_does_not_stop_the_renewal(signers: Signers, source: Source) -> None:
    source.go.clear()
    waiting = [asyncio.create_task(signers.current()) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.wait(waiting[:1])
    source.go.set()
    assert key_of(await waiting[1]) == "id-1"
    assert source.loaded == 1


async def test_refused_credentials_are_looked_for_anew_once_for_all(signers: Signers, source: Source) -> None:
    refused = await signers.current()
    found = await asyncio.gather(*(signers.after_refusal(refused) for _ in range(50)))
    assert {key_of(signer) for signer in found} == {"id-2"}
    assert await signers.after_refusal(refused) is await signers.current()
    assert source.loaded == 2


async def test_credentials_that_stay_refused_are_not_looked_for_all_the_time(
    signers: Signers, source: Source, clock: Clock
) -> None:
    first = await signers.current()
    second = await signers.after_refusal(first)
    assert second is not None
    assert await signers.after_refusal(second) is None
    assert source.loaded == 2
    clock.forward(11)
    assert key_of(await signers.after_refusal(second)) == "id-3"


async def test_the_same_credentials_again_are_no_way_out(clock: Clock) -> None:
    signers = signers_of(lambda: Credentials("id", "secret"), clock)
    assert await signers.after_refusal(await signers.current()) is None


def test_each_loop_can_ask(signers: Signers, source: Source) -> None:
    assert [key_of(asyncio.run(signers.current())) for _ in range(2)] == ["id-1"] * 2
    assert source.loaded == 1


@pytest.mark.parametrize(("left", "expected"), [(10_000, 3_600), (3_600, 3_600), (3_599, 3_599), (45, 45)])
def test_what_is_signed_lasts_no_longer_than_they_do(left: int, expected: int) -> None:
    held = RefreshableCredentials(
        "a",
        "b",
        "c",
        datetime.now(UTC) + timedelta(seconds=left + 0.9),
        lambda: pytest.fail("renewed"),
        "test",
        advisory_timeout=0,
        mandatory_timeout=0,
    )
    assert SharedCredentials(lambda: held).lasting(3_600) == expected


def test_those_without_an_end_last_as_long_as_is_asked_for() -> None:
    assert SharedCredentials(lambda: Credentials("a", "b")).lasting(3_600) == 3_600
