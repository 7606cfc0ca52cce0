"""What is kept of plans: little, shared where it can be, and nothing of any request."""

from typing import Any

import pytest
from graphql import parse

from graph.execution import Planner, Plans, code
from graph.execution.shapes import ObjectShape, Shape, TypeName
from tests.execution.comparing import Bench
from tests.execution.schema import Apple, World, make_schema

BENCH = Bench(make_schema())


async def run(plans: Plans, document: Any, **variables: Any) -> Any:
    twin = Apple(name="t")
    twin.__dict__["twin"] = twin
    result = await BENCH.planned(
        plans, document, World(Apple(next=Apple(name="a", twin=twin, size=1, parts=[]))), variables
    )
    assert not result.errors
    return result.data


async def test_a_plan_is_made_once() -> None:
    document = BENCH.document("{ next { name twin { name } } }")
    plans = BENCH.plans(document)
    await run(plans, document)
    (first,) = plans._kept.values()
    await run(plans, document)
    assert list(plans._kept.values()) == [first]


async def test_a_plan_is_kept_for_each_of_the_latest_outcomes_of_conditions() -> None:
    names = [f"v{number}" for number in range(5)]
    fields = " ".join(f"{name}: name @include(if: ${name})" for name in names)
    document = BENCH.document(
        f"query ({', '.join(f'${name}: Boolean!' for name in names)}) {{ next {{ id: name {fields} }} }}"
    )
    plans = BENCH.plans(document)
    for number in range(32):
        outcome = {name: bool(number >> place & 1) for place, name in enumerate(names)}
        answer = await run(plans, document, **outcome)
        assert list(answer["next"]) == ["id", *(name for name in names if outcome[name])]
    assert len(plans._kept) == 8


async def test_a_plan_that_unfolds_is_not_kept() -> None:
    """A small document may select very much; its memory is bounded by its length."""
    levels = 10
    document = BENCH.document(
        "{ next { ...F0 } }"
        + "".join(
            f"fragment F{n} on Apples {{ a: twin {{ ...F{n + 1} }} b: twin {{ ...F{n + 1} }} }}" for n in range(levels)
        )
        + f"fragment F{levels} on Apples {{ name }}"
    )
    plans = BENCH.plans(document)
    await run(plans, document)
    assert not plans._kept


async def test_what_unfolds_beyond_all_bounds_is_left_to_graphql_core() -> None:
    levels = 15
    document = parse(
        "{ next { ...F0 } }"
        + "".join(
            f"fragment F{n} on Apples {{ a: core {{ ...F{n + 1} }} b: core {{ ...F{n + 1} }} }}" for n in range(levels)
        )
        + f"fragment F{levels} on Apples {{ name }}"
    )
    world = World(Apple(next=Apple(core=None)))
    plans = BENCH.plans(document)
    result = await BENCH.planned(plans, document, world)
    assert result.data == {"next": None}
    assert [error.path for error in result.errors or ()] == [["next", "a"]]


async def test_what_unfolds_is_not_followed_far_even_where_there_is_nothing() -> None:
    """A page of no rows costs next to nothing, however much is selected of each row."""
    names = range(30)
    document = BENCH.document(
        "{ next { parts { "
        + " ".join(f"a{n}: twin {{ ...F }}" for n in names)
        + " } } } fragment F on Apples { "
        + " ".join(f"b{n}: twin {{ ...G }}" for n in names)
        + " } fragment G on Apples { "
        + " ".join(f"c{n}: name" for n in names)
        + " } #"
        + "." * 30_000  # a plan of any size is kept
    )
    plans = BENCH.plans(document)
    await run(plans, document)
    assert sum(plan.fields for plan in plans._kept.values()) < 3_000


async def test_the_plans_of_all_outcomes_hold_no_more_fields_than_the_document_has_characters() -> None:
    names = [f"v{number}" for number in range(3)]
    text = (
        f"query ({', '.join(f'${name}: Boolean!' for name in names)}) {{ next {{ "
        + " ".join(f"{name}: twin @include(if: ${name}) {{ name }}" for name in names)
        + " ".join(f"a{number}: twin {{ ...F }}" for number in range(10))
        + " } } fragment F on Apples { "
        + " ".join(f"b{number}: name" for number in range(15))
        + " }"
    )
    document = BENCH.document(text)
    plans = BENCH.plans(document)
    for number in range(8):
        await run(plans, document, **{name: bool(number >> place & 1) for place, name in enumerate(names)})
        assert 0 < sum(plan.fields for plan in plans._kept.values()) <= len(text)
    assert 1 < len(plans._kept) < 8


async def test_alike_selections_share_their_code() -> None:
    document = BENCH.document("{ a: next { name size } b: next { name size } }")
    before = len(BENCH.planner.compiler._kept)
    await run(BENCH.plans(document), document)
    assert len(BENCH.planner.compiler._kept) - before <= 2  # the root, and both of its fields


async def test_code_is_kept_up_to_some_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much each of the shapes holds that clients make up."""
    monkeypatch.setattr(code, "_MOST_LINES", 500)
    compiler = Planner(make_schema()).compiler
    shapes = [
        ObjectShape(
            Shape("Apples", None, tuple((f"f{number}_{at}", TypeName()) for at in range(number)), None),
            is_nullable=True,
        )
        for number in range(1, 60)
    ]
    lines = []
    for shape in shapes:
        assert compiler.complete(shape) is compiler.complete(shape)
        lines.append(compiler.lines)
    assert max(lines) <= 500
    assert len(lines) > len(compiler._kept) > 1
    assert shapes[-1] in compiler._kept
