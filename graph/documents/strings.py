"""Replace strings by variables, so that texts which differ in nothing else share a document.

Front ends send ids and instants as variables; gateways and people write them into the text. Numbers stay: they are the
sizes of pages, which decide the price, and few.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphql import (
    SKIP,
    DirectiveNode,
    DocumentNode,
    GraphQLInputType,
    NameNode,
    OperationDefinitionNode,
    StringValueNode,
    ValidationContext,
    ValidationRule,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    VisitorAction,
    parse_type,
    visit,
)

# Where none of the first stands, each match of the second is exactly one comment or one string of GraphQL.
_UNUSUAL = re.compile(r'"""|[\\\ud800-\udfff]')
_COMMENT_OR_STRING = re.compile(r'#[^\n\r]*|"([^"\n\r]*)"')

StringPlace = tuple[StringValueNode, GraphQLInputType]


def number_strings(source: str) -> tuple[str, tuple[str, ...]]:
    """Replace each string by a number, equal strings by the same; return the text and the strings.

    So two texts have the same numbered text if, and only if, they differ in nothing but their strings, and where two
    strings are equal in one, they are in the other: whether fields of the same name can be merged depends on it.
    Escapes and block strings are left alone, and with them the whole text.
    """
    if '"' not in source or _UNUSUAL.search(source):
        return source, ()
    found: list[str] = []
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        string: str | None = match[1]
        if string is None:
            return match[0]
        found.append(string)
        return f'"{numbers.setdefault(string, len(numbers))}"'

    return _COMMENT_OR_STRING.sub(number, source), tuple(found)


def relocate(position: int, source: str, other: str) -> int:
    """Return where a position of a text is in another text that differs in its strings alone."""
    shift = 0
    for before, after in zip(_spans(source), _spans(other), strict=True):
        if before.start() >= position:
            break
        shift += len(after[0]) - len(before[0])
    return position + shift


def _spans(source: str) -> list[re.Match[str]]:
    return [match for match in _COMMENT_OR_STRING.finditer(source) if match[1] is not None]


class StringPlaces(ValidationRule):
    """Collects the strings that a variable could replace, and their types; reports no error."""

    def __init__(self, found: list[StringPlace], context: ValidationContext) -> None:
        super().__init__(context)
        self._found = found

    def enter_variable_definition(self, *_: Any) -> VisitorAction:
        """Skip the default value of a variable, which must be constant."""
        return SKIP

    def enter_directive(self, _node: DirectiveNode, *_: Any) -> VisitorAction:
        """Skip the arguments of directives, which tools look at."""
        return SKIP

    def enter_string_value(self, node: StringValueNode, *_: Any) -> None:
        """Note a string. Within a scalar nothing has a type."""
        if kind := self.context.get_input_type():
            self._found.append((node, kind))


def with_variables(
    document: DocumentNode, places: Sequence[StringPlace]
) -> tuple[DocumentNode, Mapping[str, GraphQLInputType]]:
    """Return a document with variables for its strings, in the order of the text, and their types by name."""
    in_order = sorted(places, key=lambda place: _start(place[0]))
    names = {_start(node): str(number) for number, (node, _) in enumerate(in_order)}
    types = {names[_start(node)]: kind for node, kind in in_order}
    changed: DocumentNode = visit(document, _Replacement(names, types))
    return changed, types


class _Replacement(Visitor):
    def __init__(self, names: Mapping[int, str], types: Mapping[str, GraphQLInputType]) -> None:
        super().__init__()
        self._names = names
        self._definitions = tuple(
            VariableDefinitionNode(variable=_variable(name), type=parse_type(str(kind))) for name, kind in types.items()
        )

    def enter_string_value(self, node: StringValueNode, *_: Any) -> VariableNode:
        return _variable(self._names[_start(node)], node)

    def leave_operation_definition(self, node: OperationDefinitionNode, *_: Any) -> OperationDefinitionNode:
        return replace(node, variable_definitions=(*(node.variable_definitions or ()), *self._definitions))


def _variable(name: str, place: StringValueNode | None = None) -> VariableNode:
    return VariableNode(name=NameNode(value=name), loc=place.loc if place else None)


def _start(node: StringValueNode) -> int:
    return node.loc.start if node.loc else 0
