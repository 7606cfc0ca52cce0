"""The details of runs that ended: read once, kept a minute, and never beyond a redrive."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.engines.memory import KEPT_SECONDS, RunDetailMemory, size_of
from graph.engines.run_detail import RunDetail
from graph.engines.service import Engines
from graph.history import attribute, parse_definition
from graph.operation import OperationScope
from graph.settings import Settings
from tests.history.tables import events

DEFINITION = {"StartAt": "Do", "States": {"Do": {"Type": "Task", "Resource": "r", "End": True}}}
MACHINE = Machine("arn:aws:states:us-west-2:123456789012:stateMachine:inner", DEFINITION)
RUN = MACHINE.execution("one")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def detail_of(table: str, *, read_to_end: bool = True) -> RunDetail:
    definition = parse_definition(DEFINITION)
    attribution = attribute(events(table), definition, read_to_end=read_to_end)
    return RunDetail(attribution, (), None, definition=definition)  # type: ignore[arg-type]


STARTED = "1 ExecutionStarted 0\n2 TaskStateEntered 0 name: Do\n3 TaskScheduled 2\n4 TaskFailed 3 error: E\n"
ENDED = STARTED + "5 ExecutionFailed 4 error: E\n"
REDRIVEN = ENDED + "6 ExecutionRedriven 5 redriveCount: 1\n7 TaskScheduled 2\n"


def test_what_ended_is_kept_for_a_minute() -> None:
    clock = Clock()
    memory = RunDetailMemory(1_000_000, clock)
    detail = detail_of(ENDED)
    memory.keep(RUN, detail, size_of(detail))
    clock.now += KEPT_SECONDS - 0.1
    kept = memory.recall(RUN)
    assert kept is not None
    assert (kept.detail, kept.redrive_index) == (detail, 0)
    clock.now += 0.2
    assert memory.recall(RUN) is None


def test_each_redrive_is_told_apart() -> None:
    memory = RunDetailMemory(1_000_000)
    memory.keep(RUN, detail_of(REDRIVEN + "8 ExecutionAborted 0"), 1)
    kept = memory.recall(RUN)
    assert kept is not None
    assert kept.redrive_index == 1


@pytest.mark.parametrize(
    "detail",
    [
        detail_of(STARTED),
        detail_of(REDRIVEN),
        detail_of(ENDED, read_to_end=False),
        detail_of("4 TaskFailed 3\n5 ExecutionFailed 4"),
        replace(detail_of(ENDED), definition=None),
    ],
    ids=["running", "redriven", "not to its end", "with a gap", "without its definition"],
)
def test_what_may_change_yet_is_not_kept(detail: RunDetail) -> None:
    memory = RunDetailMemory(1_000_000)
    memory.keep(RUN, detail, 1)
    assert memory.recall(RUN) is None


def test_the_least_recently_used_are_forgotten_when_they_are_too_many() -> None:
    memory, detail = RunDetailMemory(100), detail_of(ENDED)
    for name in ("a", "b", "c"):
        memory.keep(name, detail, 33)
    memory.recall("a")
    memory.keep("d", detail, 33)
    assert [name for name in "abcd" if memory.recall(name)] == ["a", "c", "d"]
    memory.keep("huge", detail, 101)
    assert memory.recall("huge") is None
    memory.keep("whole", detail, 100)
    assert [name for name in ("a", "c", "d", "whole") if memory.recall(name)] == ["whole"]


def test_nothing_is_kept_where_the_setting_says_so() -> None:
    memory = RunDetailMemory(0)
    memory.keep(RUN, detail_of(ENDED), 1)
    assert memory.recall(RUN) is None


class Counted(EmbeddedStepFunctions):
    pages = 0

    def get_execution_history(self, **request: Any) -> Any:
        self.pages += 1
        return super().get_execution_history(**request)


def loop(turns: int) -> Played:
    script = Script(datetime(2026, 7, 14, 9, tzinfo=UTC), pace=0.01)
    last = script.enter("Task", "Do", 0)
    for _ in range(turns):
        last = script.work(last, seconds=0.01, error="Busy")
    script.add("ExecutionFailed", last, error="Busy")
    return Played(MACHINE, "one", "FAILED", script.events)


async def test_operations_after_the_first_read_no_history_until_the_run_is_redriven() -> None:
    states = Counted([loop(1_600)])
    caller = Caller(concurrency=2, attempts=1)
    engines = Engines(Clients(None, None, None, states), caller, Settings())  # type: ignore[arg-type]

    async def read() -> RunDetail:
        scope = OperationScope()
        try:
            return await engines.operation(scope).detail(RUN)
        finally:
            await scope.close()

    try:
        first = await read()
        assert first.is_complete
        read_once = states.pages
        assert read_once == 5
        for _ in range(16):
            assert await read() is first
        assert states.pages == read_once
        redriven = {"type": "ExecutionRedriven", "executionRedrivenEventDetails": {"redriveCount": 1}}
        last = first.attribution.events[-1].id
        at = datetime(2026, 7, 14, 10, tzinfo=UTC)
        states.append(RUN, [{"id": last + 1, "previousEventId": last, "timestamp": at, **redriven}], "RUNNING")
        assert (await read()) is not first
        assert states.pages > read_once
    finally:
        caller.close()
