"""A front end's documents, as graphql-codegen's client preset makes types and persisted documents of them."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conformance.conftest import ROOT, Node

DOCUMENTS = ROOT / "tests" / "documents"


@pytest.mark.usefixtures("generated")
def test_the_types_compile(node: Node) -> None:
    done = node.call("node_modules/typescript/bin/tsc", "--project", "tsconfig.json")
    assert (done.returncode, done.stdout) == (0, "")


def test_persisted_documents_are_named_by_their_hash_and_answered_as_those_of_the_front_end(
    generated: Path, url: str
) -> None:
    persisted = json.loads((generated / "persisted-documents.json").read_text())
    names = [path.stem for path in DOCUMENTS.glob("*.graphql")]
    assert len(persisted) == len(names)
    document_of = {operation(document): (name, document) for name, document in persisted.items()}
    for name in names:
        hashed, document = document_of[operation((DOCUMENTS / f"{name}.graphql").read_text())]
        assert hashed == f"sha256:{hashlib.sha256(document.encode()).hexdigest()}"
        asked = {"query": document, "variables": stored(f"{name}.variables.json")}
        answer = httpx.post(url, json=asked, timeout=30).json()
        assert answer["data"].keys() == stored(f"{name}.result.json")["data"].keys()
        assert faults(answer) == faults(stored(f"{name}.result.json"))


def operation(document: str) -> str:
    """What the operation of a document is called."""
    (name,) = re.findall(r"query (\w+)", document)
    return str(name)


def stored(name: str) -> Any:
    return json.loads((DOCUMENTS / name).read_text())


def faults(answer: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The errors of an answer: where they stand, and their codes."""
    return [(error["path"], error["extensions"]["code"]) for error in answer.get("errors", ())]
