"""The plans of one document, cached with it."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from graphql import (
    DirectiveNode,
    DocumentNode,
    GraphQLIncludeDirective,
    GraphQLSchema,
    GraphQLSkipDirective,
    OperationDefinitionNode,
    VariableNode,
    Visitor,
    visit,
)

from graph.execution.inputs import Variables
from graph.execution.plan import Plan, Planner
from graph.execution.slots import Level

_MOST_KEPT = 8
_CONDITIONS = {GraphQLSkipDirective.name, GraphQLIncludeDirective.name}


class Plans:
    """The plans of the operations of a document, one for each outcome of their conditions, the latest few.

    They hold no more fields together than the document has characters, so that a small document whose fragments expand
    to many fields takes no more memory than one that is written out.
    """

    def __init__(self, planner: Planner, document: DocumentNode) -> None:
        self.schema = planner.core
        self._planner = planner
        self._longest = len(document.loc.source.body) if document.loc else 0
        self._conditions = _conditions(document)
        self._kept: OrderedDict[object, Plan] = OrderedDict()
        self._operations = _operations(planner.core, document)

    def ready(self, name: str | None, given: Mapping[str, Any]) -> tuple[Plan, Level, Mapping[str, Any]] | None:
        """Return the plan of an operation that ran before, its root, and its variables, if their values are plain."""
        found = self._operations.get(name)
        variables = found[1].plain(given) if found is not None else None
        if found is None or variables is None:
            return None
        plan = self._kept.get(self._key(found[0], variables))
        return (plan, plan.top, variables) if plan is not None and plan.top is not None else None

    def plan(self, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> Plan:
        """Return the plan of an operation, as it is so far."""
        key = self._key(operation, variables)
        if key in self._kept:
            self._kept.move_to_end(key)
        else:
            self._kept[key] = Plan(self._planner)
        return self._kept[key]

    def trim(self) -> None:
        """Forget the least recently used plans while they are too many or too large."""
        while len(self._kept) > _MOST_KEPT or sum(plan.fields for plan in self._kept.values()) > self._longest:
            self._kept.popitem(last=False)

    def _key(self, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> object:
        return id(operation), *[variables.get(name) for name in self._conditions]


class _Conditions(Visitor):
    """Collects the variables that decide in @skip and @include."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, None] = {}

    def enter_directive(self, node: DirectiveNode, *_: Any) -> None:
        if node.name.value in _CONDITIONS:
            for argument in node.arguments or ():
                if isinstance(argument.value, VariableNode):
                    self.names[argument.value.name.value] = None


def _conditions(document: DocumentNode) -> tuple[str, ...]:
    if document.loc is not None and "@" not in document.loc.source.body:
        return ()
    conditions = _Conditions()
    visit(document, conditions)
    return tuple(conditions.names)


def _operations(
    schema: GraphQLSchema, document: DocumentNode
) -> Mapping[str | None, tuple[OperationDefinitionNode, Variables]]:
    """Return the operations by name, and their variables; the only one is also that without a name."""
    operations: dict[str | None, tuple[OperationDefinitionNode, Variables]] = {
        node.name.value if node.name else None: (node, Variables(schema, node))
        for node in document.definitions
        if isinstance(node, OperationDefinitionNode)
    }
    return operations if len(operations) > 1 else operations | dict.fromkeys([None], *operations.values())
