"""Every recorded request is answered as it was, by plans and by graphql-core alone."""

import json
from contextlib import suppress

import pytest
from graphql import FieldNode, GraphQLError, GraphQLObjectType, TypeInfo, TypeInfoVisitor, Visitor, parse, visit

from graph.schema import create_subgraph
from tests.memory import MemoryDatabase
from tests.recorded.answers import ANSWERS, answers, lines
from tests.recorded.requests import requests


@pytest.mark.slow
@pytest.mark.parametrize("fast_execution", [True, False], ids=["plans", "graphql-core"])
async def test_every_recorded_request_is_answered_as_it_was(memory: MemoryDatabase, fast_execution: bool) -> None:
    now = [json.loads(line) for line in lines(await answers(memory, fast_execution=fast_execution))]
    then = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    assert [one["name"] for one in now] == [one["name"] for one in then]
    # What was counted differs: without plans, nothing tells loaders when all has been asked for.
    differ = [
        (before, after)
        for before, after in zip(then, now, strict=True)
        if before != after and (fast_execution or "cost" not in after["name"])
    ]
    assert differ[:3] == [], f"{len(differ)} differ; if that is meant, python -m tests.recorded records them anew"


def test_there_are_five_hundred_and_each_has_a_name_of_its_own() -> None:
    names = [json.loads(line)["name"] for line in ANSWERS.read_text().splitlines()]
    assert len(names) >= 500
    assert len(set(names)) == len(names)


def test_every_field_of_every_type_is_asked_for() -> None:
    """But for mutations, which are not answered twice alike."""
    asked: set[tuple[str, str]] = set()
    schema = create_subgraph(with_node=True, with_actions=False).core
    types = TypeInfo(schema)

    class Fields(Visitor):
        def enter_field(self, node: FieldNode, *_: object) -> None:
            if parent := types.get_parent_type():
                asked.add((parent.name, node.name.value))

    for text in {one.document for one in requests() if one.document and not one.name.startswith("hostile")}:
        with suppress(GraphQLError):  # some are no documents
            visit(parse(text), TypeInfoVisitor(types, Fields()))
    kinds = [kind for kind in schema.type_map.values() if isinstance(kind, GraphQLObjectType)]
    fields = {(kind.name, name) for kind in kinds if not kind.name.startswith("__") for name in kind.fields}
    assert fields - asked == set()
