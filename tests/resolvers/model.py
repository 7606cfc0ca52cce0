"""What each connection holds, told from the demo's items in plain Python: the ids of its nodes, in order."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from graph.resolvers.kinds import decode_id
from graph.tables import ids
from graph.tables.catalogue import (
    ASSETS,
    CONFIGURATIONS,
    EXECUTIONS,
    INPUT_METADATA,
    INPUTS,
    OUTPUT_FILES,
    OUTPUT_METADATA,
    OUTPUT_RESULTS,
    STEP_INPUT_FILES,
    STEPS,
    WORKFLOWS,
    Table,
)
from tests.demo.reading import ITEMS, Item, chain

Arguments = Mapping[str, Any]
Ids = list[str]

_KINDS = {
    INPUTS: "InputFile",
    STEP_INPUT_FILES: "MigratedInputFile",
    INPUT_METADATA: "InputMetadata",
    OUTPUT_FILES: "OutputFile",
    OUTPUT_METADATA: "OutputMetadata",
    OUTPUT_RESULTS: "OutputResult",
}


def rows(table: Table, attribute: str, value: str) -> list[Item]:
    """The items of a table that hold a value."""
    return _by(table, attribute).get(value, [])


@cache
def _by(table: Table, attribute: str) -> Mapping[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in ITEMS[table]:
        if attribute in item:
            found.setdefault(item[attribute], []).append(item)
    return found


def execution_id_of(item: Item) -> str:
    return ids.encode("Execution", item["workflowExecutionId"], item["workflowDatabaseId:workflowId"])


def step_id_of(item: Item) -> str:
    return ids.encode("PipelineExecution", item["pipelineExecutionId"], item["workflowExecutionId"])


def parents(type_name: str) -> Ids:
    """The ids of every object of a type that has connections; for the root, the one empty id."""
    match type_name:
        case "Query":
            return [""]
        case "Execution":
            return [execution_id_of(item) for item in ITEMS[EXECUTIONS]]
        case "PipelineExecution":
            return [step_id_of(item) for item in ITEMS[STEPS]]
        case "Workflow":
            return [ids.encode("Workflow", item["databaseId"], item["workflowId"]) for item in ITEMS[WORKFLOWS]]
        case "Asset":
            names = ((item["databaseId"].removesuffix("#deleted"), item["assetId"]) for item in ITEMS[ASSETS])
            return [ids.encode("Asset", *name) for name in names]
        case "ExecutionGroup":
            groups = sorted({item["executionGroupId"] for item in ITEMS[EXECUTIONS] if "executionGroupId" in item})
            return [ids.encode("ExecutionGroup", group) for group in groups]
    raise KeyError(f"no parents are known for the connections of {type_name}")


def expected(type_name: str, field: str, parent: str, arguments: Arguments) -> Ids | None:
    """The ids that a connection holds; None where only the log sources themselves can tell."""
    key = decode_id(parent).parts if parent else ()
    if field in ("registeredLogs", "availableLogs"):
        return None
    return _MODELS[type_name, field](*key, arguments)


def ordered_steps(execution_id: str) -> list[Item]:
    """The steps of a run: as they are linked, else as they were planned."""
    steps, linked = rows(STEPS, "workflowExecutionId", execution_id), chain(execution_id)
    if len(linked) == len(steps):
        return linked
    (configuration,) = rows(CONFIGURATIONS, "workflowExecutionId", execution_id)
    planned = [entry["pipelineDatabaseId:pipelineId"] for entry in configuration["specifiedPipelinesSnapshot"]]
    return sorted(steps, key=lambda step: planned.index(step["pipelineDatabaseId:pipelineId"]))


def listed(items: Iterable[Item]) -> list[Item]:
    """Executions as lists show them: newest first, without those that have no start date."""
    dated = (item for item in items if "executionStartDate" in item)
    key = lambda item: (item["executionStartDate"], item["workflowExecutionId"])  # noqa: E731
    return sorted(dated, key=key, reverse=True)


def roles(execution: Item, database_id: str, asset_id: str) -> set[str]:
    """Which way a run touched an asset, as its rows by date say."""
    asset, found = f"{database_id}:{asset_id}", set()
    for role, table, attribute in (
        ("READ", INPUTS, "databaseId:assetId"),
        ("WROTE", CONFIGURATIONS, "outputDatabaseId:outputAssetId"),
    ):
        of_run = rows(table, "workflowExecutionId", execution["workflowExecutionId"])
        if any(row.get(attribute) == asset and "executionStartDate" in row for row in of_run):
            found.add(role)
    return found


def _executions(items: Iterable[Item]) -> Ids:
    return [execution_id_of(item) for item in listed(items)]


def _asset_executions(database_id: str, asset_id: str, arguments: Arguments) -> Ids:
    wanted = {arguments["role"]} if "role" in arguments else {"READ", "WROTE"}
    return _executions(item for item in ITEMS[EXECUTIONS] if wanted & roles(item, database_id, asset_id))


def _ids(table: Table, items: Iterable[Item]) -> Ids:
    found = sorted(items, key=lambda item: item[table.key[1]])
    return [ids.encode(_KINDS[table], *(item[name] for name in table.key)) for item in found]


def _fits(item: Item, arguments: Arguments) -> bool:
    if "scope" in arguments:
        return bool(item.get("scope", "asset").upper() == arguments["scope"])
    if "fileType" in arguments:
        stored = item["fileType"].upper()
        return bool((stored if stored in ("FILE", "PREVIEW") else "UNKNOWN") == arguments["fileType"])
    return True


def _of_step(table: Table) -> Callable[[str, str, Arguments], Ids]:
    def model(step_id: str, _execution_id: str, arguments: Arguments) -> Ids:
        return _ids(table, (item for item in rows(table, "pipelineExecutionId", step_id) if _fits(item, arguments)))

    return model


def _of_steps(table: Table) -> Callable[[str, str, Arguments], Ids]:
    def model(execution_id: str, _workflow: str, arguments: Arguments) -> Ids:
        steps = ordered_steps(execution_id)
        of_step = _of_step(table)
        return [found for step in steps for found in of_step(step["pipelineExecutionId"], execution_id, arguments)]

    return model


def _migrated_input_files(database_id: str, asset_id: str, _arguments: Arguments) -> Ids:
    found = rows(STEP_INPUT_FILES, "databaseId:assetId", f"{database_id}:{asset_id}")
    steps = sorted({item["pipelineExecutionId"] for item in found})
    return [
        one for step in steps for one in _ids(STEP_INPUT_FILES, (i for i in found if i["pipelineExecutionId"] == step))
    ]


def _source_assets(execution_id: str, _workflow: str, _arguments: Arguments) -> Ids:
    return [
        f"{entry['databaseId']} {entry['assetId']}"
        for row in rows(CONFIGURATIONS, "workflowExecutionId", execution_id)
        for entry in row["metadataSourceAssets"]
    ]


def _sub_executions(step_id: str, _execution_id: str, _arguments: Arguments) -> Ids:
    (step,) = rows(STEPS, "pipelineExecutionId", step_id)
    texts = dict.fromkeys(json.dumps(entry, sort_keys=True) for entry in step.get("registeredSubExecutions", ()))
    return [ids.encode("SubExecution", step_id, sha256(text.encode()).hexdigest()[:16]) for text in texts]


_MODELS: Mapping[tuple[str, str], Callable[..., Ids]] = {
    ("Query", "executions"): lambda _: _executions(ITEMS[EXECUTIONS]),
    ("Workflow", "executions"): lambda *key: _executions(
        rows(EXECUTIONS, "workflowDatabaseId:workflowId", f"{key[0]}:{key[1]}")
    ),
    ("ExecutionGroup", "executions"): lambda group, _: _executions(rows(EXECUTIONS, "executionGroupId", group)),
    ("Asset", "executions"): _asset_executions,
    ("Asset", "migratedInputFiles"): _migrated_input_files,
    ("Execution", "pipelineExecutions"): lambda execution_id, *_: [
        step_id_of(step) for step in ordered_steps(execution_id)
    ],
    ("Execution", "inputFiles"): lambda execution_id, *_: _ids(
        INPUTS, rows(INPUTS, "workflowExecutionId", execution_id)
    ),
    ("Execution", "metadataSourceAssets"): _source_assets,
    ("Execution", "inputMetadata"): _of_steps(INPUT_METADATA),
    ("Execution", "outputFiles"): _of_steps(OUTPUT_FILES),
    ("Execution", "outputMetadata"): _of_steps(OUTPUT_METADATA),
    ("Execution", "outputResults"): _of_steps(OUTPUT_RESULTS),
    ("PipelineExecution", "migratedInputFiles"): _of_step(STEP_INPUT_FILES),
    ("PipelineExecution", "subExecutions"): _sub_executions,
    ("PipelineExecution", "inputMetadata"): _of_step(INPUT_METADATA),
    ("PipelineExecution", "outputFiles"): _of_step(OUTPUT_FILES),
    ("PipelineExecution", "outputMetadata"): _of_step(OUTPUT_METADATA),
    ("PipelineExecution", "outputResults"): _of_step(OUTPUT_RESULTS),
}
