"""What an operation selects. One pass over its document; a fragment is walked once however often it is spread."""

from collections.abc import Iterable, Iterator, Mapping

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
)

from graph.execution import FieldRequest

SelectedFields = dict[str, set[str]]


def selected_fields(schema: GraphQLSchema, document: DocumentNode) -> SelectedFields:
    """Return the selected fields of each type, anywhere in a document, whatever @skip and @include say."""
    found: SelectedFields = {}
    pending: list[tuple[SelectionSetNode, GraphQLNamedType | None]] = []
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            pending.append((definition.selection_set, schema.get_root_type(definition.operation)))
        elif isinstance(definition, FragmentDefinitionNode):
            pending.append((definition.selection_set, schema.get_type(definition.type_condition.name.value)))
    while pending:
        selections, parent = pending.pop()
        for selection in selections.selections:
            if isinstance(selection, InlineFragmentNode):
                condition = selection.type_condition
                pending.append(
                    (selection.selection_set, schema.get_type(condition.name.value) if condition else parent)
                )
            elif isinstance(selection, FieldNode) and isinstance(parent, GraphQLObjectType | GraphQLInterfaceType):
                found.setdefault(parent.name, set()).add(selection.name.value)
                field = parent.fields.get(selection.name.value)
                if field is not None and selection.selection_set is not None:
                    pending.append((selection.selection_set, get_named_type(field.type)))
    return found


def selects_beyond(asked: FieldRequest, names: frozenset[str]) -> bool:
    """Return whether any field but some is selected directly below the field that is being resolved."""
    sets = (node.selection_set for node in asked.field_nodes if node.selection_set is not None)
    return any(name not in names for name in _names(sets, asked.fragments))


def _names(sets: Iterable[SelectionSetNode], fragments: Mapping[str, FragmentDefinitionNode]) -> Iterator[str]:
    pending, spread = list(sets), set[str]()
    while pending:
        for selection in pending.pop().selections:
            match selection:
                case FieldNode():
                    yield selection.name.value
                case InlineFragmentNode():
                    pending.append(selection.selection_set)
                case FragmentSpreadNode() if selection.name.value not in spread:
                    spread.add(selection.name.value)
                    if fragment := fragments.get(selection.name.value):
                        pending.append(fragment.selection_set)
