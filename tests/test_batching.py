"""Batches: what is loaded together, what is remembered, and what one failure leaves of the others."""

import asyncio
import gc
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from graph.batching import LoadCancelled, Loader
from graph.errors import GraphError, MalformedValue
from graph.operation import OperationScope


class Spelled(Loader[int, str]):
    """Spells numbers, with a pause; negative ones are errors. Remembers its batches."""

    def __init__(self, scope: OperationScope | None = None) -> None:
        super().__init__(scope or OperationScope())
        self.batches: list[list[int]] = []
        self.known: dict[int, str] = {}
        self.short = self.allows_negative = False

    async def read(self, keys: Sequence[int]) -> Sequence[str | GraphError]:
        self.batches.append(list(keys))
        await asyncio.sleep(0)
        spelled: list[str | GraphError] = [
            MalformedValue("number") if key < 0 and not self.allows_negative else f"secret value {key}" for key in keys
        ]
        return spelled[1:] if self.short else spelled

    def prefetched(self, key: int) -> str | None:
        return self.known.get(key)


@pytest.fixture
def complaints() -> Iterator[list[Any]]:
    """What the event loop complains of: errors that nobody retrieved, tasks that were dropped."""
    found: list[Any] = []
    yield found
    gc.collect()
    assert found == []


async def test_loads_of_one_tick_are_one_batch_without_duplicates() -> None:
    loader = Spelled()
    assert await asyncio.gather(*map(loader.load, [1, 2, 1, 3])) == [f"secret value {key}" for key in (1, 2, 1, 3)]
    assert loader.batches == [[1, 2, 3]]


async def test_what_was_loaded_is_remembered() -> None:
    loader = Spelled()
    assert not loader.knows(1)
    await loader.load(1)
    await loader.load(1)
    assert loader.knows(1)
    assert loader.batches == [[1]]


async def test_one_bad_key_leaves_the_others_of_its_batch() -> None:
    loader = Spelled()
    found = await loader.scope.settle(map(loader.load, [1, -1, 2]))
    assert [type(one) for one in found] == [str, MalformedValue, str]
    assert loader.batches == [[1, -1, 2]]


async def test_a_load_that_one_waiter_gives_up_still_serves_the_others() -> None:
    loader = Spelled()
    one, other = loader.load(1), loader.load(1)
    one.cancel()
    assert await other == "secret value 1"
    assert one.cancelled()


async def test_a_load_that_every_waiter_gave_up_can_be_loaded_again() -> None:
    loader = Spelled()
    loader.load(1).cancel()
    assert await loader.load(1) == "secret value 1"


async def test_a_cancelled_future_is_never_served() -> None:
    loader = Spelled()
    loader.load(1)
    loader._cache[1].cancel()
    assert await loader.load(1) == "secret value 1"


async def test_a_sibling_that_fails_leaves_a_load_to_others() -> None:
    loader = Spelled()

    async def fails() -> None:
        raise ValueError("a sibling")

    async def together() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_awaited(loader.load(1)))
            group.create_task(fails())

    with pytest.raises(ExceptionGroup, match="TaskGroup"):
        await together()
    assert await loader.load(1) == "secret value 1"
    assert loader.batches == [[1]]


async def _awaited(load: "asyncio.Future[str]") -> str:
    return await load


async def test_a_batch_of_the_wrong_length_tells_neither_keys_nor_values() -> None:
    loader = Spelled()
    loader.short = True
    found = await asyncio.gather(*map(loader.load, [4711, 4712]), return_exceptions=True)
    assert [str(one) for one in found] == ["Spelled answered 1 of 2 keys"] * 2


async def test_a_batch_that_failed_whole_can_be_loaded_again() -> None:
    loader = Spelled()
    loader.short = True
    with pytest.raises(AssertionError):
        await loader.load(1)
    loader.short = False
    assert await loader.load(1) == "secret value 1"


async def test_an_error_that_nobody_waits_for_is_no_complaint(complaints: list[Any]) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    loader = Spelled()
    loader.begin(-1)
    loader.load(-2).cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert loader.batches == [[-1, -2]]


async def test_a_load_that_was_begun_is_awaited_without_another() -> None:
    loader = Spelled()
    loader.begin(1)
    assert loader.knows(1)
    assert await loader.load(1) == "secret value 1"
    assert loader.batches == [[1]]


async def test_what_another_read_brought_is_not_read_again_for_a_load_that_is_begun() -> None:
    loader = Spelled()
    loader.known[1] = "known"
    assert loader.knows(1)
    loader.begin(1)
    assert await loader.load(1) == "known"
    assert loader.batches == []


def test_a_loader_is_not_made_outside_a_loop() -> None:
    with pytest.raises((RuntimeError, DeprecationWarning)):
        Spelled()


async def test_what_is_asked_for_while_an_operation_can_go_on_is_read_in_one_batch() -> None:
    scope = OperationScope()
    spelled = Spelled(scope)

    async def ask(number: int) -> str:
        for _ in range(10 * number):
            await asyncio.sleep(0)
        return await spelled.load(number)

    assert await scope.gather(*map(ask, range(3))) == ("secret value 0", "secret value 1", "secret value 2")
    assert spelled.batches == [[0, 1, 2]]
    assert await spelled.load(7) == "secret value 7"


async def test_what_waiters_of_a_batch_ask_for_next_is_one_batch_too() -> None:
    """However far it is from an answer to the next question."""
    scope = OperationScope()
    spelled = Spelled(scope)

    async def ask(number: int) -> None:
        if number % 2:
            await spelled.load(number)
        else:
            await scope.gather(spelled.load(number), spelled.load_all([number, -number - 1000]), _done())
        await spelled.load(number + 1000)

    async def _done() -> None:
        await asyncio.sleep(0)

    spelled.allows_negative = True
    await scope.gather(*map(ask, range(250)))
    assert [len(batch) for batch in spelled.batches] == [375, 250]


async def test_a_batch_within_which_something_is_cancelled_fails_its_keys() -> None:
    class Cancelling(Spelled):
        async def read(self, keys: Sequence[int]) -> Sequence[str | GraphError]:
            if self.batches:
                return await super().read(keys)
            self.batches.append(list(keys))
            never: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            never.cancel()
            await never
            raise AssertionError

    loader = Cancelling()
    found = await loader.scope.settle(map(loader.load, [1, 2]))
    assert [type(one) for one in found] == [LoadCancelled] * 2
    assert await loader.load(1) == "secret value 1"


async def test_a_batch_ends_with_its_operation() -> None:
    class Slow(Spelled):
        ended = False

        async def read(self, keys: Sequence[int]) -> Sequence[str | GraphError]:
            try:
                await asyncio.sleep(60)
            finally:
                self.ended = True
            return await super().read(keys)

    loader = Slow()
    waiting = asyncio.ensure_future(loader.load(1))
    for _ in range(4):
        await asyncio.sleep(0)
    waiting.cancel()
    await loader.scope.close()
    assert loader.ended
    with pytest.raises(RuntimeError, match="over"):
        loader.scope.start(loader.read([1]))


@pytest.mark.parametrize("name", ["Loader", "dispatch_queue_batch", "failed_dispatch"])
def test_aiodataloader_has_what_is_relied_on(name: str) -> None:
    import aiodataloader

    assert hasattr(aiodataloader, name)


async def test_aiodataloader_keeps_its_queue_and_its_cache_where_they_are_looked_for() -> None:
    loader = Spelled()
    load = loader.load(1)
    assert [queued.key for queued in loader._queue] == [1]
    assert list(loader._cache) == [1]
    await load
    assert loader._queue == []
