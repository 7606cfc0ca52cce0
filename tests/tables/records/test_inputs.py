from typing import Any

import pytest

from graph.tables.keys import FileSelection
from graph.tables.records.inputs import InputMetadataRow, InputRow, S3Location, StepInputFileRow, location
from graph.tables.rows import field_names
from graph.tables.states import MetadataScope
from tests.demo.reading import written


def read(**item: Any) -> InputRow:
    return InputRow.decode(written(item), field_names(InputRow))


@pytest.mark.parametrize(
    ("bucket", "key", "expected"),
    [
        ("assets", "/pump/a.step", S3Location("assets", "pump/a.step", "v1")),
        ("assets", "pump/", S3Location("assets", "pump/", "v1")),
        (None, "pump/a.step", None),
        ("assets", None, None),
        ("assets", "", None),
        ("assets", "//", None),
    ],
)
def test_a_place_is_told_where_the_row_says_it_whole(
    bucket: str | None, key: str | None, expected: S3Location | None
) -> None:
    assert location(bucket, key, "v1") == expected


@pytest.mark.parametrize(
    ("key", "path", "selection"),
    [
        ("pump/parts/a:b.step", "/parts/a:b.step", FileSelection.FILE),
        ("pump/parts/", "/parts/", FileSelection.FOLDER),
        ("pump/", "/", FileSelection.WHOLE_ASSET),
    ],
)
def test_an_input_is_a_file_a_folder_or_the_whole_asset(key: str, path: str, selection: FileSelection) -> None:
    row = read(inputAssetFileKey=key, assetRootS3Key="pump/", s3Bucket="assets", versionId="")
    assert (row.path, row.selection) == (path, selection)
    assert row.location == S3Location("assets", key)


def test_an_input_of_a_migrated_step_has_no_place() -> None:
    row = StepInputFileRow.decode(written({"inputAssetFileKey": "pump/a.step"}), field_names(StepInputFileRow))
    assert (row.path, row.selection) == ("pump/a.step", FileSelection.FILE)
    assert row.location is None
    assert row.version_id is None


@pytest.mark.parametrize(("stored", "path"), [("a.step", "/a.step"), ("/", "/"), ("", "/"), ("//a", "/a")])
def test_metadata_has_a_path_with_one_slash(stored: str, path: str) -> None:
    row = InputMetadataRow.decode(written({"filePath": stored, "scope": "database"}), field_names(InputMetadataRow))
    assert row.path == path
    assert row.scope is MetadataScope.DATABASE
    assert not row.metadata_truncated
