"""Inputs: the variables of requests, and the arguments of fields.

A plain scalar of the right class is taken as it is. graphql-core and strawberry coerce the rest, and report errors.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from types import NoneType
from typing import Any, TypeAlias, cast

from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    FieldNode,
    GraphQLField,
    GraphQLInputType,
    GraphQLSchema,
    OperationDefinitionNode,
    Undefined,
    VariableNode,
    get_argument_values,
    is_non_null_type,
    is_scalar_type,
    is_specified_scalar_type,
    type_from_ast,
    value_from_ast,
)
from strawberry import ID

from graph.execution.graphql_internals import Executor
from graph.execution.strawberry_internals import GraphQLCoreConverter, StrawberryArgument, StrawberryOptional

Convert: TypeAlias = Callable[[GraphQLField, Mapping[str, Any]], dict[str, Any]]
"""Converts coerced arguments to those that a resolver takes."""

_PLAIN = {"String": str, "ID": str, "Int": int, "Boolean": bool}
_UNCONVERTED = (str, ID, int, bool)
_UNCHANGING = (str, int, float, NoneType, Enum)


class Variables:
    """The variables that an operation declares."""

    def __init__(self, schema: GraphQLSchema, operation: OperationDefinitionNode) -> None:
        self._declared: list[tuple[str, frozenset[type], Any]] = []
        for node in operation.variable_definitions or ():
            kind = cast("GraphQLInputType", type_from_ast(schema, node.type))
            default = Undefined if node.default_value is None else value_from_ast(node.default_value, kind)
            self._declared.append((node.variable.name.value, _classes(kind), default))

    def plain(self, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the values of the variables; None if one is not plain."""
        values: dict[str, Any] = {}
        for name, classes, default in self._declared:
            value = given.get(name, default)
            if value is Undefined and NoneType in classes:
                continue
            if value.__class__ not in classes:
                return None
            if value.__class__ is int and not GRAPHQL_MIN_INT <= value <= GRAPHQL_MAX_INT:
                return None
            values[name] = value
        return values


class Arguments:
    """The arguments of one selected field.

    Attributes:
        are_constant: Whether they are the same in each request, which is known after the first.
    """

    def __init__(self, definition: GraphQLField, node: FieldNode, convert: Convert) -> None:
        self._definition, self._node, self._convert = definition, node, convert
        self._constant: dict[str, Any] | None = None
        self._variable: list[tuple[str, str, frozenset[type]]] = []
        for argument in node.arguments or ():
            if isinstance(argument.value, VariableNode):
                asked = definition.args[argument.name.value]
                declared: StrawberryArgument = asked.extensions[GraphQLCoreConverter.DEFINITION_BACKREF]
                classes = _classes(asked.type) if _is_unconverted(declared) else frozenset()
                self._variable.append((declared.python_name, argument.value.name.value, classes))
        self.are_constant = False

    def given(self, variables: Mapping[str, Any], executor: Callable[[], Executor[Any]]) -> dict[str, Any]:
        """Return the arguments by the values of variables, as the field's resolver takes them."""
        if self._constant is not None:
            arguments = dict(self._constant)
            for name, variable, classes in self._variable:
                value = variables.get(variable, Undefined)
                if value.__class__ not in classes:
                    break
                arguments[name] = value
            else:
                return arguments
        arguments = self._coerced(executor())
        varying = {name for name, _, _ in self._variable}
        constant = {name: value for name, value in arguments.items() if name not in varying}
        if all(isinstance(value, _UNCHANGING) for value in constant.values()):
            self._constant, self.are_constant = constant, not varying
        return arguments

    def _coerced(self, executor: Executor[Any]) -> dict[str, Any]:
        asked, node = self._definition, self._node
        if not asked.args and not node.arguments:
            return {}
        values = executor.variable_values
        return self._convert(asked, get_argument_values(asked, node, values, None, executor.hide_suggestions))


def _classes(kind: GraphQLInputType) -> frozenset[type]:
    """Return the classes of the values that need no coercion to a type; none unless it is a plain scalar."""
    inner: Any = kind.of_type if is_non_null_type(kind) else kind
    plain = _PLAIN.get(inner.name) if is_scalar_type(inner) and is_specified_scalar_type(inner) else None
    if plain is None:
        return frozenset()
    return frozenset({plain} if is_non_null_type(kind) else {plain, NoneType})


def _is_unconverted(declared: StrawberryArgument) -> bool:
    """Return whether strawberry gives a resolver the coerced value as it is."""
    kind: Any = declared.type
    return (kind.of_type if type(kind) is StrawberryOptional else kind) in _UNCONVERTED
