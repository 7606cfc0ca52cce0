"""What is asked of S3, and what its answers mean."""

import io
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError

from graph.aws.calls import Caller
from graph.errors import BadUserInput, UpstreamUnavailable
from graph.files.store import MOST_BYTES, MOST_LINKS, FileStore, ObjectFacts, OperationFiles
from graph.tables.records.inputs import S3Location

PLACE = S3Location("bucket", "a/b c+d/ü.glb", "v1")


class Scripted:
    """A client of S3 that gives or raises what it is told; links are boto3's own."""

    def __init__(self, answer: Mapping[str, Any] | Exception) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self._answer = answer

    def _give(self, **request: Any) -> Mapping[str, Any]:
        self.asked.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    head_object = get_object = _give
    generate_presigned_url: Callable[..., str] = boto3.client(
        "s3",
        endpoint_url="http://127.0.0.1:9",
        region_name="eu-west-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="none",
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
    ).generate_presigned_url


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}}, "HeadObject")


@pytest.fixture
def store_of() -> Iterator[Callable[..., FileStore]]:
    caller = Caller(concurrency=2, attempts=1, name="test")

    def make(client: Any, lasting: Callable[[int], int] = lambda seconds: seconds) -> FileStore:
        return FileStore(client, caller, lasting)

    yield make
    caller.close()


async def test_a_head_tells_size_type_and_that_it_is_of_use(store_of: Callable[..., FileStore]) -> None:
    client = Scripted({"ContentLength": 7, "ContentType": "image/png", "Metadata": {}})
    assert await store_of(client).facts(PLACE) == ObjectFacts(7, "image/png", is_archived=False)
    assert client.asked == [{"Bucket": "bucket", "Key": "a/b c+d/ü.glb", "VersionId": "v1"}]


@pytest.mark.parametrize(
    "told",
    [
        {"Metadata": {"vams-status": "archived"}},
        {"Metadata": {"Vams-Status": "Deleted"}},
        {"StorageClass": "GLACIER"},
        {"StorageClass": "DEEP_ARCHIVE"},
    ],
)
async def test_what_vams_counts_as_archived_is_told_as_that(
    told: Mapping[str, Any], store_of: Callable[..., FileStore]
) -> None:
    facts = await store_of(Scripted(told)).facts(PLACE)
    assert facts is not None
    assert facts.is_archived


@pytest.mark.parametrize("told", [{"StorageClass": "GLACIER_IR"}, {"Metadata": {"vams-status": "active"}}])
async def test_what_can_be_read_at_once_is_not_archived(
    told: Mapping[str, Any], store_of: Callable[..., FileStore]
) -> None:
    facts = await store_of(Scripted(told)).facts(PLACE)
    assert facts is not None
    assert not facts.is_archived


@pytest.mark.parametrize(
    "answer", [*map(refusal, ["404", "NoSuchKey", "NoSuchVersion", "405"]), {"DeleteMarker": True}]
)
async def test_what_is_absent_or_deleted_is_nothing(answer: Any, store_of: Callable[..., FileStore]) -> None:
    assert await store_of(Scripted(answer)).facts(PLACE) is None


@pytest.mark.parametrize(
    "answer", [refusal("403"), refusal("400"), refusal("SlowDown"), EndpointConnectionError(endpoint_url="x")]
)
async def test_what_s3_refuses_or_does_not_answer_is_an_outage(
    answer: Exception, store_of: Callable[..., FileStore]
) -> None:
    with pytest.raises(UpstreamUnavailable):
        await store_of(Scripted(answer)).facts(PLACE)


async def test_without_s3_everything_is_an_outage(store_of: Callable[..., FileStore]) -> None:
    with pytest.raises(UpstreamUnavailable):
        await store_of(None).facts(PLACE)
    with pytest.raises(UpstreamUnavailable):
        await store_of(None).link(PLACE, ObjectFacts(1, None, is_archived=False), 30)


async def test_a_link_is_a_signed_get_of_the_version_with_name_and_type(store_of: Callable[..., FileStore]) -> None:
    made = await store_of(Scripted({})).link(PLACE, ObjectFacts(7, "binary/octet-stream", is_archived=False), 120)
    parts = urlsplit(made.url)
    asked = {name: value for name, (value,) in parse_qs(parts.query).items()}
    assert parts.path == "/bucket/a/b%20c%2Bd/%C3%BC.glb"
    assert asked["versionId"] == "v1"
    assert asked["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256"
    assert asked["X-Amz-Expires"] == "120"
    assert asked["response-content-type"] == made.content_type == "model/gltf-binary"
    assert asked["response-content-disposition"] == "inline; filename=\"_.glb\"; filename*=UTF-8''%C3%BC.glb"
    assert (made.file_name, made.size) == ("ü.glb", 7)
    assert abs(made.expires_at - datetime.now(UTC) - timedelta(seconds=120)) < timedelta(seconds=10)


async def test_a_link_ends_with_the_credentials_that_signed_it(store_of: Callable[..., FileStore]) -> None:
    facts = ObjectFacts(7, None, is_archived=False)
    made = await store_of(Scripted({}), lambda seconds: min(seconds, 45)).link(PLACE, facts, 3600)
    assert parse_qs(urlsplit(made.url).query)["X-Amz-Expires"] == ["45"]
    assert made.expires_at - datetime.now(UTC) < timedelta(seconds=50)


async def test_a_link_is_shown_in_no_traceback_and_no_log(store_of: Callable[..., FileStore]) -> None:
    made = await store_of(Scripted({})).link(PLACE, ObjectFacts(7, None, is_archived=False), 30)
    assert "Signature" not in f"{made!r} {made}"


async def test_bytes_are_read_by_range_with_how_many_there_are(store_of: Callable[..., FileStore]) -> None:
    client = Scripted({"Body": io.BytesIO(b"defg"), "ContentRange": "bytes 3-6/10"})
    assert await store_of(client).read(PLACE, 3, 4) == (b"defg", 10)
    assert client.asked[0]["Range"] == "bytes=3-6"


async def test_beyond_the_end_there_are_no_bytes(store_of: Callable[..., FileStore]) -> None:
    assert await store_of(Scripted(refusal("InvalidRange"))).read(PLACE, 3, 4) == (b"", 0)


def test_an_operation_is_given_so_many_links_and_reads_so_many_bytes(store_of: Callable[..., FileStore]) -> None:
    files = OperationFiles(store_of(None))
    for _ in range(MOST_LINKS):
        files.take_link()
    with pytest.raises(BadUserInput, match="at most 100 links"):
        files.take_link()
    files.take_bytes(MOST_BYTES)
    with pytest.raises(BadUserInput, match="at most 16777216 bytes"):
        files.take_bytes(1)
