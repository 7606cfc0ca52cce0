"""How a plan is run: in turns of the event loop, to the end, and without a trace when it is given up."""

import asyncio
import gc
import itertools
import logging
from typing import Any

import pytest

from graph import operation
from graph.execution import execute
from graph.operation import OperationScope
from tests.execution.comparing import Bench
from tests.execution.schema import Apple, Later, World, make_schema

BENCH = Bench(make_schema())
MANY = 1_000


def friends(**held: Any) -> World:
    return World(Apple(friends=[Apple(name="f", seed=str(number), **held) for number in range(MANY)]))


async def answer(text: str, world: World, scope: OperationScope | None = None) -> Any:
    document = BENCH.document(text)
    return await execute(BENCH.plans(document), document, world, scope=scope)


async def test_others_have_their_turns_while_much_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operation, "perf_counter", itertools.count(step=0.001).__next__)
    world = friends(price=Later(1, 1))
    most = before = 0

    async def watch() -> None:
        nonlocal most, before
        while True:
            await asyncio.sleep(0)
            most, before = max(most, len(world.asked) - before), len(world.asked)

    watching = asyncio.create_task(watch())
    result = await answer("{ friends { price } }", world)
    watching.cancel()
    assert result.data == {"friends": [{"price": 1}] * MANY}
    assert most <= 100


async def test_what_is_asked_in_one_turn_is_asked_together() -> None:
    """As loaders need it: nothing waits for what began in the same turn."""
    together: list[int] = []
    world = World(Apple(friends=[Apple(name="f", price=Later(1, 1)) for _ in range(50)]))

    async def watch() -> None:
        while True:
            together.append(len(world.asked))
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    await answer("{ friends { price } }", world)
    watching.cancel()
    assert set(together) <= {0, 1, 51}


async def test_an_operation_that_is_given_up_gives_up_what_it_waits_for(caplog: pytest.LogCaptureFixture) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    scope, world = OperationScope(), World(Apple(next=Apple(friends=[Apple(price=never) for _ in range(5)])))
    with caplog.at_level(logging.WARNING):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await answer("{ next { friends { price } } }", world, scope)
        for _ in range(3):
            await asyncio.sleep(0)
        gc.collect()
    assert not scope.tasks
    assert not caplog.records


async def test_what_fails_after_the_whole_is_null_is_no_complaint(caplog: pytest.LogCaptureFixture) -> None:
    world = World(Apple(label=ValueError("first"), best=Apple(label=Later(ValueError("second"), 3))))
    with caplog.at_level(logging.WARNING):
        result = await answer("{ label best { label } }", world)
        for _ in range(6):
            await asyncio.sleep(0)
        gc.collect()
    assert result.data is None
    assert [error.message for error in result.errors] == ["first"]
    assert not caplog.records


async def test_an_answer_that_is_cancelled_cancels_the_operation() -> None:
    """As in graphql-core: nobody can tell what it would have been."""

    async def cancelled() -> None:
        raise asyncio.CancelledError

    world = World(Apple(next=Apple(price=asyncio.ensure_future(cancelled()))))
    with pytest.raises(asyncio.CancelledError):
        await answer("{ next { price } }", world)


async def test_what_is_begun_in_several_turns_counts_until_all_of_it_has_begun() -> None:
    come: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    world, scope, asked = friends(price=come), OperationScope(), list[int]()

    def answer_them() -> None:
        asked.append(len(world.asked))
        if len(world.asked) > MANY:
            come.set_result(1)
        else:
            scope.when_waiting(answer_them)

    scope.when_waiting(answer_them)
    result = await answer("{ friends { price } }", world, scope)
    assert result.data == {"friends": [{"price": 1}] * MANY}
    assert asked == [MANY + 1]
