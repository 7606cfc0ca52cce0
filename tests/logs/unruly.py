"""CloudWatch Logs on a bad day, and readings of it to the end."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from botocore.exceptions import ClientError

from graph.aws.calls import Caller
from graph.demo.cloudwatch import EmbeddedLogs
from graph.logs.cloudwatch import CloudWatch
from graph.logs.lines import Line, LineWindow, Mark, Span
from graph.logs.reading import LineReader, LogReading
from graph.logs.scope import LogScope
from graph.logs.walks import ScopeReader

ARN = "arn:aws:logs:us-west-2:123456789012:log-group:"
GROUP = "/aws/batch/job"
ALL_TIME = Span(0, 10_000_000_000_000)


def refused(code: str, status: int = 400) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "call")  # type: ignore[typeddict-item]


class Recorded:
    """A client that remembers what it was asked."""

    def __init__(self, client: Any) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            self.requests.append((name, request))
            return getattr(self._client, name)(**request)

        return call


class Unruly:
    """Gives empty pages with a token, pages shorter than asked, and forgets its tokens, each now and then."""

    def __init__(
        self, logs: EmbeddedLogs, *, seed: int = 0, empty: float = 0, short: float = 0, expired: float = 0
    ) -> None:
        self._logs = logs
        self._random = random.Random(seed)  # noqa: S311
        self._empty, self._short, self._expired = empty, short, expired

    def filter_log_events(self, **request: Any) -> Any:
        return self._answer(self._logs.filter_log_events, "nextToken", request)

    def get_log_events(self, **request: Any) -> Any:
        return self._answer(self._logs.get_log_events, "nextBackwardToken", request)

    def _answer(self, call: Callable[..., Any], token_name: str, request: dict[str, Any]) -> Any:
        token = request.pop("nextToken", None)
        if token is not None and self._random.random() < self._expired:
            raise refused("InvalidParameterException")
        plain = None if token is None else token.lstrip("~") or None
        if self._random.random() < self._empty:
            return {"events": [], token_name: "~" + (token or "")}
        if self._random.random() < self._short:
            request["limit"] = self._random.randint(1, request["limit"])
        answer = call(**request) if plain is None else call(**request, nextToken=plain)
        if answer.get(token_name) == plain and plain is not None:
            answer[token_name] = token  # at the end of a stream the token stays, as it was given
        return answer


class Calls:
    """An allowance of some calls."""

    def __init__(self, calls: int = 10_000) -> None:
        self.left = calls

    def spend(self, calls: int) -> None:
        self.left -= calls

    @property
    def spent(self) -> object | None:
        return None if self.left > 0 else "calls"


def reader(client: Any, caller: Caller, *, span: Span = ALL_TIME, **scope: Any) -> ScopeReader:
    return ScopeReader(CloudWatch(client, caller), LogScope(ARN + GROUP, **scope), span)


async def walk(
    of: LineReader,
    count: int,
    *,
    forward: bool = True,
    start: Mark | None = None,
    stop: Mark | None = None,
    calls: int = 10_000,
) -> tuple[list[Line], list[LogReading]]:
    """Every line from a start on, page by page, as a client gets them; and the readings that brought them."""
    lines: list[Line] = []
    readings: list[LogReading] = []
    width = None
    while len(readings) < 10_000:
        reading = await of.read(LineWindow(count, forward, start, stop, width), Calls(calls))
        readings.append(reading)
        shown: Sequence[Line] = reading.lines[:count]
        lines += shown
        if len(reading.lines) <= count and reading.stopped_at is None:
            return lines, readings
        start = reading.stopped_at or shown[-1].mark
        width = reading.width
    raise AssertionError("the walk does not end")
