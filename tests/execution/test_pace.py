"""How outcomes are passed on to many who wait."""

import asyncio
from typing import Any

import pytest

from graph.execution import Pace


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def future() -> "asyncio.Future[Any]":
    return asyncio.get_running_loop().create_future()


async def test_what_is_there_is_given_as_it_is() -> None:
    leading = future()
    leading.set_result(1)
    assert Pace().follow(leading) is leading


async def test_an_outcome_is_passed_on() -> None:
    pace, given, failed = Pace(), future(), future()
    following, failing = pace.follow(given), pace.follow(failed)
    given.set_result(1)
    failed.set_exception(ValueError("x"))
    assert await following == 1
    with pytest.raises(ValueError, match="x"):
        await failing


async def test_who_gives_up_leaves_it_to_the_others() -> None:
    pace, leading = Pace(), future()
    gives_up, stays = pace.follow(leading), pace.follow(leading)
    gives_up.cancel()
    await settle()
    assert not leading.cancelled()
    leading.set_result(1)
    assert await stays == 1


async def test_what_is_given_up_itself_is_given_up_for_all() -> None:
    leading = future()
    following = Pace().follow(leading)
    leading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following


@pytest.mark.parametrize("leaders", [1, 10, 1_000])
async def test_many_go_on_in_several_turns_each_once_and_in_their_order(leaders: int) -> None:
    pace, order, most = Pace(), list[int](), 0
    leading = [future() for _ in range(leaders)]
    following = [pace.follow(leading[number * leaders // 1_000]) for number in range(1_000)]
    for number, one in enumerate(following):
        one.add_done_callback(lambda _, number=number: order.append(number))  # type: ignore[misc]
    for one in leading:
        one.set_result(None)
    while len(order) < len(following):
        before = len(order)
        await asyncio.sleep(0)
        most = max(most, len(order) - before)
    assert order == list(range(1_000))
    assert 1 < most <= 200


async def test_turns_begin_anew_with_each_that_is_due() -> None:
    pace = Pace()
    for _ in range(300):
        leading = future()
        following = pace.follow(leading)
        leading.set_result(1)
        assert await following == 1
