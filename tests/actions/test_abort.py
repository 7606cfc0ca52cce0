"""Aborting a run: what is stopped and marked, in which order, and what happens where something goes wrong."""

from typing import Any

import pytest

from graph.tables.catalogue import EXECUTIONS, LOCKS, STEPS
from tests.actions.conftest import Make
from tests.actions.world import INNER, RENDER, batch_job, deadline_job, machine_of, run, step, sub_run

FINISHED, RUNNING, WAITING = (
    step("finished", "SUCCEEDED", sub_run("one")),
    step("running", "RUNNING", sub_run("two"), batch_job("job-2"), deadline_job("job-3")),
    step("waiting", "NEW"),
)
FULL = run("full", FINISHED, RUNNING, WAITING)
IDS = (FULL.execution_id, FINISHED.step_id, RUNNING.step_id, WAITING.step_id)
OPEN: dict[str, Any] = {
    "inner": ("one", "two"),
    "jobs": {"job-2": "RUNNING"},
    "farm": {"job-3": ("RUNNING", RUNNING.step_id)},
}
ENDED = dict(zip(IDS, ("ABORTED", "SUCCEEDED", "ABORTED", "ABORTED"), strict=True))


async def test_what_runs_is_stopped_from_the_outside_in_and_then_marked(world: Make) -> None:
    here = world(FULL, **OPEN)
    before = {row["pipelineExecutionId"]: row for row in here.rows(STEPS)}
    told = await here.abort(FULL)
    assert told["outcome"] == "ABORTED"
    assert told["warnings"] == []
    assert here.statuses() == ENDED
    stops = {"stop two", "terminate job-2", "cancel job-3"}
    running, waiting = (f"write {STEPS.name} {of.step_id}" for of in (RUNNING, WAITING))
    first, *between, last = here.done
    assert (first, last) == (f"stop {FULL.execution_id}", f"write {EXECUTIONS.name} {FULL.execution_id}")
    assert set(between) == {*stops, running, waiting}
    assert len(between) == 5
    assert stops <= set(between[: between.index(running)])
    after = {row["pipelineExecutionId"]: row for row in here.rows(STEPS)}
    assert after[FINISHED.step_id] == before[FINISHED.step_id]
    assert here.states.status(machine_of(FULL).arn) == here.states.status(INNER.execution("two")) == "ABORTED"
    assert here.states.status(INNER.execution("one")) == "RUNNING"
    (row,) = here.rows(EXECUTIONS)
    assert row["executionStopDate"] == row["lastSfnSyncCheckDate"] > "2026"


async def test_the_payload_shows_what_was_written(world: Make) -> None:
    here = world(FULL, **OPEN)
    told = (await here.abort(FULL))["execution"]
    (row,) = here.rows(EXECUTIONS)
    assert (told["executionId"], told["status"], told["statusSource"]) == (FULL.execution_id, "ABORTED", "STORED")
    assert told["stoppedAt"] == row["executionStopDate"].replace("Z", ".000Z")
    statuses = [(node["status"], node["statusSource"]) for node in told["pipelineExecutions"]["nodes"]]
    assert statuses == [("SUCCEEDED", "STORED"), ("ABORTED", "STORED"), ("ABORTED", "STORED")]


async def test_a_second_abort_changes_nothing(world: Make) -> None:
    here = world(FULL, **OPEN)
    await here.abort(FULL)
    rows = here.rows(EXECUTIONS), here.rows(STEPS)
    told = await here.abort(FULL)
    assert told["outcome"] == "ALREADY_TERMINAL"
    assert told["warnings"] == []
    assert (here.rows(EXECUTIONS), here.rows(STEPS)) == rows


@pytest.mark.parametrize("status", ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"])
async def test_a_run_that_ended_stays_as_it_ended(world: Make, status: str) -> None:
    of = run("ended", step("done", status, sub_run("one")), status=status, stopped_at="2026-07-14T10:00:00Z")
    here = world(of, inner=("one",))
    rows = here.rows(EXECUTIONS), here.rows(STEPS)
    told = await here.abort(of)
    assert told["outcome"] == "ALREADY_TERMINAL"
    assert told["execution"]["status"] == status
    assert (here.rows(EXECUTIONS), here.rows(STEPS)) == rows
    assert here.done == (["stop one"] if status == "ABORTED" else [])


@pytest.mark.parametrize("place", range(1, 5))
async def test_killed_after_any_write_and_repeated_it_ends_the_same(world: Make, place: int) -> None:
    here = world(FULL, **OPEN)
    here.lock(FULL, FULL.execution_id)
    here.writes.killed_after = place
    with pytest.raises(AssertionError, match="INTERNAL"):
        await here.abort(FULL)
    assert here.writes.made >= place
    here.writes.killed_after = None
    await here.abort(FULL)
    assert here.statuses() == ENDED
    assert here.rows(LOCKS) == []
    assert here.states.status(INNER.execution("two")) == "ABORTED"
    assert (await here.abort(FULL))["outcome"] == "ALREADY_TERMINAL"


@pytest.mark.parametrize(
    ("code", "told", "is_retryable"),
    [
        ("AccessDeniedException", "UPSTREAM_UNAVAILABLE", True),
        ("ThrottlingException", "THROTTLED", True),
        ("InvalidArn", "UPSTREAM_UNAVAILABLE", True),
        ("KmsAccessDeniedException", "UPSTREAM_UNAVAILABLE", True),
    ],
)
async def test_nothing_is_marked_while_the_machine_may_go_on(
    world: Make, code: str, told: str, is_retryable: bool
) -> None:
    here = world(FULL, **OPEN)
    here.states.refusals[FULL.execution_id] = code
    before = here.statuses()
    answer = await here.ask(FULL)
    assert answer.data == {"abortExecution": None}
    assert answer.codes == [told]
    assert answer.errors[0]["extensions"]["retryable"] is is_retryable
    assert "arn:" not in answer.errors[0]["message"]
    assert here.statuses() == before
    assert here.journal == []


async def test_a_machine_that_is_not_there_or_has_ended_is_stopped_enough(world: Make) -> None:
    gone, ended = run("gone", step("gone", "RUNNING")), run("over", step("over", "RUNNING"))
    here = world(gone, ended)
    here.states.refusals[gone.execution_id] = "ExecutionDoesNotExist"
    here.states.stop_execution(executionArn=machine_of(ended).arn, error="", cause="")
    here.states.refusals[ended.execution_id] = "ValidationException"
    for of in (gone, ended):
        assert (await here.abort(of))["outcome"] == "ABORTED"
    assert set(here.statuses().values()) == {"ABORTED"}


async def test_what_registers_late_is_stopped_too(world: Make) -> None:
    of = run("late", step("late", "RUNNING", sub_run("early")))
    here = world(of, inner=("early", "late", "latest"))
    (one,) = of.steps
    entries = [[sub_run("early"), sub_run("late")], [sub_run("early"), sub_run("late"), sub_run("latest")]]

    def register(table: str, _key: str) -> None:
        if table in (STEPS.name, EXECUTIONS.name) and entries:
            here.set(STEPS, (one.step_id, of.execution_id), registeredSubExecutions=entries.pop(0))

    here.writes.before_write.append(register)
    await here.abort(of)  # the last one comes after both sweeps
    assert {"stop early", "stop late"} <= set(here.journal)
    assert "stop latest" not in here.journal
    here.writes.before_write.clear()
    assert (await here.abort(of))["outcome"] == "ALREADY_TERMINAL"
    assert "stop latest" in here.journal
    assert set(here.statuses().values()) == {"ABORTED"}


async def test_of_equal_entries_one_is_stopped(world: Make) -> None:
    of = run("twice", step("twice", "RUNNING", sub_run("one"), sub_run("one")))
    here = world(of, inner=("one",))
    await here.abort(of)
    assert here.journal.count("stop one") == 1


FAILING = run("failing", step("failing", "RUNNING", sub_run("one"), batch_job("job-1"), deadline_job("job-9")))


async def test_what_cannot_be_stopped_is_told_and_a_repeat_goes_on(world: Make) -> None:
    here = world(FAILING, inner=("one",), jobs={"job-1": "RUNNING"}, farm={"job-9": ("RUNNING", "")})
    refusals = here.states.refusals, here.batch.refusals, here.deadline.refusals
    for of, name in zip(refusals, ("one", "job-1", "job-9"), strict=True):
        of[name] = "AccessDeniedException"
    told = await here.abort(FAILING)
    assert told["outcome"] == "INCOMPLETE"
    assert [warning["code"] for warning in told["warnings"]] == ["STOP_FAILED"] * 3
    assert all("arn:" not in warning["message"] for warning in told["warnings"])
    document = "{ node(id: %s) { ... on SubExecution { executionId: id resourceType } } }"
    kinds = [
        (await here.graph.data(document % f'"{warning["subject"]["id"]}"'))["node"]["resourceType"]
        for warning in told["warnings"]
    ]
    assert kinds == ["stepFunctionsExecution", "batchJob", "deadlineCloudJob"]
    assert set(here.statuses().values()) == {"ABORTED"}
    for of in refusals:
        of.clear()
    assert (await here.abort(FAILING))["outcome"] == "ALREADY_TERMINAL"
    assert {"stop one", "terminate job-1", "cancel job-9"} <= set(here.journal)


async def test_what_has_ended_at_its_service_counts_as_stopped(world: Make) -> None:
    here = world(FAILING, inner=("one",), jobs={"job-1": "SUCCEEDED"}, farm={"job-9": ("SUCCEEDED", "")})
    here.batch.refusals["job-1"] = "ClientException"
    told = await here.abort(FAILING)
    assert (told["outcome"], told["warnings"]) == ("ABORTED", [])


@pytest.mark.parametrize(
    "entry",
    [
        {"resourceType": "ecsTask", "taskArn": "arn:aws:ecs:us-west-2:123456789012:task/cluster/1"},
        {"resourceType": "batchJob"},
        {"resourceType": "deadlineCloudJob", "jobId": "job-1"},
        {"resourceType": "stepFunctionsExecution", "stateMachineArn": INNER.arn},
    ],
    ids="-".join,
)
async def test_what_nobody_can_stop_from_here_is_named(world: Make, entry: dict[str, str]) -> None:
    of = run("other", step("other", "RUNNING", entry))
    here = world(of)
    told = await here.abort(of)
    assert told["outcome"] == "ABORTED"
    (warning,) = told["warnings"]
    assert (warning["code"], entry["resourceType"] in warning["message"]) == ("STOP_UNSUPPORTED", True)
    assert warning["subject"] is not None
    assert "arn:" not in warning["message"]


DISPATCHED = step("dispatched", "RUNNING", pipeline=RENDER)
RENDERING = run("rendering", DISPATCHED, step("queued", "NEW", pipeline=RENDER))


async def test_the_job_of_a_render_farm_is_looked_up_where_none_is_registered(world: Make) -> None:
    mine, other = DISPATCHED.step_id, "another"
    farm = {f"job-{number}": ("SUCCEEDED", mine) for number in range(120)}
    here = world(RENDERING, farm=farm | {"job-a": ("RUNNING", other), "job-b": ("READY", mine)})
    told = await here.abort(RENDERING)
    assert (told["outcome"], told["warnings"]) == ("ABORTED", [])
    assert [done for done in here.journal if done.startswith("cancel")] == ["cancel job-b"]


async def test_a_queue_that_is_too_long_to_look_through_is_told(world: Make) -> None:
    here = world(RENDERING, farm={f"job-{number}": ("SUCCEEDED", "") for number in range(300)})
    told = await here.abort(RENDERING)
    assert (told["outcome"], [one["code"] for one in told["warnings"]]) == ("INCOMPLETE", ["STOP_FAILED"])
    assert set(here.statuses().values()) == {"ABORTED"}


async def test_locks_that_the_run_holds_are_released_and_no_others(world: Make) -> None:
    here = world(FULL, **OPEN)
    here.lock(FULL, FULL.execution_id)
    await here.abort(FULL)
    assert here.rows(LOCKS) == []
    here.lock(FULL, "another")
    await here.abort(FULL)
    assert len(here.rows(LOCKS)) == 1


@pytest.mark.parametrize(
    ("table", "code", "outcome"),
    [
        (STEPS, "WRITE_FAILED", "INCOMPLETE"),
        (EXECUTIONS, "WRITE_FAILED", "INCOMPLETE"),
        (LOCKS, "CLEANUP_LEFT", "ABORTED"),
    ],
)
async def test_what_cannot_be_written_is_told_and_a_repeat_writes_it(
    world: Make, table: Any, code: str, outcome: str
) -> None:
    here = world(FULL, **OPEN)
    here.lock(FULL, FULL.execution_id)
    here.writes.failing[table.name] = "AccessDeniedException"
    told = await here.abort(FULL)
    assert (told["outcome"], {one["code"] for one in told["warnings"]}) == (outcome, {code})
    here.writes.failing.clear()
    await here.abort(FULL)
    assert here.statuses() == ENDED
    assert here.rows(LOCKS) == []


@pytest.mark.parametrize("execution_id", ["", "nothing", "a" * 32, "\ud800", "x" * 10_000])
async def test_a_run_that_is_unknown_or_cannot_be_is_null(world: Make, execution_id: str) -> None:
    here = world(FULL, **OPEN)
    answer = await here.graph.ask(
        "mutation($id: String!) { abortExecution(input: { executionId: $id }) { outcome } }", id=execution_id
    )
    assert (answer.data, answer.errors) == ({"abortExecution": None}, [])
    assert here.journal == []
