"""CloudWatch Logs in memory, as its documentation says, for the calls that logs are read with.

Pages end at their limit, at 1 MB, and after so many events that were looked at, matching or not; so a page may be
empty although more follow. Tokens hold for one request and for a day.
"""

import base64
import json
import re
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

_MOST_EVENTS = 10_000
_MOST_BYTES = 1024 * 1024
_EVENT_BYTES = 26  # that each event counts beside its message
_LOOKED_AT = 20_000  # events, by one search
_TOKEN_SECONDS = 24 * 3600
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_time = attrgetter("time")


class Written(NamedTuple):
    """A line that was written; the time is a Unix time in milliseconds."""

    group: str
    stream: str
    time: int
    message: str


@dataclass(slots=True)
class _Group:
    lines: list[Written] = field(default_factory=list)
    streams: dict[str, list[Written]] = field(default_factory=lambda: defaultdict(list))


class EmbeddedLogs:
    """Some log groups; ``denied`` are groups that nobody may read. ``clock`` tells the Unix time in seconds.

    The lines of ``live`` groups come when their time does.
    """

    def __init__(
        self,
        written: Iterable[Written],
        denied: Iterable[str] = (),
        clock: Callable[[], float] = time.time,
        live: Iterable[str] = (),
    ) -> None:
        self._groups: dict[str, _Group] = defaultdict(_Group)
        self._denied = frozenset(denied)
        self._live = frozenset(live)
        self._clock = clock
        for line in sorted(written, key=_time):  # lines of one millisecond stay as they came in
            group = self._groups[line.group]
            group.lines.append(line)
            group.streams[line.stream].append(line)

    def filter_log_events(self, **request: Any) -> dict[str, Any]:
        """Return one page of a search, oldest first."""
        call = "FilterLogEvents"
        group = self._group(request, call)
        names, prefix = request.get("logStreamNames"), request.get("logStreamNamePrefix")
        if names is not None and prefix is not None:
            raise _refused(call, "InvalidParameterException")
        if any(name not in group.streams for name in names or ()):
            raise _refused(call, "ResourceNotFoundException")
        lines = group.streams[names[0]] if names and len(names) == 1 else group.lines
        first = bisect_left(lines, request.get("startTime", 0), key=_time)
        end = bisect_right(lines, request["endTime"], key=_time) if "endTime" in request else len(lines)
        place = self._open(request, call, first)
        limit, size, found = _limit(request, call), 0, list[dict[str, Any]]()
        terms = [quoted or plain for quoted, plain in _TERM.findall(request.get("filterPattern", ""))]
        last = min(end, place + _LOOKED_AT)
        while place < last and len(found) < limit:
            line = lines[place]
            if _is_within(line, names, prefix) and all(term in line.message for term in terms):
                size += _size(line)
                if size > _MOST_BYTES and found:
                    break
                found.append({"logStreamName": line.stream, "eventId": f"{line.time:020}{place:036}", **_shown(line)})
            place += 1
        answer: dict[str, Any] = {"events": found, "searchedLogStreams": []}
        return answer | {"nextToken": self._seal(request, place)} if place < end else answer

    def get_log_events(self, **request: Any) -> dict[str, Any]:
        """Return one page of a stream, from its head or its end; in either case oldest first."""
        call = "GetLogEvents"
        group = self._group(request, call)
        if request["logStreamName"] not in group.streams:
            raise _refused(call, "ResourceNotFoundException")
        lines = group.streams[request["logStreamName"]]
        first = bisect_left(lines, request.get("startTime", 0), key=_time)
        end = bisect_left(lines, request["endTime"], key=_time) if "endTime" in request else len(lines)
        forward = request.get("startFromHead", False)
        place = self._open(request, call, first if forward else max(first, end))
        limit = _limit(request, call)
        candidates = lines[place:end] if forward else lines[first:place][::-1]
        found = _up_to(candidates, limit)
        low, high = (place, place + len(found)) if forward else (place - len(found), place)
        return {
            "events": [_shown(line) for line in (found if forward else reversed(found))],
            "nextForwardToken": self._seal(request, high),
            "nextBackwardToken": self._seal(request, low),
        }

    def _group(self, request: dict[str, Any], call: str) -> _Group:
        name = request["logGroupIdentifier"].rpartition(":log-group:")[2]
        if name in self._denied:
            raise _refused(call, "AccessDeniedException")
        if name not in self._groups:
            raise _refused(call, "ResourceNotFoundException")
        return self._so_far(self._groups[name]) if name in self._live else self._groups[name]

    def _so_far(self, group: _Group) -> _Group:
        """Return a group without the lines whose time is still to come."""
        now = self._clock() * 1000
        streams = {name: lines[: bisect_right(lines, now, key=_time)] for name, lines in group.streams.items()}
        return _Group(group.lines[: bisect_right(group.lines, now, key=_time)], defaultdict(list, streams))

    def _seal(self, request: dict[str, Any], place: int) -> str:
        held = request.get("nextToken")
        if held is not None and self._read(held)["place"] == place:
            return str(held)  # at an end, the token stays as it is
        token = {"place": place, "made": self._clock(), "of": _identity(request)}
        return base64.b64encode(json.dumps(token).encode()).decode()

    def _open(self, request: dict[str, Any], call: str, place: int) -> int:
        if "nextToken" not in request:
            return place
        token = self._read(request["nextToken"])
        if token["of"] != _identity(request) or self._clock() - token["made"] > _TOKEN_SECONDS:
            raise _refused(call, "InvalidParameterException")
        return int(token["place"])

    @staticmethod
    def _read(token: str) -> Any:
        return json.loads(base64.b64decode(token))


def _identity(request: dict[str, Any]) -> Any:
    """Return the request that a token continues, whatever its limit."""
    named = {name: value for name, value in request.items() if name not in ("nextToken", "limit")}
    return json.loads(json.dumps(named, sort_keys=True))


def _is_within(line: Written, names: Sequence[str] | None, prefix: str | None) -> bool:
    return (names is None or line.stream in names) and (prefix is None or line.stream.startswith(prefix))


def _up_to(lines: Sequence[Written], limit: int) -> list[Written]:
    size, found = 0, list[Written]()
    for line in lines[:limit]:
        size += _size(line)
        if size > _MOST_BYTES and found:
            break
        found.append(line)
    return found


def _limit(request: dict[str, Any], call: str) -> int:
    limit = request.get("limit", _MOST_EVENTS)
    if not 1 <= limit <= _MOST_EVENTS:
        raise _refused(call, "InvalidParameterException")
    return int(limit)


def _size(line: Written) -> int:
    return len(line.message.encode()) + _EVENT_BYTES


def _shown(line: Written) -> dict[str, Any]:
    return {"timestamp": line.time, "message": line.message, "ingestionTime": line.time + 400}


def _refused(call: str, code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}, call)  # type: ignore[typeddict-item]
