"""How the server reaches a deployment."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import NoRegionError, ProfileNotFound
from moto.moto_server.threaded_moto_server import ThreadedMotoServer

from graph.app import connect, deployment
from graph.demo.database import EmbeddedDatabase
from graph.settings import Settings
from graph.tables.catalogue import BUCKETS, LOCKS, TABLES, Table
from graph.tables.names import PREFIX_VARIABLE, MissingTableNames

PREFIX = "/vams-graph-tests/prod"


@pytest.fixture(autouse=True)
def _without_aws(database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", database.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "demo")


@pytest.fixture
def ssm(database: EmbeddedDatabase) -> Iterator[str]:
    """Where the names of the database's tables are parameters below the prefix."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    client: Any = boto3.client("ssm", endpoint_url=endpoint, region_name=database.region)
    for table, name in database.names.items():
        client.put_parameter(Name=f"{PREFIX}/{table.parameter}", Value=name, Type="String")
    yield endpoint
    for table in database.names:
        client.delete_parameter(Name=f"{PREFIX}/{table.parameter}")
    server.stop()


def settings(database: EmbeddedDatabase, **changes: Any) -> Settings:
    return Settings(region=database.region, dynamodb_endpoint=database.endpoint, profile=None, **changes)


def test_the_tables_that_the_environment_names_can_be_asked(database: EmbeddedDatabase) -> None:
    client, names = connect(settings(database, downloads=True, actions=True), database.environment())
    assert names == database.names
    assert client.describe_table(TableName=names[TABLES[0]])["Table"]["TableStatus"] == "ACTIVE"


def test_the_tables_are_those_below_the_prefix_of_the_deployment(database: EmbeddedDatabase, ssm: str) -> None:
    assert len(database.names) > 10  # more than a page
    _, names = connect(settings(database, downloads=True, actions=True, ssm_endpoint=ssm), {PREFIX_VARIABLE: PREFIX})
    assert names == database.names


@pytest.mark.parametrize(
    ("changes", "others"),
    [({}, {BUCKETS, LOCKS}), ({"downloads": True}, {LOCKS}), ({"actions": True}, {BUCKETS})],
    ids=["neither", "downloads", "actions"],
)
def test_a_table_is_named_where_the_settings_need_it(
    database: EmbeddedDatabase, changes: dict[str, bool], others: set[Table]
) -> None:
    _, names = connect(settings(database, **changes), database.environment())
    assert set(database.names) - set(names) == others


def test_missing_names_are_told_before_anything_else_is_missed() -> None:
    with pytest.raises(MissingTableNames):
        connect(Settings(), {})


def test_a_region_is_needed(database: EmbeddedDatabase) -> None:
    client, _ = connect(Settings(), database.environment())
    with pytest.raises(NoRegionError):
        client.describe_table(TableName="any")
    with pytest.raises(NoRegionError):
        connect(Settings(), {PREFIX_VARIABLE: PREFIX})


def test_a_profile_must_exist(database: EmbeddedDatabase) -> None:
    client, _ = connect(Settings(profile="no-such-profile"), database.environment())
    with pytest.raises(ProfileNotFound):
        client.describe_table(TableName="any")


@pytest.mark.parametrize("is_on", [False, True])
def test_a_deployment_is_written_to_only_if_its_setting_says_so(
    database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch, *, is_on: bool
) -> None:
    for variable, name in database.environment().items():
        monkeypatch.setenv(variable, name)
    chosen = {"api_keys": True, "cursor_secrets": ["a secret of the tests"], "write_back_status": is_on}
    services = deployment(settings(database, **chosen))
    assert (services.writer is not None) is is_on
    services.close()
