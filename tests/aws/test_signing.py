from datetime import UTC, datetime
from unittest import mock

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.aws.signing import Signer, host_of

OPERATIONS = st.sampled_from(["Query", "GetItem", "BatchGetItem"])
WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12)
SECRETS = st.text("ABCDEFGHIJKLMNOPabcdefghijklmnop0123456789+/=", min_size=1, max_size=60)
CREDENTIALS = st.builds(ReadOnlyCredentials, WORDS, SECRETS, st.none() | SECRETS)
HOSTS = st.lists(WORDS, min_size=1, max_size=4).map(".".join) | st.sampled_from(["127.0.0.1", "[::1]", "Mixed.Case"])
ENDPOINTS = st.builds(
    lambda scheme, host, port: f"{scheme}://{host}" + (f":{port}" if port else ""),
    st.sampled_from(["http", "https"]),
    HOSTS,
    st.none() | st.sampled_from([80, 443, 8000]) | st.integers(1, 65535),
)
REGIONS = st.sampled_from(["eu-west-1", "us-gov-west-1", "ap-southeast-2"])
# Some in one second, some in one day, some years apart: what is kept from one to the next must not be kept too long.
DAY = 1_796_000_000
INSTANTS = st.sampled_from([DAY, DAY + 0.4, DAY + 1]) | st.floats(DAY, DAY + 200_000) | st.floats(946_684_800, 4e9)
REQUESTS = st.lists(st.tuples(INSTANTS, OPERATIONS, st.binary(max_size=200)), min_size=1, max_size=6)


def parsed(request: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert len(headers) == len(lines)
    return first, headers, body


def signed_by_botocore(
    credentials: ReadOnlyCredentials, region: str, endpoint: str, headers: dict[str, str], body: bytes, now: float
) -> dict[str, str]:
    sent = {name: headers[name] for name in ("content-type", "x-amz-target")}
    request = AWSRequest("POST", endpoint + "/", sent, body)
    with mock.patch("botocore.auth.get_current_datetime", return_value=datetime.fromtimestamp(int(now), UTC)):
        SigV4Auth(credentials, "dynamodb", region).add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


@settings(max_examples=1000)
@given(CREDENTIALS, REGIONS, ENDPOINTS, REQUESTS)
def test_requests_are_signed_as_botocore_signs_them(
    credentials: ReadOnlyCredentials, region: str, endpoint: str, requests: list[tuple[float, str, bytes]]
) -> None:
    now = 0.0
    signer = Signer(credentials, region, endpoint, clock=lambda: now)
    for at, operation, body in requests:
        now = at
        first, headers, sent = parsed(signer.request(operation, body))
        assert (first, sent, headers["Content-Length"]) == ("POST / HTTP/1.1", body, str(len(body)))
        assert headers["x-amz-target"] == f"DynamoDB_20120810.{operation}"
        theirs = signed_by_botocore(credentials, region, endpoint, headers, body, now)
        ours = {name.lower(): value for name, value in headers.items()}
        assert {name: ours[name] for name in theirs} == theirs


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ("https://dynamodb.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com"),
        ("https://vpce.example:443/", "vpce.example"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://[::1]:80", "[::1]"),
        ("https://[::1]:80", "[::1]:80"),
    ],
)
def test_the_host_names_a_port_that_is_not_the_schemes(endpoint: str, host: str) -> None:
    assert host_of(endpoint) == host


def test_the_secret_is_not_sent() -> None:
    signer = Signer(ReadOnlyCredentials("id", "the-secret", "the-token"), "eu-west-1", "http://127.0.0.1")
    request = signer.request("Query", b"{}")
    assert b"the-secret" not in request
    assert request.count(b"the-token") == 1
