"""Which operations run at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from graph.admission import AdmissionController
from graph.errors import Overloaded

AGES = 3600.0


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def begun(admission: AdmissionController, *prices: int) -> AsyncIterator[AsyncExitStack]:
    """Operations that run until the block is over, or the stack is closed."""
    async with AsyncExitStack() as stack:
        for price in prices:
            await stack.enter_async_context(admission.admit(price))
        yield stack


async def run(admission: AdmissionController, price: int, ended: list[int]) -> None:
    async with admission.admit(price):
        ended.append(price)
        await asyncio.sleep(0)


async def test_operations_run_side_by_side_while_their_points_fit() -> None:
    async with begun(AdmissionController(100, 0.01), *[1] * 98):
        pass


async def test_the_last_place_is_left_to_one_that_takes_no_more_than_it_leaves() -> None:
    admission = AdmissionController(100, 0.01)
    async with begun(admission, 60):
        with pytest.raises(Overloaded):
            await run(admission, 21, [])
        await run(admission, 20, [])


async def test_a_small_operation_finds_a_place_beside_the_dearest() -> None:
    admission, ended = AdmissionController(100, AGES), list[int]()
    async with begun(admission, 50) as dearest:
        waiting = [asyncio.create_task(run(admission, 50, ended)) for _ in range(1_000)]
        await settle()
        await run(admission, 5, ended)
        assert ended == [5]
        await dearest.aclose()
        await asyncio.gather(*waiting)
        assert len(ended) == 1_001


async def test_one_that_never_fits_runs_alone() -> None:
    admission, ended = AdmissionController(100, AGES), list[int]()
    await run(admission, 1_000, ended)
    async with begun(admission, 1) as other:
        waiting = asyncio.create_task(run(admission, 1_000, ended))
        await settle()
        assert ended == [1_000]
        await other.aclose()
        await waiting


async def test_the_cheapest_goes_first_and_then_who_came_first() -> None:
    admission, ended = AdmissionController(10, AGES), list[int]()
    async with begun(admission, 10) as running:
        waiting = [asyncio.create_task(run(admission, price, ended)) for price in (9, 7, 8, 7)]
        await settle()
        await running.aclose()
        await asyncio.gather(*waiting)
    assert ended == [7, 7, 8, 9]


async def test_who_waits_too_long_is_refused_and_told_when_to_come_again() -> None:
    admission = AdmissionController(10, 0.01)
    async with begun(admission, 10):
        with pytest.raises(Overloaded) as refused:
            await run(admission, 10, [])
    assert refused.value.seconds == 1
    assert refused.value.extensions == {"code": "OVERLOADED", "retryable": True}
    await run(admission, 10, [])


async def test_who_gives_up_takes_no_turn() -> None:
    admission, ended = AdmissionController(10, AGES), list[int]()
    async with begun(admission, 10) as running:
        gives_up, stays = (asyncio.create_task(run(admission, price, ended)) for price in (8, 9))
        await settle()
        gives_up.cancel()
        await settle()
        await running.aclose()
        await stays
    assert ended == [9]


async def test_a_turn_that_is_given_while_its_waiter_gives_up_goes_to_the_next() -> None:
    admission, ended = AdmissionController(10, AGES), list[int]()
    async with begun(admission, 10) as running:
        gives_up, stays = (asyncio.create_task(run(admission, price, ended)) for price in (8, 9))
        await settle()
        await running.aclose()
        gives_up.cancel()
        await stays
    assert ended == [9]
    await run(admission, 10, ended)


async def test_a_failing_operation_gives_its_turn_back() -> None:
    admission, ended = AdmissionController(10, AGES), list[int]()
    with pytest.raises(ZeroDivisionError):
        async with admission.admit(10):
            raise ZeroDivisionError
    await run(admission, 10, ended)
    assert ended == [10]


async def test_who_gave_up_leaves_the_queue() -> None:
    admission = AdmissionController(100, 0.01)
    await admission.begin(100)
    for _ in range(5):
        waiting = await asyncio.gather(*(admission.begin(60) for _ in range(2_000)), return_exceptions=True)
        assert {type(one) for one in waiting} == {Overloaded}
    assert len(admission._waiting) == 0
    stays = asyncio.create_task(admission.begin(60))
    await asyncio.sleep(0)
    admission.end(100)
    await stays
