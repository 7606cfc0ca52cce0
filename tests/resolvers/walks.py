"""Walks through connections: page after page, many parents side by side in one operation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLEnumType, GraphQLObjectType, get_named_type

from tests.harness import SCHEMA, Answer, Graph

_OF_ENGINES = ("SubExecution", "EngineExecution", "MapRun", "Stage", "StageVisit")


@dataclass(frozen=True)
class Connection:
    """A connection field of the schema, with a value for one of its own arguments or none."""

    type: str
    field: str
    argument: tuple[str, str] | None = None

    @property
    def arguments(self) -> dict[str, str]:
        return dict([self.argument] if self.argument else [])

    @property
    def has(self) -> frozenset[str]:
        """The fields that the connection has beside those of all."""
        return frozenset(_fields(_connection_type(self)))

    @property
    def identity(self) -> str:
        """What to select of a node to tell it from others."""
        node = _fields(get_named_type(_fields(_connection_type(self))["nodes"].type))
        return "id" if "id" in node else "databaseId assetId"

    def __str__(self) -> str:
        return f"{self.type}.{self.field}" + (f"({': '.join(self.argument)})" if self.argument else "")


def connections() -> Iterator[Connection]:
    """Every connection field, once plain and once for each value of an enumeration that it takes.

    Log lines and what is inside of runs are not among them: they are no rows of a table, and are walked where their
    sources are tested.
    """
    for kind in SCHEMA.core.type_map.values():
        if not isinstance(kind, GraphQLObjectType) or kind.name.startswith("__") or kind.name in _OF_ENGINES:
            continue
        for name, one in kind.fields.items():
            name_of_type = get_named_type(one.type).name
            if not name_of_type.endswith("Connection") or name_of_type == "LogEventConnection":
                continue
            yield Connection(kind.name, name)
            for argument, given in one.args.items():
                if isinstance(values := get_named_type(given.type), GraphQLEnumType):
                    yield from (Connection(kind.name, name, (argument, value)) for value in values.values)


@dataclass
class Walked:
    """What a walk through one parent's connection saw, in the order of the list."""

    nodes: list[str] = field(default_factory=list)
    cursors: list[str] = field(default_factory=list)
    total: int | None = None
    pages: int = 0


async def walk(
    graph: Graph, connection: Connection, parents: Sequence[str], size: int, *, forward: bool = True, together: int = 1
) -> list[Walked]:
    """Walks the connection of each parent to its end, and holds every page to what it says of itself.

    ``together`` is the number of parents whose pages are asked for in one operation.
    """
    return [
        walked
        for start in range(0, len(parents), together)
        for walked in await _walk(graph, connection, parents[start : start + together], size, forward)
    ]


async def ask_page(graph: Graph, connection: Connection, parent: str, **paging: Any) -> Answer:
    """The answer to a request for one page, with the paging arguments as given."""
    declared = {name: "Int" if name in ("first", "last") else "String" for name in paging}
    variables = [f"${name}: {kind}" for name, kind in declared.items()]
    arguments = [f"{name}: ${name}" for name in paging]
    if connection.type != "Query":
        variables.append("$id: ID!")
        paging = paging | {"id": parent}
    head = f"query({', '.join(variables)})" if variables else ""
    return await graph.ask(f"{head} {{ {_field(connection, arguments, '')} }} {_fragment(connection)}", **paging)


async def read_page(graph: Graph, connection: Connection, parent: str, **paging: int | str | None) -> Any:
    """One page of a connection."""
    answer = await ask_page(graph, connection, parent, **paging)
    assert not answer.errors, answer.errors
    assert answer.data is not None
    return page_of(connection, answer.data["p"])


def page_of(connection: Connection, answered: Any) -> Any:
    """The page in what the connection's parent answered."""
    return answered if connection.type == "Query" else answered["page"]


def node_names(page: Any) -> list[str]:
    """What tells the nodes of a page from each other."""
    return [" ".join(edge["node"].values()) for edge in page["edges"]]


async def _walk(graph: Graph, connection: Connection, parents: Sequence[str], size: int, forward: bool) -> list[Walked]:
    found = [Walked() for _ in parents]
    cursors: dict[int, str | None] = dict.fromkeys(range(len(parents)))
    while cursors:
        variables: dict[str, Any] = {"size": size}
        for number, cursor in cursors.items():
            variables |= {f"id{number}": parents[number], f"cursor{number}": cursor}
        data = await graph.data(_document(connection, list(cursors), forward), **variables)
        for number, came_from in list(cursors.items()):
            page = page_of(connection, data[f"p{number}"])
            cursors[number] = _take(found[number], page, size, forward, came_from)
            if cursors[number] is None:
                del cursors[number]
    return found


def _take(walked: Walked, page: Any, size: int, forward: bool, came_from: str | None) -> str | None:
    """Adds a page to what was seen; the cursor to go on from, if more is to come."""
    nodes, cursors, info = node_names(page), [edge["cursor"] for edge in page["edges"]], page["pageInfo"]
    goes_on, came = ("hasNextPage", "hasPreviousPage") if forward else ("hasPreviousPage", "hasNextPage")
    assert page.get("shortPageReason") is None
    assert nodes == [" ".join(node.values()) for node in page["nodes"]]
    assert len(nodes) == size if info[goes_on] else len(nodes) <= size
    assert info[came] == (came_from is not None)
    if nodes:
        assert (info["startCursor"], info["endCursor"]) == (cursors[0], cursors[-1])
    walked.pages += 1
    walked.total = page.get("totalCount")
    walked.nodes = walked.nodes + nodes if forward else nodes + walked.nodes
    walked.cursors = walked.cursors + cursors if forward else cursors + walked.cursors
    return info["endCursor" if forward else "startCursor"] if info[goes_on] else None


def _document(connection: Connection, numbers: Sequence[int], forward: bool) -> str:
    size, cursor = ("first", "after") if forward else ("last", "before")
    declared = ["$size: Int!"]
    for number in numbers:
        declared.append(f"$cursor{number}: String")
        declared += [f"$id{number}: ID!"] if connection.type != "Query" else []
    fields = (_field(connection, [f"{size}: $size", f"{cursor}: $cursor{number}"], str(number)) for number in numbers)
    return f"query({', '.join(declared)}) {{ {' '.join(fields)} }} {_fragment(connection)}"


def _field(connection: Connection, arguments: Sequence[str], number: str) -> str:
    given = [f"{name}: {value}" for name, value in connection.arguments.items()] + [*arguments]
    chosen = f"({', '.join(given)})" if given else ""
    page = f"{connection.field}{chosen} {{ ...Page }}"
    if connection.type == "Query":
        return f"p{number}: {page}"
    return f"p{number}: node(id: $id{number}) {{ ... on {connection.type} {{ page: {page} }} }}"


def _fragment(connection: Connection) -> str:
    own = " ".join(sorted(connection.has & {"totalCount", "shortPageReason"}))
    return (
        f"fragment Page on {_connection_type(connection).name} {{"
        f" edges {{ cursor node {{ {connection.identity} }} }} nodes {{ {connection.identity} }}"
        f" pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} {own} }}"
    )


def _connection_type(connection: Connection) -> GraphQLObjectType:
    kind = get_named_type(_fields(SCHEMA.core.type_map[connection.type])[connection.field].type)
    assert isinstance(kind, GraphQLObjectType)
    return kind


def _fields(kind: Any) -> dict[str, Any]:
    assert isinstance(kind, GraphQLObjectType)
    return dict(kind.fields)
