from collections.abc import Set
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.tables import states
from graph.tables.decode import Decoder, Value
from graph.tables.states import (
    ExecutionStatus,
    MetadataScope,
    OutputFileType,
    OutputLocationType,
    PipelineExecutionType,
    TriggerType,
)


@pytest.mark.parametrize(
    ("decoder", "members"),
    [
        (states.execution_status, ExecutionStatus),
        (states.trigger_type, TriggerType),
        (states.pipeline_execution_type, PipelineExecutionType),
        (states.output_file_type, OutputFileType),
        (states.output_location_type, OutputLocationType),
    ],
)
def test_each_stored_text_reads_as_its_member(decoder: Decoder, members: type[Enum]) -> None:
    known = [member for member in members if member.name != "UNKNOWN"]
    assert [decoder({"S": member.value}, "a") for member in known] == known
    assert decoder({"S": "something newer"}, "a") is members["UNKNOWN"]


@pytest.mark.parametrize("value", [None, {"S": ""}, {"N": "7"}])
def test_a_status_that_is_missing_is_unknown(value: Value | None) -> None:
    assert states.execution_status(value, "a") is ExecutionStatus.UNKNOWN


def test_the_word_unknown_is_no_status_of_vams() -> None:
    assert states.execution_status({"S": "UNKNOWN"}, "a") is ExecutionStatus.UNKNOWN


@pytest.mark.parametrize("value", [None, {"S": ""}, {"NULL": True}])
def test_a_run_that_names_no_location_type_wrote_to_an_asset(value: Value | None) -> None:
    assert states.output_location_type(value, "a") is OutputLocationType.ASSET


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, MetadataScope.ASSET),
        ({"S": "asset"}, MetadataScope.ASSET),
        ({"S": "database"}, MetadataScope.DATABASE),
        ({"S": "x"}, MetadataScope.ASSET),
    ],
)
def test_metadata_is_of_an_asset_unless_it_says_otherwise(value: Value | None, expected: MetadataScope) -> None:
    assert states.metadata_scope(value, "a") is expected


@given(st.sets(st.sampled_from(ExecutionStatus)), st.text() | st.sampled_from([one.value for one in ExecutionStatus]))
def test_the_condition_of_some_statuses_keeps_the_rows_that_read_as_them(
    wanted: Set[ExecutionStatus], stored: str
) -> None:
    condition = states.stored_texts("executionStatus", wanted, ExecutionStatus.UNKNOWN)
    kept = (stored in condition.texts) is not condition.negated
    assert kept == (states.execution_status({"S": stored}, "executionStatus") in wanted)
