"""The embedded S3 of the demo: what the graph asks of objects, in process, and a server for the links that it gives.

The server answers a GET whose signature is valid and has not ended, and nothing else. It listens on loopback, and the
key that links are signed with is made for the run.
"""

import hashlib
import hmac
import io
import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, quote, unquote
from wsgiref.types import StartResponse, WSGIEnvironment

from botocore.config import Config
from botocore.exceptions import ClientError

from graph.demo.model import REGION

if TYPE_CHECKING:
    from werkzeug.serving import BaseWSGIServer

LOOPBACK = "127.0.0.1"
_POLL_SECONDS = 0.05
_MOST_SECONDS = 7 * 24 * 3600  # that S3 takes
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object of a bucket; ``metadata`` and ``storage_class`` as S3 tells them."""

    body: bytes
    content_type: str = "binary/octet-stream"
    metadata: Mapping[str, str] = field(default_factory=dict)
    storage_class: str = ""


Find = Callable[[str, str, str | None], StoredObject | None]
"""Finds an object by bucket, key and version, the newest one without a version; None where there is none."""


class EmbeddedS3:
    """A client of S3 over objects in memory, and the server of its links while it is entered.

    Args:
        find: what finds objects.
        clock: the Unix time in seconds, by which links end.
    """

    def __init__(self, find: Find, clock: Callable[[], float] = time.time) -> None:
        self.endpoint = f"http://{LOOPBACK}:9"  # nobody listens there
        self._find = find
        self._clock = clock
        self._access_key = f"DEMO{secrets.token_hex(8).upper()}"
        self._secret = secrets.token_hex(20)

    def __enter__(self) -> Self:
        from werkzeug.serving import WSGIRequestHandler, make_server

        logging.getLogger("werkzeug").setLevel(logging.ERROR)

        class Quiet(WSGIRequestHandler):
            """Logs no request: its line holds the link."""

            timeout = 10

            def log_request(self, *_: object) -> None:
                """Log nothing."""

        self._server: BaseWSGIServer = make_server(LOOPBACK, 0, self._answer, threaded=True, request_handler=Quiet)
        self.endpoint = f"http://{LOOPBACK}:{self._server.port}"
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # What the graph asks. The names of arguments are those of boto3.

    def head_object(self, *, Bucket: str, Key: str, VersionId: str | None = None) -> Mapping[str, Any]:  # noqa: N803
        """Tell of an object."""
        found = self._found("HeadObject", "404", Bucket, Key, VersionId)
        told = {"ContentLength": len(found.body), "ContentType": found.content_type, "Metadata": dict(found.metadata)}
        return told | ({"StorageClass": found.storage_class} if found.storage_class else {})

    def get_object(self, *, Bucket: str, Key: str, Range: str, VersionId: str | None = None) -> Mapping[str, Any]:  # noqa: N803
        """Read a range of an object."""
        found = self._found("GetObject", "NoSuchKey", Bucket, Key, VersionId)
        match = _RANGE.fullmatch(Range)
        first, last = (int(match[1]), int(match[2])) if match else (0, len(found.body))
        if first >= len(found.body):
            raise ClientError({"Error": {"Code": "InvalidRange"}}, "GetObject")
        body = found.body[first : last + 1]
        told = f"bytes {first}-{first + len(body) - 1}/{len(found.body)}"
        return {"Body": io.BytesIO(body), "ContentLength": len(body), "ContentRange": told}

    def generate_presigned_url(self, method: str, Params: Mapping[str, Any], ExpiresIn: int) -> str:  # noqa: N803
        """Sign a link, as boto3 does."""
        signed: str = self._signer.generate_presigned_url(method, Params=Params, ExpiresIn=ExpiresIn)
        return signed

    @cached_property
    def _signer(self) -> Any:
        import boto3  # late, as in graph.aws.sessions
        import botocore.session

        session = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
        return boto3.Session(botocore_session=session).client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=self._access_key,
            aws_secret_access_key=self._secret,
            config=Config(proxies={}, signature_version="s3v4", s3={"addressing_style": "path"}),
        )

    def _found(self, operation: str, absent: str, bucket: str, key: str, version: str | None) -> StoredObject:
        found = self._find(bucket, key, version)
        if found is None:
            raise ClientError({"Error": {"Code": absent}}, operation)
        return found

    # The server of links.

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path, _, query = str(environ.get("REQUEST_URI") or "").partition("?")
        given = dict(parse_qsl(query, keep_blank_values=True))
        if environ["REQUEST_METHOD"] != "GET" or not self._is_signed(path, given, environ.get("HTTP_HOST", "")):
            return _refuse(start_response, "403 Forbidden", "AccessDenied")
        bucket, _, key = unquote(path.lstrip("/")).partition("/")
        found = self._find(bucket, key, given.get("versionId"))
        if found is None:
            return _refuse(start_response, "404 Not Found", "NoSuchKey")
        headers = [
            ("Content-Type", given.get("response-content-type", found.content_type)),
            ("Content-Length", str(len(found.body))),
            ("X-Content-Type-Options", "nosniff"),
            ("Access-Control-Allow-Origin", "*"),  # whoever has the link may read it, a viewer of models too
        ]
        if disposition := given.get("response-content-disposition"):
            headers.append(("Content-Disposition", disposition))
        start_response("200 OK", headers)
        return [found.body]

    def _is_signed(self, path: str, given: Mapping[str, str], host: str) -> bool:
        """Tell whether a link is signed with the run's key, for this host, and has not ended (Signature Version 4)."""
        try:
            signed_at = datetime.strptime(given["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
            seconds = int(given["X-Amz-Expires"])
            signature = given["X-Amz-Signature"]
        except (KeyError, ValueError):
            return False
        scope = f"{given['X-Amz-Date'][:8]}/{REGION}/s3/aws4_request"
        if given.get("X-Amz-Credential") != f"{self._access_key}/{scope}" or given.get("X-Amz-SignedHeaders") != "host":
            return False
        rest = sorted((_encoded(name), _encoded(value)) for name, value in given.items() if name != "X-Amz-Signature")
        asked = "&".join(f"{name}={value}" for name, value in rest)
        canonical = f"GET\n{quote(unquote(path), safe='/~')}\n{asked}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{given['X-Amz-Date']}\n{scope}\n{digest}"
        key = f"AWS4{self._secret}".encode()
        for part in (*scope.split("/"), text):
            key = hmac.digest(key, part.encode(), "sha256")
        is_ours = hmac.compare_digest(key.hex().encode(), signature.encode())
        return is_ours and 0 < seconds <= _MOST_SECONDS and signed_at <= self._clock() < signed_at + seconds


def _encoded(text: str) -> str:
    return quote(text, safe="~")


def _refuse(start_response: StartResponse, status: str, code: str) -> list[bytes]:
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code></Error>'.encode()
    start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
    return [body]
