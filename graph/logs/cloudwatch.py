"""The two reads of CloudWatch Logs: a search of a group by time, and a stream from its end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graph.aws.calls import NOT_FOUND, Caller, CallFailed
from graph.aws.clients import LogsClient
from graph.logs.lines import FoundEvent, Span
from graph.logs.scope import LogScope

MOST_EVENTS = 10_000  # that one call gives
MOST_STREAMS = 100  # that one call searches

_STALE_TOKEN = "InvalidParameterException"  # noqa: S105 - a code


def is_not_found(code: str) -> bool:
    """Return whether an error code says that a group or stream does not exist."""
    return "ResourceNotFound" in code


class TokenExpired(Exception):
    """CloudWatch does not know its token any more; the search has to begin anew."""


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events by time. It may be empty although more follow; ``token`` is None at the end."""

    events: Sequence[FoundEvent]
    token: str | None


class CloudWatch:
    """Reads events. One per process; safe to use from many operations at once."""

    def __init__(self, client: LogsClient, caller: Caller) -> None:
        self._client = client
        self._caller = caller

    async def search(self, scope: LogScope, span: Span, limit: int, token: str | None) -> EventPage:
        """Return the next events of a scope, oldest first, with FilterLogEvents.

        Raises:
            CallFailed: when they cannot be read.
            TokenExpired: when the token is good no more.
        """
        request: dict[str, Any] = {
            "logGroupIdentifier": scope.group_arn,
            "startTime": span.low,
            "endTime": span.high,
            # Of the lines of many tasks few are kept, so as many are looked at as one call gives.
            "limit": MOST_EVENTS if scope.tasks else min(limit, MOST_EVENTS),
        }
        if scope.streams:
            request["logStreamNames"] = list(scope.streams)
        elif scope.prefix:
            request["logStreamNamePrefix"] = scope.prefix
        if scope.pattern:
            request["filterPattern"] = scope.pattern
        answer = await self._page("logs.FilterLogEvents", self._client.filter_log_events, request, token)
        events = [
            _event(raw, raw["logStreamName"])
            for raw in answer.get("events", ())
            if scope.holds(raw["logStreamName"], raw["message"])
        ]
        return EventPage(events, answer.get("nextToken"))

    async def before(self, scope: LogScope, stream: str, span: Span, limit: int, token: str | None) -> EventPage:
        """Return the last events of a stream before those that the token stands for, with GetLogEvents.

        Raises as :meth:`search` does.
        """
        request = {
            "logGroupIdentifier": scope.group_arn,
            "logStreamName": stream,
            "startTime": span.low,
            "endTime": span.high + 1,  # the one end that AWS does not include
            "limit": min(limit, MOST_EVENTS),
            "startFromHead": False,
        }
        answer = await self._page("logs.GetLogEvents", self._client.get_log_events, request, token)
        following = answer.get("nextBackwardToken")
        events = [_event(raw, stream) for raw in answer.get("events", ())]
        return EventPage(events, None if following == token else following)  # at the end, the token stays as it is

    async def has_stream(self, scope: LogScope, stream: str) -> bool:
        """Return whether a stream exists in the group of a scope, with GetLogEvents.

        Raises:
            CallFailed: when that cannot be told.
        """
        request = {"logGroupIdentifier": scope.group_arn, "logStreamName": stream, "limit": 1}
        try:
            await self._caller.call("logs.GetLogEvents", self._client.get_log_events, request)
        except CallFailed as failure:
            if is_not_found(failure.code):
                return False
            raise
        return True

    async def _page(
        self, operation: str, method: Callable[..., Any], request: dict[str, Any], token: str | None
    ) -> Any:
        if token is None:
            return await self._caller.call(operation, method, request)
        try:
            return await self._caller.call(
                operation, method, request | {"nextToken": token}, expected=NOT_FOUND | {_STALE_TOKEN}
            )
        except CallFailed as failure:
            # The rest of the request was good when the token was made, so it is the token.
            if failure.code == _STALE_TOKEN:
                raise TokenExpired from failure
            raise


def _event(raw: Any, stream: str) -> FoundEvent:
    return FoundEvent(raw["timestamp"], stream, raw["message"], raw.get("ingestionTime"))
