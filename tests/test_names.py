"""One name, one thing: no two classes of the package share a name; and docstrings of functions are commands."""

import ast
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "graph"
# Words that begin a description. Ruff's D401 knows verbs in other moods, and some of these.
DESCRIPTIONS = re.compile(
    r"(A|About|After|All|An|Any|Another|As|At|Both|By|Bytes|Each|Every|Everything|For|From|How|If|In|It|Its|Itself|"
    r"Milliseconds|No|None|Nothing|Of|On|One|Only|Others|Rows|Seconds|Since|So|Some|That|The|Their|Them|This|Those|"
    r"Until|Up|What|Whatever|When|Where|Whether|Which|Who|Whose|Why|Without)\b"
)


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


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    descriptive = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {docstring.splitlines()[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
        if (docstring := ast.get_docstring(node)) and DESCRIPTIONS.match(docstring)
    ]
    assert descriptive == []
