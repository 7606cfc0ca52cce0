import asyncio
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError, ProfileNotFound
from botocore.httpsession import get_cert_path

from graph.aws import wire
from graph.aws.database import ThreadedDatabase, dynamodb
from graph.aws.wire import WireDatabase
from graph.demo.database import EmbeddedDatabase
from graph.demo.model import REGION
from graph.settings import Settings
from graph.tables.catalogue import DATABASES
from graph.tables.reader import DatabaseRejected, Reader
from graph.tables.tally import Tally
from tests.aws.network.authority import Authority
from tests.aws.network.endpoint import HostileEndpoint, always, truly

KEY = ("plant-models",)
ENVIRONMENT = {
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    "AWS_EC2_METADATA_DISABLED": "true",
}
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
AUTHORITIES = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE")


@pytest.fixture(autouse=True)
def _environment(database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in AUTHORITIES:
        monkeypatch.delenv(name, raising=False)
    for name, value in (ENVIRONMENT | {"AWS_ACCESS_KEY_ID": database.access_key}).items():
        monkeypatch.setenv(name, value)


def settings(**changes: Any) -> Settings:
    return Settings(**{"region": REGION} | changes)


def reads_of(given: Settings) -> Any:
    return wire.reads(given, dynamodb(given))


async def read(database: Any, names: Mapping[Any, str]) -> Any:
    reader = Reader(database, names, attempts=2)
    try:
        return (await reader.get_items(DATABASES, [KEY], DATABASES.key, Tally()))[KEY]
    finally:
        reader.close()
        await asyncio.sleep(0)


async def test_it_reads_where_the_client_would(database: EmbeddedDatabase) -> None:
    reads = reads_of(settings(dynamodb_endpoint=database.endpoint))
    assert isinstance(reads.open(), WireDatabase)
    assert await read(reads, database.names) == {"databaseId": {"S": "plant-models"}}


def test_it_belongs_to_no_loop(database: EmbeddedDatabase) -> None:
    reads = reads_of(settings(dynamodb_endpoint=database.endpoint))
    for _ in range(2):
        assert asyncio.run(read(reads, database.names)) == {"databaseId": {"S": "plant-models"}}
    reads.close()


async def test_a_setting_leaves_it_to_boto3(database: EmbeddedDatabase, caplog: pytest.LogCaptureFixture) -> None:
    reads = reads_of(settings(dynamodb_endpoint=database.endpoint, dynamodb_client="boto3"))
    assert isinstance(reads.open(), ThreadedDatabase)
    assert await read(reads, database.names) == {"databaseId": {"S": "plant-models"}}
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("given", "environment"),
    [
        ({}, {}),
        ({"region": "us-gov-west-1"}, {}),
        ({}, {"AWS_USE_FIPS_ENDPOINT": "true"}),
        ({}, {"AWS_USE_DUALSTACK_ENDPOINT": "true"}),
        ({}, {"AWS_ENDPOINT_URL_DYNAMODB": "https://vpce-1.example:8443"}),
    ],
)
def test_where_that_is_is_for_botocore_to_say(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    client = dynamodb(settings(**given))
    reads: Any = wire.reads(settings(**given), client).open()
    assert isinstance(reads, WireDatabase)
    assert reads._connections._endpoint == client.meta.endpoint_url
    tls = reads._connections._tls
    assert tls is not None
    assert tls.verify_mode is ssl.CERT_REQUIRED
    assert tls.check_hostname


@pytest.mark.parametrize(
    ("endpoint", "environment", "reason"),
    [
        (None, {"HTTPS_PROXY": "http://127.0.0.1:1"}, "there is a proxy on the way"),
        ("http://emulator.example/dynamodb", {}, "its endpoint has a path"),
    ],
)
def test_what_only_boto3_can_do_is_left_to_it(
    monkeypatch: pytest.MonkeyPatch,
    endpoint: str | None,
    environment: dict[str, str],
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    reads = reads_of(settings(dynamodb_endpoint=endpoint)).open()
    reads.close()
    assert isinstance(reads, ThreadedDatabase)
    assert caplog.messages == [f"Falling back to boto3 for DynamoDB: {reason}"]


@pytest.mark.parametrize("environment", [{"HTTP_PROXY": "http://127.0.0.1:1"}, {"HTTPS_PROXY": "x", "NO_PROXY": "*"}])
def test_a_proxy_for_others_is_no_obstacle(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert isinstance(reads_of(settings()).open(), WireDatabase)


def named_by(variable: str) -> Callable[[Path, pytest.MonkeyPatch], None]:
    return lambda bundle, monkeypatch: monkeypatch.setenv(variable, str(bundle))


def named_by_the_profile(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = bundle.with_name("config")
    config.write_text(f"[default]\nca_bundle = {bundle}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))


def named_last(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting that counts names others, who come with boto3."""
    monkeypatch.setenv("AWS_CA_BUNDLE", str(get_cert_path(True)))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))


@pytest.mark.parametrize(
    ("name", "is_trusted"),
    [
        (named_by("AWS_CA_BUNDLE"), True),
        (named_by("REQUESTS_CA_BUNDLE"), True),
        (named_by_the_profile, True),
        (named_last, False),
        (named_by("SSL_CERT_FILE"), False),
        (named_by("CURL_CA_BUNDLE"), False),
    ],
)
async def test_authorities_are_trusted_where_boto3_trusts_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: Callable[[Path, pytest.MonkeyPatch], None], is_trusted: bool
) -> None:
    authority = Authority(tmp_path)  # without key identifiers, as companies have them
    name(authority.bundle, monkeypatch)
    async with HostileEndpoint(always(truly), authority.server()) as endpoint:
        given = settings(dynamodb_endpoint=endpoint.endpoint)
        for client in ("native", "boto3"):
            reads = reads_of(given.model_copy(update={"dynamodb_client": client}))
            assert isinstance(await read(reads, {DATABASES: "physical"}), dict) == is_trusted


async def test_without_credentials_nothing_is_read_and_the_log_says_why(
    database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    reads = reads_of(settings(dynamodb_endpoint=database.endpoint))
    assert isinstance(await read(reads, database.names), DatabaseRejected)
    failed = f"dynamodb.GetItem failed: table={DATABASES.name} code={NoCredentialsError.__name__} attempt=1"
    assert caplog.messages == ["Loading AWS credentials failed: Unable to locate credentials", failed]


async def test_a_profile_that_there_is_not_is_told_with_the_first_read(caplog: pytest.LogCaptureFixture) -> None:
    reads = reads_of(settings(profile="no-such-profile"))
    for _ in range(2):
        assert isinstance(await read(reads, {DATABASES: "physical"}), DatabaseRejected)
    assert caplog.messages == [f"dynamodb.GetItem failed: table={DATABASES.name} code=ProfileNotFound attempt=1"] * 2
    with pytest.raises(ProfileNotFound):
        reads.open()


async def test_it_is_opened_once_for_all_who_read_first(
    database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = reads_of(settings(dynamodb_endpoint=database.endpoint))
    made: list[Any] = []
    make = reads._make

    def noting() -> Any:
        made.append(make())
        return made[-1]

    monkeypatch.setattr(reads, "_make", noting)
    request = {"TableName": database.names[DATABASES], "Key": {"databaseId": {"S": KEY[0]}}}
    answers = await asyncio.gather(*(reads.call("GetItem", request) for _ in range(20)))
    assert {answer["Item"]["databaseId"]["S"] for answer in answers} == {KEY[0]}
    assert len(made) == 1
    reads.close()
    await asyncio.sleep(0)


def test_closing_what_was_never_opened_opens_nothing() -> None:
    reads_of(settings(profile="no-such-profile")).close()


async def test_the_key_of_a_profile_signs(
    database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    credentials = tmp_path / "credentials"
    key = f"aws_access_key_id = {database.access_key}\naws_secret_access_key = of the profile\n"
    credentials.write_text(f"[reader]\n{key}")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(credentials))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id-of-the-environment")
    reads = reads_of(settings(dynamodb_endpoint=database.endpoint, profile="reader"))
    assert await read(reads, database.names) == {"databaseId": {"S": "plant-models"}}
