"""Coroutines that are run to their first wait."""

import asyncio

import pytest

from graph.execution.stepping import step


async def test_what_waits_for_nothing_is_over() -> None:
    async def give() -> int:
        return 5

    assert step(give()) == (True, 5)


async def test_what_raises_at_once_raises() -> None:
    async def fail() -> None:
        raise ValueError("at once")

    with pytest.raises(ValueError, match="at once"):
        step(fail())


@pytest.mark.parametrize("waits", [1, 3])
async def test_what_waits_goes_on_where_it_is_awaited(waits: int) -> None:
    async def wait() -> str:
        for _ in range(waits):
            await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return "done"

    is_over, rest = step(wait())
    assert not is_over
    assert await asyncio.ensure_future(rest) == "done"


async def test_a_future_that_others_await_too_is_no_trouble() -> None:
    shared: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def wait() -> int:
        return await shared

    rests = [step(wait())[1] for _ in range(3)]
    other = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    waiting = [asyncio.ensure_future(rest) for rest in rests]
    await asyncio.sleep(0)
    shared.set_result(7)
    assert await asyncio.gather(other, *waiting) == [7] * 4


async def test_a_failure_reaches_the_coroutine_that_waits() -> None:
    failing: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait() -> str:
        try:
            await failing
        except ValueError:
            return "caught"
        return "not caught"

    _, rest = step(wait())
    failing.set_exception(ValueError())
    assert await asyncio.ensure_future(rest) == "caught"


async def test_a_coroutine_that_is_given_up_cleans_up() -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cleaned")

    _, rest = step(wait())
    task = asyncio.ensure_future(rest)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cleaned"]


@pytest.mark.parametrize("waits", [0, 1, 3])
async def test_a_timeout_that_is_opened_before_the_first_wait_is_the_coroutines_own(waits: int) -> None:
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

    is_over, rest = step(give_up())
    assert not is_over
    caller = asyncio.current_task()
    assert caller is not None
    assert await asyncio.ensure_future(rest) == "in time"
    assert caller.cancelling() == 0


async def test_a_task_group_that_is_opened_before_the_first_wait_fails_its_coroutine_alone() -> None:
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

    is_over, rest = step(work())
    assert not is_over
    assert await asyncio.ensure_future(rest) == "caught"


async def test_the_caller_is_the_current_task_again_whatever_happens() -> None:
    async def look() -> bool:
        return asyncio.current_task() is not caller

    async def fail() -> None:
        raise ValueError("at once")

    caller = asyncio.current_task()
    assert step(look()) == (True, True)
    with pytest.raises(ValueError, match="at once"):
        step(fail())
    assert asyncio.current_task() is caller


def test_asyncio_lets_another_task_be_the_current_one() -> None:
    assert callable(asyncio.tasks._enter_task)
    assert callable(asyncio.tasks._leave_task)
