"""Private parts of strawberry, graphql-core, aiodataloader and asyncio: each is used in one module, and is there."""

import ast
import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiodataloader
import pytest
import strawberry
from graphql import ExecutionResult, parse

from graph import asyncio_internals
from graph.execution import graphql_internals, strawberry_internals
from tests.harness import SCHEMA

PACKAGE = Path(graphql_internals.__file__).parents[1]
# What the documentation of each offers. Whatever else is imported or reached for is private to it.
PUBLIC = {
    "graphql": {"graphql", "graphql.language"},
    "strawberry": {
        "strawberry",
        "strawberry.extensions",
        "strawberry.schema.config",
        "strawberry.schema_directive",
        "strawberry.types",
        "strawberry.types.field",
        "strawberry.types.scalar",
    },
    "aiodataloader": set[str](),
}
OWNERS = {
    "graphql": "execution/graphql_internals.py",
    "strawberry": "execution/strawberry_internals.py",
    "aiodataloader": "batching.py",
}
STRAWBERRY_ATTRIBUTES = ("_schema", "_raw_info", "_is_default", "schema_converter")
# What plans ask of an executor of graphql-core, and how.
ASKED = {
    "build": ("schema", "document", "context_value", "raw_variable_values", "operation_name", "is_awaitable"),
    "build_resolve_info": ("field_def", "field_nodes", "parent_type", "path"),
    "complete_value": ("return_type", "field_details_list", "info", "path", "result"),
    "execute_field": ("parent_type", "source", "field_details_list", "path"),
    "execute_root_grouped_field_set": ("root_type", "root_value", "grouped_field_set", "serially"),
    "ensure_valid_runtime_type": ("runtime_type_name", "return_type", "field_details_list", "info", "result"),
    "collect_subfields": ("return_type", "field_details_list"),
    "build_response": ("data",),
    "execute_operation": (),
}
HELD = (
    "schema",
    "operation",
    "context_value",
    "fragment_definitions",
    "variable_values",
    "collected_errors",
    "async_helpers",
    "error_propagation",
    "hide_suggestions",
    "is_awaitable",
    "type_resolver",
)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("library", PUBLIC)
def test_what_a_library_keeps_to_itself_is_used_in_one_module(library: str) -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for name in imports(path)
        if name.partition(".")[0] == library and name not in PUBLIC[library]
    }
    assert users == {OWNERS[library]}


def test_no_other_module_reaches_for_private_attributes_of_strawberry() -> None:
    """Attributes of these names are used of objects that are not the module's own, or are looked for by name."""
    reaching = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (
            isinstance(node, ast.Attribute)
            and node.attr in STRAWBERRY_ATTRIBUTES
            and not (isinstance(node.value, ast.Name) and node.value.id == "self")
        )
        or (isinstance(node, ast.Constant) and node.value in STRAWBERRY_ATTRIBUTES)
    }
    assert reaching == {OWNERS["strawberry"]}


def test_no_other_module_reaches_for_private_names_of_asyncio() -> None:
    """They are names of its modules, such as the C ones of tasks, and attributes of its futures and loops."""
    private = {name for kind in (asyncio, asyncio.tasks, asyncio.futures, asyncio.base_events) for name in vars(kind)}
    private |= {name for kind in (asyncio.Future, asyncio.Task, asyncio.BaseEventLoop) for name in dir(kind)}
    private |= {"_ready", "_scheduled"}  # attributes of loops, each of which has its own
    private = {name for name in private if name.startswith("_") and not name.endswith("__")}
    reaching = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Attribute) and node.attr in private and not _is_own(node.value))
        or (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] == "asyncio"
            and any(alias.name.startswith("_") for alias in node.names)
        )
    }
    assert reaching == {"asyncio_internals.py"}


def _is_own(owner: ast.expr) -> bool:
    """Whether an attribute is of the module's own object: subclasses of asyncio's name their own as they like."""
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls")


async def test_a_task_of_another_kind_runs_by_the_private_parts_of_asyncio() -> None:
    """As :class:`graph.operation.OperationTask` does: current while it runs, and told of what it waits for."""
    loop = asyncio.get_running_loop()
    waited_for: asyncio.Future[None] = loop.create_future()
    other: Any = asyncio.Future()

    async def work() -> asyncio.Task[Any] | None:
        await waited_for
        return asyncio.current_task()

    coroutine = work()

    def step() -> Any:
        mine = asyncio.current_task()
        asyncio_internals.leave_task(loop, mine)  # type: ignore[arg-type]
        asyncio_internals.enter_task(loop, other)
        try:
            return coroutine.send(None)
        finally:
            asyncio_internals.leave_task(loop, other)
            asyncio_internals.enter_task(loop, mine)  # type: ignore[arg-type]

    yielded: Any = step()
    assert yielded is waited_for
    is_blocking = [yielded._asyncio_future_blocking]
    asyncio_internals.accept_wait(yielded)
    is_blocking.append(yielded._asyncio_future_blocking)
    assert is_blocking == [True, False]
    waited_for.set_result(None)
    with pytest.raises(StopIteration) as end:
        step()
    assert end.value.value is other


@pytest.mark.parametrize(
    "module",
    [asyncio_internals, graphql_internals, strawberry_internals],
    ids=lambda module: module.__name__,
)
def test_every_name_is_there_and_used(module: Any) -> None:
    texts = [path.read_text() for path in PACKAGE.rglob("*.py") if path != Path(module.__file__)]
    for name in module.__all__:
        assert hasattr(module, name)
        assert any(name in text for text in texts), name


@pytest.mark.parametrize("name", ASKED)
def test_an_executor_can_be_asked_as_plans_ask_it(name: str) -> None:
    """By position, but for ``build``, whose parameters are named."""
    method = getattr(graphql_internals.Executor, name)
    given = [parameter for parameter in inspect.signature(method).parameters if parameter != "self"]
    expected = ASKED[name]
    assert set(expected) <= set(given) if name == "build" else given[: len(expected)] == list(expected)


def test_an_executor_holds_what_plans_look_at() -> None:
    executor: Any = graphql_internals.Executor.build(SCHEMA.core, parse("{ __typename }"))
    assert [name for name in HELD if not hasattr(executor, name)] == []
    assert callable(executor.collected_errors.add)
    assert callable(executor.collected_errors.has_nulled_position)
    assert executor.execute_operation() == ExecutionResult({"__typename": "Query"}, None)


def test_strawberry_leads_to_the_schema_and_to_what_a_resolver_was_told() -> None:
    told: list[Any] = []

    @strawberry.type
    class Query:
        plain: int = 1

        @strawberry.field
        def told(self, info: strawberry.Info) -> int:
            told.append(strawberry_internals.resolve_info(info))
            return 1

    schema = strawberry.Schema(Query)
    assert schema.execute_sync("{ told }").data == {"told": 1}
    assert told[0].schema is strawberry_internals.core_schema(schema)
    fields = strawberry_internals.core_schema(schema).type_map["Query"].fields  # type: ignore[attr-defined]
    field = fields["told"]
    assert [strawberry_internals.has_default_resolver(fields[name]) for name in ("told", "plain")] == [False, True]
    assert strawberry_internals.GraphQLCoreConverter.DEFINITION_BACKREF in field.extensions


async def test_a_loader_of_aiodataloader_has_the_parts_that_batches_are_made_of() -> None:
    async def read(keys: list[str]) -> list[str]:
        return keys

    loader: Any = aiodataloader.DataLoader(read)
    assert (loader._cache, loader._queue) == ({}, [])
    assert list(inspect.signature(loader.do_resolve_reject).parameters) == ["key", "future"]
    assert list(inspect.signature(aiodataloader.dispatch_queue_batch).parameters) == ["loader", "queue"]
    assert list(inspect.signature(aiodataloader.failed_dispatch).parameters) == ["loader", "queue", "error"]
    assert aiodataloader.Loader._fields == ("key", "future")
