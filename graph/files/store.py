"""S3 as the rest of the graph reads it: objects by place, off the event loop, within what one operation may."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from botocore.exceptions import BotoCoreError

from graph.aws.calls import Caller, CallFailed
from graph.aws.clients import S3Client
from graph.errors import BadUserInput, UpstreamUnavailable
from graph.files import kinds
from graph.tables.records.inputs import S3Location

ResultT = TypeVar("ResultT")

log = logging.getLogger(__name__)

MOST_LINKS = 100
"""Links that one operation is given."""

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of objects that one operation reads."""

_ABSENT = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NoSuchBucket", "NotFound", "405", "MethodNotAllowed"})
_BEYOND_END = frozenset({"416", "InvalidRange"})
_ARCHIVES = frozenset({"GLACIER", "DEEP_ARCHIVE"})
_ARCHIVED = frozenset({"archived", "deleted"})
_RANGE = re.compile(r"bytes \d+-\d+/(?P<total>\d+)")


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """What S3 tells of an object without its bytes. ``is_archived`` as VAMS counts it: by class or by its own mark."""

    size: int | None
    content_type: str | None
    is_archived: bool


@dataclass(frozen=True, slots=True)
class FileDownload:
    """A link that reads one object until it expires. It is a secret: whoever has it needs no credentials."""

    url: str
    expires_at: datetime
    file_name: str
    content_type: str
    size: int | None

    def __repr__(self) -> str:
        """Show no URL: a traceback or a log would give the file away."""
        return f"FileDownload({self.file_name!r})"


class FileStore:
    """Reads objects and makes links to them. One per process; safe to use from many operations at once.

    Args:
        client: None where the process has no S3.
        caller: makes the calls.
        lasting: how many of some seconds the credentials that sign last.
    """

    def __init__(self, client: S3Client | None, caller: Caller, lasting: Callable[[int], int]) -> None:
        self._client = client
        self._caller = caller
        self._lasting = lasting

    def close(self) -> None:
        """Wait for calls in flight."""
        self._caller.close()

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Run work that would block the event loop in a thread, and return its result."""
        return await self._caller.run(work)

    async def facts(self, place: S3Location) -> ObjectFacts | None:
        """Return what HeadObject tells of an object; None where there is none, or its version is a delete marker.

        Raises:
            UpstreamUnavailable: when S3 refuses or does not answer.
        """
        said = await self._call("s3.HeadObject", "head_object", _request(place))
        if said is None or said.get("DeleteMarker"):
            return None
        marked = str({name.lower(): value for name, value in said.get("Metadata", {}).items()}.get("vams-status", ""))
        return ObjectFacts(
            size=said.get("ContentLength"),
            content_type=said.get("ContentType"),
            is_archived=marked.lower() in _ARCHIVED or said.get("StorageClass") in _ARCHIVES,
        )

    async def link(self, place: S3Location, facts: ObjectFacts, seconds: int) -> FileDownload:
        """Return a link to an object that was asked for, with name and type set; shorter where credentials end sooner.

        Raises:
            UpstreamUnavailable: when there are no credentials to sign with.
        """
        name = kinds.file_name(place.key)
        media_type = kinds.media_type(name, facts.content_type)
        request = _request(place) | {
            "ResponseContentType": media_type,
            "ResponseContentDisposition": kinds.disposition(name, media_type),
        }

        client = self._client
        if client is None:
            raise UpstreamUnavailable("S3")

        def sign() -> str:
            lasts = max(1, self._lasting(seconds))
            return client.generate_presigned_url("get_object", Params=request, ExpiresIn=lasts)

        try:
            url = await self._caller.run(sign)
        except BotoCoreError as error:
            log.warning("Signing a link of S3 failed: %s", type(error).__name__)
            raise UpstreamUnavailable("S3") from None
        return FileDownload(url, _end(url), name, media_type, facts.size)

    async def read(self, place: S3Location, first: int, count: int) -> tuple[bytes, int] | None:
        """Return bytes of an object from an offset, and how many it has; None where there is no such object.

        Beyond the end there are no bytes, and the total is 0 where S3 does not tell it.

        Raises:
            UpstreamUnavailable: when S3 refuses or does not answer.
        """
        request = _request(place) | {"Range": f"bytes={first}-{first + count - 1}"}
        said = await self._call("s3.GetObject", "get_object", request, lambda: {"Body": b"", "ContentRange": ""})
        if said is None:
            return None
        total = _RANGE.fullmatch(str(said.get("ContentRange", "")))
        body = bytes(said["Body"])
        return body, int(total["total"]) if total else 0

    async def _call(
        self,
        operation: str,
        method: str,
        request: Mapping[str, Any],
        beyond_end: Callable[[], Mapping[str, Any]] | None = None,
    ) -> Mapping[str, Any] | None:
        client = self._client
        if client is None:
            raise UpstreamUnavailable("S3")

        def call(**request: Any) -> Mapping[str, Any]:
            said: dict[str, Any] = dict(getattr(client, method)(**request))
            if "Body" in said:  # read in the thread that called: it is a stream
                said["Body"] = said["Body"].read()
            return said

        try:
            return await self._caller.call(operation, call, request, expected={*_ABSENT, *_BEYOND_END})
        except CallFailed as failure:
            if failure.code in _ABSENT:
                return None
            if beyond_end is not None and failure.code in _BEYOND_END:
                return beyond_end()
            raise UpstreamUnavailable("S3") from None


class OperationFiles:
    """What one operation may still take of files."""

    def __init__(self, store: FileStore) -> None:
        self.store = store
        self._links_left = MOST_LINKS
        self._bytes_left = MOST_BYTES

    def take_link(self) -> None:
        """Count a link.

        Raises:
            BadUserInput: when the operation was given as many as it may be.
        """
        if self._links_left <= 0:
            raise BadUserInput(f"An operation is given at most {MOST_LINKS} links; ask for the others in another.")
        self._links_left -= 1

    def take_bytes(self, count: int) -> None:
        """Count bytes that are to be read.

        Raises:
            BadUserInput: when the operation read as many as it may.
        """
        if self._bytes_left < count:
            raise BadUserInput(
                f"An operation reads at most {MOST_BYTES} bytes of files, those around each part included; ask for "
                "the other parts in another."
            )
        self._bytes_left -= count


def _request(place: S3Location) -> dict[str, Any]:
    pinned = {"VersionId": place.version_id} if place.version_id else {}
    return {"Bucket": place.bucket, "Key": place.key, **pinned}


def _end(url: str) -> datetime:
    """Return when a signed URL ends, which it says itself."""
    said = parse_qs(urlsplit(url).query)
    signed_at = datetime.strptime(said["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return signed_at + timedelta(seconds=int(said["X-Amz-Expires"][0]))
