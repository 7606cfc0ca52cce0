from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from graph.demo.database import EmbeddedDatabase
from graph.tables.catalogue import (
    ALL_TABLES,
    API_KEYS,
    API_KEYS_BY_HASH,
    CONFIGURATIONS,
    EXECUTION_TABLES,
    EXECUTIONS,
    EXECUTIONS_BY_GROUP,
    LOCKS,
    STEPS,
    Index,
    Table,
)
from graph.tables.doctor import Finding, cannot_connect, examine, examine_writes


class Patient:
    """A client that describes the tables of a database, one of them altered."""

    def __init__(self, database: EmbeddedDatabase, table: Table) -> None:
        self._client = database.client
        self._altered = database.names[table]
        self.description: Any = deepcopy(database.client.describe_table(TableName=self._altered)["Table"])
        self.refusal: ClientError | None = None

    def index(self, index: Index) -> Any:
        """The description of an index, to be altered."""
        return next(one for one in self.description["GlobalSecondaryIndexes"] if one["IndexName"] == index.name)

    def describe_table(self, TableName: str) -> Mapping[str, Any]:  # noqa: N803
        if TableName != self._altered:
            return self._client.describe_table(TableName=TableName)
        if self.refusal is not None:
            raise self.refusal
        return {"Table": self.description}


def faults(findings: Iterable[Finding]) -> dict[tuple[Table, Index | None], str]:
    return {(finding.table, finding.index): finding.fault for finding in findings if finding.fault is not None}


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "arn:aws:dynamodb:::table/secret"}}, "DescribeTable")


def test_a_deployment_as_it_should_be_has_no_fault(database: EmbeddedDatabase) -> None:
    findings = list(examine(database.client, database.names))
    assert not faults(findings)
    assert {(one.table, one.index) for one in findings} == {
        (table, index) for table in ALL_TABLES for index in (None, *table.indexes)
    }


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ResourceNotFoundException", "there is no such table"),
        ("AccessDeniedException", "it may not be described (dynamodb:DescribeTable)"),
        ("InternalServerError", "it cannot be described: InternalServerError"),
    ],
)
def test_a_table_that_cannot_be_described_is_named_with_the_reason(
    database: EmbeddedDatabase, code: str, words: str
) -> None:
    patient = Patient(database, STEPS)
    patient.refusal = refusal(code)
    assert faults(examine(patient, database.names)) == {(STEPS, None): words}


def test_a_table_that_is_not_there_is_missed(database: EmbeddedDatabase) -> None:
    names = database.names | {STEPS: "nowhere"}
    assert faults(examine(database.client, names)) == {(STEPS, None): "there is no such table"}


def test_a_key_that_differs_is_told(database: EmbeddedDatabase) -> None:
    patient = Patient(database, EXECUTIONS)
    patient.description["KeySchema"] = patient.description["KeySchema"][:1]
    assert faults(examine(patient, database.names)) == {
        (EXECUTIONS, None): "its key is workflowExecutionId (HASH), "
        "not workflowExecutionId (HASH) + workflowDatabaseId:workflowId (RANGE)"
    }


def test_a_missing_index_is_told(database: EmbeddedDatabase) -> None:
    patient = Patient(database, EXECUTIONS)
    patient.description["GlobalSecondaryIndexes"].remove(patient.index(EXECUTIONS_BY_GROUP))
    assert faults(examine(patient, database.names)) == {(EXECUTIONS, EXECUTIONS_BY_GROUP): "the index is missing"}


def test_a_table_without_any_index_misses_each(database: EmbeddedDatabase) -> None:
    patient = Patient(database, API_KEYS)
    del patient.description["GlobalSecondaryIndexes"]
    assert faults(examine(patient, database.names)) == {(API_KEYS, API_KEYS_BY_HASH): "the index is missing"}


def test_the_key_of_an_index_that_differs_is_told(database: EmbeddedDatabase) -> None:
    patient = Patient(database, EXECUTIONS)
    patient.index(EXECUTIONS_BY_GROUP)["KeySchema"][1]["AttributeName"] = "executionStopDate"
    assert faults(examine(patient, database.names)) == {
        (EXECUTIONS, EXECUTIONS_BY_GROUP): "its key is executionGroupId (HASH) + executionStopDate (RANGE), "
        "not executionGroupId (HASH) + executionStartDate (RANGE)"
    }


@pytest.mark.parametrize("projection", ["KEYS_ONLY", "INCLUDE"])
def test_an_index_that_does_not_project_everything_is_told(database: EmbeddedDatabase, projection: str) -> None:
    patient = Patient(database, EXECUTIONS)
    patient.index(EXECUTIONS_BY_GROUP)["Projection"] = {"ProjectionType": projection}
    fault = {(EXECUTIONS, EXECUTIONS_BY_GROUP): f"it projects {projection}, not ALL"}
    assert faults(examine(patient, database.names)) == fault


def test_an_index_that_is_being_built_is_told(database: EmbeddedDatabase) -> None:
    patient = Patient(database, EXECUTIONS)
    patient.index(EXECUTIONS_BY_GROUP)["IndexStatus"] = "CREATING"
    assert faults(examine(patient, database.names)) == {(EXECUTIONS, EXECUTIONS_BY_GROUP): "it is CREATING"}


def test_without_a_connection_nothing_is_told_of_tables(database: EmbeddedDatabase) -> None:
    class Unconnected:
        def describe_table(self, **_request: Any) -> Any:
            raise NoCredentialsError

    with pytest.raises(NoCredentialsError):
        list(examine(Unconnected(), database.names))
    assert cannot_connect(NoCredentialsError()) == "AWS cannot be asked: Unable to locate credentials"


def test_writes_that_actions_need_are_tried_and_change_nothing(database: EmbeddedDatabase) -> None:
    before = [database.client.scan(TableName=database.names[table])["Count"] for table in EXECUTION_TABLES]
    for deletes in (False, True):
        findings = list(examine_writes(database.client, database.names, deletes=deletes))
        assert not faults(findings)
        tried = {(one.table, one.operation) for one in findings}
        marked = {(table, "UpdateItem") for table in (EXECUTIONS, STEPS, CONFIGURATIONS)} | {(LOCKS, "DeleteItem")}
        gone = {(table, name) for table in EXECUTION_TABLES for name in ("DeleteItem", "BatchWriteItem")}
        assert tried == (marked | gone if deletes else marked)
    assert [database.client.scan(TableName=database.names[table])["Count"] for table in EXECUTION_TABLES] == before


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("AccessDeniedException", "it may not be written (dynamodb:UpdateItem)"),
        ("ResourceNotFoundException", "it cannot be written: ResourceNotFoundException"),
    ],
)
def test_a_write_that_is_refused_is_told(database: EmbeddedDatabase, code: str, words: str) -> None:
    class Refusing:
        delete_item = database.client.delete_item

        def update_item(self, **_: Any) -> None:
            raise refusal(code)

    found = faults(examine_writes(Refusing(), database.names, deletes=False))
    assert found == {(table, None): words for table in (EXECUTIONS, STEPS, CONFIGURATIONS)}
