from dataclasses import replace

from graph.tables.catalogue import (
    DEFINITION_TABLES,
    EXECUTION_TABLES,
    EXECUTIONS,
    PERMISSION_TABLES,
    ROLES,
    TABLES,
)
from tests.tables.indexes import execution_indexes


def test_executions_are_kept_in_eleven_tables_with_nine_indexes() -> None:
    assert len(EXECUTION_TABLES) == len(set(EXECUTION_TABLES)) == 11
    assert len(list(execution_indexes())) == 9


def test_the_indexes_are_those_of_the_data_model() -> None:
    assert {(table.name, index.name, index.partition, index.sort) for table, index in execution_indexes()} == {
        (
            "WorkflowExecutionsStorageTableV2",
            "WorkflowExecutionsByWorkflowGSI",
            "workflowDatabaseId:workflowId",
            "executionStartDate",
        ),
        (
            "WorkflowExecutionsStorageTableV2",
            "WorkflowExecutionsByGroupGSI",
            "executionGroupId",
            "executionStartDate",
        ),
        ("WorkflowExecutionsStorageTableV2", "WorkflowExecutionsByDateGSI", "allListPartition", "executionStartDate"),
        (
            "WorkflowExecutionInputsStorageTable",
            "WorkflowExecInputsByAssetGSI",
            "databaseId:assetId",
            "executionStartDate",
        ),
        (
            "WorkflowExecutionConfigurationStorageTable",
            "WorkflowExecConfigByOutputAssetGSI",
            "outputDatabaseId:outputAssetId",
            "executionStartDate",
        ),
        (
            "PipelineExecutionsStorageTable",
            "PipelineExecByWorkflowExecGSI",
            "workflowExecutionId",
            "pipelineDatabaseId:pipelineId",
        ),
        (
            "PipelineExecutionsStorageTable",
            "PipelineExecChainGSI",
            "workflowExecutionId",
            "from_pipeline_execution_id",
        ),
        ("PipelineExecutionsStorageTable", "PipelineExecEndStateGSI", "workflowExecutionId", "endStatePipeline"),
        (
            "PipelineExecutionInputFilesStorageTable",
            "InputFilesByAssetGSI",
            "databaseId:assetId",
            "pipelineExecutionId",
        ),
    }


def test_every_table_is_stated_once() -> None:
    assert TABLES == EXECUTION_TABLES + DEFINITION_TABLES + PERMISSION_TABLES
    for names in (
        [table.name for table in TABLES],
        [table.parameter for table in TABLES],
        [variable for table in TABLES for variable in table.variables],
        [index.name for table in TABLES for index in table.indexes],
    ):
        assert len(names) == len(set(names))


def test_a_key_has_one_attribute_or_two() -> None:
    assert ROLES.key == ("roleName",)
    assert EXECUTIONS.key == ("workflowExecutionId", "workflowDatabaseId:workflowId")


def test_a_table_shows_its_name_and_is_told_apart_by_it() -> None:
    assert repr(EXECUTIONS) == "Table(WorkflowExecutionsStorageTableV2)"
    assert {EXECUTIONS: 1}[replace(EXECUTIONS)] == 1
