"""What executions touch and are made from: assets and their file versions, databases, workflows, pipelines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from graph.errors import MalformedValue
from graph.tables import catalogue, deciding, decode, ids, keys, states
from graph.tables.rows import ObjectRow, Row, decides, key_part, stored


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AssetRow(ObjectRow):
    """An asset. Archiving moves its row to a partition of its own."""

    table: ClassVar = catalogue.ASSETS
    kind: ClassVar = "Asset"

    partition: str = key_part("databaseId")
    asset_id: str = key_part("assetId")

    name: str | MalformedValue | None = decides("assetName", deciding.compared_text)
    description: str | None = stored("description", decode.optional_text)
    asset_type: str | MalformedValue | None = decides("assetType", deciding.compared_text)
    tags: Sequence[str] | MalformedValue = decides("tags", deciding.compared_texts)
    is_distributable: bool | MalformedValue = stored("isDistributable", deciding.flag)
    bucket_id: str | None = stored("bucketId", decode.optional_text)
    place: dict[str, Any] = stored("assetLocation", decode.mapping)

    @property
    def root(self) -> str:
        """The prefix of the asset's files in its bucket; empty where the row does not say it."""
        key = self.place.get("Key")
        return key if isinstance(key, str) else ""

    @property
    def id(self) -> str:
        """The global id, the same before and after archiving."""
        return ids.encode(self.kind, self.database_id, self.asset_id)

    @property
    def database_id(self) -> str:
        """The database of the asset, archived or not."""
        return self.partition.removesuffix(keys.ARCHIVED)

    @property
    def status(self) -> states.AssetStatus:
        """Whether the asset is in use or archived."""
        is_archived = self.partition.endswith(keys.ARCHIVED)
        return states.AssetStatus.ARCHIVED if is_archived else states.AssetStatus.ACTIVE


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BucketRow(Row):
    """A bucket that VAMS keeps assets in, below a prefix."""

    table: ClassVar = catalogue.BUCKETS

    bucket_id: str = key_part("bucketId")
    place_key: str = key_part("bucketName:baseAssetsPrefix")
    name: str = key_part("bucketName")
    prefix: str = key_part("baseAssetsPrefix")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DatabaseRow(ObjectRow):
    """A database of assets."""

    table: ClassVar = catalogue.DATABASES
    kind: ClassVar = "Database"

    database_id: str = key_part("databaseId")

    description: str | None = stored("description", decode.optional_text)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WorkflowRow(ObjectRow):
    """The definition of a workflow as it stands now."""

    table: ClassVar = catalogue.WORKFLOWS
    kind: ClassVar = "Workflow"

    database_id: str = key_part("databaseId")
    workflow_id: str = key_part("workflowId")

    name: str | MalformedValue | None = decides("workflowName", deciding.compared_text)
    category: str | MalformedValue | None = decides("category", deciding.compared_text)
    description: str | None = stored("description", decode.optional_text)
    is_enabled: bool = stored("enabled", decode.flag)
    is_archived: bool = stored("archived", decode.flag)
    system_config: dict[str, Any] | None = stored("systemConfig", decode.optional_mapping)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PipelineRow(ObjectRow):
    """The definition of a pipeline as it stands now."""

    table: ClassVar = catalogue.PIPELINES
    kind: ClassVar = "Pipeline"

    database_id: str = key_part("databaseId")
    pipeline_id: str = key_part("pipelineId")

    name: str | MalformedValue | None = decides("pipelineName", deciding.compared_text)
    category: str | MalformedValue | None = decides("category", deciding.compared_text)
    description: str | None = stored("description", decode.optional_text)
    execution_type_text: str | MalformedValue | None = decides(
        "executionConfig", deciding.compared_entry("executionType")
    )
    execution_config: dict[str, Any] = stored("executionConfig", decode.mapping)
    is_enabled: bool = stored("enabled", decode.flag)
    is_archived: bool = stored("archived", decode.flag)

    @property
    def deadline_queue(self) -> tuple[str, str] | None:
        """The farm and the queue of Deadline Cloud that its jobs are submitted to; None where it names none."""
        config = self.execution_config.get("deadlineCloud")
        if not isinstance(config, dict):
            return None
        farm_id, queue_id = config.get("farmId"), config.get("queueId")
        return (farm_id, queue_id) if isinstance(farm_id, str) and isinstance(queue_id, str) else None

    @property
    def execution_type(self) -> states.PipelineExecutionType | MalformedValue:
        """The service that runs the pipeline."""
        held = self.execution_type_text
        if isinstance(held, MalformedValue):
            return held
        return states.pipeline_execution_type({"S": held or ""}, "executionConfig")  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileVersionRow(Row):
    """A version of an asset's file that a run wrote."""

    table: ClassVar = catalogue.FILE_VERSIONS

    file_key: str = key_part("databaseId:assetId:filePath")
    version_id: str = key_part("versionId")
    execution_id: str = key_part("changeWorkflowExecutionId")

    path: str = stored("filePath", decode.text, always=True)
