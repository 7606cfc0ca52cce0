"""What the project promises to those who install it."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import graph

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NAMES = map("".join, [("py", "pi"), ("python", "hosted"), ("npm", "js"), ("yarn", "pkg")])  # this file names none
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
REGISTRIES = re.compile(rf"\b(?:{'|'.join(NAMES)})\.(?:org|com)\b".encode())

each_set = pytest.mark.parametrize("name", ["build", "server", "demo", "dev"])


def pins(name: str) -> dict[str, set[str]]:
    """The versions of each package in a requirements file; markers can select one of several."""
    found: dict[str, set[str]] = {}
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S607
    return [ROOT / name.decode() for name in listing.split(b"\0") if name]


def by_version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_the_newest_release_is_the_same_everywhere() -> None:
    """CONTRIBUTING.md says how a release is made."""
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", CHANGELOG, re.MULTILINE)
    schemas = [path.stem for path in (ROOT / "releases").glob("*.graphql")]
    assert released == sorted(schemas, key=by_version, reverse=True)
    assert released[0] == PROJECT["project"]["version"] == graph.__version__


def test_changes_since_the_newest_release_stand_above_it() -> None:
    headings = re.findall(r"^## \[(.+?)\]", CHANGELOG, re.MULTILINE)
    assert headings.index("Unreleased") == 0


def test_lines_of_the_changelog_fit_a_screen() -> None:
    assert [line for line in CHANGELOG.splitlines() if len(line) > 130] == []


def test_the_wheel_holds_its_license_and_its_types(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    unbuilt = os.environ | {"HATCH_BUILD_NO_HOOKS": "true"}  # without the explorer's page
    subprocess.run(build, cwd=ROOT, env=unbuilt, capture_output=True, check=True)  # noqa: S603
    (wheel,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as packed:
        about = f"vams_graph-{graph.__version__}.dist-info"
        assert "graph/py.typed" in packed.namelist()
        assert packed.read(f"{about}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        assert "License-Expression: Apache-2.0\n" in packed.read(f"{about}/METADATA").decode()


def test_the_image_is_built_from_all_that_the_wheel_needs() -> None:
    named = [PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]]
    copied = re.findall(r"^COPY (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sent = (ROOT / ".dockerignore").read_text().splitlines()
    for name in named:
        assert any(name in line.split() for line in copied), name
        assert f"!{name}" in sent, name


def test_hooks_download_nothing_and_run_targets_of_make() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert set(re.findall(r"repo: (.+)", hooks)) == {"local"}
    assert set(re.findall(r"language: (.+)", hooks)) == {"system"}
    assert set(re.findall(r"entry: (.+)", hooks)) <= {f"make {target}" for target in targets}


def test_no_file_names_a_package_registry() -> None:
    assert [path for path in tracked_files() if path.is_file() and REGISTRIES.search(path.read_bytes())] == []


def test_dependencies_are_locked_once() -> None:
    assert not {"uv.lock", "poetry.lock", "Pipfile.lock"} & {path.name for path in tracked_files()}


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.name)
def test_every_pin_has_a_hash_and_no_address(path: Path) -> None:
    text = path.read_text()
    assert "://" not in text
    for requirement in re.split(r"\n(?=\S)", text.strip()):
        assert re.match(r"[\w.-]+==\S+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+$", requirement), requirement


@each_set
def test_every_set_pins_the_versions_that_were_tested(name: str) -> None:
    tested = pins("dev")
    assert all(versions <= tested[package] for package, versions in pins(name).items())


def test_every_declared_dependency_is_pinned() -> None:
    groups, project = PROJECT["dependency-groups"], PROJECT["project"]
    build, server, demo = groups["build"], project["dependencies"], project["optional-dependencies"]["demo"]
    for name, requirements in {
        "build": build,
        "server": server,
        "demo": [*build, *server, *demo],
        "node": groups["node"],
        "dev": [*build, *server, *demo, *groups["dev"]],
    }.items():
        declared = {re.split(r"[^\w-]", requirement)[0] for requirement in requirements} - {"vams-graph"}
        assert declared <= pins(name).keys()


@pytest.mark.parametrize("project", ["explorer", "tests/conformance"])
def test_packages_of_npm_are_pinned_without_addresses(project: str) -> None:
    lock = json.loads((ROOT / project / "package-lock.json").read_text())
    packages = [package for path, package in lock["packages"].items() if path]
    assert all("resolved" not in package and package["integrity"].startswith("sha512-") for package in packages)
    declared = json.loads((ROOT / project / "package.json").read_text())
    versions = [*declared["dependencies"].values(), *declared.get("devDependencies", {}).values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


def test_the_build_backend_is_pinned() -> None:
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]
