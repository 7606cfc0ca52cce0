"""What fields cost, in points: said where they are declared, shown in the schema, summed up before an operation runs.

A point is about what it takes to complete one plain field, or several of them; the others are told from how long each
kind takes in the dearest documents of ``bench.crowd``. The directives are those of the IBM specification of the
cost of GraphQL, which gateways read too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import ceil
from typing import TypeVar

import strawberry
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
)
from strawberry.schema_directive import Location

DirectiveT = TypeVar("DirectiveT")

ANSWER_COST = 7
"""A field that a loader answers, together with all others of its kind."""

PAGE_COST = 20
"""A connection: a query of its own for each parent."""

LIST_COST = 100
"""A connection that looks through rows for those it shows, a hundred of them or more for one page."""

TEXT_COST = 10
"""A text that can fill a whole row."""

PART_COST = 50
"""A part of a text that is read from S3, with what is around it, and redacted."""

HISTORY_ROWS = "history rows"
"""The metadata of a field that say which :class:`HistoryRows` it has."""

_LIST_SIZE = 5  # how long a list of objects is taken to be that is no connection


class HistoryRows(Enum):
    """Rows that are made of the histories of engines, of which one operation reads so many pages and no more."""

    RUN = "run"
    """So many of each run; each run takes a page of history at least."""
    VISIT = "visit"
    """Each takes two events of a history at least: one that enters, and one that leaves."""


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="What the field costs each time that it is answered, in points; 1 where nothing is said.",
)
class Cost:
    """The points of a field."""

    weight: int


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    name="listSize",
    description=(
        "How many rows the field gives: as many as a slicing argument says or is long, else as assumed. Where sized "
        "fields are named, it is those below it that repeat."
    ),
)
class ListSize:
    """The rows of a field."""

    slicing_arguments: list[str]
    assumed_size: int | None = None
    sized_fields: list[str] | None = strawberry.UNSET  # and not null, which compositions cannot read
    require_one_slicing_argument: bool = True


@dataclass(frozen=True, slots=True)
class Weight:
    """What a field costs each time, and how often it repeats what is below it.

    The size of a page is that of its rows, which repeat in its place. However often it is asked for, it has no more
    rows in one operation than ``history_rows`` says.
    """

    cost: int = 1
    size: int = 1
    sliced_by: tuple[str, ...] = ()
    is_page: bool = False
    is_row: bool = False
    is_text: bool = False
    history_rows: HistoryRows | None = None


def weights(schema: GraphQLSchema) -> Mapping[tuple[str, str], Weight]:
    """Return the weight of each field of each type."""
    found = {(owner, name): _weight(field) for owner, name, field in _fields(schema)}
    for _, _, field in _fields(schema):
        declared = _directive(field, ListSize)
        for row in (declared.sized_fields if declared else None) or ():
            key = (get_named_type(field.type).name, row)
            found[key] = replace(found[key], is_row=True, size=1)
    return found | _introspection(schema)


def _fields(schema: GraphQLSchema) -> Iterator[tuple[str, str, GraphQLField]]:
    for owner in schema.type_map.values():
        if isinstance(owner, GraphQLObjectType | GraphQLInterfaceType):
            for name, field in owner.fields.items():
                yield owner.name, name, field


def _weight(field: GraphQLField) -> Weight:
    cost, size = _directive(field, Cost), _directive(field, ListSize)
    points = cost.weight if cost else 1
    if size is None:
        repeats = _is_list(field) and not is_leaf_type(get_named_type(field.type))
        is_text = points >= TEXT_COST and is_leaf_type(get_named_type(field.type))
        return Weight(points, _LIST_SIZE if repeats else 1, is_text=is_text)
    declared = field.extensions.get("strawberry-definition")
    rows = declared.metadata.get(HISTORY_ROWS) if declared else None
    sliced_by = tuple(size.slicing_arguments)
    return Weight(points, size.assumed_size or 1, sliced_by, is_page=bool(size.sized_fields), history_rows=rows)


def _directive(field: GraphQLField, kind: type[DirectiveT]) -> DirectiveT | None:
    declared = field.extensions.get("strawberry-definition")
    return next((one for one in getattr(declared, "directives", ()) if isinstance(one, kind)), None)


def _is_list(field: GraphQLField) -> bool:
    kind = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
    return isinstance(kind, GraphQLList)


def _introspection(schema: GraphQLSchema) -> dict[tuple[str, str], Weight]:
    """Return the lists of introspection are as long as those of this schema are on average."""
    kinds = list(schema.type_map.values())
    objects = [kind for kind in kinds if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType)]
    fields = sum(len(kind.fields) for kind in objects)
    arguments = sum(len(field.args) for kind in objects for field in kind.fields.values())
    inputs = sum(len(kind.fields) for kind in kinds if isinstance(kind, GraphQLInputObjectType))
    values = sum(len(kind.values) for kind in kinds if isinstance(kind, GraphQLEnumType))
    return {
        ("__Schema", "types"): Weight(size=len(kinds)),
        ("__Schema", "directives"): Weight(size=len(schema.directives)),
        ("__Type", "fields"): Weight(size=ceil(fields / len(kinds))),
        ("__Type", "inputFields"): Weight(size=ceil(inputs / len(kinds))),
        ("__Type", "enumValues"): Weight(size=ceil(values / len(kinds))),
        ("__Type", "interfaces"): Weight(size=1),
        ("__Type", "possibleTypes"): Weight(size=1),
        ("__Field", "args"): Weight(size=ceil(arguments / fields)),
        ("__Directive", "args"): Weight(size=2),
    }
