"""Over a network that fails in every way that is known, nothing is lost, answered twice or given to another."""

import asyncio
import random
import socket
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import Credentials

from graph.aws import connections
from graph.aws.credentials import SharedCredentials
from graph.aws.wire import WireDatabase
from graph.errors import GraphError, Throttled, UpstreamUnavailable
from graph.tables.catalogue import DATABASES
from graph.tables.reader import DatabaseRejected, Reader
from graph.tables.tally import Tally
from tests.aws.network import endpoint as hostile
from tests.aws.network.authority import Authority
from tests.aws.network.endpoint import Asked, Behaviour, HostileEndpoint, always, in_order, seeded
from tests.faults import without_pauses

SECONDS, PATIENCE = 0.25, 10.0  # for one answer, where some never come and where all do
IMPATIENCE = 0.1  # for one, where none ever comes
NAMES = {DATABASES: "physical"}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)


class Reading:
    """A reader of an endpoint, and what it cost."""

    def __init__(self, endpoint: str, attempts: int = 6, **options: Any) -> None:
        self.tally = Tally()
        self.database = WireDatabase(
            endpoint,
            "eu-west-1",
            SharedCredentials(lambda: Credentials("id", "secret")),
            **{"seconds": PATIENCE} | options,
        )
        self._reader = Reader(self.database, NAMES, attempts=attempts)

    async def read(self, key: str) -> str:
        """The key that the answer carries."""
        found = (await self._reader.get_items(DATABASES, [(key,)], DATABASES.key, self.tally))[(key,)]
        if isinstance(found, GraphError):
            raise found
        return str(found["databaseId"]["S"])


def patience(behaviour: Behaviour) -> float:
    return 2 * SECONDS if behaviour in hostile.SLOW else PATIENCE


def failed(code: str) -> str:
    return f"dynamodb.GetItem failed: table={DATABASES.name} code={code} attempt=1"


def paired(keys: Sequence[str], answers: Sequence[str | BaseException]) -> bool:
    return list(answers) == list(keys)


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("seed", range(2))
async def test_every_read_gets_its_own_answer_in_the_end(authority: Authority, seed: int, is_encrypted: bool) -> None:
    keys = [f"key-{number}" for number in range(150)]
    tls = authority.server() if is_encrypted else None
    async with HostileEndpoint(seeded(seed, (*hostile.BAD, *hostile.GOOD)), tls) as endpoint:
        reading = Reading(
            endpoint.endpoint,
            attempts=30,
            seconds=SECONDS,
            concurrency=16,
            tls=authority.client() if is_encrypted else None,
        )
        answers = await asyncio.gather(*map(reading.read, keys), return_exceptions=True)
        reading.database.close()
    assert paired(keys, answers)
    assert set(endpoint.requests) == set(keys)
    assert max(endpoint.requests.values()) <= 2 * 30
    assert endpoint.requests.total() <= 2 * reading.tally.calls


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
async def test_reads_that_are_given_up_leave_the_others_their_answers(authority: Authority, is_encrypted: bool) -> None:
    tls = authority.server() if is_encrypted else None
    chance = random.Random(1)  # noqa: S311
    async with HostileEndpoint(seeded(1, (*hostile.GOOD, hostile.late)), tls) as endpoint:
        reading = Reading(endpoint.endpoint, concurrency=8, tls=authority.client() if is_encrypted else None)
        reads = {key: asyncio.create_task(reading.read(key)) for key in (f"key-{number}" for number in range(300))}
        given_up = set()
        while pending := [key for key, read in reads.items() if not read.done()]:
            given_up.add(key := chance.choice(pending))
            reads[key].cancel()
            await asyncio.sleep(0.002)
        kept = {key: read.result() for key, read in reads.items() if not read.cancelled()}
        again = await asyncio.gather(*map(reading.read, reads))
        reading.database.close()
    assert kept
    assert len(kept) < 300
    assert paired(list(kept), list(kept.values()))
    assert paired(list(reads), again)


async def test_an_answer_that_was_given_up_is_nobody_elses() -> None:
    came, go = asyncio.Event(), asyncio.Event()

    async def held(asked: Asked) -> bool:
        came.set()
        await go.wait()
        return await hostile.truly(asked)

    async with HostileEndpoint(in_order(held)) as endpoint:
        reading = Reading(endpoint.endpoint, concurrency=1)
        first = asyncio.create_task(reading.read("first"))
        await came.wait()
        first.cancel()
        second = asyncio.create_task(reading.read("second"))
        await asyncio.sleep(0.01)
        go.set()
        assert await second == "second"
        assert endpoint.connections == 2
        reading.database.close()


async def test_a_read_that_is_given_up_ends_its_connection() -> None:
    came = asyncio.Event()

    async def until_it_ends(asked: Asked) -> bool:
        came.set()
        await asked.reader.read()
        return False

    async with HostileEndpoint(always(until_it_ends)) as endpoint:
        reading = Reading(endpoint.endpoint, seconds=600)
        read = asyncio.create_task(reading.read("key"))
        await came.wait()
        read.cancel()
        await asyncio.wait_for(endpoint.left.wait(), 5)


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("behaviour", hostile.GOOD)
async def test_a_whole_answer_counts_however_it_comes(
    authority: Authority, behaviour: Behaviour, is_encrypted: bool
) -> None:
    async with HostileEndpoint(always(behaviour), authority.server() if is_encrypted else None) as endpoint:
        tls = authority.client() if is_encrypted else None
        reading = Reading(endpoint.endpoint, concurrency=1, tls=tls)
        keys = [f"key-{number}" for number in range(5)]
        assert [await reading.read(key) for key in keys] == keys
        assert reading.tally.calls == 5
        reading.database.close()


@pytest.mark.parametrize("behaviour", [hostile.truly, hostile.in_chunks, hostile.after_interim_answers])
async def test_a_connection_is_used_again_after_a_whole_answer(behaviour: Behaviour) -> None:
    async with HostileEndpoint(always(behaviour)) as endpoint:
        reading = Reading(endpoint.endpoint)
        for key in "abcdef":
            await reading.read(key)
        assert (endpoint.connections, endpoint.requests.total()) == (1, 6)
        reading.database.close()
        await asyncio.wait_for(endpoint.left.wait(), 5)


@pytest.mark.parametrize("behaviour", hostile.BAD)
async def test_what_is_no_answer_is_asked_for_again_so_often_and_no_more(behaviour: Behaviour) -> None:
    async with HostileEndpoint(always(behaviour)) as endpoint:
        seconds = IMPATIENCE if behaviour in hostile.SLOW else PATIENCE
        reading = Reading(endpoint.endpoint, attempts=2, seconds=seconds)
        with pytest.raises(Throttled if behaviour is hostile.throttled else UpstreamUnavailable):
            await reading.read("key")
        assert reading.tally.calls == 2
        assert endpoint.requests.total() == 2
        reading.database.close()


@pytest.mark.parametrize("behaviour", hostile.WRONG)
async def test_a_wrong_answer_is_known_at_once(behaviour: Behaviour, caplog: pytest.LogCaptureFixture) -> None:
    async with HostileEndpoint(always(behaviour)) as endpoint:
        reading = Reading(endpoint.endpoint, attempts=1)
        with pytest.raises(UpstreamUnavailable):
            await asyncio.wait_for(reading.read("key"), 5)
        reading.database.close()
    assert caplog.messages == [failed("ResponseStreamingError")]


@pytest.mark.parametrize("behaviour", hostile.BAD)
async def test_what_passes_is_not_noticed(behaviour: Behaviour) -> None:
    async with HostileEndpoint(in_order(hostile.truly, behaviour)) as endpoint:
        reading = Reading(endpoint.endpoint, seconds=patience(behaviour))
        assert [await reading.read(key) for key in "abc"] == ["a", "b", "c"]
        assert endpoint.requests["b"] == 2
        assert reading.tally.calls == (3 if behaviour in (hostile.cut_at_once, hostile.reset) else 4)
        reading.database.close()


async def test_a_connection_that_ended_while_it_was_idle_costs_no_try() -> None:
    async with HostileEndpoint(always(hostile.then_closing)) as endpoint:
        reading = Reading(endpoint.endpoint, attempts=1)
        for key in "abcdefgh":
            assert await reading.read(key) == key
            await asyncio.sleep(random.choice([0, 0.001]))  # noqa: S311
        assert reading.tally.calls == 8
        reading.database.close()


async def test_what_comes_while_nobody_waits_ends_the_connection() -> None:
    go = asyncio.Event()

    async def with_another_later(asked: Asked) -> bool:
        await hostile.truly(asked)
        await go.wait()
        await hostile.truly(asked)
        await asked.reader.read()
        return False

    async with HostileEndpoint(always(with_another_later)) as endpoint:
        reading = Reading(endpoint.endpoint)
        for key in "abc":
            assert await reading.read(key) == key
            go.set()
            await asyncio.wait_for(endpoint.left.wait(), 5)
            go.clear()
            endpoint.left.clear()
        assert endpoint.connections == 3
        reading.database.close()


async def test_a_connection_that_was_idle_for_long_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_IDLE_SECONDS", 0.0)
    async with HostileEndpoint(always(hostile.truly)) as endpoint:
        reading = Reading(endpoint.endpoint)
        for key in "abc":
            assert await reading.read(key) == key
        assert endpoint.connections == 3
        reading.database.close()


async def test_nobody_waits_longer_than_one_answer_may_take_for_a_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # it says nothing of TLS
        port = deaf.getsockname()[1]
        reading = Reading(f"https://127.0.0.1:{port}", attempts=2, seconds=0.05, tls=ssl.create_default_context())
        with pytest.raises(UpstreamUnavailable):
            await asyncio.wait_for(reading.read("key"), 5)
    assert reading.tally.calls == 2


async def test_where_nobody_listens_is_an_error_after_all_tries(unused_tcp_port: int) -> None:
    reading = Reading(f"http://127.0.0.1:{unused_tcp_port}", attempts=3)
    with pytest.raises(UpstreamUnavailable):
        await reading.read("key")
    assert reading.tally.calls == 3


@pytest.mark.parametrize("is_known", [True, False], ids=["of another host", "of nobody known"])
async def test_who_cannot_show_a_certificate_is_not_asked(
    authority: Authority, tmp_path: Path, is_known: bool, caplog: pytest.LogCaptureFixture
) -> None:
    served = authority.server("elsewhere.example") if is_known else Authority(tmp_path).server()
    async with HostileEndpoint(always(hostile.truly), served) as endpoint:
        reading = Reading(endpoint.endpoint, attempts=1, tls=authority.client())
        with pytest.raises(UpstreamUnavailable):
            await reading.read("key")
        assert endpoint.requests.total() == 0
    assert failed("SSLError") in caplog.messages


# Credentials


class Renewing:
    """Credentials by number, of which the endpoint takes those from a number on."""

    def __init__(self, good: int) -> None:
        self.good = good
        self.given = 0

    def load(self) -> Credentials:
        self.given += 1
        return Credentials(f"id{self.given}", "secret")

    def plan(self, asked: Asked) -> Behaviour:
        async def refusing(asked: Asked) -> bool:
            asked.write(hostile.refusal("ExpiredTokenException"))
            return True

        return hostile.truly if int(asked.access_key.removeprefix("id")) >= self.good else refusing


async def test_credentials_that_expired_are_renewed_once_for_all_and_nothing_is_lost() -> None:
    renewing = Renewing(good=2)
    keys = [f"key-{number}" for number in range(60)]
    async with HostileEndpoint(renewing.plan) as endpoint:
        database = WireDatabase(endpoint.endpoint, "eu-west-1", SharedCredentials(renewing.load), concurrency=8)
        reader, tally = Reader(database, NAMES), Tally()
        found = await asyncio.gather(*(reader.get_items(DATABASES, [(key,)], DATABASES.key, tally) for key in keys))
        database.close()
    assert [item["databaseId"]["S"] for one in found for item in one.values() if isinstance(item, dict)] == keys
    assert renewing.given == 2
    assert tally.calls == 60


async def test_credentials_that_stay_expired_are_an_error_after_one_more_try() -> None:
    renewing = Renewing(good=100)
    async with HostileEndpoint(renewing.plan) as endpoint:
        database = WireDatabase(endpoint.endpoint, "eu-west-1", SharedCredentials(renewing.load))
        reader = Reader(database, NAMES)
        for _ in range(5):
            found = await reader.get_items(DATABASES, [("key",)], DATABASES.key, Tally())
            assert isinstance(found["key",], DatabaseRejected)
        database.close()
    assert endpoint.requests.total() == 6
    assert renewing.given == 2
