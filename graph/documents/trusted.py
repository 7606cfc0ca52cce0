"""Trusted documents: the manifest that a front end's build writes of the operations it sends."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
from graphql import GraphQLError

from graph.documents.cache import Documents, ValidationFailed
from graph.errors import GraphError

_APOLLO = "apollo-persisted-query-manifest"
_MOST_NAMED = 10


class BadManifest(Exception):
    """The manifest cannot be used; the text says why."""


def read_manifest(path: Path | None) -> Mapping[str, str]:
    """Return the texts of a manifest by their ids; none without one.

    Raises:
        BadManifest: for a file that cannot be read, or is in none of the forms that are known.
    """
    if path is None:
        return {}
    try:
        return dict(_entries(orjson.loads(path.read_bytes())))
    except OSError as error:
        raise BadManifest(f"The manifest {path} cannot be read: {error.strerror}") from None
    except (orjson.JSONDecodeError, BadManifest) as error:
        raise BadManifest(f"The manifest {path} cannot be used: {error}") from None


def check_manifest(texts: Mapping[str, str], documents: Documents) -> None:
    """Check that every text of a manifest is a document that fits the schema.

    Raises:
        BadManifest: when one is not, with the ids of the first and what is wrong with each.
    """
    found = {text: fault for text in set(texts.values()) if (fault := _fault(text, documents))}
    faults = [f"  {identifier}: {found[text]}" for identifier, text in texts.items() if text in found]
    if faults:
        named = "\n".join(faults[:_MOST_NAMED])
        raise BadManifest(f"The manifest holds documents that cannot be run:\n{named}")


def sha256(text: str) -> str:
    """Return the hash by which a text is known, in hexadecimal."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _entries(manifest: Any) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of a manifest of Apollo, or of a plain map as of Relay and GraphQL Code Generator."""
    if not isinstance(manifest, dict):
        raise BadManifest("it is no JSON object.")
    entries: Iterable[tuple[Any, Any]] = manifest.items()
    if "format" in manifest:
        if (manifest["format"], manifest.get("version")) != (_APOLLO, 1):
            raise BadManifest(f"its format is not version 1 of {_APOLLO}.")
        operations = manifest.get("operations")
        if not isinstance(operations, list) or not all(isinstance(one, dict) for one in operations):
            raise BadManifest("its 'operations' are no list of objects.")
        entries = [(one.get("id"), one.get("body")) for one in operations]
    if not (entries := list(entries)):
        raise BadManifest("it holds no documents.")
    for number, (identifier, text) in enumerate(entries, 1):
        if not isinstance(identifier, str) or not identifier or not isinstance(text, str):
            raise BadManifest(f"entry {number} has no text or no id.")
        yield identifier, text


def _fault(text: str, documents: Documents) -> str | None:
    try:
        documents.add(text)
    except ValidationFailed as fault:
        return fault.errors[0].message
    except (GraphQLError, GraphError) as error:
        return str(error).partition("\n")[0]
    return None
