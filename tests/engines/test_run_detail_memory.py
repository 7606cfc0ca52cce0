"""The details of runs that ended: read once, kept a minute, and never beyond a redrive."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.engines.engine import EVENTS_OF_A_PAGE
from graph.engines.memory import KEPT_SECONDS, RunDetailMemory, size_of
from graph.engines.run_detail import RunDetail
from graph.engines.service import Engines
from graph.execution_warnings import ExecutionWarningCode
from graph.history import StageStatus, attribute, parse_definition
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


def loop(turns: int, name: str = "one") -> Played:
    script = Script(datetime(2026, 7, 14, 9, tzinfo=UTC), pace=0.01)
    last = script.enter("Task", "Do", 0)
    for _ in range(turns):
        last = script.work(last, seconds=0.01, error="Busy")
    script.add("ExecutionFailed", last, error="Busy")
    return Played(MACHINE, name, "FAILED", script.events)


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


async def test_what_is_kept_takes_pages_of_an_operation_as_what_is_read_does() -> None:
    references = [MACHINE.execution(name) for name in ("one", "two", "three")]
    states = Counted([loop(600, name) for name in ("one", "two", "three")])  # two pages each
    caller = Caller(concurrency=2, attempts=1)
    settings = Settings(history_pages_per_operation=3)
    engines = Engines(Clients(None, None, None, states), caller, settings)  # type: ignore[arg-type]

    async def read(*asked: str) -> list[RunDetail]:
        async with OperationScope() as scope:
            operation = engines.operation(scope)
            return [await operation.detail(reference) for reference in asked]

    try:
        for reference in references:
            assert [detail.is_complete for detail in await read(reference)] == [True]
        first, second, third = await read(*references)
    finally:
        caller.close()
    assert first.is_complete
    assert (len(second.attribution.events), second.is_complete) == (EVENTS_OF_A_PAGE, False)
    assert [warning.code for warning in second.warnings] == [ExecutionWarningCode.OPERATION_BUDGET]
    assert (len(third.attribution.events), third.stages[0].status) == (0, StageStatus.UNKNOWN)


async def test_an_operation_looks_into_no_more_runs_than_it_has_pages() -> None:
    """Whether or not their histories are kept: each has stages."""
    caller = Caller(concurrency=2, attempts=1)
    states = Counted([loop(1, name) for name in ("one", "two", "three")])
    settings = Settings(history_pages_per_operation=2)
    engines = Engines(Clients(None, None, None, states), caller, settings)  # type: ignore[arg-type]
    try:
        async with OperationScope() as scope:
            operation = engines.operation(scope)
            one, two, three = [await operation.detail(MACHINE.execution(name)) for name in ("one", "two", "three")]
    finally:
        caller.close()
    assert [stage.name for detail in (one, two) for stage in detail.stages] == ["Do", "Do"]
    assert not three.stages
    assert {warning.code for warning in three.definition_warnings} == {ExecutionWarningCode.OPERATION_BUDGET}
    assert {warning.code for warning in three.history_warnings} == {ExecutionWarningCode.OPERATION_BUDGET}
