"""Every table and index that is read, stated once.

Names and keys are those of the VAMS workflow-execution data model. Physical table names are never here: they are looked
up at start by :mod:`graph.tables.names`. All key attributes are strings and every index projects all attributes.
"""

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Index:
    """A global secondary index; ``sort`` is None where it has a partition key only."""

    name: str
    partition: str
    sort: str | None = None


@dataclass(frozen=True)
class Table:
    """A table, its keys, and where its physical name is found.

    ``variables`` are environment variables that VAMS itself uses, in order of preference; ``parameter`` is the SSM
    parameter below the deployment's prefix.
    """

    name: str
    variables: tuple[str, ...]
    parameter: str
    partition: str
    sort: str | None = None
    indexes: tuple[Index, ...] = ()

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The attributes of the primary key: one or two."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Table({self.name})"


EXECUTIONS_BY_WORKFLOW = Index("WorkflowExecutionsByWorkflowGSI", "workflowDatabaseId:workflowId", "executionStartDate")
EXECUTIONS_BY_GROUP = Index("WorkflowExecutionsByGroupGSI", "executionGroupId", "executionStartDate")
EXECUTIONS_BY_DATE = Index("WorkflowExecutionsByDateGSI", "allListPartition", "executionStartDate")
EXECUTIONS = Table(
    "WorkflowExecutionsStorageTableV2",
    ("WORKFLOW_EXECUTION_STORAGE_TABLE_V2_NAME",),
    "dynamoTables/workflowExecutionsStorageV2",
    "workflowExecutionId",
    "workflowDatabaseId:workflowId",
    (EXECUTIONS_BY_WORKFLOW, EXECUTIONS_BY_GROUP, EXECUTIONS_BY_DATE),
)

INPUTS_BY_ASSET = Index("WorkflowExecInputsByAssetGSI", "databaseId:assetId", "executionStartDate")
INPUTS = Table(
    "WorkflowExecutionInputsStorageTable",
    ("WORKFLOW_EXECUTION_INPUTS_STORAGE_TABLE_NAME",),
    "dynamoTables/workflowExecutionInputsStorage",
    "workflowExecutionId",
    "databaseId:assetId:inputAssetFileKey",
    (INPUTS_BY_ASSET,),
)

CONFIGURATIONS_BY_OUTPUT_ASSET = Index(
    "WorkflowExecConfigByOutputAssetGSI", "outputDatabaseId:outputAssetId", "executionStartDate"
)
CONFIGURATIONS = Table(
    "WorkflowExecutionConfigurationStorageTable",
    ("WORKFLOW_EXECUTION_CONFIGURATION_STORAGE_TABLE_NAME",),
    "dynamoTables/workflowExecutionConfigurationStorage",
    "workflowExecutionId",
    "recordType",
    (CONFIGURATIONS_BY_OUTPUT_ASSET,),
)

STEPS_BY_EXECUTION = Index("PipelineExecByWorkflowExecGSI", "workflowExecutionId", "pipelineDatabaseId:pipelineId")
STEPS_BY_PREDECESSOR = Index("PipelineExecChainGSI", "workflowExecutionId", "from_pipeline_execution_id")
STEPS_BY_END_STATE = Index("PipelineExecEndStateGSI", "workflowExecutionId", "endStatePipeline")
STEPS = Table(
    "PipelineExecutionsStorageTable",
    ("PIPELINE_EXECUTIONS_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionsStorage",
    "pipelineExecutionId",
    "workflowExecutionId",
    (STEPS_BY_EXECUTION, STEPS_BY_PREDECESSOR, STEPS_BY_END_STATE),
)

STEP_INPUT_FILES_BY_ASSET = Index("InputFilesByAssetGSI", "databaseId:assetId", "pipelineExecutionId")
STEP_INPUT_FILES = Table(
    "PipelineExecutionInputFilesStorageTable",
    ("PIPELINE_EXECUTION_INPUT_FILES_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionInputFilesStorage",
    "pipelineExecutionId",
    "databaseId:assetId:inputAssetFileKey",
    (STEP_INPUT_FILES_BY_ASSET,),
)

INPUT_METADATA = Table(
    "PipelineExecutionInputMetadataStorageTable",
    ("PIPELINE_EXECUTION_INPUT_METADATA_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionInputMetadataStorage",
    "pipelineExecutionId",
    "databaseId:assetId:filePath",
)

INPUT_CONFIGURATIONS = Table(
    "PipelineExecutionInputConfigurationStorageTable",
    ("PIPELINE_EXECUTION_INPUT_CONFIGURATION_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionInputConfigurationStorage",
    "pipelineExecutionId",
    "recordType",
)

OUTPUT_FILES = Table(
    "PipelineExecutionOutputFilesStorageTable",
    ("PIPELINE_EXECUTION_OUTPUT_FILES_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionOutputFilesStorage",
    "pipelineExecutionId",
    "fileType:relativeFilePath",
)

OUTPUT_METADATA = Table(
    "PipelineExecutionOutputMetadataStorageTable",
    ("PIPELINE_EXECUTION_OUTPUT_METADATA_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionOutputMetadataStorage",
    "pipelineExecutionId",
    "targetFilePath:metadataKey",
)

OUTPUT_RESULTS = Table(
    "PipelineExecutionOutputResultsStorageTable",
    ("PIPELINE_EXECUTION_OUTPUT_RESULTS_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionOutputResultsStorage",
    "pipelineExecutionId",
    "relativeFilePath",
)

STEP_LOGS = Table(
    "PipelineExecutionLogsStorageTable",
    ("PIPELINE_EXECUTION_LOGS_STORAGE_TABLE_NAME",),
    "dynamoTables/pipelineExecutionLogsStorage",
    "pipelineExecutionId",
    "logType",
)

ASSETS = Table("AssetStorageTable", ("ASSET_STORAGE_TABLE_NAME",), "dynamoTables/assetStorage", "databaseId", "assetId")

DATABASES = Table(
    "DatabaseStorageTable", ("DATABASE_STORAGE_TABLE_NAME",), "dynamoTables/databaseStorage", "databaseId"
)

WORKFLOWS = Table(
    "WorkflowStorageTableV2",
    ("WORKFLOW_STORAGE_TABLE_V2_NAME",),
    "dynamoTables/workflowStorageV2",
    "databaseId",
    "workflowId",
)

PIPELINES = Table(
    "PipelineStorageTableV2",
    ("PIPELINE_STORAGE_TABLE_V2_NAME",),
    "dynamoTables/pipelineStorageV2",
    "databaseId",
    "pipelineId",
)

FILE_VERSIONS_BY_EXECUTION = Index(
    "WorkflowExecutionIdIndex", "changeWorkflowExecutionId", "databaseId:assetId:filePath"
)
FILE_VERSIONS = Table(
    "AssetFileVersionHistoryStorageTable",
    ("ASSET_FILE_VERSION_HISTORY_STORAGE_TABLE_NAME",),
    "dynamoTables/assetFileVersionHistoryStorage",
    "databaseId:assetId:filePath",
    "versionId",
    (FILE_VERSIONS_BY_EXECUTION,),
)

BUCKETS_BY_NAME = Index("bucketNameGSI", "bucketName", "baseAssetsPrefix")
BUCKETS = Table(
    "S3AssetBucketsStorageTable",
    ("S3_ASSET_BUCKETS_STORAGE_TABLE_NAME",),
    "dynamoTables/s3AssetBucketsStorage",
    "bucketId",
    "bucketName:baseAssetsPrefix",
    (BUCKETS_BY_NAME,),
)
"""Where assets lie; read only where links to files are given."""

CONSTRAINTS_BY_GROUP = Index("GroupPermissionsIndex", "groupId", "objectType")
CONSTRAINTS_BY_USER = Index("UserPermissionsIndex", "userId", "objectType")
CONSTRAINTS = Table(
    "ConstraintsStorageTable",
    ("CONSTRAINTS_TABLE_NAME",),
    "dynamoTables/constraintsStorage",
    "constraintId",
    indexes=(CONSTRAINTS_BY_GROUP, CONSTRAINTS_BY_USER),
)

ROLES = Table("RolesStorageTable", ("ROLES_TABLE_NAME",), "dynamoTables/rolesStorage", "roleName")

USER_ROLES = Table(
    "UserRolesStorageTable",
    ("USER_ROLES_TABLE_NAME", "USER_ROLES_STORAGE_TABLE_NAME"),
    "dynamoTables/userRolesStorage",
    "userId",
    "roleName",
)

API_KEYS_BY_HASH = Index("apiKeyHashIndex", "apiKeyHash")
API_KEYS = Table(
    "ApiKeyStorageTable",
    ("API_KEY_STORAGE_TABLE_NAME",),
    "dynamoTables/apiKeyStorage",
    "apiKeyId",
    indexes=(API_KEYS_BY_HASH,),
)

LOCKS = Table(
    "WorkflowExecutionLocksStorageTable",
    ("WORKFLOW_EXECUTION_LOCKS_STORAGE_TABLE_NAME",),
    "dynamoTables/workflowExecutionLocksStorage",
    "lockKey",
)
"""Locks of input files, which actions release. Deployments of older versions have no such table."""

EXECUTION_TABLES = (
    EXECUTIONS,
    STEPS,
    INPUTS,
    CONFIGURATIONS,
    STEP_INPUT_FILES,
    INPUT_METADATA,
    INPUT_CONFIGURATIONS,
    OUTPUT_FILES,
    OUTPUT_METADATA,
    OUTPUT_RESULTS,
    STEP_LOGS,
)
DEFINITION_TABLES = (ASSETS, DATABASES, WORKFLOWS, PIPELINES, FILE_VERSIONS)
PERMISSION_TABLES = (CONSTRAINTS, ROLES, USER_ROLES, API_KEYS)
TABLES = EXECUTION_TABLES + DEFINITION_TABLES + PERMISSION_TABLES
"""What every deployment needs."""
ALL_TABLES = (*TABLES, BUCKETS)
