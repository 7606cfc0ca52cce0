import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.tables.builders.inputs import InputMetadataRecord, InputRecord, StepInputFileRecord
from graph.tables.builders.record import InvalidRecord

KIB = 1024
INPUT = InputRecord(
    execution_id="0" * 32,
    workflow_database_id="plant-models",
    workflow_id="convert",
    started_at=datetime(2026, 7, 14, 9, 30, tzinfo=UTC),
    database_id="plant-models",
    asset_id="pump-station",
    path="/models/pump.step",
    bucket="assets",
    root="pump-station/",
    version_id="v1",
)
METADATA = InputMetadataRecord(
    pipeline_execution_id="1" * 32, database_id="plant", asset_id="pump", source_file_key="inputs/metadata.json"
)


def test_an_input_is_stored_by_its_bucket_key() -> None:
    assert INPUT.item() == {
        "workflowExecutionId": "0" * 32,
        "databaseId:assetId:inputAssetFileKey": "plant-models:pump-station:/pump-station/models/pump.step",
        "databaseId:assetId": "plant-models:pump-station",
        "databaseId": "plant-models",
        "assetId": "pump-station",
        "inputAssetFileKey": "/pump-station/models/pump.step",
        "s3Bucket": "assets",
        "assetRootS3Key": "pump-station/",
        "versionId": "v1",
        "executionStartDate": "2026-07-14T09:30:00Z",
        "workflowDatabaseId": "plant-models",
        "workflowId": "convert",
    }


@pytest.mark.parametrize("path", ["/", "", "/models/"])
def test_only_a_file_has_a_version(path: str) -> None:
    assert replace(INPUT, path=path, version_id="").item()["versionId"] == ""
    with pytest.raises(InvalidRecord, match="Only a file has a version"):
        replace(INPUT, path=path).item()


def test_a_file_of_a_step_has_no_version_and_no_place() -> None:
    record = StepInputFileRecord(
        pipeline_execution_id="1" * 32, execution_id="0" * 32, database_id="plant", asset_id="old", key="old/part.fbx"
    )
    assert record.item() == {
        "pipelineExecutionId": "1" * 32,
        "databaseId:assetId:inputAssetFileKey": "plant:old:/old/part.fbx",
        "databaseId:assetId": "plant:old",
        "databaseId": "plant",
        "assetId": "old",
        "inputAssetFileKey": "/old/part.fbx",
        "workflowExecutionId": "0" * 32,
    }


@pytest.mark.parametrize(
    ("asset", "path", "key", "scope"),
    [
        ("pump", "/a.step", "plant:pump:/a.step", "asset"),
        ("pump", "/", "plant:pump:/", "asset"),
        (None, "/", "plant::/", "database"),
    ],
)
def test_metadata_is_of_a_file_an_asset_or_a_database(asset: str | None, path: str, key: str, scope: str) -> None:
    item = replace(METADATA, asset_id=asset, path=path).item()
    assert (item["databaseId:assetId:filePath"], item["scope"]) == (key, scope)


def entries(count: int) -> dict[str, str]:
    return {f"key-{number:04}": "x" * 1_000 for number in reversed(range(count))}


@pytest.mark.parametrize(
    ("metadata", "attributes", "truncated"),
    [(10, 10, (False, False)), (500, 10, (True, False)), (10, 500, (False, True)), (500, 500, (True, True))],
)
def test_metadata_and_attributes_share_380_kib(metadata: int, attributes: int, truncated: tuple[bool, bool]) -> None:
    item = replace(METADATA, metadata=entries(metadata), file_attributes=entries(attributes)).item()
    assert (item["metadataTruncated"], item["attributesTruncated"]) == truncated
    assert len(json.dumps(item["metadata"])) + len(json.dumps(item["attributes"])) <= 380 * KIB
    for name, count in (("metadata", metadata), ("attributes", attributes)):
        assert set(item[name]) == set(sorted(entries(count))[: len(item[name])])


@pytest.mark.parametrize("field", ["metadata", "file_attributes"])
def test_metadata_that_is_nowhere_whole_is_refused(field: str) -> None:
    changes: dict[str, Any] = {field: entries(500), "source_file_key": ""}
    with pytest.raises(InvalidRecord, match="put the whole of it in S3"):
        replace(METADATA, **changes).item()
