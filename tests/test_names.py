"""One name, one thing: no two classes of the package share a name."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "graph"


def classes() -> dict[str, list[str]]:
    """The modules that define a class of each name, as paths within the package; names with an underscore are local."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(PACKAGE).as_posix())
    return found


def test_no_two_classes_have_one_name() -> None:
    """Except that a type of the graph is called as the record it shows, and a model of the demo as its original."""
    shared = {}
    for name, modules in classes().items():
        own = [module for module in modules if not module.startswith(("schema/", "demo/"))]
        if len(own) > 1 or len({module.partition("/")[0] for module in modules}) < len(modules):
            shared[name] = modules
    assert shared == {}
