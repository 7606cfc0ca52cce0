"""Builds the explorer's page into graph/explorer/static: by itself, for make, and before the project is packed."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = Path(__file__).resolve().parent
PAGE = SOURCES.parent / "graph" / "explorer" / "static" / "index.html"
NO_NODE = """The explorer's page is not built: it needs Node.js 20.19, 22.12 or newer, with npm.
The server runs without the page. docs/explorer.md says where Node.js comes from."""


class ExplorerHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the page into what is packed, where Node.js is there to build it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build the page; an editable install leaves that to make."""
        if version != "editable" and not build():
            self.app.display_warning(NO_NODE)


def build() -> bool:
    """Build the page unless it is newer than its sources. False without Node.js.

    Raises:
        CalledProcessError: when the build fails, having said why.
    """
    if _is_fresh():
        return True
    npm = _npm()
    if npm is None:
        return False
    print("Building the explorer ...", flush=True)
    for arguments in (["ci", "--ignore-scripts", "--no-audit", "--no-fund"], ["run", "build"]):
        subprocess.run([npm, "--silent", *arguments], cwd=SOURCES, check=True)  # noqa: S603
    return True


def _is_fresh() -> bool:
    sources = (path for path in SOURCES.rglob("*") if "node_modules" not in path.parts and path.suffix != ".pyc")
    built = PAGE.stat().st_mtime if PAGE.is_file() else 0
    return all(path.stat().st_mtime <= built for path in sources if path.is_file())


def _npm() -> str | None:
    """Return the command npm, where it comes with a Node.js that is new enough."""
    node = shutil.which("node")
    if node is None:
        return None
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    try:
        major, minor = map(int, shown.removeprefix("v").split(".")[:2])
    except ValueError:
        return None
    return shutil.which("npm") if (major == 20 and minor >= 19) or (major, minor) >= (22, 12) else None


if __name__ == "__main__":
    try:
        built = build()
    except subprocess.CalledProcessError as error:
        sys.exit(f"The explorer's page is not built: {error}")
    if not built:
        sys.exit(NO_NODE)
