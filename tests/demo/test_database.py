import sys
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest
from boto3.dynamodb.types import TypeDeserializer
from botocore.exceptions import ClientError, EndpointConnectionError

from graph.demo.data import Items
from graph.demo.database import DemoNotInstalledError, EmbeddedDatabase, put_items
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.settings import Settings
from graph.tables.catalogue import ALL_TABLES, DATABASES, EXECUTIONS, EXECUTIONS_BY_DATE, Table
from tests.demo.reading import ITEMS, Item

FEW: Items = {DATABASES: [{"databaseId": f"database-{number}"} for number in range(30)]}


class Seeded:
    """The demo's database and the seconds that it took to be there."""

    def __init__(self, database: EmbeddedDatabase, seconds: float) -> None:
        self.database = database
        self.seconds = seconds


@pytest.fixture(scope="module")
def seeded() -> Iterator[Seeded]:
    start = time.monotonic()
    with EmbeddedDatabase() as database:
        yield Seeded(database, time.monotonic() - start)


def stored(database: EmbeddedDatabase, table: Table) -> list[Item]:
    deserialize = TypeDeserializer().deserialize
    pages = database.client.get_paginator("scan").paginate(TableName=database.names[table])
    return [{name: deserialize(value) for name, value in item.items()} for page in pages for item in page["Items"]]


def test_its_client_keeps_a_connection_for_each_call_that_the_server_has_in_flight(seeded: Seeded) -> None:
    assert seeded.database.client.meta.config.max_pool_connections == Settings().dynamodb_concurrency  # type: ignore[attr-defined]


def test_it_is_there_in_seconds(seeded: Seeded) -> None:
    assert seeded.seconds < 10


def test_it_listens_on_the_loopback_address_alone(seeded: Seeded) -> None:
    assert seeded.database.endpoint.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("table", ALL_TABLES, ids=repr)
def test_it_holds_the_items_of_the_demo(seeded: Seeded, table: Table) -> None:
    def by_key(item: Item) -> list[str]:
        return [item[name] for name in table.key]

    assert sorted(stored(seeded.database, table), key=by_key) == sorted(ITEMS[table], key=by_key)


@pytest.mark.parametrize("table", ALL_TABLES, ids=repr)
def test_it_has_the_indexes_of_the_catalogue(seeded: Seeded, table: Table) -> None:
    description = seeded.database.client.describe_table(TableName=seeded.database.names[table])["Table"]
    indexes = {
        index["IndexName"]: [key["AttributeName"] for key in index["KeySchema"]]
        for index in description.get("GlobalSecondaryIndexes", [])
    }
    assert indexes == {index.name: [name for name in (index.partition, index.sort) if name] for index in table.indexes}


def test_an_index_lists_newest_first(seeded: Seeded) -> None:
    page = seeded.database.client.query(
        TableName=seeded.database.names[EXECUTIONS],
        IndexName=EXECUTIONS_BY_DATE.name,
        KeyConditionExpression="#partition = :partition",
        ExpressionAttributeNames={"#partition": EXECUTIONS_BY_DATE.partition},
        ExpressionAttributeValues={":partition": {"S": "execution"}},
        ScanIndexForward=False,
        Limit=2,
    )
    assert page["Items"][1]["workflowExecutionId"] == {"S": SAMPLE_EXECUTION_ID}


def test_its_environment_names_every_table_as_vams_does(seeded: Seeded) -> None:
    environment = seeded.database.environment()
    assert environment["WORKFLOW_EXECUTION_STORAGE_TABLE_V2_NAME"] == seeded.database.names[EXECUTIONS]
    assert environment["USER_ROLES_TABLE_NAME"] == environment["USER_ROLES_STORAGE_TABLE_NAME"]
    assert set(environment.values()) == set(seeded.database.names.values())


def test_two_databases_in_one_process_do_not_meet(seeded: Seeded) -> None:
    with EmbeddedDatabase(FEW) as other:
        assert len(stored(other, DATABASES)) == 30
        assert stored(other, EXECUTIONS) == []
    assert len(stored(seeded.database, DATABASES)) == len(ITEMS[DATABASES])


def test_nothing_is_left_of_it() -> None:
    with EmbeddedDatabase(FEW) as database:
        client, name = database.client, database.names[DATABASES]
    with EmbeddedDatabase({}) as other, pytest.raises(ClientError, match="ResourceNotFound"):
        other.client.scan(TableName=name)
    with pytest.raises(EndpointConnectionError):
        client.scan(TableName=name)


def test_it_logs_no_requests(capfd: pytest.CaptureFixture[str]) -> None:
    with EmbeddedDatabase({}):
        pass
    assert capfd.readouterr() == ("", "")


def test_it_asks_nothing_of_the_machines_aws_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "there-is-no-such-profile")
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with EmbeddedDatabase(FEW) as database:
        assert len(stored(database, DATABASES)) == 30


def test_without_the_emulator_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moto.moto_server.werkzeug_app", None)
    with pytest.raises(DemoNotInstalledError, match=r"pip install '\.\[demo\]'"), EmbeddedDatabase({}):
        pass


class Reluctant:
    """Takes one item of each batch and leaves the rest, until it has been asked ``patience`` times."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.taken: list[Any] = []
        self.sizes: list[int] = []

    def batch_write_item(self, RequestItems: dict[str, list[Any]]) -> dict[str, Any]:  # noqa: N803
        [(name, requests)] = RequestItems.items()
        self.sizes.append(len(requests))
        self.patience -= 1
        kept = 1 if self.patience > 0 else len(requests)
        self.taken += requests[:kept]
        return {"UnprocessedItems": {name: requests[kept:]} if requests[kept:] else {}}


def test_what_the_database_leaves_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    client = Reluctant(patience=5)
    put_items(cast("Any", client), {DATABASES: "databases"}, FEW)
    assert len(client.taken) == 30
    assert max(client.sizes) == 25


def test_a_database_that_never_takes_it_all_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(TimeoutError, match="unwritten"):
        put_items(cast("Any", Reluctant(patience=1_000)), {DATABASES: "databases"}, FEW)
