"""What a supergraph is told: the keys, what other subgraphs may answer too, and nothing else than the schema."""

from collections.abc import Iterator
from functools import cache

import pytest
from graphql import (
    ConstDirectiveNode,
    DirectiveDefinitionNode,
    DocumentNode,
    FieldDefinitionNode,
    GraphQLObjectType,
    GraphQLUnionType,
    ObjectTypeDefinitionNode,
    SchemaExtensionNode,
    build_ast_schema,
    parse,
    print_ast,
    print_schema,
)

from graph.resolvers.kinds import ENTITIES
from graph.schema import create_subgraph, federated_sdl
from tests.harness import SCHEMA, SUBGRAPH, Graph
from tests.memory import NAMES, MemoryDatabase

KEYS = {
    "Asset": "databaseId assetId",
    "Database": "databaseId",
    "Execution": "executionId",
    "ExecutionGroup": "groupId",
    "Pipeline": "databaseId pipelineId",
    "PipelineExecution": "pipelineExecutionId",
    "Workflow": "databaseId workflowId",
}
SHARED = {
    *("PageInfo", "S3Location", "Viewer"),
    *(f"Query.{name}" for name in ("viewer", "workflow", "pipeline", "asset", "database")),
    *(f"Asset.{name}" for name in ("id", "name", "description", "assetType", "tags", "status", "database")),
    *("Database.id", "Database.description"),
    *(f"Workflow.{name}" for name in ("id", "name", "category", "description", "isEnabled", "isArchived")),
    "Workflow.systemConfig",
    *(f"Pipeline.{name}" for name in ("id", "name", "category", "description", "executionType")),
    *("Pipeline.isEnabled", "Pipeline.isArchived"),
}


@cache
def told(*, with_node: bool = True) -> DocumentNode:
    return parse(federated_sdl(with_node=with_node))


def object_types(document: DocumentNode) -> Iterator[ObjectTypeDefinitionNode]:
    return (one for one in document.definitions if isinstance(one, ObjectTypeDefinitionNode))


def applied(node: ObjectTypeDefinitionNode | FieldDefinitionNode, name: str) -> list[ConstDirectiveNode]:
    return [one for one in node.directives or () if one.name.value == name]


def fields(document: DocumentNode) -> dict[str, FieldDefinitionNode]:
    return {
        f"{kind.name.value}.{field.name.value}": field for kind in object_types(document) for field in kind.fields or ()
    }


def test_the_keys_are_those_that_are_promised() -> None:
    keys = {kind.name.value: [print_ast(one) for one in applied(kind, "key")] for kind in object_types(told())}
    assert {name: of for name, of in keys.items() if of} == {
        name: [f'@key(fields: "{key}")'] for name, key in KEYS.items()
    }


def test_what_is_shared_is_what_is_promised() -> None:
    types = {kind.name.value for kind in object_types(told()) if applied(kind, "shareable")}
    assert types | {name for name, field in fields(told()).items() if applied(field, "shareable")} == SHARED


def test_the_definitions_are_those_of_version_2_9() -> None:
    (link,) = [one for one in told().definitions if isinstance(one, SchemaExtensionNode)]
    assert print_ast(link) == (
        'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", '
        'import: ["@key", "@shareable", "@cost", "@listSize"])'
    )
    assert not any(isinstance(one, DirectiveDefinitionNode) for one in told().definitions)


def test_costs_are_told_wherever_gateways_understand_them() -> None:
    """Theirs slice by integers alone, so the length of a list of ids is left out."""
    for name, field in fields(told()).items():
        owner, _, field_name = name.partition(".")
        definition = SCHEMA.core.type_map[owner].fields[field_name].extensions["strawberry-definition"]  # type: ignore[attr-defined]
        stated = {directive.__class__.__name__ for directive in definition.directives}
        assert bool(applied(field, "cost")) == ("Cost" in stated), name
        assert bool(applied(field, "listSize")) == ("ListSize" in stated and name != "Query.nodes"), name


def test_without_its_directives_it_is_the_schema() -> None:
    """Nothing is offered that cannot be asked for, and nothing is left out."""
    of_types = [one for one in told().definitions if not isinstance(one, SchemaExtensionNode)]
    offered = build_ast_schema(DocumentNode(definitions=tuple(of_types)), assume_valid_sdl=True)
    bare = build_ast_schema(parse(SCHEMA.as_str()))
    directives = {"cost", "listSize"}
    kept = tuple(one for one in bare.directives if one.name not in directives)
    assert print_schema(offered) == print_schema(type(bare)(**bare.to_kwargs() | {"directives": kept}))


def test_node_and_nodes_are_another_subgraph_s_where_a_setting_says_so() -> None:
    with_them, without = fields(told()), fields(told(with_node=False))
    assert with_them.keys() - without.keys() == {"Query.node", "Query.nodes"}
    assert without.keys() < with_them.keys()


# ------------------------------------------------------------------------------------------------ what a gateway asks


def test_every_type_with_a_key_can_be_asked_for() -> None:
    union = SUBGRAPH.core.type_map["_Entity"]
    assert isinstance(union, GraphQLUnionType)
    assert {kind.name for kind in union.types} == set(KEYS) == set(ENTITIES)


@pytest.mark.parametrize("name", ENTITIES)
def test_a_key_is_of_strings_that_are_always_there(name: str) -> None:
    kind = SUBGRAPH.core.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    assert {str(kind.fields[field].type) for field in ENTITIES[name].key} == {"String!"}


def test_the_fields_of_gateways_are_those_that_they_know() -> None:
    assert SUBGRAPH.core.query_type
    own, those = SUBGRAPH.core.query_type.fields, {"_entities", "_service"}
    assert SCHEMA.core.query_type
    assert own.keys() - SCHEMA.core.query_type.fields.keys() == those
    assert {name: str(own[name].type) for name in those} == {"_entities": "[_Entity]!", "_service": "_Service!"}
    assert {name: str(given.type) for name, given in own["_entities"].args.items()} == {"representations": "[_Any!]!"}


@pytest.mark.parametrize("name", ["_Any", "_Entity", "_Service"])
def test_the_types_of_gateways_are_described_and_known_to_them_alone(name: str) -> None:
    assert SUBGRAPH.core.type_map[name].description
    assert name not in SCHEMA.core.type_map


@pytest.mark.parametrize("with_node", [True, False])
async def test_a_gateway_is_told_what_is_exported(memory: MemoryDatabase, *, with_node: bool) -> None:
    graph = Graph(memory, NAMES, schema=create_subgraph(with_node=with_node))
    try:
        assert await graph.data("{ _service { sdl } }") == {"_service": {"sdl": federated_sdl(with_node=with_node)}}
    finally:
        graph.close()
