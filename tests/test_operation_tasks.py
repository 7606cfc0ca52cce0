"""Tasks of an operation do what asyncio's do, and are over at once where nothing is waited for."""

import asyncio
import gc
from collections.abc import AsyncIterator, Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

import pytest

from graph.operation import OperationScope, OperationTask

T = TypeVar("T")


class Turns:
    """Runs work as callbacks of the event loop do, in which no other task is current."""

    def __init__(self, scope: OperationScope) -> None:
        self.scope = scope

    async def run(self, work: Coroutine[Any, Any, T]) -> OperationTask[T]:
        begun: list[OperationTask[T]] = []
        asyncio.get_running_loop().call_soon(lambda: begun.append(self.scope.run(work)))
        await asyncio.sleep(0)
        return begun[0]


@pytest.fixture
async def turns() -> AsyncIterator[Turns]:
    async with OperationScope() as scope:
        yield Turns(scope)


async def test_what_waits_for_nothing_is_over_at_once(turns: Turns) -> None:
    async def give() -> int:
        return 5

    task = await turns.run(give())
    assert task.done()
    assert task.result() == 5
    assert not turns.scope.tasks


async def test_what_raises_at_once_has_failed(turns: Turns) -> None:
    async def fail() -> None:
        raise ValueError("at once")

    with pytest.raises(ValueError, match="at once"):
        (await turns.run(fail())).result()


@pytest.mark.parametrize("waits", [1, 3])
async def test_what_waits_goes_on(turns: Turns, waits: int) -> None:
    async def wait() -> str:
        for _ in range(waits):
            await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return "done"

    task = await turns.run(wait())
    assert not task.done()
    assert await task == "done"


async def test_a_future_that_others_await_too_is_no_trouble(turns: Turns) -> None:
    shared: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def wait() -> int:
        return await shared

    waiting = [await turns.run(wait()) for _ in range(3)]
    other = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    shared.set_result(7)
    assert await asyncio.gather(other, *waiting) == [7] * 4


async def test_a_failure_reaches_the_coroutine_that_waits(turns: Turns) -> None:
    failing: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait() -> str:
        try:
            await failing
        except ValueError:
            return "caught"
        return "not caught"

    task = await turns.run(wait())
    failing.set_exception(ValueError())
    assert await task == "caught"


@pytest.mark.parametrize("is_clean", [True, False])
async def test_what_is_cancelled_cleans_up_and_may_go_on(turns: Turns, is_clean: bool) -> None:
    ended: list[str] = []

    async def wait() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if is_clean:
                raise
        finally:
            await asyncio.sleep(0)
            ended.append("cleaned")
        return "went on"

    task = await turns.run(wait())
    assert task.cancel()
    if is_clean:
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        assert await task == "went on"
    assert ended == ["cleaned"]
    assert not task.cancel()


async def test_what_is_cancelled_between_two_waits_is_cancelled_at_the_next(turns: Turns) -> None:
    gone_on: list[int] = []

    async def wait() -> None:
        for number in range(3):
            await asyncio.sleep(0)
            gone_on.append(number)

    task = await turns.run(wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone_on == []


async def test_what_cancels_itself_is_cancelled_where_it_waits(turns: Turns) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def give_up() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await never

    task = await turns.run(give_up())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert never.cancelled()


@pytest.mark.parametrize("waits", [0, 1, 3])
async def test_a_timeout_ends_the_work_that_opened_it(turns: Turns, waits: int) -> None:
    async def give_up() -> str:
        try:
            async with asyncio.timeout(0.01 if waits else 0):
                for _ in range(waits):
                    await asyncio.sleep(0)
                await asyncio.sleep(60)
        except TimeoutError:
            await asyncio.sleep(0)
            return "in time"
        return "never"

    task = await turns.run(give_up())
    assert await task == "in time"
    assert task.cancelling() == 0


async def test_a_task_group_fails_the_work_that_opened_it_alone(turns: Turns) -> None:
    async def fail() -> None:
        raise ValueError("one of the group")

    async def work() -> str:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                await asyncio.sleep(60)
        except ExceptionGroup:
            return "caught"
        return "never"

    assert await (await turns.run(work())) == "caught"


async def test_each_is_the_current_task_while_it_runs(turns: Turns) -> None:
    async def look() -> list[Any]:
        before = asyncio.current_task()
        await asyncio.sleep(0.001)
        return [before, asyncio.current_task()]

    caller = asyncio.current_task()
    first, other = await turns.run(look()), await turns.run(look())
    assert [await first, await other] == [[first] * 2, [other] * 2]
    assert asyncio.current_task() is caller


async def test_context_variables_are_of_each_alone(turns: Turns) -> None:
    name: ContextVar[str] = ContextVar("name", default="nobody")

    async def call(text: str) -> str:
        token = name.set(text)
        for _ in range(2):
            await asyncio.sleep(0.001)
        seen = name.get()
        name.reset(token)
        return seen

    calls = [await turns.run(call("a")), turns.scope.start(call("b"))]
    assert await asyncio.gather(*calls) == ["a", "b"]
    assert name.get() == "nobody"


@pytest.mark.parametrize("waits", [0, 1])
async def test_a_failure_leaves_nothing_to_collect(turns: Turns, waits: int) -> None:
    async def fail() -> None:
        for _ in range(waits):
            await asyncio.sleep(0)
        raise ValueError

    await turns.run(fail())
    gc.collect()
    await turns.run(fail())
    await asyncio.sleep(0.001)
    assert gc.collect() == 0


def test_asyncio_lets_another_task_be_the_current_one() -> None:
    assert callable(asyncio.tasks._enter_task)
    assert callable(asyncio.tasks._leave_task)
