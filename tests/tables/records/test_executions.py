from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import MalformedValue
from graph.resolvers.kinds import decode_id
from graph.tables.records.executions import ConfigurationRow, ExecutionRow, duration_ms
from graph.tables.rows import field_names
from graph.tables.states import ExecutionStatus, TriggerType
from tests.demo.reading import written

NOW = datetime(2026, 6, 30, 10, tzinfo=UTC)
RUN: dict[str, Any] = {
    "workflowExecutionId": "0" * 32,
    "workflowDatabaseId:workflowId": "plant:convert:odd",
    "executionStartDate": "2026-06-30T10:00:00Z",
    "executionStopDate": "2026-06-30T10:00:01.500Z",
    "executionStatus": "SUCCEEDED",
    "triggerType": "File-Upload",
}


def execution(**changes: Any) -> ExecutionRow:
    item = {name: value for name, value in (RUN | changes).items() if value is not None}
    return ExecutionRow.decode(written(item), field_names(ExecutionRow))


@given(st.integers(-(10**9), 10**9))
def test_a_duration_is_never_negative(milliseconds: int) -> None:
    assert duration_ms(NOW, NOW + timedelta(milliseconds=milliseconds)) == max(0, milliseconds)


@pytest.mark.parametrize("other", [None, MalformedValue("executionStopDate")])
def test_without_both_instants_there_is_no_duration(other: object) -> None:
    assert duration_ms(NOW, other) is None
    assert duration_ms(other, NOW) is None


def test_a_run_is_read_from_its_row() -> None:
    run = execution()
    assert (run.workflow_database_id, run.workflow_id) == ("plant", "convert:odd")
    assert decode_id(run.id).parts == ("0" * 32, "plant:convert:odd")
    assert run.status is ExecutionStatus.SUCCEEDED
    assert run.trigger_type is TriggerType.FILE_UPLOAD


@pytest.mark.parametrize(
    ("changes", "is_migrated"),
    [
        ({}, False),
        ({"workflowExecutionId": "3f0c7a52-91de-4c4b-8a3e-5d2b7c60e114"}, True),
        ({"startDateEstimated": True}, True),
        ({"executionStartDate": None}, True),
    ],
)
def test_a_migrated_run_shows_by_its_id_or_its_start(changes: dict[str, Any], is_migrated: bool) -> None:
    assert execution(**changes).is_migrated is is_migrated


@pytest.mark.parametrize(("extension", "path"), [("/runs/7/", "/runs/7/"), ("", "/")])
def test_outputs_are_put_below_a_folder_or_the_root(extension: str, path: str) -> None:
    item = {
        "workflowExecutionId": "e",
        "recordType": "configuration",
        "outputFileBaseExecutionPathExtension": extension,
    }
    assert ConfigurationRow.decode(written(item), field_names(ConfigurationRow)).base_path == path
