"""Manifests of trusted documents, as the tools of front ends write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph.documents import Documents
from graph.documents.trusted import BadManifest, check_manifest, read_manifest
from graph.settings import Settings
from tests.harness import SCHEMA

VIEWER = "query Viewer {\n  viewer {\n    userId\n  }\n}\n"
APOLLO = {
    "format": "apollo-persisted-query-manifest",
    "version": 1,
    "operations": [{"id": "an-id", "name": "Viewer", "type": "query", "body": VIEWER}],
}


def manifest(folder: Path, content: Any) -> Path:
    path = folder / "manifest.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def check(texts: dict[str, str]) -> None:
    check_manifest(texts, Documents(SCHEMA.core, Settings()))


@pytest.mark.parametrize("content", [APOLLO, {"an-id": VIEWER}])
def test_texts_are_read_by_their_ids(tmp_path: Path, content: Any) -> None:
    assert read_manifest(manifest(tmp_path, content)) == {"an-id": VIEWER}


def test_without_a_manifest_nothing_is_trusted() -> None:
    assert read_manifest(None) == {}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"{", "cannot be used: "),
        (b"\xff", "cannot be used: "),
        ([], "it is no JSON object."),
        ({}, "it holds no documents."),
        ({**APOLLO, "operations": []}, "it holds no documents."),
        ({**APOLLO, "version": 2}, "its format is not version 1 of apollo-persisted-query-manifest."),
        ({"format": "another"}, "its format is not version 1 of apollo-persisted-query-manifest."),
        ({**APOLLO, "operations": {}}, "its 'operations' are no list of objects."),
        ({**APOLLO, "operations": ["x"]}, "its 'operations' are no list of objects."),
        ({**APOLLO, "operations": [{"id": "x"}]}, "entry 1 has no text or no id."),
        ({"a": VIEWER, "b": 5}, "entry 2 has no text or no id."),
        ({"": VIEWER}, "entry 1 has no text or no id."),
    ],
)
def test_a_wrong_manifest_is_refused_with_its_name_and_its_fault(tmp_path: Path, content: Any, fault: str) -> None:
    path = manifest(tmp_path, content)
    with pytest.raises(BadManifest) as refused:
        read_manifest(path)
    assert str(path) in str(refused.value)
    assert fault in str(refused.value)


def test_a_manifest_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadManifest, match=r"nowhere\.json cannot be read: No such file"):
        read_manifest(tmp_path / "nowhere.json")


def test_documents_that_fit_the_schema_are_kept_at_once() -> None:
    documents = Documents(SCHEMA.core, Settings())
    check_manifest({"a": VIEWER}, documents)
    assert VIEWER in documents._kept


def test_documents_that_cannot_run_are_named_with_what_is_wrong() -> None:
    with pytest.raises(BadManifest) as refused:
        check({"good": VIEWER, "bad": "{ nothing }", "worse": "{", "long": "#" * 70_000})
    text = str(refused.value)
    assert "good" not in text
    assert "  bad: Cannot query field 'nothing' on type 'Query'." in text
    assert "  worse: Syntax Error: Expected Name, found <EOF>." in text
    assert "  long: The document is longer than 65536 characters." in text
