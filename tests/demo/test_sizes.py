import json

import pytest

from graph.demo import sizes
from graph.tables.catalogue import (
    INPUT_CONFIGURATIONS,
    INPUT_METADATA,
    INPUTS,
    OUTPUT_FILES,
    OUTPUT_METADATA,
    OUTPUT_RESULTS,
    STEP_LOGS,
    Table,
)
from tests.demo.reading import chain, configuration, execution, of_steps, rows


def test_a_log_is_390_kib_and_not_all_ascii() -> None:
    log = execution(sizes.LARGE_LOG_ID)["executionLog"]
    assert len(log.encode()) == 390 * 1024
    assert not log.isascii()
    [stored] = of_steps(STEP_LOGS, sizes.LARGE_LOG_ID)
    assert log.startswith(stored["errorLog"])
    assert len((stored["resultLog"] + stored["errorLog"]).encode()) == 390 * 1024
    assert (stored["resultLogTruncated"], stored["errorLogTruncated"]) == (False, True)


def test_a_metadata_row_holds_a_thousand_entries_in_300_kib() -> None:
    largest, *_ = of_steps(INPUT_METADATA, sizes.LARGE_METADATA_ID)
    assert len(largest["metadata"]) == 1_000
    assert len(json.dumps(largest["metadata"])) == 300 * 1024


def test_a_run_has_over_a_thousand_output_files_and_so_has_one_step() -> None:
    assert len(of_steps(OUTPUT_FILES, sizes.MANY_OUTPUTS_ID)) == 1_452
    last = chain(sizes.MANY_OUTPUTS_ID)[-1]
    assert len(rows(OUTPUT_FILES, pipelineExecutionId=last["pipelineExecutionId"], fileType="file")) == 1_200


def test_a_run_has_output_metadata_and_results_of_several_pages() -> None:
    assert len(of_steps(OUTPUT_METADATA, sizes.MANY_OUTPUTS_ID)) == 60
    assert len(of_steps(OUTPUT_RESULTS, sizes.MANY_OUTPUTS_ID)) == 40


def test_a_run_has_several_hundred_input_files() -> None:
    assert len(rows(INPUTS, workflowExecutionId=sizes.MANY_INPUTS_ID)) == 400


@pytest.mark.parametrize("table", [INPUT_CONFIGURATIONS, INPUT_METADATA, OUTPUT_RESULTS, STEP_LOGS], ids=repr)
def test_every_row_of_one_run_was_cut_short(table: Table) -> None:
    [row] = of_steps(table, sizes.CUT_SHORT_ID)
    flags = {name: value for name, value in row.items() if name.endswith("Truncated")}
    assert flags == dict.fromkeys(flags, True) != {}


def test_a_run_that_was_cut_short_still_knows_its_metadata_sources() -> None:
    row = configuration(sizes.CUT_SHORT_ID)
    assert row["inputMetadataTruncated"] is True
    assert row["metadataSourceAssetsTruncated"] is False
