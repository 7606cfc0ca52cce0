"""In production no message tells a name of the schema that the document does not hold itself."""

import re
from collections.abc import Callable, Iterator

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    get_named_type,
)

from graph.http.schema_masking import SchemaMask
from tests.harness import SCHEMA
from tests.memory import MemoryDatabase
from tests.serving import GRAPHQL_RESPONSE, serving

KINDS = [kind for kind in SCHEMA.core.type_map.values() if not kind.name.startswith("__")]
OBJECTS = [kind for kind in KINDS if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType)]
NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
VALUES = ("1", '"x"', "true", "X", "[[1]]", "{x: 1}", "1.5", "null")


def names() -> set[str]:
    found = {kind.name for kind in SCHEMA.core.type_map.values()} | {one.name for one in SCHEMA.core.directives}
    for kind in KINDS:
        if isinstance(kind, GraphQLEnumType):
            found |= kind.values.keys()
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            found |= kind.fields.keys()
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            found |= {argument for field in kind.fields.values() for argument in field.args}
    return found


def misspelt(name: str) -> str:
    """One letter changed, which is what suggestions are made for."""
    return name[:-1] + ("y" if name[-1] == "x" else "x")


def on(kind: GraphQLNamedType, selection: str) -> str:
    if kind.name == "Query":
        return f"{{ {selection} }}"
    return f'{{ node(id: "x") {{ ... on {kind.name} {{ {selection} }} }} }}'


def fields() -> Iterator[str]:
    for kind in OBJECTS:
        for name in kind.fields:
            yield on(kind, misspelt(name))
            yield on(kind, f"a: {misspelt(name)} {{ x }}")
            yield on(kind, name)  # lacks a selection, or arguments
            yield on(kind, f"{name} {{ x }}")
            yield on(kind, f"{name}(nothing: 1)")
            yield on(kind, f"a: {name} a: __typename")


def arguments() -> Iterator[str]:
    for kind in OBJECTS:
        for name, field in kind.fields.items():
            for argument in field.args:
                yield on(kind, f"{name}({misspelt(argument)}: 1)")
                for value in VALUES:
                    yield on(kind, f"{name}({argument}: {value})")
                for given in ("Boolean", "[ID]", "ExecutionFilter"):
                    yield f"query ($v: {given}) " + on(kind, f"{name}({argument}: $v)")


def inputs() -> Iterator[str]:
    for kind in OBJECTS:
        for name, field in kind.fields.items():
            for argument, defined in field.args.items():
                of = get_named_type(defined.type)
                if isinstance(of, GraphQLInputObjectType):
                    for inner in of.fields:
                        yield on(kind, f"{name}({argument}: {{{misspelt(inner)}: 1}})")
                        yield from (on(kind, f"{name}({argument}: {{{inner}: {value}}})") for value in VALUES)
                if isinstance(of, GraphQLEnumType):
                    yield from (on(kind, f"{name}({argument}: {misspelt(value)})") for value in of.values)


def types() -> Iterator[str]:
    for kind in KINDS:
        yield f"{{ ... on {misspelt(kind.name)} {{ x }} }}"
        yield f"{{ ...f }} fragment f on {misspelt(kind.name)} {{ x }}"
        yield f"query ($v: {misspelt(kind.name)}) {{ x }}"
        yield f"query ($v: {kind.name} = {{x: 1}}) {{ x }}"
        yield f"{{ ... on {kind.name} {{ x }} }}"
        yield f"{{ executions {{ ... on {kind.name} {{ x }} }} }}"


def directives() -> Iterator[str]:
    for directive in SCHEMA.core.directives:
        yield f"{{ __typename @{misspelt(directive.name)} }}"
        yield f"{{ __typename @{directive.name} }}"
        yield f"query @{directive.name} {{ __typename }}"
        for argument in directive.args:
            yield f"{{ __typename @{directive.name}({misspelt(argument)}: 1) }}"
            yield from (f"{{ __typename @{directive.name}({argument}: {value}) }}" for value in VALUES)


def roots() -> Iterator[str]:
    yield "mutation { x }"
    yield "subscription { x }"
    yield "{ __schema { types { name } } }"
    yield '{ __type(name: "x") { name } }'
    yield "{ __typenamex }"


@pytest.mark.parametrize(
    "documents", [fields, arguments, inputs, types, directives, roots], ids=lambda one: one.__name__
)
async def test_messages_tell_no_foreign_names(memory: MemoryDatabase, documents: Callable[[], Iterator[str]]) -> None:
    known = names()
    async with serving(memory, rate_points=0) as client:
        for document in documents():
            response = await client.post("/graphql", json={"query": document}, headers=GRAPHQL_RESPONSE)
            for error in response.json().get("errors", ()):
                told = set(NAME.findall(error["message"])) & known
                assert told <= set(NAME.findall(document)), (document, error["message"])


async def test_variables_tell_no_foreign_names(memory: MemoryDatabase) -> None:
    known = names()
    document = "query ($f: ExecutionFilter) { executions(filter: $f) { pageInfo { endCursor } } }"
    wrong: list[object] = [1, "x", True, [1], {"x": 1}, None]
    kind = SCHEMA.core.type_map["ExecutionFilter"]
    assert isinstance(kind, GraphQLInputObjectType)
    given: list[dict[str, object]] = [{misspelt(name): 1} for name in kind.fields]
    given += [{name: one} for name in kind.fields for one in wrong]
    given += [{"status": ["FAILEx"]}, {"workflow": {"databaseIx": 1}}, {"workflow": {}}]
    async with serving(memory, rate_points=0) as client:
        for variables in given:
            sent = {"query": document, "variables": {"f": variables}}
            response = await client.post("/graphql", json=sent, headers=GRAPHQL_RESPONSE)
            if response.status_code == 200:
                continue
            for error in response.json()["errors"]:
                assert set(NAME.findall(error["message"])) & known <= set(NAME.findall(document)), error["message"]


def test_a_message_that_tells_nothing_stays() -> None:
    schema_mask = SchemaMask(SCHEMA.core)
    kept = {"message": "Variable '$x' is never used.", "locations": [{"line": 1, "column": 8}]}
    assert schema_mask.mask(kept, "query ($x: ID) { __typename }") == kept  # type: ignore[arg-type]


def test_one_that_tells_names_the_place_instead() -> None:
    schema_mask = SchemaMask(SCHEMA.core)
    told = {"message": "Cannot query field 'statux' on type 'Execution'.", "locations": [{"line": 2, "column": 3}]}
    shown = schema_mask.mask(told, "{ execution {\n  statux } }")  # type: ignore[arg-type]
    assert shown["message"] == "'statux' is not valid here."
    assert shown["locations"] == told["locations"]
