"""Where every field of the schema can be reached by reading, as documents: what tests made from the schema ask."""

from collections import deque
from collections.abc import Iterator, Mapping

from graphql import GraphQLField, GraphQLObjectType, get_named_type, is_leaf_type, is_required_argument

from graph.schema import create_schema

TYPES: Mapping[str, GraphQLObjectType] = {
    name: kind
    for name, kind in create_schema(with_actions=False).core.type_map.items()
    if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
}


def object_types() -> list[str]:
    """The object types that stand below the root."""
    return [name for name in TYPES if name != "Query"]


def fields_of(type_name: str) -> Mapping[str, GraphQLField]:
    return dict(TYPES[type_name].fields)


def is_leaf(field: GraphQLField) -> bool:
    return bool(is_leaf_type(get_named_type(field.type)))


def leaves(type_name: str) -> list[str]:
    """The fields of a type that have no fields of their own."""
    return [name for name, field in fields_of(type_name).items() if is_leaf(field)]


def path_to(type_name: str, roots: Mapping[str, str]) -> list[str]:
    """The shortest way to a type: the selections from the root on."""
    pending = deque([(name, [field]) for name, field in roots.items()])
    seen: set[str] = set()
    while pending:
        here, path = pending.popleft()
        if here == type_name:
            return path
        if here in seen:
            continue
        seen.add(here)
        for name, field in fields_of(here).items():
            inner = get_named_type(field.type).name
            if inner in TYPES and not any(map(is_required_argument, field.args.values())):
                pending.append((inner, [*path, name]))
    raise LookupError(f"no way leads to {type_name}")


def selection(type_name: str, field: str, arguments: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The ways to select one field: alone where it is a leaf, else with each leaf below it alone."""
    head = field + arguments.get((type_name, field), "")
    inner = get_named_type(fields_of(type_name)[field].type).name
    if inner == "Node":
        yield f"{head} {{ id }}"
    elif inner not in TYPES:
        yield head
    else:
        for below in _below(inner):
            yield f"{head} {{ {below} }}"


def _below(type_name: str) -> Iterator[str]:
    """The leaves of a type; those of its nodes, if it is a connection."""
    for name, field in fields_of(type_name).items():
        inner = get_named_type(field.type).name
        if is_leaf(field):
            yield name
        elif name in ("nodes", "pageInfo"):
            yield from (f"{name} {{ {leaf} }}" for leaf in leaves(inner))


def nested(path: list[str], inside: str) -> str:
    """A document: a selection at the end of a path."""
    return "{ " + " { ".join([*path, inside]) + " }" * (len(path) + 1)
