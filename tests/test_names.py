"""One name, one thing: no two classes of the package share a name, and nothing is named that nothing uses."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
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


# What libraries call or look for by name: botocore, uvicorn, asyncio, http.server, aiodataloader, strawberry, pydantic.
CALLBACKS = {
    *("get_deferred_property", "fmt", "data_received", "do_GET", "log_message", "log_request"),
    *("batch_load_fn", "do_resolve_reject", "process_errors", "on_parse"),
}


def definitions(module: ast.Module) -> Iterator[str]:
    """The functions and classes of a module, and the constants at its top. Pydantic finds validators by itself."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not any(
            "validator" in ast.unparse(decorator) for decorator in node.decorator_list
        ):
            yield node.name
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def uses(module: ast.Module) -> Iterator[str]:
    """The names that a module reads, and the words of its short texts, since some names are looked for by text."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(value=str(text)) if len(text) < 99:
                yield from re.findall(r"\w+", text)


def test_nothing_is_defined_that_nothing_uses() -> None:
    """Fields of the graph and visitors of graphql-core are used by their names."""
    modules = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}
    schema = (PACKAGE.parent / "schema.graphql").read_text()
    used = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in re.findall(r"\w+", schema)}
    used |= CALLBACKS.union(*map(uses, modules.values()))
    unused = {
        f"{path}: {name}"
        for path, module in modules.items()
        for name in definitions(module)
        if name not in used and not name.startswith(("__", "enter_", "leave_"))
    }
    assert unused == set()
