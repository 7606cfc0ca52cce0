"""Names with several addresses, of which some are dead."""

import asyncio
import socket
import time
from collections.abc import Iterator

import boto3
import pytest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError

from graph.aws.credentials import SharedCredentials
from graph.aws.wire import WireDatabase
from tests.aws.network.endpoint import HostileEndpoint, always, then_closing, truly

NAME = "several.test"
GET = {"TableName": "table", "Key": {"databaseId": {"S": "key"}}}
SILENT, REFUSING, GOOD = "127.0.0.2", "127.0.0.3", "127.0.0.1"
SECONDS = 1.0
BOTO3_SECONDS = 0.3  # that boto3 waits for one address


class Addresses:
    """Those of the name, in the order in which they are to be told."""

    def __init__(self) -> None:
        self.told = [GOOD]
        self._sockets: list[socket.socket] = []

    def silence(self, port: int) -> None:
        """Let connections to the silent address be neither made nor refused: its queue is full."""
        silent = socket.socket()
        silent.bind((SILENT, port))
        silent.listen(0)
        self._sockets.append(silent)
        for _ in range(4):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex((SILENT, port))
            self._sockets.append(waiting)

    def close(self) -> None:
        for one in self._sockets:
            one.close()


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> Iterator[Addresses]:
    addresses, real = Addresses(), socket.getaddrinfo

    def told(host: str, port: int, *given: object, **named: object) -> object:
        if host != NAME:
            return real(host, port, *given, **named)  # type: ignore[arg-type]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, int(port))) for address in addresses.told]

    monkeypatch.setattr(socket, "getaddrinfo", told)
    monkeypatch.setenv("NO_PROXY", "*")
    yield addresses
    addresses.close()


def database(endpoint: HostileEndpoint) -> WireDatabase:
    credentials = SharedCredentials(lambda: Credentials("a", "b"))
    return WireDatabase(endpoint.endpoint.replace(GOOD, NAME), "eu-west-1", credentials, seconds=SECONDS)


def port_of(endpoint: HostileEndpoint) -> int:
    return int(endpoint.endpoint.rpartition(":")[2])


async def seconds_of(reads: WireDatabase) -> float:
    """How long one read takes, which gets its answer."""
    begun = time.monotonic()
    assert (await reads.call("GetItem", GET))["Item"] == {"databaseId": {"S": "key"}}
    return time.monotonic() - begun


@pytest.mark.parametrize("dead", [[SILENT], [REFUSING], [REFUSING, SILENT]])
async def test_dead_addresses_cost_the_first_read_a_moment_and_the_others_nothing(
    addresses: Addresses, dead: list[str]
) -> None:
    async with HostileEndpoint(always(then_closing)) as endpoint:
        addresses.silence(port_of(endpoint))
        addresses.told = [*dead, GOOD]
        reads = database(endpoint)
        first, *others = [await seconds_of(reads) for _ in range(4)]
        assert first < SECONDS
        assert max(others) < 0.2
        assert endpoint.connections == 4
        reads.close()


async def test_reads_that_begin_together_wait_no_longer(addresses: Addresses) -> None:
    async with HostileEndpoint(always(truly)) as endpoint:
        addresses.silence(port_of(endpoint))
        addresses.told = [SILENT, GOOD]
        reads = database(endpoint)
        assert max(await asyncio.gather(*(seconds_of(reads) for _ in range(20)))) < SECONDS
        reads.close()


async def test_an_address_that_was_good_and_died_is_left(addresses: Addresses) -> None:
    async with HostileEndpoint(always(then_closing)) as endpoint:
        addresses.silence(port_of(endpoint))
        reads = database(endpoint)
        await seconds_of(reads)
        good = reads._connections._good
        assert good is not None
        reads._connections._good = (*good[:4], (SILENT, port_of(endpoint)))
        addresses.told = [SILENT, GOOD]
        assert await seconds_of(reads) < SECONDS
        assert reads._connections._good == good
        reads.close()


@pytest.mark.parametrize("dead", [[SILENT], [REFUSING, SILENT]])
async def test_boto3_waits_for_a_dead_address_with_every_connection_and_the_native_client_once(
    addresses: Addresses, dead: list[str]
) -> None:
    async with HostileEndpoint(always(then_closing)) as endpoint:
        addresses.silence(port_of(endpoint))
        addresses.told = [*dead, GOOD]
        named = endpoint.endpoint.replace(GOOD, NAME)
        for _ in range(2):
            begun = time.monotonic()
            await asyncio.to_thread(by_boto3, named)
            assert time.monotonic() - begun >= BOTO3_SECONDS
        reads = database(endpoint)
        await seconds_of(reads)
        assert await seconds_of(reads) < BOTO3_SECONDS
        reads.close()


@pytest.mark.parametrize(
    ("told", "fault"), [([SILENT], ConnectTimeoutError), ([REFUSING], EndpointConnectionError), ([SILENT] * 2, None)]
)
async def test_where_all_are_dead_the_fault_is_that_of_boto3(
    addresses: Addresses, told: list[str], fault: type[Exception] | None
) -> None:
    async with HostileEndpoint(always(truly)) as endpoint:
        addresses.silence(port_of(endpoint))
        addresses.told = told
        reads = database(endpoint)
        with pytest.raises(fault or ConnectTimeoutError):
            await reads.call("GetItem", GET)
        with pytest.raises(fault or ConnectTimeoutError):
            await asyncio.to_thread(by_boto3, endpoint.endpoint.replace(GOOD, NAME))


def by_boto3(endpoint: str) -> None:
    client = boto3.Session().client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="eu-west-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=Config(retries={"total_max_attempts": 1}, connect_timeout=BOTO3_SECONDS),
    )
    try:
        client.get_item(TableName="table", Key={"databaseId": {"S": "key"}})
    finally:
        client.close()
