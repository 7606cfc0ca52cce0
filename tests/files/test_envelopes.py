"""What is told of a run by its metadata envelope in S3."""

import json
from typing import Any

import pytest

from graph.files.envelopes import MetadataSources, parse_sources

WHOLE = {
    "schemaVersion": 2,
    "assets": [{"databaseId": "plant", "assetId": "pump", "files": []}, {"databaseId": "plant", "assetId": "a:b"}],
    "databases": [{"databaseId": "plant", "metadata": {}}],
}


def test_an_envelope_names_assets_and_databases() -> None:
    expected = MetadataSources(frozenset({("plant", "pump"), ("plant", "a:b")}), frozenset({"plant"}))
    assert parse_sources(json.dumps(WHOLE).encode()) == expected


def test_without_databases_none_were_captured() -> None:
    without = {name: value for name, value in WHOLE.items() if name != "databases"}
    assert parse_sources(json.dumps(without).encode()) == MetadataSources(
        frozenset({("plant", "pump"), ("plant", "a:b")}), frozenset()
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"schemaVersion": 1},
        {"schemaVersion": "2"},
        {"schemaVersion": 3},
        {"assets": None},
        {"assets": {}},
        {"assets": ["plant:pump"]},
        {"assets": [{"databaseId": "plant"}]},
        {"assets": [{"databaseId": "plant", "assetId": ""}]},
        {"assets": [{"databaseId": "plant", "assetId": 7}]},
        {"databases": None},
        {"databases": [{}]},
        {"databases": [[]]},
    ],
    ids=str,
)
def test_what_is_not_wholly_as_vams_writes_it_tells_nothing(changed: dict[str, Any]) -> None:
    assert parse_sources(json.dumps(WHOLE | changed).encode()) is None


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'"2"', b"\xff", b"[" * 100_000])
def test_what_is_no_envelope_tells_nothing(text: bytes) -> None:
    assert parse_sources(text) is None
