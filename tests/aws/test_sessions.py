"""One renewal for every client: the native one and those of boto3, beside boto3 alone, over one endpoint."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, CredentialRetrievalError

from graph.aws import wire
from graph.aws.clients import connect
from graph.aws.credentials import MalformedCredentials
from graph.aws.database import dynamodb
from graph.aws.sessions import Session
from graph.settings import Settings
from tests.aws.keyed import Disk, Keyed

QUERY: dict[str, Any] = {
    "TableName": "table",
    "KeyConditionExpression": "a = :a",
    "ExpressionAttributeValues": {":a": {"S": "x"}},
}
GROUP = {"logGroupName": "group"}
ONCE = Config(retries={"total_max_attempts": 1})


@pytest.fixture
def endpoint() -> Iterator[Keyed]:
    keyed = Keyed()
    yield keyed
    keyed.close()


@pytest.fixture(autouse=True)
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    disk = Disk(tmp_path)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(disk.credentials))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(disk.config))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_PROXY", "*")
    return disk


@pytest.fixture
def settings(endpoint: Keyed) -> Settings:
    return Settings(
        region="eu-west-1",
        dynamodb_endpoint=endpoint.url,
        logs_endpoint=endpoint.url,
        engines_endpoint=endpoint.url,
        ssm_endpoint=endpoint.url,
    )


Call = Callable[[str], Any]
SERVICES = {"reads": "dynamodb", "readiness": "dynamodb", "logs": "logs", "engines": "stepfunctions", "names": "ssm"}
WAYS = list(SERVICES)


@pytest.fixture
def call(settings: Settings) -> Call:
    """Makes a call of one of the clients that this project has, which are there from the first call on; it blocks."""
    calls: dict[str, Callable[[], Any]] = {}

    def make(way: str) -> Any:
        if not calls:
            calls.update(calls_of(settings))
        return calls[way]()

    return make


def calls_of(settings: Settings) -> dict[str, Callable[[], Any]]:
    session = Session(settings.profile, settings.region)
    client = dynamodb(settings, session)
    clients = connect(settings, session)
    ssm = session.client("ssm", endpoint=settings.ssm_endpoint, config=ONCE)

    async def read() -> Any:
        reads = wire.reads(settings, client, session)
        try:
            return await reads.call("Query", QUERY)
        finally:
            reads.close()
            await asyncio.sleep(0)

    return {
        "reads": lambda: asyncio.run(read()),
        "readiness": lambda: client.describe_table(TableName="table"),
        "logs": lambda: clients.logs.filter_log_events(**GROUP),
        "engines": lambda: clients.states.describe_execution(executionArn="arn:aws:states:::execution:a:b"),
        "names": lambda: ssm.get_parameters_by_path(Path="/a"),
    }


# Rotation


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("code", ["UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException"])
def test_keys_that_are_rotated_on_disk_are_taken_by_the_call_that_is_refused(
    endpoint: Keyed, disk: Disk, call: Call, way: str, code: str
) -> None:
    call(way)
    endpoint.allowed, endpoint.code = "KEYTWO", code
    disk.hold("KEYTWO")
    call(way)
    assert endpoint.keys == ["KEYONE", "KEYONE", "KEYTWO"]


def test_what_one_client_renewed_all_others_have(endpoint: Keyed, disk: Disk, call: Call) -> None:
    for way in WAYS:
        call(way)
    endpoint.allowed = "KEYTWO"
    disk.hold("KEYTWO")
    call("logs")
    disk.credentials.unlink()  # nothing is read again
    for way in WAYS:
        call(way)
    assert endpoint.keys == ["KEYONE"] * (len(WAYS) + 1) + ["KEYTWO"] * (len(WAYS) + 1)


def test_boto3_alone_goes_on_with_the_old_key(endpoint: Keyed, disk: Disk) -> None:
    client = boto3.Session().client("dynamodb", endpoint_url=endpoint.url, region_name="eu-west-1", config=ONCE)
    client.query(**QUERY)
    endpoint.allowed = "KEYTWO"
    disk.hold("KEYTWO")
    with pytest.raises(ClientError, match="UnrecognizedClient"):
        client.query(**QUERY)


@pytest.mark.parametrize("way", WAYS)
def test_a_key_that_stays_refused_is_not_sent_again(endpoint: Keyed, call: Call, way: str) -> None:
    endpoint.allowed = "KEYTHREE"
    with pytest.raises(ClientError, match="UnrecognizedClient"):
        call(way)
    assert endpoint.keys == ["KEYONE"]


@pytest.mark.parametrize("way", WAYS)
def test_another_refusal_renews_nothing(endpoint: Keyed, disk: Disk, call: Call, way: str) -> None:
    call(way)
    endpoint.allowed, endpoint.code = "KEYTWO", "AccessDeniedException"
    disk.hold("KEYTWO")
    with pytest.raises(ClientError, match="AccessDenied"):
        call(way)
    assert endpoint.keys == ["KEYONE", "KEYONE"]


def test_all_who_are_refused_together_are_served(endpoint: Keyed, disk: Disk, call: Call) -> None:
    call("readiness")
    endpoint.allowed = "KEYTWO"
    disk.hold("KEYTWO")
    with ThreadPoolExecutor(8) as threads:
        for made in [threads.submit(call, "readiness") for _ in range(40)]:
            made.result()
    assert endpoint.keys.count("KEYTWO") == 40


# Sources that fail


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["KEY\n", "KEY\r\nX-Other: 1", "K\x00EY", "KEY\t", "K\x7fEY", "KÉY"])
def test_a_key_that_would_break_a_head_is_refused_before_anything_is_sent(
    endpoint: Keyed, disk: Disk, call: Call, way: str, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    disk.give_by_process(AccessKeyId=key)
    for _ in range(2):
        with pytest.raises(MalformedCredentials, match="The access key id holds a line break"):
            call(way)
    assert endpoint.keys == []
    assert [key in line for line in told(caplog)] == [False]


@pytest.mark.parametrize("part", ["SecretAccessKey", "SessionToken"])
def test_so_are_a_secret_and_a_token(endpoint: Keyed, disk: Disk, call: Call, part: str) -> None:
    disk.give_by_process(**{part: "text\n"})
    with pytest.raises(MalformedCredentials):
        call("reads")
    assert endpoint.keys == []


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("credential_process = cat {directory}/nothing", "CredentialRetrievalError of custom-process"),
        ("credential_process = {directory}/no-program", "FileNotFoundError: "),
        ("credential_process = echo no-json", "JSONDecodeError"),
        ("web_identity_token_file = {directory}/no-token\nrole_arn = arn:aws:iam::1:role/r", "FileNotFoundError: "),
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_a_source_that_fails_is_a_fault_of_botocore_and_told_in_one_line(
    endpoint: Keyed,
    disk: Disk,
    call: Call,
    way: str,
    config: str,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk.credentials.write_text("")
    disk.configure(config.format(directory=disk.directory))
    for _ in range(3):
        with pytest.raises(CredentialRetrievalError):
            call(way)
    assert endpoint.keys == []
    (line,) = told(caplog)
    assert reason in line


@pytest.mark.parametrize("way", WAYS)
def test_so_is_one_that_goes_on_giving_what_has_expired(
    endpoint: Keyed, disk: Disk, call: Call, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    disk.give_by_process(Expiration="2020-01-01T00:00:00Z")
    for _ in range(3):
        with pytest.raises(CredentialRetrievalError):
            call(way)
    assert endpoint.keys == []
    (line,) = told(caplog)
    assert line.endswith("Credentials were refreshed, but the refreshed credentials are still expired.")


def test_a_source_whose_keys_soon_run_out_is_not_asked_at_every_call(endpoint: Keyed, disk: Disk, call: Call) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=60)
    disk.give_by_process(Expiration=soon.isoformat())
    runs = disk.directory / "runs"
    disk.configure(f"credential_process = sh -c 'echo >> {runs}; cat {disk.directory}/told'")
    begun = time.monotonic()
    call("readiness")
    with ThreadPoolExecutor(8) as threads:
        for made in [threads.submit(call, "readiness") for _ in range(40)]:
            made.result()
    assert endpoint.keys == ["KEYONE"] * 41
    assert len(runs.read_text()) <= 3 + time.monotonic() - begun  # reading them, renewing them, and once a second


def test_keys_outlast_a_renewal_that_fails(
    endpoint: Keyed, disk: Disk, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    disk.give_by_process(Expiration=(datetime.now(UTC) + timedelta(seconds=60)).isoformat())
    session, now = Session(region="eu-west-1"), [0.0]
    session.credentials._clock = lambda: now[0]
    client = dynamodb(settings, session)
    client.query(**QUERY)
    (disk.directory / "told").unlink()
    for _ in range(3):
        now[0] += 2
        client.query(**QUERY)
    assert endpoint.keys == ["KEYONE"] * 4
    assert told(caplog) == ["Loading AWS credentials failed: CredentialRetrievalError of custom-process"]


def test_a_source_that_recovers_is_read_again(disk: Disk, settings: Settings) -> None:
    disk.credentials.write_text("")
    session, now = Session(region="eu-west-1"), [0.0]
    session.credentials._clock = lambda: now[0]
    client = dynamodb(settings, session)
    with pytest.raises(BotoCoreError, match="Unable to locate credentials"):
        client.query(**QUERY)
    disk.hold("KEYONE")
    now[0] += 2
    assert client.query(**QUERY)["Count"] == 0


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "graph.aws.credentials"]


# Need


@pytest.mark.parametrize("way", WAYS)
def test_no_client_is_made_and_no_credential_read_before_it_is_needed(
    endpoint: Keyed, settings: Settings, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    made: list[str] = []
    make = Session.make

    def noting(session: Session, service: str, **given: Any) -> Any:
        made.append(service)
        return make(session, service, **given)

    monkeypatch.setattr(Session, "make", noting)
    calls = calls_of(settings)
    assert (made, endpoint.keys) == ([], [])
    for _ in range(2):
        calls[way]()
    assert made == [SERVICES[way]]
    assert endpoint.keys == ["KEYONE", "KEYONE"]
