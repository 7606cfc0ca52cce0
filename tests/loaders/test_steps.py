import pytest

from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.errors import Throttled
from graph.loaders.base import KeyRange
from graph.tables.catalogue import STEPS, STEPS_BY_END_STATE, STEPS_BY_EXECUTION, STEPS_BY_PREDECESSOR
from graph.tables.records.steps import StepRow
from tests.demo.reading import ITEMS, chain, rows
from tests.faults import in_order, throttled
from tests.loaders.conftest import Operate, Operation

IDS = [step["pipelineExecutionId"] for step in chain(SAMPLE_EXECUTION_ID)]
LONGEST = "226b62c47b68c6fad9c4cbc7b196fa4e"
BROKEN = sorted(
    {
        item["workflowExecutionId"]
        for item in ITEMS[STEPS]
        if len(chain(item["workflowExecutionId"])) != len(rows(STEPS, workflowExecutionId=item["workflowExecutionId"]))
    }
)


async def step(operation: Operation, place: int) -> StepRow:
    found = await operation.loaders.steps.by_id.load(IDS[place])
    assert found is not None
    return found


def name(found: StepRow | None) -> str | None:
    return found.pipeline_execution_id if found else None


def indexes(operation: Operation) -> list[str | None]:
    return [request.get("IndexName") for request in operation.requests]


@pytest.mark.parametrize("execution_id", [SAMPLE_EXECUTION_ID, LONGEST])
async def test_the_chain_of_an_execution_takes_one_call(operate: Operate, execution_id: str) -> None:
    operation = operate()
    found = await operation.loaders.steps.chain.load(execution_id)
    assert list(map(name, found.steps)) == [one["pipelineExecutionId"] for one in chain(execution_id)]
    assert indexes(operation) == [STEPS_BY_EXECUTION.name]


async def test_the_chains_of_many_executions_are_read_together(operate: Operate) -> None:
    operation = operate()
    every = sorted({item["workflowExecutionId"] for item in ITEMS[STEPS]} - set(BROKEN))[:10]
    await operation.reading.scope.settle(map(operation.loaders.steps.chain.load, every))
    assert (operation.tally.calls, operation.tally.rounds) == (10, 1)


async def test_a_run_without_steps_has_an_empty_chain(operate: Operate) -> None:
    assert (await operate().loaders.steps.chain.load("0" * 32)).steps == ()


@pytest.mark.parametrize("execution_id", BROKEN)
async def test_a_broken_chain_is_ordered_by_its_configuration(operate: Operate, execution_id: str) -> None:
    operation = operate()
    found = await operation.loaders.steps.chain.load(execution_id)
    every = rows(STEPS, workflowExecutionId=execution_id)
    assert sorted(one.pipeline_execution_id for one in found.steps) == sorted(
        one["pipelineExecutionId"] for one in every
    )
    assert (operation.tally.calls, operation.tally.rounds) == (2, 2)


async def test_a_chain_that_cannot_be_read_leaves_the_others(operate: Operate) -> None:
    operation = operate(plan=lambda request: throttled if LONGEST in repr(request) else in_order()(request))
    chains = map(operation.loaders.steps.chain.load, [SAMPLE_EXECUTION_ID, LONGEST])
    found = await operation.reading.scope.settle(chains)
    assert not isinstance(found[0], Exception)
    assert isinstance(found[1], Throttled)


async def test_the_step_after_another_comes_from_the_index_by_predecessor(operate: Operate) -> None:
    operation = operate()
    of = [await step(operation, place) for place in range(len(IDS))]
    asked = len(operation.requests)
    assert [name(await operation.loaders.steps.next(one)) for one in of] == [*IDS[1:], None]
    assert indexes(operation)[asked:] == [STEPS_BY_PREDECESSOR.name] * len(IDS)


async def test_the_step_before_another_comes_by_its_key(operate: Operate) -> None:
    before, operation = operate(), operate()
    first, second = await step(before, 0), await step(before, 1)
    assert await operation.loaders.steps.previous(first) is None
    assert operation.requests == []
    assert name(await operation.loaders.steps.previous(second)) == IDS[0]
    assert "Key" in operation.requests[-1]


async def test_a_step_that_was_found_by_its_id_is_not_read_again(operate: Operate) -> None:
    operation = operate()
    first, second = await step(operation, 0), await step(operation, 1)
    asked = len(operation.requests)
    assert await operation.loaders.steps.previous(second) is first
    assert len(operation.requests) == asked


async def test_the_end_comes_from_the_index_of_ends(operate: Operate) -> None:
    operation = operate()
    assert name(await operation.loaders.steps.end(SAMPLE_EXECUTION_ID)) == IDS[-1]
    assert indexes(operation) == [STEPS_BY_END_STATE.name]
    assert await operation.loaders.steps.end("0" * 32) is None


async def test_neighbours_and_end_come_from_the_chain_where_it_is_read(operate: Operate) -> None:
    operation = operate()
    steps = operation.loaders.steps
    steps.chain.begin(SAMPLE_EXECUTION_ID)
    middle = await step(operation, 1)
    assert name(await steps.previous(middle)) == IDS[0]
    assert name(await steps.next(middle)) == IDS[2]
    assert name(await steps.end(SAMPLE_EXECUTION_ID)) == IDS[-1]
    assert sorted(map(str, indexes(operation))) == ["None", STEPS_BY_EXECUTION.name]


async def test_steps_that_the_chain_brought_are_not_read_again(operate: Operate) -> None:
    operation = operate()
    steps = operation.loaders.steps
    found = await steps.chain.load(SAMPLE_EXECUTION_ID)
    assert await steps.by_id.load(IDS[0]) is found.steps[0]
    assert await steps.by_key.load((IDS[1], SAMPLE_EXECUTION_ID)) is found.steps[1]
    assert set((await steps.by_execution.load(KeyRange(SAMPLE_EXECUTION_ID))).rows) == set(found.steps)
    assert operation.tally.calls == 1
