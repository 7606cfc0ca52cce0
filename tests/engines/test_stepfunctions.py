from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.aws.calls import Caller, CallFailed
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.engines.engine import EngineName, NoHistory, RedriveStatus, RegisteredRun, RunReference
from graph.engines.stepfunctions import StepFunctions
from graph.history import IterationCounts
from graph.tables.states import ExecutionStatus

STATES = "arn:aws:states:us-west-2:123456789012"
MACHINE = Machine(f"{STATES}:stateMachine:Convert", {"StartAt": "A"}, "arn:aws:logs:us-west-2:1:log-group:/a:*")
START = datetime(2026, 7, 14, tzinfo=UTC)


def played(**changes: Any) -> Played:
    script = Script(START)
    script.add("ExecutionFailed", script.task("A", 0), error="E", cause="why")
    whole: dict[str, Any] = {"machine": MACHINE, "name": "run", "status": "FAILED", "events": script.events}
    return Played(**whole | changes)


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(concurrency=2, attempts=1)
    yield caller
    caller.close()


def reader(caller: Caller, *executions: Played) -> StepFunctions:
    return StepFunctions(EmbeddedStepFunctions(executions or [played()], [MACHINE]), caller)


@pytest.mark.parametrize(
    ("arn", "flow", "name"),
    [
        (f"{STATES}:execution:Convert:run", "Convert", "run"),
        ("arn:aws-us-gov:states:us-gov-west-1:123456789012:execution:Convert:run", "Convert", "run"),
        (f"{STATES}:execution:Convert/Tiles:b-1", "Convert", "b-1"),
        (f"{STATES}:express:Notify:one:two", "Notify", "one:two"),
    ],
)
def test_an_arn_names_the_machine_and_the_run(caller: Caller, arn: str, flow: str, name: str) -> None:
    engine = reader(caller)
    machine = f"{arn.partition(':states:')[0]}:states:{arn.split(':')[3]}:123456789012:stateMachine:{flow}"
    assert engine.recognises(arn)
    assert engine.run(arn) == RunReference(EngineName.STEP_FUNCTIONS, arn, name, flow, arn, machine)


@pytest.mark.parametrize(
    "text", ["", "run", f"{STATES}:stateMachine:Convert", f"{STATES}:execution:Convert", "a" * 9999]
)
def test_what_is_no_arn_of_a_run_is_no_reference(caller: Caller, text: str) -> None:
    assert reader(caller).run(text) is None


@pytest.mark.parametrize("text", ["", "run", "arn:aws:batch:us-west-2:1:job/1", "arn:aws:states", "a" * 9999])
def test_what_is_no_arn_of_step_functions_is_not_recognised(caller: Caller, text: str) -> None:
    assert not reader(caller).recognises(text)


@pytest.mark.parametrize(
    ("entry", "registration"),
    [
        ({}, RegisteredRun(None, None, None)),
        ({"executionArn": 7, "stateMachineArn": ["x"]}, RegisteredRun(None, None, None)),
        ({"executionArn": "elsewhere"}, RegisteredRun("elsewhere", None, None)),
        (
            {"executionArn": f"{STATES}:execution:Convert:run"},
            RegisteredRun(f"{STATES}:execution:Convert:run", f"{STATES}:stateMachine:Convert", None),
        ),
        (
            {"stateMachineArn": f"{STATES}:stateMachine:Convert:7"},
            RegisteredRun(None, f"{STATES}:stateMachine:Convert", "Convert:7"),
        ),
        (
            {"executionArn": f"{STATES}:execution:Other:run", "stateMachineArn": f"{STATES}:stateMachine:Convert"},
            RegisteredRun(f"{STATES}:execution:Other:run", f"{STATES}:stateMachine:Convert", "Convert"),
        ),
    ],
)
def test_an_entry_names_its_run_and_its_machine(
    caller: Caller, entry: dict[str, Any], registration: RegisteredRun
) -> None:
    assert reader(caller).registration(entry) == registration


async def test_a_run_is_described(caller: Caller) -> None:
    described = {"redriveCount": 2, "redriveDate": START, "redriveStatus": "REDRIVABLE"}
    facts = await reader(caller, played(described=described)).describe(MACHINE.execution("run"))
    assert facts.status is ExecutionStatus.FAILED
    assert (facts.error, facts.cause, facts.input) == ("E", "why", "{}")
    assert facts.started_at is not None
    assert facts.stopped_at is not None
    assert facts.started_at < facts.stopped_at
    assert (facts.redrive_count, facts.redrive_status, facts.last_redriven_at) == (2, RedriveStatus.REDRIVABLE, START)


async def test_words_that_are_not_known_yet_are_unknown(caller: Caller) -> None:
    facts = await reader(caller, played(status="PAUSED", described={"redriveStatus": "MAYBE"})).describe(
        MACHINE.execution("run")
    )
    assert (facts.status, facts.redrive_status) == (ExecutionStatus.UNKNOWN, RedriveStatus.UNKNOWN)


async def test_a_run_is_stopped_and_one_that_ended_stays_as_it_is(caller: Caller) -> None:
    going = played(status="RUNNING")
    del going.events[-1]
    engine, run = reader(caller, going), MACHINE.execution("run")
    for cause in ("asked to", "asked again"):
        await engine.stop(run, error="Stopped", cause=cause)
        facts = await engine.describe(run)
        assert (facts.status, facts.error, facts.cause) == (ExecutionStatus.ABORTED, "Stopped", "asked to")


async def test_a_run_that_is_gone_is_a_failure_with_its_code(caller: Caller) -> None:
    with pytest.raises(CallFailed) as failed:
        await reader(caller).describe(MACHINE.execution("gone"))
    assert failed.value.code == "ExecutionDoesNotExist"


async def test_an_express_run_has_no_history_and_none_is_asked_for(caller: Caller) -> None:
    with pytest.raises(NoHistory, match="Express"):
        await reader(caller).history(f"{STATES}:express:Convert:run:1", newest_first=False, token=None)


async def test_a_history_is_read_from_either_end(caller: Caller) -> None:
    engine, run = reader(caller), MACHINE.execution("run")
    oldest = await engine.history(run, newest_first=False, token=None)
    newest = await engine.history(run, newest_first=True, token=None)
    assert [event.id for event in oldest.events] == list(range(1, 8))
    assert [event.id for event in newest.events] == list(range(7, 0, -1))
    assert oldest.token is newest.token is None


async def test_an_event_that_is_none_is_a_gap(caller: Caller) -> None:
    one = played()
    del one.events[3]["type"]
    page = await reader(caller, one).history(MACHINE.execution("run"), newest_first=False, token=None)
    assert [event.id for event in page.events] == [1, 2, 3, 5, 6, 7]


async def test_a_definition_is_that_of_the_start(caller: Caller) -> None:
    engine = reader(caller)
    assert await engine.definition(MACHINE.execution("run")) == '{"StartAt": "A"}'
    assert list(engine.parse('{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}', 1000).states) == ["A"]


async def test_a_map_run_tells_what_became_of_its_executions(caller: Caller) -> None:
    counts = {"total": 9, "pending": 2, "running": 1, "succeeded": 3, "failed": 1, "timedOut": 1, "aborted": 1}
    engine = reader(caller, played(map_runs={"arn:map": {"executionCounts": counts, "redriveCount": 2}}))
    told = await engine.map_run("arn:map")
    assert told.counts == IterationCounts(9, 7, 3, 1, 1, running=1, pending=2, timed_out=1)
    assert (told.run, told.redrive_count, told.status) == (MACHINE.execution("run"), 2, ExecutionStatus.UNKNOWN)


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("execution:{}/Label:c-1", "execution/Label:c-1"),
        ("express:{}/Label:c-1:2", "express/Label:c-1:2"),
        ("mapRun:{}/Label:8f0e", "mapRun/Label:8f0e"),
        ("execution:{}:c-1", None),
        ("execution:another/Label:c-1", None),
        ("stateMachine:{}", None),
    ],
)
def test_what_is_within_a_machine_has_a_name_without_its_account(
    caller: Caller, reference: str, name: str | None
) -> None:
    engine, run = reader(caller), MACHINE.execution("run")
    prefix, _, machine = MACHINE.arn.partition(":stateMachine:")
    arn = f"{prefix}:{reference.format(machine)}"
    assert engine.name_within(run, arn) == name
    if name is not None:
        assert engine.reference_within(run, name) == arn
        assert engine.name_within(arn, arn) == (None if ":mapRun:" in arn else name)  # of a run that a Map run started
        assert engine.name_within(run, arn.replace("123456789012", "210987654321")) is None


@pytest.mark.parametrize(
    "name", ["", "x", "execution/a", "execution/:x", "execution/a/b:c", "job/a:b", "execution/a:b/c", "execution/a:b\n"]
)
def test_no_other_name_is_a_reference(caller: Caller, name: str) -> None:
    assert reader(caller).reference_within(MACHINE.execution("run"), name) is None


async def test_a_machine_tells_where_it_logs(caller: Caller) -> None:
    assert await reader(caller).log_group(MACHINE.arn) == MACHINE.log_group
    silent = Machine(f"{STATES}:stateMachine:Silent", {})
    engine = StepFunctions(EmbeddedStepFunctions([], [silent]), caller)
    assert await engine.log_group(silent.arn) is None
    assert engine.name is EngineName.STEP_FUNCTIONS
