"""Each field gives the same value alone as beside all others: nothing that it needs is left unread."""

from typing import Any

import pytest

from graph.demo import gaps, migrated, registrations
from graph.demo.model import identifier
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from tests.harness import Graph
from tests.schema.places import fields_of, nested, object_types, path_to, selection

ARGUMENTS = {
    ("PipelineExecution", "registeredLog"): '(logId: "91bc79f04fef629e")',
    ("Stage", "visit"): "(enteredEventId: 2)",
    ("MapRun", "execution"): '(name: "nothing")',
}

# The runs to look at, each with a step and an asset, so that together every field has a value somewhere.
RUNS = {
    "sample": (SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS[0], "pump-station"),
    "sample's end": (SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS[2], "pump-station"),
    "secrets": (registrations.SECRETS_ID, identifier("step", registrations.SECRETS_ID, "0"), "pipe-rack"),
    "migrated": (migrated.MIGRATED_ID, migrated.MIGRATED_STEP_ID, "old-asset"),
    "broken chain": (gaps.BROKEN_CHAIN_ID, identifier("step", gaps.BROKEN_CHAIN_ID, "1"), "retired-pump"),
    "malformed date": (gaps.MALFORMED_DATE_ID, identifier("step", gaps.MALFORMED_DATE_ID, "0"), "turbine-hall"),
}


def roots(execution_id: str, step_id: str, asset_id: str) -> dict[str, str]:
    return {
        "Execution": f'execution(executionId: "{execution_id}")',
        "PipelineExecution": f'pipelineExecution(pipelineExecutionId: "{step_id}")',
        "Asset": f'asset(databaseId: "plant-models", assetId: "{asset_id}")',
        "ExecutionGroup": 'executionGroup(groupId: "batch-2026-07")',
        "Database": 'database(databaseId: "plant-models")',
        "Workflow": 'workflow(databaseId: "plant-models", workflowId: "convert-qa-thumb")',
        "Pipeline": 'pipeline(databaseId: "GLOBAL", pipelineId: "mesh-convert")',
        "ExecutionConnection": "executions(first: 3)",
        "Viewer": "viewer",
    }


@pytest.mark.parametrize(
    ("run", "type_name"),
    [
        *(("sample", type_name) for type_name in object_types()),
        *((run, type_name) for run in RUNS for type_name in ("Execution", "PipelineExecution", "Asset", "OutputFile")),
    ],
)
async def test_a_field_alone_has_the_value_that_it_has_beside_all_others(
    quick: Graph, run: str, type_name: str
) -> None:
    path = path_to(type_name, roots(*RUNS[run]))
    ways = [way for field in fields_of(type_name) for way in selection(type_name, field, ARGUMENTS)]
    aliased = " ".join(f"f{number}: {way}" for number, way in enumerate(ways))
    together = await quick.ask(nested(path, aliased))
    for number, way in enumerate(ways):
        alone = await quick.ask(nested(path, f"f{number}: {way}"))
        assert _value(alone.data, f"f{number}") == _value(together.data, f"f{number}"), way
        assert {error["extensions"]["code"] for error in alone.errors} <= {"MALFORMED_VALUE", "FORBIDDEN"}, (
            way
        )  # links are off


def _value(data: Any, alias: str) -> Any:
    """What stands under an alias, wherever in the answer."""
    if isinstance(data, list):
        return [_value(element, alias) for element in data]
    if not isinstance(data, dict):
        return data
    if alias in data:
        return data[alias]
    return [_value(value, alias) for name, value in data.items() if not name.startswith("f") or not name[1:].isdigit()]
