from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.demo.model import Run
from graph.demo.timeline import execution_id, later, played
from graph.demo.world import WORKFLOWS

ENDINGS = ("FAILED", "ABORTED", "TIMED_OUT")

runs = st.builds(
    lambda workflow, status, place: played(
        execution_id("a run"),
        workflow,
        "2026-05-31T23:59:00Z",
        status,
        reached=None if status == "SUCCEEDED" else place % len(workflow.specified),
    ),
    st.sampled_from(WORKFLOWS),
    st.sampled_from(("SUCCEEDED", "RUNNING", *ENDINGS)),
    st.integers(0, 99),
)


def test_later_carries_over_months() -> None:
    assert later("2026-05-31T23:59:59Z", 1) == "2026-06-01T00:00:00Z"


def test_the_same_name_gives_the_same_id() -> None:
    assert execution_id("a") == execution_id("a") != execution_id("b")


@given(runs)
def test_a_run_has_a_step_for_each_specified_pipeline(run: Run) -> None:
    assert [step.pipeline for step in run.steps] == [one.pipeline for one in run.workflow.specified]
    assert len({step.step_id for step in run.steps}) == len(run.steps)


@given(runs)
def test_steps_that_succeeded_come_before_those_that_did_not(run: Run) -> None:
    succeeded = [step.status == "SUCCEEDED" for step in run.steps]
    assert succeeded == sorted(succeeded, reverse=True)


@given(runs)
def test_only_a_running_run_has_no_stop_date(run: Run) -> None:
    assert (run.stopped_at == "") == (run.status == "RUNNING")


@given(runs)
def test_no_step_starts_before_its_predecessor_stopped_or_stops_after_the_run(run: Run) -> None:
    started = [step for step in run.steps if step.started_at]
    for before, after in pairwise(started):
        assert before.stopped_at < after.started_at
    assert all(step.stopped_at <= run.stopped_at for step in run.steps if run.stopped_at)


@given(runs)
def test_a_failed_run_leaves_no_step_running(run: Run) -> None:
    if run.status in ("FAILED", "ABORTED", "SUCCEEDED"):
        assert all(step.stopped_at and step.status not in ("NEW", "RUNNING") for step in run.steps)


@pytest.mark.parametrize("place", [-1, 0, 2])
def test_a_step_is_changed_and_the_others_are_not(place: int) -> None:
    run = played(execution_id("a run"), WORKFLOWS[0], "2026-05-01T00:00:00Z")
    changed = run.with_step(place, status="FAILED")
    assert [step.status for step in changed.steps].count("FAILED") == 1
    assert changed.steps[place].status == "FAILED"
    assert all(step.status == "SUCCEEDED" for step in run.steps)
