"""Aborts and whoever else writes an end, one write at a time in any order: what ended first stays."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from random import Random
from typing import Any

import pytest

from graph.tables.catalogue import EXECUTIONS, STEPS
from graph.tables.writer import ChangeWriter, update_request
from tests.actions.conftest import Make
from tests.actions.world import World, run, step, sub_run
from tests.harness import Graph

OF = run("raced", step("first", "RUNNING", sub_run("one")), step("second", "NEW"))
KEYS = {STEPS: [(of.step_id, OF.execution_id) for of in OF.steps], EXECUTIONS: [(OF.execution_id, "home:nightly")]}
END = {"executionStatus": "SUCCEEDED", "executionStopDate": "2026-07-14T09:30:00Z"}
TERMINAL = {"SUCCEEDED", "FAILED", "ABORTED", "TIMED_OUT"}


class Scheduler:
    """Lets one of those who wait go on, by chance, once all who have not ended wait."""

    def __init__(self, seed: int, check: Callable[[], None]) -> None:
        self._random, self._check = Random(seed), check  # noqa: S311 - any order will do
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._live: set[str] = set()
        self.order: list[str] = []

    async def turn(self, name: str) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, []).append(future)
        await future

    async def run(self, parties: Mapping[str, Callable[[], Awaitable[Any]]]) -> dict[str, Any]:
        self._live = set(parties)
        results: dict[str, Any] = {}

        async def take_part(name: str) -> None:
            try:
                await self.turn(name)
                results[name] = await parties[name]()
            finally:
                self._live.discard(name)

        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            for name in parties:
                tasks.create_task(take_part(name))
            while self._live:
                ready = {name for name, waiting in self._waiting.items() if waiting}
                if not self._live <= ready:
                    await asyncio.sleep(0.001)
                    continue
                self._check()
                chosen = self._random.choice(sorted(ready))
                self.order.append(chosen)
                waiting = self._waiting[chosen]
                waiting.pop(self._random.randrange(len(waiting))).set_result(None)
                await asyncio.sleep(0)
        self._check()
        return results


class InTurns(ChangeWriter):
    """Writes at once, in its turn."""

    def __init__(self, name: str, scheduler: Scheduler, client: Any, names: Any) -> None:
        super().__init__(client, names)
        self._name, self._scheduler = name, scheduler

    async def _call(self, *arguments: Any) -> Any:
        await self._scheduler.turn(self._name)
        return await super()._call(*arguments)


class Watched:
    """Every row with its status: once it is terminal, nothing in it may change."""

    def __init__(self, here: World) -> None:
        self._here, self._ended = here, dict[Any, Any]()

    def check(self) -> None:
        for table in KEYS:
            for row in self._here.rows(table):
                key = tuple(row[name] for name in table.key)
                if key in self._ended:
                    assert row == self._ended[key]
                elif row["executionStatus"] in TERMINAL:
                    self._ended[key] = row


async def _ended_by_the_last_step(here: World, scheduler: Scheduler) -> None:
    """What writes the end of a run from inside it: each step, then the run."""
    for table, keys in KEYS.items():
        for key in keys:
            await scheduler.turn("end state")
            request = update_request(table, here.database.names[table], key, END)
            try:
                here.database.client.update_item(**request)
            except here.database.client.exceptions.ConditionalCheckFailedException:
                continue


@pytest.mark.parametrize("seed", range(25))
async def test_an_end_is_never_reverted(world: Make, seed: int) -> None:
    here = world(OF, inner=("one",))
    watched = Watched(here)
    scheduler = Scheduler(seed, watched.check)
    graphs = [_graph(here, f"abort {number}", scheduler) for number in range(2)]
    parties: dict[str, Callable[[], Awaitable[Any]]] = {
        "abort 0": partial(_abort, graphs[0]),
        "abort 1": partial(_abort, graphs[1]),
        "end state": partial(_ended_by_the_last_step, here, scheduler),
    }
    results = await scheduler.run(parties)
    for graph in graphs:
        graph.close()
    statuses = here.statuses()
    assert set(statuses.values()) <= {"SUCCEEDED", "ABORTED"}
    outcomes = sorted(results[name]["outcome"] for name in ("abort 0", "abort 1"))
    ended_by_itself = statuses[OF.execution_id] == "SUCCEEDED"
    assert outcomes == (["ALREADY_TERMINAL"] * 2 if ended_by_itself else ["ABORTED", "ALREADY_TERMINAL"])
    assert {results[name]["execution"]["status"] for name in ("abort 0", "abort 1")} == {statuses[OF.execution_id]}


def _graph(here: World, name: str, scheduler: Scheduler) -> Graph:
    changes = InTurns(name, scheduler, here.writes, here.database.names)
    return Graph(here.database.client, here.database.names, here.settings, logs=here.clients, changes=changes)


async def _abort(graph: Graph) -> Any:
    document = "mutation($id: String!) { abortExecution(input: { executionId: $id }) { outcome execution { status } } }"
    return (await graph.data(document, id=OF.execution_id))["abortExecution"]
