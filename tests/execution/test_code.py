"""The code that is made for a shape: it can be read, and nothing of a document is part of it."""

import pytest

from graph.execution.code import ShapeCompiler
from graph.execution.shapes import Attribute, Leaf, ListShape, ObjectShape, Shape, TypeName, UnresolvedField
from tests.execution.schema import Apple, make_schema

COMPILER = ShapeCompiler(make_schema()._schema)
NAME = Attribute("name", Leaf("String", is_nullable=False))
NAMES = Attribute("names", ListShape(Leaf("String", is_nullable=True), is_nullable=False))


def apples(*members: tuple[str, Attribute | TypeName | UnresolvedField], slot: int | None = None) -> ObjectShape:
    return ObjectShape(Shape("Apples", frozenset({Apple}), members, slot), is_nullable=True)


def test_a_pure_object_is_one_expression() -> None:
    source = COMPILER.source(apples(("name", NAME), ("kind", TypeName())))
    assert "if record.__class__ not in classes" in source
    assert "(value := record.name).__class__ is str" in source
    assert "run" not in source.partition("def main")[0]


def test_a_question_is_left_to_do_after_the_rest() -> None:
    source = COMPILER.source(apples(("asked", UnresolvedField()), ("name", NAME), slot=0))
    assert source.index("record.name") < source.index("run.pending.append((slots[0], record, done, at))")


def test_a_shape_is_completed() -> None:
    complete = COMPILER.complete(apples(("x", NAME), ("y", NAMES)))
    assert complete(Apple(name="a", names=["b", None]), None, (), None) == {"x": "a", "y": ["b", None]}
    assert complete(None, None, (), None) is None


@pytest.mark.parametrize("hostile", ["__import__", "os", "value", "record", "run"])
def test_no_key_becomes_code(hostile: str) -> None:
    value = apples((hostile, NAME), ("todo", UnresolvedField()), slot=0)
    plain = apples(("other", NAME), ("todo", UnresolvedField()), slot=0)

    def code(source: str) -> list[str]:
        return [line for line in source.splitlines() if not line.startswith("#")]

    assert code(COMPILER.source(value)) == code(COMPILER.source(plain))


def test_alike_shapes_have_the_same_code() -> None:
    assert COMPILER.complete(apples(("x", NAME))) is COMPILER.complete(apples(("x", NAME)))
    assert COMPILER.complete(apples(("x", NAME))) is not COMPILER.complete(apples(("y", NAME)))
