"""The server of the demo's links: a GET with a valid signature that has not ended, and nothing else."""

import calendar
import http.client
import json
import struct
import time
import zlib
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from graph.demo.objects import find_object, named_objects
from graph.demo.s3 import EmbeddedS3, StoredObject

OBJECTS = {
    ("bucket", "a/b c+d/ü.glb", "v1"): StoredObject(b"glTF", "model/gltf-binary"),
    ("bucket", "plain.txt", None): StoredObject(b"text", "text/plain"),
}


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def s3() -> Iterator[EmbeddedS3]:
    with EmbeddedS3(lambda bucket, key, version: OBJECTS.get((bucket, key, version))) as served:
        yield served


def link(s3: EmbeddedS3, key: str = "a/b c+d/ü.glb", version: str | None = "v1", seconds: int = 60) -> str:
    pinned = {"VersionId": version} if version else {}
    given = {"ResponseContentType": "model/gltf-binary", "ResponseContentDisposition": 'inline; filename="a b.glb"'}
    return s3.generate_presigned_url("get_object", {"Bucket": "bucket", "Key": key, **pinned, **given}, seconds)


def fetch(url: str, method: str = "GET", **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=5)
    try:
        connection.request(method, f"{parts.path}?{parts.query}", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_a_link_gives_the_bytes_with_the_type_and_the_name_that_were_signed(s3: EmbeddedS3) -> None:
    status, headers, body = fetch(link(s3))
    assert (status, body) == (200, b"glTF")
    assert headers["Content-Type"] == "model/gltf-binary"
    assert headers["Content-Disposition"] == 'inline; filename="a b.glb"'
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert fetch(link(s3, "plain.txt", None))[2] == b"text"


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
def test_no_other_method_is_answered(s3: EmbeddedS3, method: str) -> None:
    assert fetch(link(s3), method)[0] == 403


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/bucket/", "/other/"),
        ("%C3%BC.glb", "plain.txt"),
        ("versionId=v1", "versionId=v2"),
        ("versionId=v1&", ""),
        ("X-Amz-Expires=60", "X-Amz-Expires=61"),
        ("X-Amz-Expires=60", "X-Amz-Expires=0"),
        ("X-Amz-Expires=60", "X-Amz-Expires=x"),
        ("model%2Fgltf-binary", "text%2Fhtml"),
        ("inline", "attachment"),
        ("Credential=DEMO", "Credential=EVIL"),
        ("SignedHeaders=host", "SignedHeaders=x"),
        ("Signature=", "Signature=0"),
        ("X-Amz-Signature", "X-Amz-Nothing"),
    ],
)
def test_a_link_that_was_changed_opens_nothing(s3: EmbeddedS3, old: str, new: str) -> None:
    url = link(s3)
    assert old in url
    status, _, body = fetch(url.replace(old, new))
    assert status == 403
    assert b"AccessDenied" in body


def test_without_a_signature_nothing_is_told(s3: EmbeddedS3) -> None:
    for path in ("/", "/bucket", "/bucket/plain.txt", "/bucket/absent", "/?list-type=2"):
        assert fetch(f"{s3.endpoint}{path}")[2] == fetch(f"{s3.endpoint}/")[2]


def test_a_link_is_for_this_host(s3: EmbeddedS3) -> None:
    assert fetch(link(s3), Host="localhost")[0] == 403


def test_the_key_of_another_run_opens_nothing(s3: EmbeddedS3) -> None:
    other = EmbeddedS3(lambda bucket, key, version: None)
    other.endpoint = s3.endpoint
    assert fetch(link(other))[0] == 403


def test_a_link_ends() -> None:
    clock = Clock()
    with EmbeddedS3(lambda bucket, key, version: OBJECTS.get((bucket, key, version)), clock) as served:
        url = link(served)
        clock.now = signed = _signed_at(url)
        assert fetch(url)[0] == 200
        for moment, expected in ((signed + 59, 200), (signed + 60, 403), (signed + 9_999, 403), (signed - 60, 403)):
            clock.now = moment
            assert fetch(url)[0] == expected


def _signed_at(url: str) -> float:
    (said,) = (one for one in urlsplit(url).query.split("&") if one.startswith("X-Amz-Date="))
    return calendar.timegm(time.strptime(said.removeprefix("X-Amz-Date="), "%Y%m%dT%H%M%SZ"))


def test_what_a_link_leads_to_may_be_gone(s3: EmbeddedS3) -> None:
    assert fetch(link(s3, "absent.glb"))[0] == 404


def test_no_request_is_logged(s3: EmbeddedS3, capfd: pytest.CaptureFixture[str]) -> None:
    fetch(link(s3))
    fetch(f"{s3.endpoint}/?X-Amz-Signature=secret")
    assert capfd.readouterr() == ("", "")


def of_demo(end: str) -> StoredObject:
    place = next(place for place in named_objects() if place[1].endswith(end))
    found = find_object(*place, None)
    assert found is not None
    return found


def test_pictures_of_the_demo_are_pictures() -> None:
    body = of_demo(".png").body
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", body[16:24])
    length = struct.unpack(">I", body[33:37])[0]
    assert len(zlib.decompress(body[41 : 41 + length])) == height * (1 + width * 3)


def test_models_of_the_demo_are_models() -> None:
    body = of_demo(".glb").body
    magic, version, length, text = struct.unpack("<4sIII", body[:16])
    assert (magic, version, length) == (b"glTF", 2, len(body))
    scene = json.loads(body[20 : 20 + text])
    assert scene["accessors"][0]["max"] == [1.0, 1.0, 1.0]
    assert scene["buffers"][0]["byteLength"] == len(body) - 28 - text


def test_other_files_of_the_demo_are_what_their_names_say() -> None:
    assert json.loads(of_demo(".json").body)["checks"]["watertight"] is True
    assert of_demo(".txt").content_type == "text/plain"


def test_what_no_row_names_is_not_there() -> None:
    assert find_object("vams-run-bucket", "absent", None) is None
    assert find_object("vams-assets-main", "pump-station/models/pump.step", "absent") is None
