"""The scope of an operation: what is begun within it ends with it, and loads begin when nothing else can go on."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from graph import operation
from graph.operation import Finisher, OperationScope


def future() -> "asyncio.Future[Any]":
    return asyncio.get_running_loop().create_future()


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


# What ends with an operation


async def never(ended: list[str]) -> None:
    try:
        await future()
    finally:
        await asyncio.sleep(0)  # a clean-up that waits is waited for too
        ended.append("ended")


async def nested(scope: OperationScope, ended: list[str]) -> None:
    await scope.gather(never(ended), never(ended))


@pytest.mark.parametrize(
    ("begin", "count"),
    [
        (lambda scope, ended: [never(ended)], 1),
        (lambda scope, ended: [nested(scope, ended)], 2),
        (lambda scope, ended: [never(ended), nested(scope, ended), never(ended)], 4),
    ],
    ids=["a task", "what a task gathers", "several"],
)
async def test_nothing_of_an_operation_runs_on_after_it(
    begin: Callable[[OperationScope, list[str]], list[Coroutine[Any, Any, None]]], count: int
) -> None:
    ended: list[str] = []
    async with OperationScope() as scope:
        for work in begin(scope, ended):
            scope.start(work)
        await turns(3)
    assert ended == ["ended"] * count
    assert not scope.tasks


async def test_what_never_began_leaves_no_warning() -> None:
    async with OperationScope() as scope:
        scope.start(never([]))
    assert not scope.tasks


async def test_what_is_to_finish_goes_on_after_the_operation_in_a_scope_of_its_own() -> None:
    finisher, told, seen = Finisher(), future(), list[str]()

    async def work(own: OperationScope) -> None:
        (found,) = await own.gather(own.follow(told))
        seen.append(found)

    scope = OperationScope(finisher)
    waiting = scope.start(scope.finish("work", work, 5))
    await turns(5)
    await scope.close()
    assert waiting.cancelled()
    assert seen == []
    told.set_result("done")
    await finisher.settle(5)
    assert seen == ["done"]
    assert len(asyncio.all_tasks()) == 1


async def test_what_is_to_finish_gives_its_result_and_its_error() -> None:
    async def give(_scope: OperationScope) -> int:
        return 3

    async def fail(_scope: OperationScope) -> None:
        raise ValueError

    async with OperationScope() as scope:
        assert await scope.finish("work", give, 5) == 3
        with pytest.raises(ValueError, match=r"^$"):
            await scope.finish("work", fail, 5)


async def test_what_is_to_finish_has_its_time_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    finisher, ended = Finisher(), list[str]()
    with caplog.at_level(logging.WARNING, "graph.operation"):
        with pytest.raises(TimeoutError):
            await OperationScope(finisher).finish("the first", lambda _: never(ended), 0.01)
        late = finisher.begin("the second", lambda _: never(ended), 60)
        await finisher.settle(0.01)
    assert late.cancelled()
    assert ended == ["ended"] * 2
    assert [record.getMessage() for record in caplog.records] == [
        "the first failed: TimeoutError",
        "the second did not finish before the server stopped",
    ]
    await finisher.settle(0)


async def test_nothing_begins_after_the_end() -> None:
    scope = OperationScope()
    await scope.close()
    with pytest.raises(RuntimeError, match="The operation is over"):
        scope.start(never([]))


async def test_an_error_of_a_task_that_nobody_awaits_is_no_complaint() -> None:
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))

    async def fail() -> None:
        raise ValueError

    async with OperationScope() as scope:
        scope.start(fail())
        await turns(3)
    assert complaints == []


# What is awaited together


async def give(value: int, after: int = 0) -> int:
    await turns(after)
    return value


async def fail(text: str, after: int = 0) -> int:
    await turns(after)
    raise ValueError(text)


async def test_results_come_in_the_order_of_what_was_given() -> None:
    scope, told = OperationScope(), future()
    told.set_result(2)
    assert await scope.gather(give(1, 3), told, give(3)) == (1, 2, 3)
    assert await scope.gather() == ()


async def test_the_first_error_is_raised_and_the_rest_goes_on() -> None:
    scope, rest = OperationScope(), OperationScope().start(give(1, 5))
    with pytest.raises(ValueError, match="first"):
        await scope.gather(fail("later", 3), rest, fail("first", 1))
    assert await rest == 1


async def test_errors_stand_in_their_places_where_all_are_wanted() -> None:
    told = await OperationScope().settle([give(1), fail("bad"), give(3)])
    assert [told[0], str(told[1]), told[2]] == [1, "bad", 3]


async def test_cancelling_the_wait_cancels_coroutines_and_leaves_futures() -> None:
    scope, ended, shared = OperationScope(), list[str](), future()
    waiting = scope.start(_gathered(scope, never(ended), shared))
    await turns(3)
    waiting.cancel()
    await turns(5)
    assert ended == ["ended"]
    assert not shared.cancelled()


async def _gathered(scope: OperationScope, *works: Any) -> None:
    await scope.gather(*works)


# Futures with several waiters


async def test_one_that_follows_can_give_up_alone() -> None:
    scope, leading = OperationScope(), future()
    gives_up, stays = scope.follow(leading), scope.follow(leading)
    gives_up.cancel()
    leading.set_result(5)
    assert await stays == 5
    assert not leading.cancelled()


@pytest.mark.parametrize("outcome", ["result", "error", "cancelled"])
async def test_those_that_follow_have_the_same_outcome(outcome: str) -> None:
    scope, leading = OperationScope(), future()
    following = [scope.follow(leading), asyncio.ensure_future(_all(scope, leading))]
    await turns(1)
    match outcome:
        case "result":
            leading.set_result(1)
            assert await asyncio.gather(*following) == [1, [1, 1]]
        case "error":
            leading.set_exception(ValueError("bad"))
            assert [str(one) for one in await asyncio.gather(*following, return_exceptions=True)] == ["bad"] * 2
        case "cancelled":
            leading.cancel()
            told = await asyncio.gather(*following, return_exceptions=True)
            assert [type(one) for one in told] == [asyncio.CancelledError] * 2


async def _all(scope: OperationScope, leading: "asyncio.Future[Any]") -> list[Any]:
    return [*await scope.gather(leading, leading)]


async def _most_in_one_turn(done: Callable[[], int], of: int) -> int:
    most = before = 0
    while before < of:
        await asyncio.sleep(0)
        now = done()
        most, before = max(most, now - before), now
    return most


async def _count(done: list[object], *waits_for: "asyncio.Future[Any]", scope: OperationScope) -> None:
    await scope.gather(*waits_for)
    done.append(None)


@pytest.mark.parametrize("waits", ["gather two", "await one each"])
async def test_thousands_that_wait_for_the_same_go_on_in_several_turns(
    monkeypatch: pytest.MonkeyPatch, waits: str
) -> None:
    monkeypatch.setattr(operation, "perf_counter", itertools.count(step=0.001).__next__)
    scope, done, leading, other = OperationScope(), list[object](), future(), future()
    for _ in range(1_000):
        if waits == "gather two":
            scope.start(_count(done, leading, other, scope=scope))
        else:
            scope.start(_count(done, scope.follow(leading), scope=scope))
    await turns(1_000)
    leading.set_result(None)
    other.set_result(None)
    assert 1 <= await _most_in_one_turn(lambda: len(done), 1_000) <= 60  # of 1,000; the last fifty go on together
    await turns(2)
    assert not scope.running


# When to load


class Loads:
    """Counts what was asked for whenever the scope says that nothing can go on."""

    def __init__(self, scope: OperationScope) -> None:
        self.asked = 0
        self.dispatched: list[int] = []
        self._scope = scope

    async def ask(self, after: int) -> None:
        await turns(after)
        if not self.asked:
            self._scope.when_waiting(self._dispatch)
        self.asked += 1
        await future()

    def _dispatch(self) -> None:
        self.dispatched.append(self.asked)


async def test_a_load_waits_for_all_that_can_go_on_however_long_that_is() -> None:
    async with OperationScope() as scope:
        loads = Loads(scope)
        for after in (0, 1, 50):
            scope.start(loads.ask(after))
        await turns(40)
        assert loads.dispatched == []
        await turns(20)
        assert loads.dispatched == [3]


async def test_what_waits_for_something_else_holds_up_no_load() -> None:
    async with OperationScope() as scope:
        loads = Loads(scope)
        scope.start(never([]))
        scope.start(loads.ask(0))
        await turns(3)
        assert loads.dispatched == [1]


async def test_a_task_that_is_cancelled_before_it_began_holds_up_no_load() -> None:
    async with OperationScope() as scope:
        loads = Loads(scope)
        scope.start(never([])).cancel()
        scope.start(loads.ask(0))
        await turns(4)
        assert loads.dispatched == [1]


async def test_without_anything_that_is_counted_a_load_begins_in_the_next_turn() -> None:
    async with OperationScope() as scope:
        loads = Loads(scope)
        asking = asyncio.ensure_future(loads.ask(0))
        await turns(2)
        assert loads.dispatched == [1]
        asking.cancel()
