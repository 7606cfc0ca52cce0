"""How the server reaches a deployment."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import NoRegionError, ProfileNotFound

from graph.app import connect
from graph.demo.database import EmbeddedDatabase
from graph.settings import Settings
from graph.tables.catalogue import TABLES
from graph.tables.names import PREFIX_VARIABLE, MissingTableNames

PREFIX = "/vams-graph-tests/prod"


@pytest.fixture(autouse=True)
def _without_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "demo")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "demo")


@pytest.fixture
def parameters(database: EmbeddedDatabase) -> Iterator[dict[str, str]]:
    """The names of the database's tables as parameters below the prefix, at the database's endpoint."""
    client: Any = boto3.client("ssm", endpoint_url=database.endpoint, region_name=database.region)
    stored = {f"{PREFIX}/{table.parameter}": name for table, name in database.names.items()}
    for name, value in stored.items():
        client.put_parameter(Name=name, Value=value, Type="String")
    yield stored
    client.delete_parameters(Names=list(stored)[:10])
    client.delete_parameters(Names=list(stored)[10:])


def settings(database: EmbeddedDatabase) -> Settings:
    return Settings(
        region=database.region, dynamodb_endpoint=database.endpoint, ssm_endpoint=database.endpoint, profile=None
    )


def test_the_tables_that_the_environment_names_can_be_asked(database: EmbeddedDatabase) -> None:
    client, names = connect(settings(database), database.environment())
    assert names == database.names
    assert client.describe_table(TableName=names[TABLES[0]])["Table"]["TableStatus"] == "ACTIVE"


def test_the_tables_are_those_below_the_prefix_of_the_deployment(
    database: EmbeddedDatabase, parameters: dict[str, str]
) -> None:
    assert len(parameters) > 10  # more than a page
    _, names = connect(settings(database), {PREFIX_VARIABLE: PREFIX})
    assert names == database.names


def test_missing_names_are_told_before_anything_else_is_missed() -> None:
    with pytest.raises(MissingTableNames):
        connect(Settings(), {})


def test_a_region_is_needed(database: EmbeddedDatabase) -> None:
    with pytest.raises(NoRegionError):
        connect(Settings(), database.environment())
    with pytest.raises(NoRegionError):
        connect(Settings(), {PREFIX_VARIABLE: PREFIX})


def test_a_profile_must_exist(database: EmbeddedDatabase) -> None:
    with pytest.raises(ProfileNotFound):
        connect(Settings(profile="no-such-profile"), database.environment())
