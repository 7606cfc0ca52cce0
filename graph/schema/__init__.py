"""What the graph looks like: the types, one file per noun, and the schema made of them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import strawberry
from graphql import ExecutionResult as CoreResult
from graphql import GraphQLObjectType, GraphQLSchema, ValueNode
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionResult
from strawberry.types.field import StrawberryField
from strawberry.types.scalar import ScalarDefinition

from graph.context import Context, Selection
from graph.documents import Document
from graph.errors import once_forbidden
from graph.execution import Planner, Plans, execute
from graph.execution.strawberry_internals import core_schema
from graph.schema import enums, federation  # noqa: F401 - the first registers the enumerations before types use them
from graph.schema.fields import RECORDS, begun_by, extra_of, reads_of
from graph.schema.lookahead import selected_fields
from graph.schema.mutation import Mutation
from graph.schema.query import Query
from graph.schema.scalars import SCALARS
from graph.schema.status_filters import chooses_by_status, filters_of_executions
from graph.tables.rows import Row, field_names

Reads = Mapping[tuple[str, str], frozenset[tuple[type[Row], str]]]


@cache
def create_schema(*, with_actions: bool = True) -> "Schema":
    """Return the schema, and what the loaders have to read for its fields; without actions it has no mutations."""
    return _schema(Query, SCALARS, with_actions=with_actions)


@cache
def create_subgraph(*, with_node: bool, with_actions: bool = True) -> "Schema":
    """Return the schema with the fields that a gateway asks, one of which answers :func:`federated_sdl`."""
    query = federation.subgraph_query(federated_sdl(with_node=with_node, with_actions=with_actions))
    return _schema(query, SCALARS | federation.SCALARS, with_actions=with_actions)


def federated_sdl(*, with_node: bool, with_actions: bool = True) -> str:
    """Return the SDL that a supergraph is composed of, with ``node`` and ``nodes`` if this graph owns them there."""
    return federation.offered(create_schema(with_actions=with_actions).as_str(), with_node=with_node)


def _schema(query: type, scalars: dict[object, ScalarDefinition], *, with_actions: bool) -> "Schema":
    schema = Schema(
        query=query,
        mutation=Mutation if with_actions else None,
        config=StrawberryConfig(scalar_map=scalars),
        extensions=[Prepared],
    )
    schema.reads = _declared_reads(schema.core)
    return schema


class Schema(strawberry.Schema):
    """The graph's schema, and the stored fields that each of its fields reads."""

    reads: Reads

    @property
    def core(self) -> GraphQLSchema:
        """The schema of graphql-core."""
        return core_schema(self)

    @cached_property
    def planner(self) -> Planner:
        """What makes the plans that operations run by."""
        return Planner(self)

    async def answer(
        self,
        document: Document,
        context: Context,
        variables: Mapping[str, Any] | None = None,
        operation_name: str | None = None,
    ) -> ExecutionResult:
        """Run an operation of a valid document and return its result, with one refusal for each of its fields."""
        result = await self._execute(document, context, variables, operation_name)
        return ExecutionResult(result.data, result.errors and once_forbidden(result.errors))

    async def _execute(
        self, document: Document, context: Context, variables: Mapping[str, Any] | None, operation_name: str | None
    ) -> CoreResult | ExecutionResult:
        context.selection = document.once(self.selection)
        filters = document.once(self.filters)
        if filters and chooses_by_status(filters, document.node, operation_name, variables):
            context.engines.keep_stored()
        if context.services.settings.fast_execution:
            plans = document.once(self.plans)
            return await execute(plans, document.node, context, variables, operation_name, context.scope)
        context.document = document
        given = None if variables is None else dict(variables)
        return await self.execute(document.source, given, context, operation_name=operation_name)

    def plans(self, document: Document) -> Plans:
        """Return the plans of a document, which come into being as it is executed."""
        return Plans(self.planner, document.node)

    def filters(self, document: Document) -> Sequence[ValueNode]:
        """Return the filters of executions that a document gives."""
        return filters_of_executions(self.core, document.node)

    def selection(self, document: Document) -> Selection:
        """Return what a document selects."""
        selected = selected_fields(self.core, document.node)
        definitions = [one for name, names in selected.items() for one in self._definitions(name, names)]
        reads: dict[type[Row], set[str]] = {}
        for type_name, names in selected.items():
            for name in names:
                for row, field in self.reads.get((type_name, name), ()):
                    reads.setdefault(row, set()).add(field)
        return Selection(
            fields={type_name: frozenset(names) for type_name, names in selected.items()},
            reads={row: frozenset(names) for row, names in reads.items()},
            begins=frozenset(begun for definition in definitions if (begun := begun_by(definition)) is not None),
            extras=frozenset(extra for definition in definitions if (extra := extra_of(definition)) is not None),
        )

    def _definitions(self, type_name: str, names: set[str]) -> Iterator[StrawberryField]:
        fields = getattr(self.core.type_map[type_name], "fields", {})
        for name in names & fields.keys():
            if (definition := fields[name].extensions.get("strawberry-definition")) is not None:
                yield definition

    def process_errors(self, errors: Any, execution_context: Any = None) -> None:
        """Log nothing: errors are logged where they are masked, once, with an id."""


class Prepared(SchemaExtension):
    """Takes the document that the context brings, parsed and validated, in the place of the text."""

    def on_parse(self) -> Iterator[None]:
        """Save parsing and validating it again."""
        operation = self.execution_context
        if isinstance(operation.context, Context) and operation.context.document is not None:
            operation.graphql_document = operation.context.document.node
            operation.pre_execution_errors = []
        yield


def _declared_reads(schema: GraphQLSchema) -> Reads:
    """Return what each field of each type reads.

    Raises:
        TypeError: for a field that is neither stored nor says what it reads.
    """
    return {
        (name, field_name): frozenset(_reads_of(name, field.extensions["strawberry-definition"]))
        for name, kind in schema.type_map.items()
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
        for field_name, field in kind.fields.items()
    }


def _reads_of(type_name: str, field: StrawberryField) -> Iterator[tuple[type[Row], str]]:
    declared = reads_of(field)
    if declared is not None:
        yield from declared
        return
    rows = [record for record in RECORDS.get(type_name, ()) if issubclass(record, Row)]
    stored_in = [row for row in rows if field.python_name in field_names(row)]
    if not stored_in:
        raise TypeError(f"{type_name}.{field.python_name} is not stored, and does not say what it reads")
    yield from ((row, field.python_name) for row in stored_in)
