"""Statuses of executions and steps: stored, compared with the engine, or derived from the run."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.demo.cloudwatch import EmbeddedLogs
from graph.demo.logs import log_clients
from graph.demo.model import Run, Step, identifier
from graph.demo.run_rows import run_rows
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.settings import Settings
from graph.tables.reader import Reader
from tests.harness import Graph
from tests.logs.unruly import Recorded
from tests.memory import NAMES, MemoryDatabase
from tests.resolvers.test_engines import Faulty
from tests.worlds import PIPELINE, WORKFLOW, items, run

STATUS = """{ executionId status statusSource stoppedAt durationMs error
  pipelineExecutions { nodes { status statusSource } } }"""
ONE = f"query($id: String!) {{ execution(executionId: $id) {STATUS} }}"
LIST = "query($filter: ExecutionFilter) { executions(first: 100, filter: $filter) { nodes { status statusSource } } }"


def step(name: str, status: str) -> Step:
    return Step(step_id=identifier("step", name), pipeline=PIPELINE, status=status)


def running(name: str, minute: int = 0, **changes: Any) -> Run:
    steps = (step(f"{name}-0", "SUCCEEDED"), step(f"{name}-1", "RUNNING"), step(f"{name}-2", "NEW"))
    return run(name, minute=minute, status="RUNNING", steps=steps, **changes)


def played(of: Run, status: str, *, seconds: float = 60) -> Played:
    script = Script(datetime(2026, 7, 14, 0, 0, tzinfo=UTC))
    entered = script.enter("Task", "job", 0)
    if status != "RUNNING":
        ending = f"Execution{status.title().replace('_', '')}"
        script.add(ending, entered, seconds=seconds, error="E", cause="TaskToken=secret")
    return Played(Machine(WORKFLOW.arn, {}), of.execution_id, status, script.events)


class World:
    """Some runs, and what Step Functions says of them."""

    def __init__(self, runs: list[Run], executions: list[Played], states: Any = None, **settings: Any) -> None:
        self.states = Recorded(states or EmbeddedStepFunctions(executions))
        clients = replace(log_clients(), states=self.states, logs=EmbeddedLogs([]))
        chosen = Settings(cursor_secrets=["a secret of the tests"], **settings)
        database = MemoryDatabase(items(*(run_rows(one) for one in runs)))
        self.graph = Graph(database, NAMES, chosen, reader=Reader, logs=clients)

    async def one(self, of: Run) -> Any:
        return (await self.graph.data(ONE, id=of.execution_id))["execution"]

    @property
    def checks(self) -> int:
        return [name for name, _ in self.states.requests].count("describe_execution")


@pytest.fixture
def world() -> Iterator[Callable[..., World]]:
    made: list[World] = []

    def make(*arguments: Any, **settings: Any) -> World:
        made.append(World(*arguments, **settings))
        return made[-1]

    yield make
    for one in made:
        one.graph.close()


async def test_a_run_that_ended_elsewhere_shows_it_and_its_steps_ended_with_it(world: Callable[..., World]) -> None:
    of = running("ended")
    there = world([of], [played(of, "TIMED_OUT")])
    shown = await there.one(of)
    assert (shown["status"], shown["statusSource"]) == ("TIMED_OUT", "LIVE")
    assert shown["stoppedAt"] is not None
    assert shown["durationMs"] > 0
    assert shown["error"] == "E: TaskToken=<redacted>"
    assert [(one["status"], one["statusSource"]) for one in shown["pipelineExecutions"]["nodes"]] == [
        ("SUCCEEDED", "STORED"),
        ("TIMED_OUT", "DERIVED"),
        ("TIMED_OUT", "DERIVED"),
    ]
    assert there.checks == 1


async def test_a_run_that_goes_on_is_running_by_the_engines_word(world: Callable[..., World]) -> None:
    of = running("on")
    shown = await world([of], [played(of, "RUNNING")]).one(of)
    assert (shown["status"], shown["statusSource"], shown["stoppedAt"]) == ("RUNNING", "LIVE", None)
    assert [one["statusSource"] for one in shown["pipelineExecutions"]["nodes"]] == ["STORED"] * 3


async def test_a_check_serves_all_operations_for_its_seconds(world: Callable[..., World]) -> None:
    of = running("again")
    there = world([of], [played(of, "RUNNING")], status_check_seconds=60)
    for _ in range(3):
        assert (await there.one(of))["statusSource"] == "LIVE"
    assert there.checks == 1
    eager = world([of], [played(of, "RUNNING")], status_check_seconds=0)
    for _ in range(3):
        await eager.one(of)
    assert eager.checks == 3


async def test_a_row_that_vams_has_just_checked_is_believed(world: Callable[..., World]) -> None:
    of = running("fresh", checked_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    there = world([of], [played(of, "FAILED")])
    assert (await there.one(of))["statusSource"] == "STORED"
    assert there.checks == 0


@pytest.mark.parametrize("changes", [{"status": "FAILED"}, {"stopped_at": "2026-07-14T01:00:00Z"}])
async def test_a_run_that_ended_is_not_asked_for(world: Callable[..., World], changes: dict[str, str]) -> None:
    of = replace(running("over"), **changes)  # type: ignore[arg-type]
    there = world([of], [played(of, "SUCCEEDED")])
    assert (await there.one(of))["statusSource"] == "STORED"
    assert there.checks == 0


async def test_steps_of_a_run_whose_row_ended_are_derived(world: Callable[..., World]) -> None:
    of = replace(running("aborted"), status="ABORTED", stopped_at="2026-07-14T01:00:00Z")
    shown = await world([of], []).one(of)
    assert [(one["status"], one["statusSource"]) for one in shown["pipelineExecutions"]["nodes"]][1:] == [
        ("ABORTED", "DERIVED"),
        ("ABORTED", "DERIVED"),
    ]


async def test_a_run_that_the_engine_forgot_keeps_its_status_and_is_not_asked_for_again(
    world: Callable[..., World],
) -> None:
    of = running("forgotten")
    there = world([of], [], status_check_seconds=0)
    for _ in range(3):
        shown = await there.one(of)
        assert (shown["status"], shown["statusSource"]) == ("RUNNING", "STORED")
    assert there.checks == 1


async def test_an_engine_that_does_not_answer_leaves_the_status_as_stored(world: Callable[..., World]) -> None:
    of = running("mute")
    there = world([of], [], Faulty("AccessDeniedException"))
    for _ in range(2):
        shown = await there.one(of)
        assert (shown["status"], shown["statusSource"]) == ("RUNNING", "STORED")
    assert there.checks == 1


async def test_a_list_asks_for_few_of_its_rows(world: Callable[..., World]) -> None:
    runs = [running(f"row {number}", number) for number in range(12)]
    there = world(runs, [played(of, "FAILED") for of in runs], status_checks=5)
    data = await there.graph.data(LIST)
    sources = [node["statusSource"] for node in data["executions"]["nodes"]]
    assert (sources.count("LIVE"), sources.count("STORED")) == (5, 7)
    assert there.checks == 5


BESIDE = """
query($id: ID!%s) {
  before: node(id: $id) { ...Shown }
  ...Listed
  after: node(id: $id) { ...Shown }
  all: executions(first: 100) { nodes { ...Shown } }
}
fragment Listed on Query { list: executions(filter: %s) { nodes { ...Shown } } }
fragment Shown on Execution { status statusSource stoppedAt }
"""
FILTERS = {
    "a literal": ("", "{status: [RUNNING]}", {}),
    "one status": ("", "{status: RUNNING}", {}),
    "a variable": (", $filter: ExecutionFilter", "$filter", {"filter": {"status": ["RUNNING"]}}),
    "within a filter": (", $status: [ExecutionStatus!]", "{status: $status}", {"status": ["RUNNING"]}),
    "by default": (", $filter: ExecutionFilter = {status: [RUNNING]}", "$filter", {}),
}


@pytest.mark.parametrize(("declared", "wanted", "variables"), FILTERS.values(), ids=FILTERS)
async def test_a_list_by_status_shows_it_and_so_does_whatever_stands_beside_it(
    world: Callable[..., World], declared: str, wanted: str, variables: Any
) -> None:
    runs = [running(f"chosen {number}", number) for number in range(3)]
    there = world(runs, [played(of, "FAILED") for of in runs])
    newest = await there.graph.data("{ executions(first: 1) { nodes { id } } }")
    (object_id,) = (node["id"] for node in newest["executions"]["nodes"])
    data = await there.graph.data(BESIDE % (declared, wanted), id=object_id, **variables)
    stored = {"status": "RUNNING", "statusSource": "STORED", "stoppedAt": None}
    assert data["before"] == data["after"] == stored
    assert data["list"]["nodes"] == data["all"]["nodes"] == [stored] * 3
    assert there.checks == 0


async def test_a_filter_without_a_status_asks_the_engine(world: Callable[..., World]) -> None:
    of = running("asked")
    there = world([of], [played(of, "FAILED")])
    for wanted in ({"status": None}, {"groupId": None}, None):
        data = await there.graph.data(LIST, filter=wanted)
        assert [node["statusSource"] for node in data["executions"]["nodes"]] == ["LIVE"]


async def test_rows_that_were_chosen_by_their_status_show_it(world: Callable[..., World]) -> None:
    runs = [running(f"chosen {number}", number) for number in range(3)]
    there = world(runs, [played(of, "FAILED") for of in runs])
    data = await there.graph.data(LIST, filter={"status": ["RUNNING"]})
    assert [(node["status"], node["statusSource"]) for node in data["executions"]["nodes"]] == [
        ("RUNNING", "STORED")
    ] * 3
    assert there.checks == 0
