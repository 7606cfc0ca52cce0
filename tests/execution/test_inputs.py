"""What is plain is taken as it is, and what is not is coerced by graphql-core, which says what is wrong with it."""

from typing import Any

import pytest

from graph.execution import execute
from graph.execution.executor import PlannedExecutor
from tests.execution.comparing import Bench
from tests.execution.schema import Apple, World, make_schema

BENCH = Bench(make_schema())


def world() -> World:
    return World(Apple(next=Apple(name="a")))


def asking(declared: str, argument: str) -> str:
    return f"query ({declared}) {{ next {{ name echo({argument}) again: echo({argument}) }} }}"


@pytest.mark.parametrize(
    ("declared", "argument", "given"),
    [
        ("$v: Int", "number: $v", [3, None, 2**31 - 1, -(2**31), 2**31, True, 3.0, 3.5, "3", [3]]),
        ("$v: Int!", "number: $v", [3, None]),
        ("$v: Int = 7", "number: $v", [3, None]),
        ("$v: Int! = 7", "number: $v", [3, None]),
        ("$v: String", "text: $v", ["t", "", "\ud800", None, 3, True, ["t"], {"t": 1}]),
        ("$v: String!", "text: $v", ["t", None]),
        ("$v: String = null", "text: $v", ["t", None]),
        ("$v: Color", "color: $v", ["RED", "red", None, 1]),
        ("$v: DateTime", "at: $v", ["2026-07-14T09:30:00.000Z", "no instant", None]),
        ("$v: String", "wish: { text: $v }", ["t", None, 3]),
        ("$v: [Color!]", "wish: { colors: $v }", [["RED"], "RED", [None], [], None]),
        ("$v: Wish", "wish: $v", [{"text": "t"}, {"text": 3}, None]),
    ],
)
async def test_every_value_of_a_variable_gives_what_graphql_core_gives(
    declared: str, argument: str, given: list[Any]
) -> None:
    for values in ({}, *({"v": value} for value in given), {"v": given[0], "other": object()}):
        await BENCH.both(asking(declared, argument), world, values)


async def test_each_request_has_arguments_of_its_own() -> None:
    document = BENCH.document(asking('$v: Int, $w: String = "d"', "number: $v, text: $w"))
    plans = BENCH.plans(document)
    for values in ({"v": 1}, {"v": 2, "w": "t"}, {"v": None}, {}, {"v": 2}, {"v": True}, {"v": 1}):
        planned = await BENCH.planned(plans, document, world(), values)
        core = await BENCH.by_core(document, world(), values)
        assert (planned.data, planned.errors) == (core.data, core.errors)


@pytest.mark.parametrize(
    ("values", "executors"), [({"v": 1}, 0), ({}, 0), ({"v": None}, 1), ({"v": "1"}, 1), ({"v": 2**31}, 1)]
)
async def test_an_executor_is_made_where_something_is_not_plain(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], executors: int
) -> None:
    document = BENCH.document("query ($v: Int = 5) { next { name echo(number: $v) } }")
    plans, made, build = BENCH.plans(document), list[object](), PlannedExecutor.build

    def counted(*given: Any, **named: Any) -> Any:
        made.append(given)
        return build(*given, **named)

    await execute(plans, document, world(), {"v": 1})
    monkeypatch.setattr(PlannedExecutor, "build", counted)
    await execute(plans, document, world(), values)
    assert len(made) == executors


@pytest.mark.parametrize("name", [None, "one", "other", "third"])
async def test_the_operation_that_is_named_runs(name: str | None) -> None:
    document = BENCH.document("query one { a: __typename } query other { b: __typename }")
    plans = BENCH.plans(document)
    for _ in range(2):
        result = await execute(plans, document, world(), None, name)
        assert result.data == {"one": {"a": "Query"}, "other": {"b": "Query"}}.get(name or "")
        assert bool(result.errors) == (result.data is None)
