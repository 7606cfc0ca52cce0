"""As boto3 or better: both ask the same endpoint, and what boto3 makes of it stands beside what this project does.

Each makes one attempt, since :mod:`graph.aws.retries` says whether another one follows. Where a key, an address or an
authority is the fault, see also the tests of sessions, connections and authorities.
"""

import asyncio
import enum
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError

from graph.aws.clients import one_attempt
from graph.aws.credentials import SharedCredentials
from graph.aws.database import Database, ThreadedDatabase
from graph.aws.retries import Failure
from graph.aws.sessions import Session
from graph.aws.wire import WireDatabase
from graph.tables.availability import Availability
from graph.tables.catalogue import STEPS, TABLES
from tests.aws.keyed import Disk, Keyed
from tests.aws.network import endpoint as hostile
from tests.aws.network.endpoint import Behaviour, HostileEndpoint, in_order

SECONDS, PATIENCE = 0.5, 10.0  # for one answer, where some never come and where all do
REGION = "eu-west-1"


# The network


class Outcome(enum.IntEnum):
    """How one attempt ends, the worst first."""

    WRONG = enum.auto()  # another answer than the endpoint's, without a word
    CRASHED = enum.auto()  # an exception that no caller expects
    GIVEN_UP = enum.auto()  # a failure that is taken for final
    RETRIED = enum.auto()
    ANSWERED = enum.auto()


WRONG, CRASHED, RETRIED, ANSWERED = Outcome.WRONG, Outcome.CRASHED, Outcome.RETRIED, Outcome.ANSWERED


@dataclass(frozen=True)
class Row:
    """What becomes of one behaviour: by boto3, by the native client, and why that may be more careful than boto3."""

    behaviour: Behaviour
    boto3: Outcome
    native: Outcome
    careful: str = ""


ROWS = [
    *(Row(behaviour, ANSWERED, ANSWERED) for behaviour in hostile.GOOD if behaviour != hostile.after_interim_answers),
    Row(hostile.after_interim_answers, WRONG, ANSWERED),
    Row(hostile.cut_at_once, RETRIED, RETRIED),
    Row(hostile.reset, RETRIED, RETRIED),
    Row(hostile.cut_in_the_head, WRONG, RETRIED),
    Row(hostile.cut_in_the_body, WRONG, RETRIED),
    Row(hostile.cut_without_a_length, WRONG, RETRIED),
    Row(hostile.with_too_long_a_length, ANSWERED, RETRIED, "what is shorter than it says was cut (RFC 9112, 8)"),
    Row(hostile.never, RETRIED, RETRIED),
    Row(hostile.half_and_never, RETRIED, RETRIED),
    Row(hostile.drop_by_drop, ANSWERED, RETRIED, "the time for an answer is for the whole, not for each byte"),
    Row(hostile.with_a_wrong_checksum, ANSWERED, RETRIED, "it was altered on the way"),
    Row(hostile.with_no_number_for_a_checksum, ANSWERED, RETRIED, "nothing says that it was not altered"),
    Row(hostile.with_too_short_a_length, WRONG, RETRIED),
    Row(hostile.with_two_lengths, RETRIED, RETRIED),
    Row(hostile.with_an_endless_head, RETRIED, RETRIED),
    Row(hostile.with_a_long_head_at_one_go, ANSWERED, RETRIED, "heads are bounded, at 64 KiB"),
    Row(hostile.upgraded, WRONG, RETRIED),
    Row(hostile.not_http, RETRIED, RETRIED),
    Row(hostile.not_json, WRONG, RETRIED),
    Row(hostile.no_object, CRASHED, RETRIED),
    Row(hostile.packed, CRASHED, RETRIED),
    *(Row(behaviour, RETRIED, RETRIED) for behaviour in hostile.REFUSED),
]
Make = Callable[[str, float], Database]


def alone(endpoint: str, seconds: float = PATIENCE) -> Any:
    """A client of boto3 without this project."""
    return boto3.Session().client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=one_attempt(seconds, 1),
    )


def by_boto3(endpoint: str, seconds: float) -> Database:
    return ThreadedDatabase(alone(endpoint, seconds), 1)


def by_a_session(endpoint: str, seconds: float) -> Database:
    """boto3 as this project uses it."""
    session = Session(region=REGION)
    session.credentials._load = lambda: Credentials("a", "b")
    return ThreadedDatabase(session.make("dynamodb", endpoint=endpoint, config=one_attempt(seconds, 1)), 1)


def natively(endpoint: str, seconds: float) -> Database:
    return WireDatabase(endpoint, REGION, SharedCredentials(lambda: Credentials("a", "b")), seconds=seconds)


async def outcome(database: Database, key: str) -> Outcome:
    request = {"TableName": "t", "Key": {hostile.KEY: {"S": key}}}
    try:
        answer = await database.call("GetItem", request)
    except (ClientError, BotoCoreError) as error:
        return RETRIED if Failure.of(error).may_pass else Outcome.GIVEN_UP
    except Exception:
        return CRASHED
    return ANSWERED if answer.get("Item") == {hostile.KEY: {"S": key}} else WRONG


async def outcomes(make: Make, behaviour: Behaviour) -> tuple[Outcome, Outcome, float]:
    """That of one attempt, that of the next one, which is answered truly, and how long the first took."""
    is_slow = behaviour in (*hostile.SLOW, hostile.with_an_endless_head)
    async with HostileEndpoint(in_order(behaviour)) as endpoint:
        database = make(endpoint.endpoint, SECONDS if is_slow else PATIENCE)
        begun = time.monotonic()
        first = await outcome(database, "key")
        took = time.monotonic() - begun
        following = await outcome(database, "next")
        database.close()
    return first, following, took


@pytest.fixture(autouse=True)
def _nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def test_every_behaviour_has_its_row() -> None:
    assert {row.behaviour for row in ROWS} == {*hostile.GOOD, *hostile.BAD}
    assert len(ROWS) == len({*hostile.GOOD, *hostile.BAD})


def test_no_row_is_worse_than_boto3_without_a_reason() -> None:
    assert [row.behaviour for row in ROWS if row.native < row.boto3 and not row.careful] == []
    assert [row.behaviour for row in ROWS if row.careful and not row.native < row.boto3] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.behaviour.__name__)
async def test_the_native_client_does_as_boto3_or_better(row: Row) -> None:
    boto3_first, _, boto3_took = await outcomes(by_boto3, row.behaviour)
    first, following, took = await outcomes(natively, row.behaviour)
    assert (boto3_first, first) == (row.boto3, row.native)
    assert following is ANSWERED
    assert took < boto3_took + SECONDS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.behaviour.__name__)
async def test_boto3_as_it_is_used_here_gives_no_wrong_answer(row: Row) -> None:
    first, following, _ = await outcomes(by_a_session, row.behaviour)
    assert first >= min(row.boto3, RETRIED)
    assert first in (RETRIED, ANSWERED)
    assert following in (RETRIED, ANSWERED)  # after some of them, boto3 tries a connection that has ended


# Credentials


@pytest.fixture
def keyed() -> Iterator[Keyed]:
    keyed = Keyed()
    yield keyed
    keyed.close()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    disk = Disk(tmp_path)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(disk.credentials))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(disk.config))
    return disk


def expired(disk: Disk) -> None:
    disk.give_by_process(Expiration="2020-01-01T00:00:00Z")


def no_json(disk: Disk) -> None:
    disk.credentials.write_text("")
    disk.configure("credential_process = echo no JSON")


def without_its_token(disk: Disk) -> None:
    disk.credentials.write_text("")
    disk.configure("role_arn = arn:aws:iam::123456789012:role/reader\nweb_identity_token_file = /nowhere/token")


def with_a_line_break(disk: Disk) -> None:
    disk.give_by_process(AccessKeyId="KEYONE\r\nX-Other: 1")


def with_a_control_character(disk: Disk) -> None:
    disk.give_by_process(AccessKeyId="KEY\x00ONE")


SOURCES = [expired, no_json, without_its_token, with_a_line_break, with_a_control_character]


@pytest.mark.parametrize("source", SOURCES)
async def test_credentials_that_cannot_be_had_are_a_failure_of_aws_and_nothing_is_sent(
    source: Callable[[Disk], None], disk: Disk, keyed: Keyed
) -> None:
    """boto3 alone raises what the source did, whatever that is, or sends the key as it is."""
    source(disk)
    session = Session(region=REGION)
    clients: dict[str, Database] = {
        "native": WireDatabase(keyed.url, REGION, session.credentials),
        "boto3": ThreadedDatabase(session.client("dynamodb", endpoint=keyed.url, config=one_attempt(PATIENCE, 1)), 1),
    }
    request: dict[str, Any] = {"TableName": "t", "Key": {hostile.KEY: {"S": "key"}}}
    for database in clients.values():
        with pytest.raises(BotoCoreError) as raised:
            await database.call("GetItem", request)
        assert not Failure.of(raised.value).may_pass
        database.close()
    assert keyed.keys == []

    def ask_alone() -> None:
        client = boto3.Session(region_name=REGION).client("dynamodb", endpoint_url=keyed.url, config=one_attempt(1, 1))
        client.get_item(**request)

    with pytest.raises(Exception) as raised_alone:  # noqa: PT011 - whatever it is
        await asyncio.to_thread(ask_alone)
    # Nobody who catches the failures of AWS would know it for one that stays.
    assert not isinstance(raised_alone.value, BotoCoreError) or Failure.of(raised_alone.value).may_pass


# Readiness


class Tables:
    """An endpoint that describes every table, and some of them late, never or not at once.

    Attributes:
        seconds: what each description takes.
        throttled: how often the table is refused that is asked for most.
        is_hanging: whether nothing is answered any more.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.throttled = 0
        self.is_hanging = False
        self.asked = 0
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, table: str) -> tuple[int, object]:
        self.asked += 1
        if self.is_hanging:
            self._over.wait(20)
        time.sleep(self.seconds)
        if table == STEPS.name and self.throttled:
            self.throttled -= 1
            return 400, {"__type": "service#ThrottlingException"}
        return 200, {"Table": {"TableName": table}}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        tables = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = tables._answer(asked["TableName"])
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler


@pytest.fixture
def tables() -> Iterator[Tables]:
    tables = Tables()
    yield tables
    tables.close()


NAMES = {table: table.name for table in TABLES}


def watched(client: Any) -> Availability:
    return Availability(client, NAMES, lambda _table: float("-inf"))


def described(client: Any, tables: int = len(NAMES)) -> float:
    """How long boto3 takes to describe some tables, one after the other."""
    begun = time.monotonic()
    for name in list(NAMES.values())[:tables]:
        client.describe_table(TableName=name)
    return time.monotonic() - begun


def client_of(tables: Tables, seconds: float = PATIENCE) -> Any:
    keys = boto3.Session(aws_access_key_id="a", aws_secret_access_key="b", region_name=REGION)
    return keys.client("dynamodb", endpoint_url=tables.url, config=one_attempt(seconds, len(NAMES)))


async def test_one_throttled_description_of_twenty_makes_nobody_unready(tables: Tables) -> None:
    tables.throttled = 1
    with pytest.raises(ClientError, match="ThrottlingException"):
        await asyncio.to_thread(described, client_of(tables))
    tables.throttled = 1
    assert await watched(client_of(tables)).is_given()
    assert tables.throttled == 0


async def test_slow_descriptions_take_the_time_of_one(tables: Tables) -> None:
    tables.seconds = 0.1
    assert await asyncio.to_thread(described, client_of(tables), 5) > 5 * tables.seconds
    begun = time.monotonic()
    assert await watched(client_of(tables)).is_given()
    assert time.monotonic() - begun < len(NAMES) * tables.seconds


async def test_a_database_that_hangs_keeps_neither_readiness_nor_other_threads_waiting(tables: Tables) -> None:
    client = client_of(tables)
    watch = watched(client)
    assert await watch.is_given()
    tables.is_hanging = True
    watch._began_at = float("-inf")
    begun = time.monotonic()
    for _ in range(3):
        await watch.is_given()
    await asyncio.to_thread(lambda: None)  # what parses documents and reads credentials has its threads
    assert time.monotonic() - begun < 3
    assert tables.asked == 2 * len(NAMES)
    with pytest.raises(BotoCoreError):
        await asyncio.to_thread(described, client_of(tables, seconds=SECONDS))
