import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.loaders.chain import Chain, linked, planned
from graph.tables.records.steps import StepRow
from graph.tables.rows import field_names
from tests.demo.reading import written


def step(name: str, after: str = "", pipeline: str = "db:pipeline", *, end: bool = False) -> StepRow:
    item = {
        "pipelineExecutionId": name,
        "workflowExecutionId": "run",
        "from_pipeline_execution_id": after,
        "pipelineDatabaseId:pipelineId": pipeline,
        "endStatePipeline": "true" if end else "false",
    }
    return StepRow.decode(written(item), field_names(StepRow))


def chained(*names: str) -> list[StepRow]:
    return [step(name, after, end=name == names[-1]) for name, after in zip(names, ("", *names), strict=False)]


def entry(pipeline: str) -> dict[str, Any]:
    database_id, _, pipeline_id = pipeline.partition(":")
    return {"pipelineDatabaseId": database_id, "pipelineId": pipeline_id}


def names(chain: Chain | None) -> list[str]:
    assert chain is not None
    return [one.pipeline_execution_id for one in chain.steps]


@given(st.lists(st.uuids().map(str), unique=True, max_size=40), st.randoms(use_true_random=False))
def test_links_give_the_same_order_however_the_rows_come(ids: list[str], chance: random.Random) -> None:
    steps = chained(*ids)
    chance.shuffle(steps)
    assert names(linked(steps)) == ids


NAMES = ["a", "b", "c", "d", "e"]
STEPS = st.lists(
    st.builds(
        step,
        st.sampled_from(NAMES),
        st.sampled_from(["", "gone", *NAMES]),
        st.sampled_from(["db:one", "db:two", "", "no colon"]),
        end=st.booleans(),
    ),
    unique_by=lambda one: one.pipeline_execution_id,
)
SNAPSHOTS = st.lists(st.sampled_from(["db:one", "db:two", "db:three"]).map(entry) | st.just({}))


@given(STEPS, SNAPSHOTS, st.randoms(use_true_random=False))
def test_no_step_is_lost_or_repeated_whatever_the_links(
    steps: list[StepRow], snapshot: list[dict[str, Any]], chance: random.Random
) -> None:
    every = sorted(one.pipeline_execution_id for one in steps)
    by_plan = names(planned(steps, snapshot))
    assert sorted(by_plan) == every
    if (by_links := linked(steps)) is not None:
        assert sorted(names(by_links)) == every
        for before, after in zip(by_links.steps, by_links.steps[1:], strict=False):
            assert after.predecessor_id == before.pipeline_execution_id
    shuffled = chance.sample(steps, len(steps))
    assert names(planned(shuffled, snapshot)) == by_plan
    assert (linked(shuffled) is None) == (by_links is None)


def test_a_run_without_steps_has_an_empty_chain() -> None:
    chain = linked([])
    assert names(chain) == []
    assert chain is not None
    assert chain.end is None


def test_forty_steps_are_in_order() -> None:
    ids = [f"{number:02}" for number in range(40)]
    assert names(linked(chained(*ids)[::-1])) == ids


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([step("a"), step("b", "gone")], id="a predecessor that is gone"),
        pytest.param([step("a", "b"), step("b", "a")], id="a cycle"),
        pytest.param([step("r"), step("a", "b"), step("b", "a")], id="a cycle beside the root"),
        pytest.param([step("a", "a")], id="a step after itself"),
        pytest.param([step("a"), step("b"), step("c", "b")], id="two roots"),
        pytest.param([step("a"), step("b", "a"), step("c", "a")], id="two successors"),
        pytest.param([step("b", "gone")], id="no root"),
    ],
)
def test_links_that_do_not_lead_through_every_step_give_no_order(steps: list[StepRow]) -> None:
    assert linked(steps) is None
    assert sorted(names(planned(steps, []))) == sorted(one.pipeline_execution_id for one in steps)


def test_without_links_the_order_is_the_planned_one() -> None:
    steps = [step("1", "x", "db:third"), step("2", "x", "db:first"), step("3", "x", "db:second")]
    snapshot = [entry("db:first"), entry("db:second"), entry("db:third")]
    assert names(planned(steps, snapshot)) == ["2", "3", "1"]


def test_what_the_plan_does_not_name_comes_after_it_and_the_end_comes_last() -> None:
    steps = [
        step("1", "x", "db:first", end=True),
        step("2", "x", "db:unplanned"),
        step("3", "x", "db:second"),
    ]
    assert names(planned(steps, [entry("db:first"), entry("db:second")])) == ["3", "2", "1"]


def test_a_pipeline_that_is_used_twice_stays_two_steps() -> None:
    steps = [step("2", "x", "db:same"), step("1", "x", "db:same"), step("3", "x", "db:other")]
    snapshot = [entry("db:same"), entry("db:other"), entry("db:same")]
    assert names(planned(steps, snapshot)) == ["1", "3", "2"]
    assert names(linked([step("2", "1", "db:same"), step("1", "", "db:same")])) == ["1", "2"]


def test_a_plan_may_be_malformed() -> None:
    assert names(planned([step("1", "x")], [{}, {"pipelineId": None}, {"pipelineDatabaseId": 7}])) == ["1"]


def test_a_step_knows_its_place_and_its_neighbours() -> None:
    chain = Chain(chained("a", "b", "c"))
    assert [chain.position(name) for name in ("a", "c", "gone")] == [0, 2, None]

    def neighbour(name: str, distance: int) -> str | None:
        found = chain.neighbour(name, distance)
        return found.pipeline_execution_id if found else None

    assert [neighbour("a", -1), neighbour("a", 1), neighbour("c", 1), neighbour("gone", 1)] == [None, "b", None, None]


def test_the_end_is_the_step_that_says_so() -> None:
    chain = Chain(chained("a", "b"))
    assert chain.end is chain.steps[-1]
    assert Chain([step("a")]).end is None
