"""The contracts of pyproject.toml hold, and would not if they were broken."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINT_IMPORTS = str(Path(sys.executable).with_name("lint-imports"))


def lint_imports(root: Path, *options: str) -> str:
    command = [LINT_IMPORTS, "--no-cache", "--no-logo", *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout  # noqa: S603


def test_the_code_keeps_every_contract() -> None:
    report = lint_imports(ROOT)
    assert " 0 broken." in report, report


@pytest.mark.parametrize(
    ("contract", "module", "source"),
    [
        ("layers", "tables/intruder.py", "import graph.schema"),
        ("layers", "loaders/intruder.py", "import graph.logs"),
        ("layers", "auth/intruder.py", "def late() -> None:\n    import graph.resolvers"),
        (
            "layers",
            "resolvers/intruder.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import graph.schema",
        ),
        ("layers", "cellar.py", ""),
        ("executor", "execution/slots.py", "from graph.execution.run import PlanRun"),
        ("executor", "execution/intruder.py", ""),
        ("storage", "tables/intruder.py", "import graphql"),
        ("storage", "history/intruder.py", "from strawberry import relay"),
        ("types", "schema/intruder.py", "import boto3"),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, contract: str, module: str, source: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "graph", tmp_path / "graph", ignore=shutil.ignore_patterns("__pycache__", "static"))
    (tmp_path / "graph" / module).write_text(source)
    report = lint_imports(tmp_path, "--contract", contract)
    assert "Contracts: 0 kept, 1 broken." in report, report
