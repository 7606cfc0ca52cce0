"""Turns of operations."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from graph.errors import Overloaded
from graph.turns import Turns

AGES = 3600.0


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def begun(turns: Turns, *prices: int) -> AsyncIterator[AsyncExitStack]:
    """Operations that run until the block is over, or the stack is closed."""
    async with AsyncExitStack() as stack:
        for price in prices:
            await stack.enter_async_context(turns.turn(price))
        yield stack


async def run(turns: Turns, price: int, ended: list[int]) -> None:
    async with turns.turn(price):
        ended.append(price)
        await asyncio.sleep(0)


async def test_operations_run_side_by_side_while_their_points_fit() -> None:
    async with begun(Turns(100, 0.01), *[1] * 98):
        pass


async def test_the_last_place_is_left_to_one_that_takes_no_more_than_it_leaves() -> None:
    turns = Turns(100, 0.01)
    async with begun(turns, 60):
        with pytest.raises(Overloaded):
            await run(turns, 21, [])
        await run(turns, 20, [])


async def test_a_small_operation_finds_a_place_beside_the_dearest() -> None:
    turns, ended = Turns(100, AGES), list[int]()
    async with begun(turns, 50) as dearest:
        waiting = [asyncio.create_task(run(turns, 50, ended)) for _ in range(1_000)]
        await settle()
        await run(turns, 5, ended)
        assert ended == [5]
        await dearest.aclose()
        await asyncio.gather(*waiting)
        assert len(ended) == 1_001


async def test_one_that_never_fits_runs_alone() -> None:
    turns, ended = Turns(100, AGES), list[int]()
    await run(turns, 1_000, ended)
    async with begun(turns, 1) as other:
        waiting = asyncio.create_task(run(turns, 1_000, ended))
        await settle()
        assert ended == [1_000]
        await other.aclose()
        await waiting


async def test_the_cheapest_goes_first_and_then_who_came_first() -> None:
    turns, ended = Turns(10, AGES), list[int]()
    async with begun(turns, 10) as running:
        waiting = [asyncio.create_task(run(turns, price, ended)) for price in (9, 7, 8, 7)]
        await settle()
        await running.aclose()
        await asyncio.gather(*waiting)
    assert ended == [7, 7, 8, 9]


async def test_who_waits_too_long_is_refused_and_told_when_to_come_again() -> None:
    turns = Turns(10, 0.01)
    async with begun(turns, 10):
        with pytest.raises(Overloaded) as refused:
            await run(turns, 10, [])
    assert refused.value.seconds == 1
    assert refused.value.extensions == {"code": "OVERLOADED", "retryable": True}
    await run(turns, 10, [])


async def test_who_gives_up_takes_no_turn() -> None:
    turns, ended = Turns(10, AGES), list[int]()
    async with begun(turns, 10) as running:
        gives_up, stays = (asyncio.create_task(run(turns, price, ended)) for price in (8, 9))
        await settle()
        gives_up.cancel()
        await settle()
        await running.aclose()
        await stays
    assert ended == [9]


async def test_a_turn_that_is_given_while_its_waiter_gives_up_goes_to_the_next() -> None:
    turns, ended = Turns(10, AGES), list[int]()
    async with begun(turns, 10) as running:
        gives_up, stays = (asyncio.create_task(run(turns, price, ended)) for price in (8, 9))
        await settle()
        await running.aclose()
        gives_up.cancel()
        await stays
    assert ended == [9]
    await run(turns, 10, ended)


async def test_a_failing_operation_gives_its_turn_back() -> None:
    turns, ended = Turns(10, AGES), list[int]()
    with pytest.raises(ZeroDivisionError):
        async with turns.turn(10):
            raise ZeroDivisionError
    await run(turns, 10, ended)
    assert ended == [10]


async def test_who_gave_up_leaves_the_queue() -> None:
    turns = Turns(100, 0.01)
    await turns.begin(100)
    for _ in range(5):
        waiting = await asyncio.gather(*(turns.begin(60) for _ in range(2_000)), return_exceptions=True)
        assert {type(one) for one in waiting} == {Overloaded}
    assert len(turns._waiting) == 0
    stays = asyncio.create_task(turns.begin(60))
    await asyncio.sleep(0)
    turns.end(100)
    await stays
