"""Aborting a group: each member as the viewer may, newest first, as far as limits and time allow."""

import time
from typing import Any

import pytest

from graph.actions import group as group_module
from graph.tables.catalogue import EXECUTIONS
from tests.actions.conftest import Make
from tests.actions.world import run, step, sub_run

DOCUMENT = """
mutation($id: String!) { abortExecutionGroup(input: { groupId: $id }) {
  group { groupId viewerCanAbort } forbiddenCount isComplete
  results { executionId outcome execution { status } warnings { code } }
} }
"""


def member(name: str, minute: int, status: str = "RUNNING", **changes: Any) -> Any:
    started = f"2026-07-14T09:{minute:02}:00Z"
    return run(name, step(name, status), status=status, group_id="night", **{"started_at": started, **changes})


async def test_members_that_run_are_aborted_newest_first_and_others_are_in_no_list(world: Make) -> None:
    members = [member(f"m{number}", number) for number in range(6)]
    here = world(*members, member("ended", 9, "SUCCEEDED"), run("elsewhere", step("elsewhere")))
    told = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert [one["executionId"] for one in told["results"]] == [of.execution_id for of in reversed(members)]
    assert {one["outcome"] for one in told["results"]} == {"ABORTED"}
    assert {one["execution"]["status"] for one in told["results"]} == {"ABORTED"}
    assert (told["forbiddenCount"], told["isComplete"]) == (0, True)
    assert told["group"] == {"groupId": "night", "viewerCanAbort": True}
    assert sorted(here.statuses().values()) == ["ABORTED"] * 12 + ["RUNNING"] * 2 + ["SUCCEEDED"] * 2
    again = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert (again["results"], again["isComplete"]) == ([], True)


async def test_one_that_cannot_be_stopped_is_failed_and_the_others_go_on(world: Make) -> None:
    members = [member(f"f{number}", number) for number in range(3)]
    here = world(*members)
    here.states.refusals[members[1].execution_id] = "AccessDeniedException"
    told = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert [one["outcome"] for one in told["results"]] == ["ABORTED", "FAILED", "ABORTED"]
    assert told["results"][1]["warnings"] == [{"code": "STOP_FAILED"}]
    assert told["results"][1]["execution"] == {"status": "RUNNING"}
    assert told["isComplete"]


async def test_one_that_stopped_in_part_is_incomplete(world: Make) -> None:
    here = world(run("part", step("part", "RUNNING", sub_run("one")), group_id="night"), inner=("one",))
    here.states.refusals["one"] = "AccessDeniedException"
    told = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert [one["outcome"] for one in told["results"]] == ["INCOMPLETE"]


async def test_what_an_incomplete_one_left_is_stopped_by_its_own_repetition(world: Make) -> None:
    of = run("part", step("part", "RUNNING", sub_run("one")), group_id="night")
    here = world(of, inner=("one",))
    here.states.refusals["one"] = "AccessDeniedException"
    await here.graph.data(DOCUMENT, id="night")
    here.states.refusals.clear()
    again = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert (again["results"], again["isComplete"]) == ([], True)
    assert "stop one" not in here.journal
    told = await here.abort(of)
    assert (told["outcome"], told["warnings"]) == ("ALREADY_TERMINAL", [])
    assert "stop one" in here.journal


async def test_a_call_ends_at_its_limit_and_the_next_goes_on(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_module, "MOST", 3)
    here = world(*(member(f"l{number}", number) for number in range(5)))
    first = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    second = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert [(len(one["results"]), one["isComplete"]) for one in (first, second)] == [(3, False), (2, True)]
    assert set(here.statuses().values()) == {"ABORTED"}


async def test_a_call_ends_before_its_invocation_does(world: Make) -> None:
    here = world(*(member(f"t{number}", number) for number in range(5)))
    context, _ = await here.graph.context(), here.journal
    context.ends_at = time.monotonic() + 5
    told = await group_module.abort_group(context, "night")
    await context.close()
    assert told is not None
    assert (told.results, told.is_complete) == ((), False)
    assert here.journal == []


@pytest.mark.parametrize("place", range(1, 5))
async def test_killed_after_any_write_and_repeated_it_ends_the_same(world: Make, place: int) -> None:
    here = world(*(member(f"k{number}", number) for number in range(2)))
    here.writes.killed_after = place
    with pytest.raises(AssertionError, match="INTERNAL"):
        await here.graph.data(DOCUMENT, id="night")
    here.writes.killed_after = None
    told = (await here.graph.data(DOCUMENT, id="night"))["abortExecutionGroup"]
    assert told["isComplete"]
    assert set(here.statuses().values()) == {"ABORTED"}
    assert all(row["executionStopDate"] for row in here.rows(EXECUTIONS))


@pytest.mark.parametrize("group_id", ["", "nothing", "\ud800", "x" * 10_000, "a b"])
async def test_a_group_that_is_unknown_or_cannot_be_is_null(world: Make, group_id: str) -> None:
    here = world(member("only", 1))
    answer = await here.graph.ask(DOCUMENT, id=group_id)
    assert (answer.data, answer.errors) == ({"abortExecutionGroup": None}, [])
