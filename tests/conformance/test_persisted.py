"""Clients that send the hash or the id of a document in its place."""

import json
from pathlib import Path

import httpx
import pytest

from graph.demo.permissions import ADMIN
from tests.conformance.conftest import ASSET, Node
from tests.memory import MemoryDatabase
from tests.serving import listening, make_app

SENT = {
    "apollo by POST": ["POST hash", "POST document", "POST hash", "POST hash"],
    "apollo by GET": ["GET hash", "POST document", "GET hash", "GET hash"],
    "urql by POST": ["POST hash", "POST document", "POST hash", "POST hash"],
    "urql by GET": ["GET hash", "GET document", "GET hash", "GET hash"],
}
VARIABLES = dict.fromkeys(("executionId", "pipelineExecutionId", "databaseId", "assetId", "id", "stage"), "") | {
    "entered": 1,
    "event": 1,
}  # of all documents; each leaves out what it does not declare


def test_a_document_is_sent_once_and_its_hash_thereafter(node: Node, memory: MemoryDatabase) -> None:
    with listening(make_app(memory, environment="development")) as address:
        done = node.run("clients/persisted.mjs", f"{address}/graphql")
    assert {name: told["sent"] for name, told in done.items()} == SENT
    assert all(told["answers"] == [ADMIN] * 3 for told in done.values())


@pytest.fixture(scope="module")
def manifests(node: Node, compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What the builds of front ends write, by client."""
    of_apollo = tmp_path_factory.mktemp("manifests") / "apollo.json"
    of_apollo.write_text(json.dumps(node.run("manifest.mjs")))
    return {"apollo": of_apollo, "relay": compiled / "manifest.json"}


@pytest.mark.parametrize("client", ["apollo", "relay"])
def test_ids_are_enough_where_only_trusted_documents_are_taken(
    node: Node, memory: MemoryDatabase, manifests: dict[str, Path], walked: dict[str, list[str]], client: str
) -> None:
    trusted = manifests[client]
    with listening(make_app(memory, trusted_documents=trusted, trusted_documents_only=True)) as address:
        given = f"clients/{client}.mjs", f"{address}/graphql", json.dumps(ASSET)
        assert node.run(*given, str(trusted)) == walked
        with_texts = node.call(*given)
    assert with_texts.returncode != 0
    assert "PERSISTED_QUERY_ID_REQUIRED" in with_texts.stderr


def test_the_ids_of_generated_documents_are_known(memory: MemoryDatabase, generated: Path) -> None:
    manifest = generated / "persisted-documents.json"
    with listening(make_app(memory, trusted_documents=manifest, trusted_documents_only=True)) as address:
        for name in json.loads(manifest.read_text()):
            answer = httpx.post(f"{address}/graphql", json={"documentId": name, "variables": VARIABLES}).json()
            assert "data" in answer
            assert {error["extensions"]["code"] for error in answer.get("errors", ())} <= {
                "INVALID_ID",
                "MALFORMED_VALUE",
            }
