from collections.abc import Mapping
from typing import Any

import pytest

from graph.tables.catalogue import ALL_TABLES, BUCKETS, EXECUTIONS, STEPS, TABLES, USER_ROLES
from graph.tables.names import PREFIX_VARIABLE, MissingTableNames, ssm_parameters, table_names

ENVIRONMENT = {variable: f"physical-{table.name}" for table in TABLES for variable in table.variables[:1]}
PARAMETERS = {table.parameter: f"parameter-{table.name}" for table in TABLES}


def nothing(prefix: str) -> Mapping[str, str]:
    raise AssertionError(f"{prefix} was looked up")


class Ssm:
    """An SSM client whose parameters come in pages of two."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = [{"Name": name, "Value": value} for name, value in parameters.items()]
        self.asked: list[dict[str, Any]] = []

    def get_paginator(self, operation: str) -> "Ssm":
        assert operation == "get_parameters_by_path"
        return self

    def paginate(self, **request: Any) -> list[dict[str, Any]]:
        self.asked.append(request)
        below = [one for one in self.parameters if one["Name"].startswith(request["Path"].rstrip("/") + "/")]
        return [{"Parameters": below[start : start + 2]} for start in range(0, len(below), 2)] or [{"Parameters": []}]


def test_the_environment_is_enough() -> None:
    names = table_names(nothing, ENVIRONMENT | {PREFIX_VARIABLE: "/vams"})
    assert names == {table: f"physical-{table.name}" for table in TABLES}


def test_a_table_may_have_a_second_variable() -> None:
    first, second = USER_ROLES.variables
    spelled = {name: value for name, value in ENVIRONMENT.items() if name != first} | {second: "other"}
    assert table_names(nothing, spelled)[USER_ROLES] == "other"
    assert table_names(nothing, spelled | {first: "first"})[USER_ROLES] == "first"


def test_ssm_fills_the_gaps_of_the_environment() -> None:
    asked: list[str] = []

    def parameters(prefix: str) -> Mapping[str, str]:
        asked.append(prefix)
        return PARAMETERS

    names = table_names(parameters, {EXECUTIONS.variables[0]: "mine", STEPS.variables[0]: "", PREFIX_VARIABLE: "vams"})
    assert asked == ["vams"]
    assert names[EXECUTIONS] == "mine"
    assert names[STEPS] == f"parameter-{STEPS.name}"
    assert set(names) == set(TABLES)


@pytest.mark.parametrize("prefix", ["vams/prod", "/vams/prod", "/vams/prod/", "vams/prod/"])
def test_parameters_are_read_below_a_prefix_with_and_without_slashes(prefix: str) -> None:
    stored = {f"/vams/prod/{path}": value for path, value in PARAMETERS.items()}
    client = Ssm(stored | {f"/vams/production/{path}": "a neighbour's" for path in PARAMETERS})
    assert ssm_parameters(client)(prefix) == PARAMETERS
    assert client.asked == [{"Path": "/vams/prod", "Recursive": True}]


def test_the_root_is_a_prefix_too() -> None:
    client = Ssm({f"/{path}": value for path, value in PARAMETERS.items()})
    assert ssm_parameters(client)("/") == PARAMETERS
    assert client.asked == [{"Path": "/", "Recursive": True}]


def test_every_name_that_is_missing_is_told_with_its_variable() -> None:
    known = {path: name for path, name in PARAMETERS.items() if path not in (EXECUTIONS.parameter, STEPS.parameter)}
    with pytest.raises(MissingTableNames) as missing:
        table_names(lambda _prefix: known | {STEPS.parameter: ""}, {PREFIX_VARIABLE: "vams"})
    assert missing.value.tables == (EXECUTIONS, STEPS)
    sentence, *lines = str(missing.value).splitlines()
    assert sentence.startswith("No physical name for 2 table(s). Set these environment variables, or set VAMS_RESOURCE")
    assert lines == [
        "  WORKFLOW_EXECUTION_STORAGE_TABLE_V2_NAME  (WorkflowExecutionsStorageTableV2)",
        "  PIPELINE_EXECUTIONS_STORAGE_TABLE_NAME  (PipelineExecutionsStorageTable)",
    ]


def test_without_a_prefix_nothing_is_looked_up() -> None:
    with pytest.raises(MissingTableNames) as missing:
        table_names(nothing, {})
    assert missing.value.tables == TABLES


def test_a_table_that_only_some_deployments_need_is_missed_where_it_is_asked_for() -> None:
    assert BUCKETS not in table_names(nothing, ENVIRONMENT)
    with pytest.raises(MissingTableNames) as missing:
        table_names(nothing, ENVIRONMENT, ALL_TABLES)
    assert missing.value.tables == (BUCKETS,)
    named = table_names(nothing, ENVIRONMENT | {"S3_ASSET_BUCKETS_STORAGE_TABLE_NAME": "buckets"}, ALL_TABLES)
    assert named[BUCKETS] == "buckets"
