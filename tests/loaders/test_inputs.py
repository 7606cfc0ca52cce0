from graph.loaders.base import KeyRange
from graph.tables.catalogue import INPUTS
from tests.demo.reading import ITEMS, rows
from tests.loaders.conftest import Operate

INPUT = next(item for item in ITEMS[INPUTS] if item["assetId"] == "pump-station")
RUN = INPUT["workflowExecutionId"]


async def test_the_inputs_of_a_run_are_read_by_its_id_and_not_again_by_key(operate: Operate) -> None:
    operation = operate()
    inputs = operation.loaders.inputs
    found = (await inputs.of_execution.load(KeyRange(RUN))).rows
    assert len(found) == len(rows(INPUTS, workflowExecutionId=RUN))
    assert await inputs.by_key.load(found[0].primary_key) is found[0]
    assert operation.tally.calls == 1


async def test_one_input_of_an_asset_is_found_with_one_row_read(operate: Operate) -> None:
    operation = operate()
    found = await operation.loaders.inputs.one_of_asset(RUN, "plant-models", "pump-station")
    assert found is not None
    assert found.asset_key == "plant-models:pump-station"
    assert [request["Limit"] for request in operation.requests] == [1]


async def test_an_asset_whose_id_begins_alike_is_another(operate: Operate) -> None:
    assert await operate().loaders.inputs.one_of_asset(RUN, "plant-models", "pump-statio") is None
