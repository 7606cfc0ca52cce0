"""A row of a table, the keys that every row begins with, and the rows of the definitions."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from graph.demo.model import ACCOUNT, FARM_ID, QUEUE_ID, REGION, Asset, Bucket, Database, Pipeline, Specified, Workflow
from graph.tables import keys
from graph.tables.builders.executions import PlannedPipeline
from graph.tables.builders.record import Record
from graph.tables.catalogue import (
    ASSETS,
    BUCKETS,
    DATABASES,
    FILE_VERSIONS,
    FILE_VERSIONS_BY_EXECUTION,
    PIPELINES,
    WORKFLOWS,
    Index,
    Table,
)


class Row(NamedTuple):
    """One item, with the table it belongs to."""

    table: Table
    attributes: dict[str, Any]


def keyed(table: Table, *values: str) -> dict[str, Any]:
    """Return the primary key of a row: one value for each key attribute."""
    return dict(zip(table.key, values, strict=True))


def indexed(index: Index, *values: str) -> dict[str, Any]:
    """Return the key of a row in an index, without the values it lacks: DynamoDB refuses an empty string in a key."""
    attributes = (index.partition,) if index.sort is None else (index.partition, index.sort)
    return {attribute: value for attribute, value in zip(attributes, values, strict=True) if value}


def built(record: Record) -> Row:
    """Return the row of a record, as every path that writes builds it."""
    return Row(record.table, record.item())


def changed(row: Row, changes: Mapping[str, Any], *, without: Collection[str] = ()) -> Row:
    """Return a row that no builder gives: some attributes changed or added, others gone."""
    kept = {name: value for name, value in row.attributes.items() if name not in without}
    return Row(row.table, kept | dict(changes))


def bucket_row(bucket: Bucket) -> Row:
    """Return a bucket of assets as VAMS registered it."""
    return Row(
        BUCKETS,
        {
            **keyed(BUCKETS, bucket.bucket_id, keys.join(bucket.name, bucket.prefix or keys.WHOLE)),
            "bucketName": bucket.name,
            "baseAssetsPrefix": bucket.prefix or keys.WHOLE,
            "isVersioningEnabled": True,
        },
    )


def database_row(database: Database) -> Row:
    """Return a database as its administrator left it."""
    return Row(
        DATABASES,
        {
            **keyed(DATABASES, database.database_id),
            "description": database.description,
            "defaultBucketId": database.bucket.bucket_id,
            "assetCount": database.asset_count,
            "dateCreated": "2026-01-05T10:00:00Z",
            "restrictMetadataOutsideSchemas": False,
            "restrictFileUploadsToExtensions": "",
        },
    )


def asset_row(asset: Asset) -> Row:
    """Return an asset; an archived one lies in the partition of its database's deleted assets."""
    archived = {"status": "archived", "archivedAt": asset.archived_at, "archivedBy": "ana@example.com"}
    return Row(
        ASSETS,
        {
            **keyed(
                ASSETS, keys.archived(asset.database_id) if asset.archived_at else asset.database_id, asset.asset_id
            ),
            "assetName": asset.name,
            "description": asset.description,
            "assetType": asset.asset_type,
            "tags": list(asset.tags),
            "isDistributable": asset.is_distributable,
            "bucketId": asset.bucket.bucket_id,
            "assetLocation": {"Key": asset.root},
            "currentVersionId": "1",
            "snsTopic": "",
            **(archived if asset.archived_at else {}),
        },
    )


def file_version_row(asset: Asset, path: str, version_id: str, execution_id: str) -> Row:
    """Return the version of an asset's file that a run made."""
    key = keys.file_key(asset.database_id, asset.asset_id, path)
    return Row(
        FILE_VERSIONS,
        {
            **keyed(FILE_VERSIONS, key, version_id),
            **indexed(FILE_VERSIONS_BY_EXECUTION, execution_id, key),
            "databaseId": asset.database_id,
            "assetId": asset.asset_id,
            "filePath": path,
        },
    )


def pipeline_row(pipeline: Pipeline) -> Row:
    """Return a pipeline's definition."""
    return Row(
        PIPELINES,
        {
            **keyed(PIPELINES, pipeline.database_id, pipeline.pipeline_id),
            "pipelineName": pipeline.name,
            "category": pipeline.category,
            "databaseId:category": keys.join(pipeline.database_id, pipeline.category),
            "allListPartition": "pipeline",
            "description": pipeline.description,
            "executionConfig": {
                "executionType": pipeline.execution_type,
                "waitForCallback": pipeline.wait_for_callback,
                "taskTimeout": "86400",
                "taskHeartbeatTimeout": "3600",
                **_engine(pipeline),
            },
            "systemConfig": {
                "inputFileArity": "multi",
                "requireTemplate": False,
                "allowCustomTemplateOverride": True,
                "auxPreviewPipelineSuffix": "",
            },
            "enabled": pipeline.enabled,
            "archived": False,
            "dateCreated": "2026-02-01T00:00:00Z",
            "dateModified": "2026-02-01T00:00:00Z",
            "schemaVersion": "2",
        },
    )


def _engine(pipeline: Pipeline) -> dict[str, Any]:
    """Return where the pipeline's work is sent."""
    match pipeline.execution_type:
        case "SQS":
            return {"sqs": {"queueUrl": f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/vams-{pipeline.pipeline_id}"}}
        case "EventBridge":
            return {"eventBridge": {"eventBusArn": f"arn:aws:events:{REGION}:{ACCOUNT}:event-bus/vams-pipelines"}}
        case "DeadlineCloud":
            return {"deadlineCloud": {"farmId": FARM_ID, "queueId": QUEUE_ID}}
        case _:
            return {"lambda": {"functionName": f"vams-{pipeline.pipeline_id}"}}


def specified_pipelines(specified: tuple[Specified, ...]) -> list[PlannedPipeline]:
    """Return the steps of a workflow, as its definition lists them and each run keeps a snapshot of them."""
    return [
        PlannedPipeline(
            database_id=one.pipeline.database_id,
            pipeline_id=one.pipeline.pipeline_id,
            job_name=one.job,
            default_template_id=one.template,
        )
        for one in specified
    ]


def effective_system_config(*, file_metadata: bool = True, allow: tuple[str, ...] = ("*.step",)) -> dict[str, Any]:
    """Return what files and metadata a step or a workflow takes."""
    return {
        "inputFileArity": "multi",
        "assetScope": {
            "crossAssetAllowed": True,
            "singleAssetOnly": False,
            "wholeAssetAllowed": False,
            "folderAllowed": True,
        },
        "metadataInputs": {
            "assetMetadata": True,
            "fileMetadata": file_metadata,
            "fileAttributes": file_metadata,
            "databaseMetadata": True,
        },
        "inputFileFilters": {"allow": list(allow), "exclude": []},
    }


def workflow_row(workflow: Workflow) -> Row:
    """Return a workflow's definition."""
    return Row(
        WORKFLOWS,
        {
            **keyed(WORKFLOWS, workflow.database_id, workflow.workflow_id),
            "workflowName": workflow.name,
            "category": workflow.category,
            "databaseId:category": keys.join(workflow.database_id, workflow.category),
            "allListPartition": "workflow",
            "description": workflow.description,
            "workflow_arn": workflow.arn,
            "aslSchemaVersion": "2",
            "jobNames": [one.job_name for one in workflow.specified],
            "specifiedPipelines": [one.entry() for one in specified_pipelines(workflow.specified)],
            "systemConfig": {
                **effective_system_config(allow=workflow.allow),
                "concurrencyRestriction": "none",
                "outputTarget": {"locationType": workflow.output, "allowOverride": True},
                "allowWorkflowTriggerChaining": False,
                "defaultOutputFileBaseExecutionPathExtension": "/",
            },
            "subDashboardUrl": "",
            "enabled": not workflow.archived,
            "archived": workflow.archived,
            "isSystem": False,
            "dateCreated": "2026-03-15T10:30:00Z",
            "dateModified": "2026-03-16T14:20:00Z",
            "createdBy": "ana@example.com",
            "modifiedBy": "ana@example.com",
            "schemaVersion": "2",
        },
    )
