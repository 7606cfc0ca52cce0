"""The graph as a subgraph: what a supergraph is told of it, and the two fields by which a gateway asks.

The definitions are those of Apollo Federation 2.9, the latest that every gateway composes.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, NewType, Union, cast

import strawberry
from graphql import (
    ConstArgumentNode,
    ConstDirectiveNode,
    DirectiveDefinitionNode,
    DocumentNode,
    FieldDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NameNode,
    NonNullTypeNode,
    NullValueNode,
    ObjectTypeDefinitionNode,
    StringValueNode,
    TypeNode,
    parse,
    print_ast,
)
from strawberry.types.scalar import ScalarDefinition

from graph.context import Context
from graph.resolvers import entities
from graph.resolvers.kinds import ENTITIES
from graph.schema.fields import TYPES, attribute, root
from graph.schema.query import Query

_LINK = """
extend schema
  @link(
    url: "https://specs.apollo.dev/federation/v2.9"
    import: ["@key", "@shareable", "@cost", "@listSize"]
  )
"""

# What other subgraphs may answer too: values of which nobody is the owner, whole; of shared entities, all but their
# pages, since it is this graph alone that knows of executions; and the roots that lead to either.
_SHARED_VALUES = frozenset({"PageInfo", "S3Location", "Viewer"})
_SHARED_ENTITIES = frozenset(name for name, entity in ENTITIES.items() if entity.is_shared)
_NODE_ROOTS = frozenset({"node", "nodes"})


Representation = NewType("Representation", object)

SCALARS: dict[object, ScalarDefinition] = {
    Representation: strawberry.scalar(
        name="_Any",
        description="The name of a type and the values of its key: how one subgraph refers to an object of another.",
        parse_value=lambda value: value,
    )
}

AnyEntity: Any = Annotated[
    Union[tuple(TYPES[name] for name in sorted(ENTITIES))],  # noqa: UP007 - its members are known at run time
    strawberry.union("_Entity", description="What other subgraphs may refer to."),
]


@strawberry.type(name="_Service", description="What a supergraph is told of this graph.")
class Service:
    """What a supergraph is told."""

    sdl: str = attribute("The definitions to compose.", reads=())


async def referred_to(context: Context, representations: list[Representation]) -> list[Any]:
    """Return the objects of some representations."""
    return await entities.entities(context, representations)


def subgraph_query(sdl: str) -> type:
    """Return the roots of the graph, with those by which a gateway asks; it is told the given definitions."""

    async def told(_context: Context) -> Service:
        return Service(sdl=sdl)

    @strawberry.type(name="Query", description="Where reading begins, for a gateway.")
    class SubgraphQuery(Query):
        entities: list[AnyEntity | None] = root(
            referred_to,
            f"The objects of at most {entities.MOST:,} representations, in their order. What does not exist or may not "
            "be seen is null, never an error for the others.",
            name="_entities",
            sized_by="representations",
        )
        service: Service = root(told, "What a supergraph is told of this graph.", name="_service")

    return SubgraphQuery


def offered(sdl: str, *, with_node: bool) -> str:
    """Return the definitions that a supergraph is composed of, made from those of the schema.

    Without the roots ``node`` and ``nodes``, another subgraph may have them: of each root there is one owner.
    """
    definitions = [
        _object(definition, with_node=with_node) if isinstance(definition, ObjectTypeDefinitionNode) else definition
        for definition in parse(sdl).definitions
        if not isinstance(definition, DirectiveDefinitionNode)  # which the link imports
    ]
    return print_ast(DocumentNode(definitions=(*parse(_LINK).definitions, *definitions)))


def _object(kind: ObjectTypeDefinitionNode, *, with_node: bool) -> ObjectTypeDefinitionNode:
    """Return an object type with its key, and with what of it is shared."""
    name = kind.name.value
    keys = [_key(ENTITIES[name].key)] if name in ENTITIES else []
    shares = [_SHAREABLE] if name in _SHARED_VALUES else []
    fields = tuple(
        _field(name, field)
        for field in kind.fields or ()
        if with_node or name != "Query" or field.name.value not in _NODE_ROOTS
    )
    return replace(kind, directives=(*keys, *shares), fields=fields)


def _field(owner: str, field: FieldDefinitionNode) -> FieldDefinitionNode:
    directives = [_without_nulls(one) for one in field.directives or ()]
    if field.name.value in _NODE_ROOTS:  # gateways take the length of a list from integers alone, not from its ids
        directives = [one for one in directives if one.name.value != "listSize"]
    if _is_shared(owner, field):
        directives.append(_SHAREABLE)
    return replace(field, directives=tuple(directives))


def _without_nulls(directive: ConstDirectiveNode) -> ConstDirectiveNode:
    """Leave out arguments that are null, which composition takes for given."""
    given = tuple(one for one in directive.arguments or () if not isinstance(one.value, NullValueNode))
    return replace(directive, arguments=given)


def _is_shared(owner: str, field: FieldDefinitionNode) -> bool:
    name = field.name.value
    if owner == "Query":
        return _named(field.type) in _SHARED_VALUES | _SHARED_ENTITIES
    return owner in _SHARED_ENTITIES and name not in ENTITIES[owner].key and not field.arguments


def _named(kind: TypeNode) -> str:
    """Return the name of a type, whatever lists and non-nulls are around it."""
    while isinstance(kind, ListTypeNode | NonNullTypeNode):
        kind = kind.type
    return cast("NamedTypeNode", kind).name.value


def _key(fields: Iterable[str]) -> ConstDirectiveNode:
    value = StringValueNode(value=" ".join(fields))
    return _directive("key", ConstArgumentNode(name=NameNode(value="fields"), value=value))


def _directive(name: str, *arguments: ConstArgumentNode) -> ConstDirectiveNode:
    return ConstDirectiveNode(name=NameNode(value=name), arguments=arguments)


_SHAREABLE = _directive("shareable")
