from dataclasses import replace

import pytest

from graph.tables.builders.outputs import OutputFileRecord, OutputMetadataRecord, OutputResultRecord
from graph.tables.builders.record import InvalidRecord
from graph.tables.states import OutputFileType

KIB = 1024
FILE = OutputFileRecord(
    pipeline_execution_id="1" * 32,
    file_type=OutputFileType.FILE,
    relative_path="converted/pump.glb",
    size=2_048,
    bucket="run-bucket",
    s3_key="out/files/converted/pump.glb",
)
METADATA = OutputMetadataRecord(
    pipeline_execution_id="1" * 32, target_path="/a.glb", key="count", value="7", source_key="out/metadata/a.json"
)
RESULT = OutputResultRecord(
    pipeline_execution_id="1" * 32, relative_path="summary.txt", body="done", s3_key="out/results/summary.txt"
)


@pytest.mark.parametrize(
    ("kind", "path", "key"),
    [
        (OutputFileType.FILE, "converted/pump.glb", "file:converted/pump.glb"),
        (OutputFileType.PREVIEW, "/a:b.png", "preview:a:b.png"),
    ],
)
def test_a_file_is_found_by_its_kind_and_path(kind: OutputFileType, path: str, key: str) -> None:
    item = replace(FILE, file_type=kind, relative_path=path).item()
    assert item["fileType:relativeFilePath"] == key
    assert item["relativeFilePath"] == path.removeprefix("/")


@pytest.mark.parametrize(("version", "stored"), [("v1", "v1"), ("null", ""), ("", "")])
def test_a_file_of_a_bucket_without_versions_has_none(version: str, stored: str) -> None:
    assert replace(FILE, s3_version_id=version).item()["s3VersionId"] == stored


def test_a_metadata_value_is_found_by_its_target_and_its_name() -> None:
    assert METADATA.item()["targetFilePath:metadataKey"] == "/a.glb:count"
    assert replace(METADATA, target_path="").item()["targetFilePath:metadataKey"] == "/:count"


def test_a_result_has_a_leading_slash() -> None:
    assert RESULT.item() == {
        "pipelineExecutionId": "1" * 32,
        "relativeFilePath": "/summary.txt",
        "resultsContent": "done",
        "resultsContentTruncated": False,
        "s3Key": "out/results/summary.txt",
    }


@pytest.mark.parametrize(("size", "kept"), [(380 * KIB, 380 * KIB), (380 * KIB + 1, 380 * KIB), (10**6, 380 * KIB)])
def test_a_text_takes_at_most_380_kib(size: int, kept: int) -> None:
    result = replace(RESULT, body="x" * size).item()
    assert (len(result["resultsContent"]), result["resultsContentTruncated"]) == (kept, size > kept)
    assert len(replace(METADATA, value="x" * size).item()["metadataValue"]) == kept


@pytest.mark.parametrize(
    ("record", "attribute"),
    [
        (replace(RESULT, body="x" * 400 * KIB, s3_key=""), "resultsContent"),
        (replace(METADATA, value="x" * 400 * KIB, source_key=""), "metadataValue"),
    ],
)
def test_a_text_that_is_nowhere_whole_is_refused(
    record: OutputMetadataRecord | OutputResultRecord, attribute: str
) -> None:
    with pytest.raises(InvalidRecord, match=f"{attribute} is too long"):
        record.item()
