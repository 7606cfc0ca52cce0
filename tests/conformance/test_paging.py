"""Clients that people use, paging to the end over HTTP: every row comes once, and in its place."""

import json

import pytest

from tests.conformance.conftest import ASSET, Node


@pytest.mark.parametrize("client", ["apollo", "urql"])
def test_the_cache_joins_the_pages(node: Node, url: str, walked: dict[str, list[str]], client: str) -> None:
    assert node.run(f"clients/{client}.mjs", url, json.dumps(ASSET)) == walked


@pytest.mark.usefixtures("compiled")
def test_what_relay_compiled_joins_the_pages(node: Node, url: str, walked: dict[str, list[str]]) -> None:
    assert node.run("clients/relay.mjs", url, json.dumps(ASSET)) == walked
