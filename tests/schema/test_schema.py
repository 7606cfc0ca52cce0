"""The schema as a whole: what it promises, and that every part of it is described."""

from pathlib import Path

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    is_introspection_type,
    is_specified_scalar_type,
)

from tests.harness import SCHEMA

ROOT = Path(__file__).parents[2]
OWN = [
    kind
    for kind in SCHEMA.core.type_map.values()
    if not is_introspection_type(kind) and not is_specified_scalar_type(kind)
]


def test_the_exported_schema_is_that_of_the_code() -> None:
    """``make schema`` exports it anew."""
    assert (ROOT / "schema.graphql").read_text() == SCHEMA.as_str() + "\n"


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
    of_logs = {"status": "LogReadStatus!"} if node == "LogEvent" else {}
    told = {"totalCount": "Int", "shortPageReason": "ShortPageReason", "warnings": "[ExecutionWarning!]!"}
    assert shape.items() <= (told | of_logs).items()
