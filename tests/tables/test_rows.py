from dataclasses import dataclass
from typing import ClassVar

import pytest

from graph.tables import catalogue, decode, rows
from graph.tables.records import executions, inputs, steps
from graph.tables.rows import Row, field_names, key_part, position_attributes, stored
from tests.demo.reading import written
from tests.tables.indexes import execution_indexes


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Thing(Row):
    table: ClassVar = catalogue.INPUTS

    execution_id: str = key_part("workflowExecutionId")
    file_key: str = key_part("databaseId:assetId:inputAssetFileKey")
    asset_key: str = key_part("databaseId:assetId")
    start_date: str = key_part("executionStartDate")

    name: str = stored("name", decode.text, always=True)
    note: str | None = stored("note", decode.optional_text)
    same_note: str = stored("note", decode.text)

    @property
    def shouted(self) -> str:
        return self.name.upper()


ROWS: dict[catalogue.Table, type[Row]] = {
    row.table: row
    for row in (
        executions.ExecutionRow,
        executions.ConfigurationRow,
        inputs.InputRow,
        inputs.StepInputFileRow,
        steps.StepRow,
    )
}
KEY = ("workflowExecutionId", "databaseId:assetId:inputAssetFileKey", "databaseId:assetId", "executionStartDate")
ITEM = written({"workflowExecutionId": "e", "databaseId:assetId:inputAssetFileKey": "d:a:/f", "name": "n", "note": "x"})


def test_what_is_projected_are_the_key_what_is_always_read_and_what_is_asked_for() -> None:
    assert Thing.plan(frozenset()).attributes == (*KEY, "name")
    assert Thing.plan(frozenset({"note"})).attributes == (*KEY, "name", "note")


def test_an_attribute_of_two_fields_is_projected_once() -> None:
    assert Thing.plan(frozenset({"note", "same_note"})).attributes == (*KEY, "name", "note")


def test_a_row_holds_what_it_was_read_for() -> None:
    thing = Thing.decode(ITEM, frozenset({"note"}))
    assert (thing.name, thing.note, thing.shouted) == ("n", "x", "N")


def test_an_attribute_that_was_not_read_is_no_wrong_null() -> None:
    thing = Thing.decode(ITEM, frozenset())
    with pytest.raises(AttributeError):
        _ = thing.note


def test_a_row_cannot_be_altered() -> None:
    thing = Thing.decode(ITEM, frozenset())
    with pytest.raises(AttributeError):
        thing.name = "other"  # type: ignore[misc]


def test_a_key_attribute_that_the_row_lacks_is_empty() -> None:
    thing = Thing.decode(ITEM, frozenset())
    assert thing.start_date == ""
    assert thing.primary_key == ("e", "d:a:/f")


def test_a_position_is_the_keys_without_the_partition() -> None:
    thing = Thing.decode(ITEM | written({"databaseId:assetId": "d:a", "executionStartDate": "2026"}), frozenset())
    assert thing.position_in(None) == ("d:a:/f",)
    assert thing.position_in(catalogue.INPUTS_BY_ASSET) == ("2026", "e", "d:a:/f")


@pytest.mark.parametrize(
    ("table", "index", "expected"),
    [
        (catalogue.DATABASES, None, ()),
        (catalogue.EXECUTIONS, None, ("workflowDatabaseId:workflowId",)),
        (catalogue.EXECUTIONS, catalogue.EXECUTIONS_BY_WORKFLOW, ("executionStartDate", "workflowExecutionId")),
        (
            catalogue.EXECUTIONS,
            catalogue.EXECUTIONS_BY_DATE,
            ("executionStartDate", "workflowExecutionId", "workflowDatabaseId:workflowId"),
        ),
        (catalogue.STEPS, catalogue.STEPS_BY_EXECUTION, ("pipelineDatabaseId:pipelineId", "pipelineExecutionId")),
        (
            catalogue.STEP_INPUT_FILES,
            catalogue.STEP_INPUT_FILES_BY_ASSET,
            ("pipelineExecutionId", "databaseId:assetId:inputAssetFileKey"),
        ),
        (catalogue.API_KEYS, catalogue.API_KEYS_BY_HASH, ("apiKeyId",)),
    ],
)
def test_each_index_places_rows_by_its_sort_key_and_then_the_tables(
    table: catalogue.Table, index: catalogue.Index | None, expected: tuple[str, ...]
) -> None:
    assert position_attributes(table, index) == expected


@pytest.mark.parametrize(("table", "index"), [*execution_indexes()], ids=str)
def test_a_row_of_any_index_can_say_where_it_stands(table: catalogue.Table, index: catalogue.Index) -> None:
    row = ROWS[table]
    names = dict.fromkeys((*table.key, index.partition, *([index.sort] if index.sort else ())))
    item = {name: f"<{name}>" for name in names if name != "allListPartition"}
    decoded = row.decode(written(item), frozenset())
    assert decoded.position_in(index) == tuple(f"<{name}>" for name in position_attributes(table, index))


def test_fields_are_named_with_their_row() -> None:
    assert Thing.fields("note", "name") == ((Thing, "note"), (Thing, "name"))


def test_a_field_that_is_not_stored_cannot_be_asked_for() -> None:
    with pytest.raises(AttributeError, match="Thing stores no nothing, shouted"):
        Thing.fields("note", "shouted", "nothing")


def test_names_are_those_of_stored_fields_alone() -> None:
    assert "shouted" not in field_names(Thing)
    assert {"note", "execution_id"} <= field_names(Thing)


def test_field_sets_of_documents_do_not_fill_the_memory() -> None:
    for number in range(5000):
        assert Thing.plan(frozenset({f"field-{number}"})).attributes
    assert rows._plan.cache_info().currsize <= 4096  # type: ignore[attr-defined]
