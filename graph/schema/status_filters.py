"""Whether an operation has lists that are filtered by status, told before it runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    GraphQLSchema,
    TypeInfo,
    TypeInfoVisitor,
    ValueNode,
    Visitor,
    get_named_type,
    get_operation_ast,
    value_from_ast_untyped,
    visit,
)


def filters_of_executions(schema: GraphQLSchema, document: DocumentNode) -> Sequence[ValueNode]:
    """Return the filters of executions that a document gives, whatever @skip and @include will say."""
    types = TypeInfo(schema)
    found: list[ValueNode] = []

    class Filters(Visitor):
        def enter_argument(self, node: ArgumentNode, *_: object) -> None:
            argument = types.get_argument()
            if argument is not None and get_named_type(argument.type).name == "ExecutionFilter":
                found.append(node.value)

    visit(document, TypeInfoVisitor(types, Filters()))
    return found


def chooses_by_status(
    filters: Iterable[ValueNode],
    document: DocumentNode,
    operation_name: str | None,
    variables: Mapping[str, Any] | None,
) -> bool:
    """Return whether a filter has a condition on the status, with the variables of an operation."""
    operation = get_operation_ast(document, operation_name)
    values = {
        one.variable.name.value: value_from_ast_untyped(one.default_value)
        for one in (operation.variable_definitions if operation is not None else None) or ()
        if one.default_value is not None
    } | dict(variables or {})
    wanted = (value_from_ast_untyped(value, values) for value in filters)
    return any(isinstance(one, Mapping) and one.get("status") is not None for one in wanted)
