"""Deleting a run: every row of it, and what is seen of a run that is half deleted."""

from dataclasses import replace
from typing import Any, cast

import pytest

from graph.auth.policies import Policies
from graph.demo.model import Metadata, OutputFile, OutputMetadata, OutputResult, Selection, StepLog
from graph.tables.catalogue import CONFIGURATIONS, EXECUTION_TABLES, EXECUTIONS, INPUTS, STEPS
from tests.actions.conftest import Make
from tests.actions.world import INPUT, World, machine_of, run, step
from tests.worlds import GivenPolicies, asset, deny, everything_but, viewer

DOCUMENT = """
mutation($id: String!, $confirm: Boolean!) { deleteExecution(input: { executionId: $id, confirm: $confirm }) {
  executionId deletedId warnings { code }
} }
"""
SEE = "query($id: String!) { execution(executionId: $id) { executionId } executions { nodes { executionId } } }"


def _step(name: str) -> Any:
    return replace(
        step(name, "SUCCEEDED"),
        files=(OutputFile("a.glb", 1), OutputFile("b.glb", 1)),
        output_metadata=(OutputMetadata("/", "key", "value", "a.json"),),
        results=(OutputResult("/a.txt", "text"),),
        log=StepLog("result", "error"),
    )


def _run(name: str, **changes: Any) -> Any:
    given: dict[str, Any] = {
        "status": "SUCCEEDED",
        "stopped_at": "2026-07-14T10:00:00Z",
        "metadata": (Metadata("inputs", INPUT, "/", {"a": "b"}),),
        "output_asset": asset("outputs", "output"),
    }
    return run(name, _step(f"{name}-1"), _step(f"{name}-2"), **given | changes)


DONE, OTHER = _run("done"), _run("other")
MANY = _run("many", inputs=tuple(Selection(asset(f"db-{n:03}", f"asset-{n:03}"), "/a.step", "v1") for n in range(130)))


def _world(world: Make, *runs: Any, **options: Any) -> World:
    return world(*runs, **{"delete_executions": True, **options})


async def delete(here: World, of: Any, *, confirm: bool = True, **options: Any) -> Any:
    answer = await here.graph.ask(DOCUMENT, id=of.execution_id, confirm=confirm, **options)
    assert answer.errors == [], answer.codes
    assert answer.data is not None
    return answer.data["deleteExecution"]


def left(here: World) -> dict[str, int]:
    return {table.name: len(here.items(table)) for table in EXECUTION_TABLES}


async def test_every_row_of_a_run_goes_and_no_other(world: Make) -> None:
    here = _world(world, OTHER)
    alone = left(here)
    here = _world(world, DONE, OTHER)
    (gid,) = [
        (await here.graph.data("query($id: String!) { execution(executionId: $id) { id } }", id=DONE.execution_id))
    ]
    told = await delete(here, DONE)
    assert told == {"executionId": DONE.execution_id, "deletedId": gid["execution"]["id"], "warnings": []}
    assert left(here) == alone
    assert await delete(here, DONE) is None


async def test_it_is_gone_for_the_rest_of_the_operation(world: Make) -> None:
    here = _world(world, DONE)
    fields = f'deleteExecution(input: {{ executionId: "{DONE.execution_id}", confirm: true }}) {{ executionId }}'
    told = await here.graph.data(f"mutation {{ first: {fields} second: {fields} }}")
    assert told == {"first": {"executionId": DONE.execution_id}, "second": None}


async def test_one_that_is_in_progress_is_a_conflict(world: Make) -> None:
    of = _run("going", status="RUNNING", stopped_at="")
    here = _world(world, of)
    before = left(here)
    answer = await here.graph.ask(DOCUMENT, id=of.execution_id, confirm=True)
    assert (answer.data, answer.codes) == ({"deleteExecution": None}, ["CONFLICT"])
    assert "retryable" not in answer.errors[0]["extensions"]
    assert left(here) == before
    assert not here.writes.made


@pytest.mark.parametrize("how", ["ended", "forgotten"])
async def test_one_that_ended_outside_of_its_row_may_be_deleted(world: Make, how: str) -> None:
    of = _run("outside", status="RUNNING", stopped_at="")
    here = _world(world, of)
    if how == "ended":
        here.states.stop_execution(executionArn=machine_of(of).arn, error="", cause="")
    else:
        here.states.forget(machine_of(of).arn)
    assert (await delete(here, of))["deletedId"] is not None
    assert set(left(here).values()) == {0}


async def test_it_must_be_confirmed(world: Make) -> None:
    here = _world(world, DONE)
    for execution_id in (DONE.execution_id, "nothing"):
        answer = await here.graph.ask(DOCUMENT, id=execution_id, confirm=False)
        assert (answer.data, answer.codes) == ({"deleteExecution": None}, ["BAD_USER_INPUT"])
    assert not here.writes.made


async def test_a_server_that_deletes_nothing_says_so_of_what_is_seen(world: Make) -> None:
    here = world(DONE)
    answer = await here.graph.ask(DOCUMENT, id=DONE.execution_id, confirm=True)
    assert (answer.data, answer.codes) == ({"deleteExecution": None}, ["FORBIDDEN"])
    assert await delete(here, OTHER) is None
    asked = await here.graph.data(
        "query($id: String!) { execution(executionId: $id) { viewerCanDelete } }", id=DONE.execution_id
    )
    assert asked == {"execution": {"viewerCanDelete": False}}


async def test_it_is_finished_by_a_repeat(world: Make) -> None:
    here = _world(world, DONE)
    here.writes.failing[STEPS.name] = "AccessDeniedException"
    told = await delete(here, DONE)
    assert (told["deletedId"], told["warnings"]) == (None, [{"code": "CLEANUP_LEFT"}])
    here.writes.failing.clear()
    assert (await delete(here, DONE))["deletedId"] is not None
    assert set(left(here).values()) == {0}


SEEING, SOME, DELETING = (
    everything_but(deny("api", "route__path", "ends_with", "/permanent", "DELETE")),
    everything_but(deny("asset", "databaseId", "equals", "db-001", "GET", "POST")),
    everything_but(),
)


@pytest.mark.parametrize("of", [DONE, MANY], ids=["few inputs", "many inputs"])
async def test_killed_after_any_write_nobody_sees_more_and_a_repeat_ends_the_same(world: Make, of: Any) -> None:
    place, is_over = 0, False
    while not is_over:
        place += 1
        here = _world(world, of)
        policies = {"seeing": SEEING, "some": SOME, "deleting": DELETING}
        here.graph.services = replace(here.graph.services, policies=cast("Policies", GivenPolicies(policies)))
        saw = {user: await _sees(here, user, of) for user in policies}
        here.writes.killed_after = place
        try:
            assert (await delete(here, of, viewer=viewer("deleting")))["deletedId"] is not None
            is_over = True
        except AssertionError as error:
            assert "INTERNAL" in str(error)  # noqa: PT017 - what killed it is masked
        here.writes.killed_after = None
        for user in policies:
            assert saw[user] or not await _sees(here, user, of)
        if not is_over and here.items(EXECUTIONS):
            assert not await _sees(here, "seeing", of)
            assert (await delete(here, of, viewer=viewer("deleting")))["deletedId"] is not None
        assert set(left(here).values()) == {0}
    assert place > 5


async def _sees(here: World, user: str, of: Any) -> bool:
    answer = await here.graph.ask(SEE, viewer=viewer(user), id=of.execution_id)
    assert answer.data is not None
    in_list = [one["executionId"] for one in answer.data["executions"]["nodes"]] == [of.execution_id]
    assert in_list == (answer.data["execution"] is not None)
    return in_list


async def test_what_decides_goes_last_and_together(world: Make) -> None:
    here = _world(world, MANY)
    await delete(here, MANY)
    last = here.done[-1]
    assert last.startswith("together ")
    assert {name.split("/")[0] for name in last.split()[1:]} == {EXECUTIONS.name, CONFIGURATIONS.name, INPUTS.name}
