"""Types that are named late: no file of the schema names one so that it could import."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import Any

import pytest

from graph.schema import lazy
from tests.test_names import PACKAGE

SCHEMA = PACKAGE / "schema"


def _imported(module: str) -> Iterator[tuple[str, str]]:
    """The module and the name of each import of a module of the schema from another."""
    for node in ast.walk(ast.parse((SCHEMA / f"{module}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graph.schema."):
            yield from (((node.module or "").removeprefix("graph.schema."), alias.name) for alias in node.names)


def _modules() -> Iterator[str]:
    return (path.stem for path in SCHEMA.glob("*.py") if path.stem not in ("__init__", "lazy"))


def _direct() -> Mapping[str, Set[str]]:
    """The modules that each module imports."""
    return {module: {of for of, _ in _imported(module) if of != "lazy"} for module in _modules()}


def _reached(start: str, direct: Mapping[str, Set[str]]) -> Set[str]:
    """What a module imports, and all that these import."""
    found, pending = set[str](), [start]
    while pending:
        for module in direct[pending.pop()] - found:
            found.add(module)
            pending.append(module)
    return found


def _late() -> Mapping[str, str]:
    """The module that each late name stands for."""
    found: dict[str, str] = {}
    for name, value in vars(lazy).items():
        metadata: tuple[Any, ...] = getattr(value, "__metadata__", ())
        if name.startswith("Lazy") and metadata:
            found[name] = metadata[0].module.removeprefix("graph.schema.")
    return found


USES = sorted((module, name) for module in _modules() for of, name in _imported(module) if of == "lazy")


@pytest.mark.parametrize("module", sorted(_modules()))
def test_imports_close_no_circle(module: str) -> None:
    assert module not in _reached(module, _direct())


@pytest.mark.parametrize(("module", "name"), USES)
def test_a_type_is_named_late_only_where_importing_it_would_close_a_circle(module: str, name: str) -> None:
    target = _late()[name]
    assert target == module or module in _reached(target, _direct())


def test_every_late_name_is_used() -> None:
    uses = defaultdict(list)
    for module, name in USES:
        uses[name].append(module)
    assert uses.keys() == _late().keys()
