"""Who is answered by the embedded database, asked as any program of the machine and any page of a browser may."""

import http.client
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from graph.cli import _write_environment
from graph.demo.database import EmbeddedDatabase, loopback_client
from graph.tables.catalogue import USER_ROLES

Headers = list[tuple[str, str]]

REGION = "us-west-2"


def signed(access_key: str, service: str = "dynamodb") -> tuple[str, str]:
    scope = f"{access_key}/20260101/{REGION}/{service}/aws4_request"
    return "Authorization", f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=none"


def ask(
    database: EmbeddedDatabase, headers: Headers, method: str = "POST", target: str = "/", body: Any = None
) -> tuple[int, Mapping[str, str], bytes]:
    """The answer to a request with exactly these headers."""
    place = urlsplit(database.endpoint)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=10)
    content = json.dumps({} if body is None else body).encode()
    connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
    for name, value in [*headers, ("Content-Length", str(len(content)))]:
        connection.putheader(name, value)
    connection.endheaders(content)
    answer = connection.getresponse()
    try:
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def good(database: EmbeddedDatabase, **changes: str | None) -> Headers:
    """The headers of a call that is answered; a change to None leaves one out."""
    headers: dict[str, str | None] = {
        "Host": urlsplit(database.endpoint).netloc,
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
        "Authorization": signed(database.access_key)[1],
    }
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    return [(name, value) for name, value in headers.items() if value is not None]


def assert_refused(answer: tuple[int, Mapping[str, str], bytes]) -> None:
    status, headers, body = answer
    assert status == 403
    assert set(json.loads(body)) == {"__type", "message"}
    assert not [name for name in headers if name.startswith("access-control-")]


def test_who_has_the_key_is_answered_but_no_page_may_read_it(database: EmbeddedDatabase) -> None:
    status, headers, body = ask(database, good(database))
    assert (status, set(json.loads(body)["TableNames"]) >= set(database.names.values())) == (200, True)
    assert not [name for name in headers if name.startswith("access-control-")]


@pytest.mark.parametrize("key", ["demo", "", "x", "DEMO", "DEMO" + "0" * 32])
def test_who_has_another_key_is_refused(database: EmbeddedDatabase, key: str) -> None:
    assert_refused(ask(database, good(database, Authorization=signed(key)[1])))


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer {key}",
        "{key}",
        "AWS4-HMAC-SHA256 Credential={key}",
        "AWS {key}:signature",
        "AWS4-HMAC-SHA256 Credential=x/20260101/us-west-2/dynamodb/aws4_request, Credential={key}/20260101/us-west-2/dynamodb/aws4_request,",  # noqa: E501
    ],
)
def test_who_shows_the_key_in_another_way_is_refused(database: EmbeddedDatabase, authorization: str | None) -> None:
    shown = authorization and authorization.format(key=database.access_key)
    assert_refused(ask(database, good(database, Authorization=shown)))


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:8000", "null", "", "same"])
def test_a_page_is_refused_even_with_the_key(database: EmbeddedDatabase, origin: str) -> None:
    shown = database.endpoint if origin == "same" else origin
    assert_refused(ask(database, good(database, Origin=shown)))


@pytest.mark.parametrize("key", [True, False])
def test_what_a_browser_asks_beforehand_is_refused(database: EmbeddedDatabase, key: bool) -> None:
    headers: Headers = [
        ("Host", urlsplit(database.endpoint).netloc),
        ("Origin", "https://evil.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization,x-amz-target,content-type"),
        ("Access-Control-Request-Private-Network", "true"),
    ]
    assert_refused(ask(database, headers + [signed(database.access_key)] * key, "OPTIONS"))


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "localhost:{port}", "127.0.0.1", "", None])
def test_a_name_that_was_bound_to_the_address_is_refused(database: EmbeddedDatabase, host: str | None) -> None:
    port = urlsplit(database.endpoint).port
    assert_refused(ask(database, good(database, Host=host and host.format(port=port))))


def test_two_hosts_are_refused(database: EmbeddedDatabase) -> None:
    assert_refused(ask(database, [*good(database), ("Host", "evil.example")]))
    assert_refused(ask(database, good(database), target="http://evil.example/"))


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/"),
        ("PUT", "/"),
        ("DELETE", "/"),
        ("HEAD", "/bucket"),
        ("POST", "/moto-api/reset"),
        ("GET", "/moto-api/data.json"),
        ("POST", "/%6doto-api/reset"),
        ("POST", "//moto-api/reset"),
        ("GET", "/latest/meta-data/iam"),
        ("POST", "/?Action=ListUsers&Version=2010-05-08"),
        ("POST", "/2015-03-31/functions"),
        ("GET", "/us-east-1_x/.well-known/jwks.json"),
    ],
)
def test_nothing_but_calls_of_dynamodb_is_answered(database: EmbeddedDatabase, method: str, target: str) -> None:
    status, headers, body = ask(database, good(database), method, target)
    assert status == 403
    assert method == "HEAD" or json.loads(body)["__type"].endswith("#AccessDeniedException")
    assert not [name for name in headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    ("service", "called"),
    [
        ("dynamodb", None),
        ("dynamodb", "DynamoDBStreams_20120810.ListStreams"),
        ("dynamodb", "DynamoDB_20111205.ListTables"),
        ("dynamodb", "DynamoDB_20120810."),
        ("ssm", "AmazonSSM.DescribeParameters"),
        ("ssm", "DynamoDB_20120810.ListTables"),
        ("s3", "DynamoDB_20120810.ListTables"),
        ("iam", None),
        ("execute-api", "DynamoDB_20120810.ListTables"),
    ],
)
def test_no_other_service_is_played(database: EmbeddedDatabase, service: str, called: str | None) -> None:
    headers = good(database, X_Amz_Target=called, Authorization=signed(database.access_key, service)[1])
    assert_refused(ask(database, headers))


def test_a_body_that_is_refused_is_no_next_request(database: EmbeddedDatabase) -> None:
    inner = f"POST / HTTP/1.1\r\nHost: {urlsplit(database.endpoint).netloc}\r\n\r\n"
    status, headers, _ = ask(database, good(database, Origin="https://evil.example"), body=inner)
    assert (status, headers["connection"]) == (403, "close")


def test_a_client_without_the_key_cannot_grant_itself_a_role(database: EmbeddedDatabase) -> None:
    stranger = loopback_client(database.endpoint)
    with pytest.raises(ClientError) as refused:
        stranger.put_item(
            TableName=database.names[USER_ROLES], Item={"userId": {"S": "nobody"}, "roleName": {"S": "demo-admin"}}
        )
    assert refused.value.response["Error"]["Code"] == "UnrecognizedClientException"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    key = {"userId": {"S": "nobody"}, "roleName": {"S": "demo-admin"}}
    assert "Item" not in database.client.get_item(TableName=database.names[USER_ROLES], Key=key)


def test_each_run_has_a_key_of_its_own() -> None:
    keys = {EmbeddedDatabase({}).access_key for _ in range(20)}
    assert len(keys) == 20
    assert min(map(len, keys)) >= 32


def test_the_key_is_written_where_only_its_owner_reads(database: EmbeddedDatabase, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        _write_environment(tmp_path / "demo.env", database)
    finally:
        os.umask(before)
    assert database.access_key in (tmp_path / "demo.env").read_text()
    assert stat.S_IMODE((tmp_path / "demo.env").stat().st_mode) == 0o600
