"""Turns of reading new documents: fair between users, and bounded for each."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from graph.documents.fair_queue import MOST_WAITING, FairQueue
from graph.errors import Overloaded

AGES = 3600.0


async def read(turns: FairQueue, user: str, characters: int, ended: list[tuple[str, int]]) -> None:
    async with turns.admit(user, characters):
        await asyncio.sleep(0)
        ended.append((user, characters))


async def order_of(*documents: tuple[str, int]) -> list[tuple[str, int]]:
    """In which order documents are read that all come while another is."""
    turns, ended = FairQueue(AGES), list[tuple[str, int]]()
    async with turns.admit("first", 1):
        waiting = [asyncio.create_task(read(turns, *document, ended)) for document in documents]
        for _ in range(5):
            await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    return ended


async def test_one_document_is_read_at_a_time() -> None:
    turns, reading = FairQueue(AGES), list[str]()

    async def alone(user: str) -> None:
        async with turns.admit(user, 1):
            reading.append(user)
            await asyncio.sleep(0)
            assert reading.pop() == user
            assert not reading

    await asyncio.gather(*(alone(user) for user in "abcabc"))


async def test_users_take_turns_however_many_documents_one_has() -> None:
    flood = [("eve", 10)] * 50
    assert (await order_of(*flood, ("bob", 900))).index(("bob", 900)) == 1
    assert (await order_of(*flood, ("bob", 900), ("ana", 5))).index(("ana", 5)) == 2


async def test_a_long_document_of_one_user_lets_those_of_others_by() -> None:
    found = await order_of(("eve", 60_000), ("eve", 60_001), ("bob", 100), ("bob", 101))
    assert [user for user, _ in found] == ["eve", "bob", "eve", "bob"]


async def test_the_shortest_of_a_user_is_first() -> None:
    # The first of all stands in the queue of users already when the others come.
    assert await order_of(("bob", 7), ("bob", 9), ("bob", 3), ("bob", 5)) == [
        ("bob", 7), ("bob", 3), ("bob", 5), ("bob", 9),
    ]  # fmt: skip


async def test_who_has_too_many_waiting_is_refused_and_others_are_not() -> None:
    turns, ended = FairQueue(AGES), list[tuple[str, int]]()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(turns.admit("eve", 1))
        waiting = [asyncio.create_task(read(turns, "eve", 1, ended)) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await read(turns, "eve", 1, ended)
        waiting.append(asyncio.create_task(read(turns, "bob", 1, ended)))
        await asyncio.sleep(0)
        await stack.aclose()
        await asyncio.gather(*waiting)
    assert len(ended) == MOST_WAITING + 1
    await read(turns, "eve", 1, ended)


async def test_who_gives_up_makes_room() -> None:
    turns, ended = FairQueue(AGES), list[tuple[str, int]]()
    async with turns.admit("eve", 1):
        for _ in range(3):
            waiting = [asyncio.create_task(read(turns, "eve", 1, ended)) for _ in range(MOST_WAITING)]
            await asyncio.sleep(0)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
    await read(turns, "eve", 1, ended)
    assert ended == [("eve", 1)]


async def test_who_waits_too_long_is_told_so() -> None:
    turns = FairQueue(0.01)
    async with turns.admit("eve", 1):
        for user in ("eve", "bob"):
            with pytest.raises(Overloaded):
                await read(turns, user, 1, [])


async def test_nothing_is_kept_of_users_who_are_done() -> None:
    turns = FairQueue(AGES)
    for number in range(100):
        await read(turns, f"user-{number}", 1, [])
    assert not turns._queues
