"""The page is built where Node.js is, and nothing fails where it is not."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which nothing has been built."""
    for folder in ("explorer", "graph"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("node_modules", "static", "*.pyc")
        )
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def run(checkout: Path, *arguments: str, node: str | None = None) -> subprocess.CompletedProcess[str]:
    """A run of Python in a checkout, on a machine that has the Node.js of a version, or none."""
    commands = checkout / "commands"
    commands.mkdir()
    if node is not None:
        for name, does in {"node": f"echo {node}", "npm": f'echo "npm $*" >> {checkout}/npm.log'}.items():
            (commands / name).write_text(f"#!/bin/sh\n{does}\n")
            (commands / name).chmod(0o755)
    environment = os.environ | {"PATH": str(commands)}
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("node", [None, "v18.20.4", "v20.18.1", "v21.7.3", "v22.11.0", "nonsense"])
def test_without_a_node_that_is_new_enough_it_says_what_is_missing(checkout: Path, node: str | None) -> None:
    ran = run(checkout, "explorer/build.py", node=node)
    assert ran.returncode == 1
    assert "needs Node.js 20.19, 22.12 or newer" in ran.stderr
    assert not (checkout / "npm.log").exists()


@pytest.mark.parametrize("node", ["v20.19.0", "v22.12.0", "v24.1.0"])
def test_with_node_it_installs_what_is_pinned_and_builds(checkout: Path, node: str) -> None:
    assert run(checkout, "explorer/build.py", node=node).returncode == 0
    installed, built = (checkout / "npm.log").read_text().splitlines()
    assert installed.startswith("npm --silent ci --ignore-scripts")
    assert built == "npm --silent run build"


def test_a_page_that_is_newer_than_its_sources_is_not_built_again(checkout: Path) -> None:
    static = checkout / "graph" / "explorer" / "static"
    static.mkdir()
    (static / "index.html").touch()
    assert run(checkout, "explorer/build.py", node="v24.1.0").returncode == 0
    assert not (checkout / "npm.log").exists()


def test_a_wheel_holds_the_page_and_the_licences_of_what_is_in_it(checkout: Path) -> None:
    static = checkout / "graph" / "explorer" / "static"
    (static / "explorer").mkdir(parents=True)
    for name in ("explorer/index-4f2a.js", "third-party-licenses.txt", "index.html"):
        (static / name).touch()
    (checkout / ".gitignore").write_text("graph/explorer/static/\n")
    assert run(checkout, "-m", "hatchling", "build", "-t", "wheel", "-d", "wheels").returncode == 0
    (wheel,) = (checkout / "wheels").iterdir()
    names = zipfile.ZipFile(wheel).namelist()
    held = {name.removeprefix("graph/explorer/static/") for name in names if "/static/" in name}
    assert held == {"explorer/index-4f2a.js", "third-party-licenses.txt", "index.html"}


def test_a_wheel_can_be_built_without_node(checkout: Path) -> None:
    ran = run(checkout, "-m", "hatchling", "build", "-t", "wheel", "-d", "wheels")
    assert ran.returncode == 0
    assert "needs Node.js" in ran.stdout + ran.stderr


@pytest.mark.skipif(not (ROOT / "graph/explorer/static/index.html").is_file(), reason="the page is not built")
def test_the_licences_of_what_is_bundled_are_shipped() -> None:
    text = (ROOT / "graph" / "explorer" / "static" / "third-party-licenses.txt").read_text()
    for package in (
        "graphiql ",
        "graphiql-explorer ",
        "monaco-editor ",
        "react ",
        "jsonc-parser ",
        "@fontsource/roboto ",
    ):
        assert f"\n{package}" in text
    assert "SIL OPEN FONT LICENSE" in text
    assert "THIRD-PARTY SOFTWARE NOTICES" in text.upper()
