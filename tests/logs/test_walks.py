import asyncio
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.aws.calls import Caller
from graph.demo.cloudwatch import EmbeddedLogs, Written
from graph.logs.lines import LineWindow, Mark, Span, stream_digest
from graph.logs.walks import TOO_MANY_AT_ONCE
from tests.logs.unruly import GROUP, Calls, Recorded, Unruly, reader, refused, walk

START = 1_784_021_400_000


@pytest.fixture(scope="module")
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=1)
    yield caller
    caller.close()


def written(*lines: tuple[str, int, str]) -> list[Written]:
    return [Written(GROUP, stream, START + time, message) for stream, time, message in lines]


def many(count: int, *, streams: int = 3) -> list[Written]:
    """Lines that share milliseconds by the handful, within a stream and between streams."""
    chance = random.Random(7)  # noqa: S311
    times = sorted(chance.randrange(count // 4) for _ in range(count))
    return [Written(GROUP, f"job/{chance.randrange(streams)}", START + time, str(n)) for n, time in enumerate(times)]


def marks(lines: list[Written]) -> list[tuple[Mark, str]]:
    """The lines in their order, each with its mark."""
    seen: dict[tuple[int, str], int] = {}
    found = []
    for line in sorted(lines, key=lambda line: line.time):
        ordinal = seen.get((line.time, line.stream), 0)
        seen[line.time, line.stream] = ordinal + 1
        found.append((Mark(line.time, stream_digest(line.stream), ordinal), line.message))
    return sorted(found)


@pytest.mark.parametrize("scope", [{}, {"prefix": "job/"}])
async def test_fifty_thousand_lines_come_once_each_in_order(caller: Caller, scope: dict[str, Any]) -> None:
    lines = many(50_000)
    client = Unruly(EmbeddedLogs(lines), empty=0.2, short=0.2, expired=0.2)
    read, readings = await walk(reader(client, caller, **scope), 1000)
    assert [(line.mark, line.message) for line in read] == marks(lines)
    assert len(readings) == 50
    assert not any(reading.warnings for reading in readings)


async def test_fifty_thousand_lines_of_one_stream_come_from_the_end_too(caller: Caller) -> None:
    lines = many(50_000, streams=1)
    client = Unruly(EmbeddedLogs(lines), empty=0.2, short=0.2, expired=0.2)
    read, _ = await walk(reader(client, caller, streams=("job/0",)), 1000, forward=False)
    assert [(line.mark, line.message) for line in read] == marks(lines)[::-1]


async def test_tokens_that_expire_after_a_day_do_no_harm(caller: Caller) -> None:
    now = [0.0]

    class SlowLogs(EmbeddedLogs):
        def filter_log_events(self, **request: Any) -> Any:
            answer = super().filter_log_events(**{**request, "limit": 5})
            now[0] += 11 * 3600
            return answer

    lines = many(60)
    read, _ = await walk(reader(SlowLogs(lines, clock=lambda: now[0]), caller), 20)
    assert [line.message for line in read] == [message for _, message in marks(lines)]


lines_of_any_kind = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 12), st.sampled_from(["x", "y"])), max_size=40
)


@settings(deadline=None, max_examples=150)
@given(
    lines_of_any_kind,
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from([{}, {"prefix": "a"}, {"streams": ("a",)}, {"streams": ("a", "b")}, {"terms": ("x",)}]),
    st.integers(0, 2**16),
)
def test_a_walk_gives_each_line_once_in_order_whatever_happens(
    lines: list[tuple[str, int, str]], count: int, forward: bool, scope: dict[str, Any], seed: int
) -> None:
    logs = EmbeddedLogs(written(*lines, ("a", 3, "x"), ("b", 3, "x")))
    chosen = [
        line
        for line in written(*lines, ("a", 3, "x"), ("b", 3, "x"))
        if line.stream in scope.get("streams", "abc")
        and line.stream.startswith(scope.get("prefix", ""))
        and all(term in line.message for term in scope.get("terms", ()))
    ]

    async def run() -> None:
        caller = Caller(concurrency=1, attempts=1)
        client = Unruly(logs, seed=seed, empty=0.3, short=0.3, expired=0.2)
        read, _ = await walk(
            reader(client, caller, span=Span(START, START + 3_600_000), **scope), count, forward=forward
        )
        caller.close()
        assert [(line.mark, line.message) for line in read] == marks(chosen)[:: 1 if forward else -1]

    asyncio.run(run())


@settings(deadline=None, max_examples=60)
@given(lines_of_any_kind, st.integers(1, 9), st.booleans(), st.integers(1, 3))
def test_a_walk_comes_to_the_end_however_little_each_reading_may_cost(
    lines: list[tuple[str, int, str]], count: int, forward: bool, calls: int
) -> None:
    async def run() -> None:
        caller = Caller(concurrency=1, attempts=1)
        logs = EmbeddedLogs(written(("a", 0, "x"), *lines))
        of = reader(logs, caller, span=Span(START, START + 3_600_000))
        read, _ = await walk(of, count, forward=forward, calls=calls)
        caller.close()
        assert [line.mark for line in read] == [mark for mark, _ in marks(written(("a", 0, "x"), *lines))][
            :: 1 if forward else -1
        ]

    asyncio.run(run())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.just("x")), min_size=2), st.data())
def test_a_window_between_two_lines_is_the_same_from_both_ends(
    lines: list[tuple[str, int, str]], data: st.DataObject
) -> None:
    expected = [mark for mark, _ in marks(written(*lines))]
    first, last = sorted(data.draw(st.lists(st.sampled_from(range(len(expected))), min_size=2, max_size=2)))

    async def run() -> None:
        caller = Caller(concurrency=1, attempts=1)
        of = reader(EmbeddedLogs(written(*lines)), caller)
        low, high = expected[first], expected[last]
        forward, _ = await walk(of, 3, start=low, stop=high)
        backward, _ = await walk(of, 3, forward=False, start=high, stop=low)
        caller.close()
        assert [line.mark for line in forward] == expected[first + 1 : last]
        assert [line.mark for line in backward] == expected[first + 1 : last][::-1]

    asyncio.run(run())


async def test_one_page_says_that_more_follows_by_one_line_more(caller: Caller) -> None:
    of = reader(EmbeddedLogs(many(100)), caller)
    for count in (0, 1, 99, 100):
        for forward in (True, False):
            reading = await of.read(LineWindow(count, forward), Calls())
            assert len(reading.lines) == min(100, count + 1)
            assert reading.stopped_at is None


async def test_a_page_of_dense_lines_takes_one_call(caller: Caller) -> None:
    client = Recorded(EmbeddedLogs(many(50_000)))
    await reader(client, caller).read(LineWindow(1000, forward=True), Calls())
    assert len(client.requests) == 1


async def test_the_last_lines_of_a_stream_take_one_call(caller: Caller) -> None:
    client = Recorded(EmbeddedLogs(many(50_000, streams=1)))
    reading = await reader(client, caller, streams=("job/0",)).read(LineWindow(20, forward=False), Calls())
    assert [name for name, _ in client.requests] == ["get_log_events"]
    assert len(reading.lines) == 21


async def test_the_last_lines_of_many_streams_take_few_calls(caller: Caller) -> None:
    client = Recorded(EmbeddedLogs(many(50_000)))
    span = Span(START - 300_000, START + 3_600_000)
    reading = await reader(client, caller, span=span).read(LineWindow(20, forward=False), Calls())
    assert {name for name, _ in client.requests} == {"filter_log_events"}
    assert len(client.requests) <= 12
    assert [line.message for line in reading.lines] == [message for _, message in marks(many(50_000))[:-22:-1]]


async def test_a_search_in_vain_is_cut_and_the_next_goes_on_where_it_was_sure(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.demo.cloudwatch._LOOKED_AT", 200)
    haystack = written(*(("a", n, "hay") for n in range(10_000)), ("a", 10_000, "needle"))
    client = Recorded(EmbeddedLogs(haystack))
    read, readings = await walk(reader(client, caller, terms=("needle",)), 5, calls=8)
    assert [line.message for line in read] == ["needle"]
    stops = [reading.stopped_at for reading in readings if reading.stopped_at]
    assert stops == sorted(stops)


async def test_a_failure_in_the_middle_keeps_the_lines_before_it(caller: Caller) -> None:
    class Failing(EmbeddedLogs):
        def filter_log_events(self, **request: Any) -> Any:
            if "nextToken" in request:
                raise refused("ServiceUnavailableException", 503)
            return super().filter_log_events(**{**request, "limit": 10})

    reading = await reader(Failing(many(100)), caller).read(LineWindow(50, forward=True), Calls())
    assert reading.failure == "ServiceUnavailableException"
    assert 0 < len(reading.lines) <= 10
    assert reading.stopped_at is not None
    assert reading.stopped_at > reading.lines[-1].mark


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("scope", [{"prefix": "a"}, {"streams": ("a",)}])
async def test_a_millisecond_too_large_to_be_read_is_given_up_in_words(
    caller: Caller, forward: bool, scope: dict[str, Any]
) -> None:
    crowd = written(("a", 0, "first"), *(("a", 1, "x") for _ in range(500)), ("a", 2, "last"))

    class Small(EmbeddedLogs):
        def filter_log_events(self, **request: Any) -> Any:
            return super().filter_log_events(**{**request, "limit": 20})

        def get_log_events(self, **request: Any) -> Any:
            return super().get_log_events(**{**request, "limit": 20})

    read, readings = await walk(reader(Small(crowd), caller, **scope), 10, forward=forward, calls=2)
    messages = [line.message for line in read]
    assert {messages[0], messages[-1]} == {"first", "last"}
    assert any(TOO_MANY_AT_ONCE in reading.warnings for reading in readings)


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("scope", [{"prefix": "a"}, {"streams": ("a",)}])
async def test_long_lines_make_short_pages(caller: Caller, forward: bool, scope: dict[str, Any]) -> None:
    lines = written(*(("a", n, "x" * 250_000) for n in range(60)))
    read, readings = await walk(reader(EmbeddedLogs(lines), caller, **scope), 1000, forward=forward)
    assert len(read) == 60
    assert all(sum(len(line.message) for line in reading.lines) < 10_000_000 for reading in readings)
    assert len(readings) > 1
