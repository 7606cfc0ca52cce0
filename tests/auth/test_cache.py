import asyncio

import pytest

from graph.auth.cache import Cache
from tests.auth.rows import Clock


class Loader:
    def __init__(self) -> None:
        self.loads: list[str] = []
        self.error: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, key: str) -> int:
        self.loads.append(key)
        await self.gate.wait()
        if self.error:
            raise self.error
        return len(self.loads)


async def test_an_answer_is_used_for_some_seconds() -> None:
    load, clock = Loader(), Clock()
    cache = Cache(load, seconds=60, capacity=9, clock=clock)
    assert [await cache.get("a"), await cache.get("a")] == [1, 1]
    clock.time += 59.9
    assert await cache.get("a") == 1
    clock.time += 0.1
    assert await cache.get("a") == 2


async def test_those_who_ask_at_the_same_time_share_a_load() -> None:
    load = Loader()
    cache = Cache(load, seconds=60, capacity=9)
    assert await asyncio.gather(*(cache.get("a") for _ in range(20))) == [1] * 20
    assert load.loads == ["a"]


async def test_a_load_outlives_whoever_asked_for_it() -> None:
    load = Loader()
    load.gate.clear()
    cache = Cache(load, seconds=60, capacity=9)
    first, second = asyncio.create_task(cache.get("a")), asyncio.create_task(cache.get("a"))
    await asyncio.sleep(0)
    first.cancel()
    load.gate.set()
    assert await second == 1
    assert await cache.get("a") == 1


async def test_a_failure_reaches_all_who_wait_and_is_not_remembered() -> None:
    load = Loader()
    load.error = ConnectionError("away")
    cache = Cache(load, seconds=60, capacity=9)
    failures = await asyncio.gather(cache.get("a"), cache.get("a"), return_exceptions=True)
    assert list(failures) == [load.error, load.error]
    load.error = None
    assert await cache.get("a") == 2


async def test_a_failure_for_which_nobody_waits_is_not_reported_as_lost() -> None:
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    load = Loader()
    load.gate.clear()
    load.error = ConnectionError("away")
    waiting = asyncio.create_task(Cache(load, seconds=60, capacity=9).get("a"))
    await asyncio.sleep(0)
    waiting.cancel()
    load.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.sleep(0.01)
    assert reported == []


async def test_answers_unused_for_longest_make_room() -> None:
    load = Loader()
    cache = Cache(load, seconds=60, capacity=2)
    for key in ("a", "b", "a", "c", "a", "b"):
        await cache.get(key)
    assert load.loads == ["a", "b", "c", "b"]
