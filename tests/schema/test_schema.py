"""The schema as a whole: what it promises, and that every part of it is described."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    is_introspection_type,
    is_specified_scalar_type,
    parse,
    print_ast,
)
from graphql.language import Visitor, visit

from tests.harness import SCHEMA

ROOT = Path(__file__).parents[2]
OWN = [
    kind
    for kind in SCHEMA.core.type_map.values()
    if not is_introspection_type(kind) and not is_specified_scalar_type(kind)
]


def without_descriptions(sdl: str) -> str:
    class Strip(Visitor):
        def leave(self, node: Any, *_: Any) -> Any:
            return replace(node, description=None) if getattr(node, "description", None) else None

    return print_ast(visit(parse(sdl), Strip()))


def test_the_exported_schema_is_that_of_the_code() -> None:
    """``make schema`` exports it anew."""
    assert (ROOT / "schema.graphql").read_text() == SCHEMA.as_str() + "\n"


def test_names_arguments_and_nullabilities_are_as_promised() -> None:
    """A change to the file is a change of what clients rely on."""
    promised = (Path(__file__).parent / "promised.graphql").read_text()
    assert without_descriptions(SCHEMA.as_str()) + "\n" == promised


@pytest.mark.parametrize("kind", OWN, ids=str)
def test_everything_is_described(kind: GraphQLNamedType) -> None:
    undescribed = [] if kind.description else [kind.name]
    if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
        undescribed += [f"{kind.name}.{name}" for name, field in kind.fields.items() if not field.description]
    if isinstance(kind, GraphQLObjectType):
        undescribed += [
            f"{kind.name}.{name}({argument})"
            for name, field in kind.fields.items()
            for argument, given in field.args.items()
            if argument in ("first", "after", "last", "before") and not given.description
        ]
    assert undescribed == []


def test_an_enumeration_has_a_member_for_what_is_not_known_wherever_rows_are_free_to_hold_any_text() -> None:
    for name in ("ExecutionStatus", "TriggerType", "OutputFileType", "OutputLocationType", "PipelineExecutionType"):
        kind = SCHEMA.core.type_map[name]
        assert isinstance(kind, GraphQLEnumType)
        assert "UNKNOWN" in kind.values


@pytest.mark.parametrize("kind", [kind for kind in OWN if kind.name.endswith("Connection")], ids=str)
def test_every_connection_has_edges_nodes_and_page_info(kind: GraphQLObjectType) -> None:
    shape = {name: str(field.type) for name, field in kind.fields.items()}
    node = shape["nodes"].strip("[]!")
    assert shape.pop("edges").startswith("[")
    assert shape.pop("nodes") == f"[{node}!]!"
    assert shape.pop("pageInfo") == "PageInfo!"
    of_logs = {"status": "LogReadStatus!", "warnings": "[String!]!"} if node == "LogEvent" else {}
    assert shape.items() <= {"totalCount": "Int", "shortPageReason": "ShortPageReason", **of_logs}.items()
