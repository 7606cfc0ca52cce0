"""What an operation cost by its answer: the same points as its price, for the rows that there are.

A price assumes full pages, so that what is short pays for what is long. What is not in the answer is given back to the
viewer's rate. Only the answer counts, and nothing that was read for it: what is hidden costs what does not exist.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    NameNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
    is_composite_type,
)

from graph.documents import Document
from graph.schema.costs import Weight

_UNKNOWN = Weight()


@dataclass(slots=True)
class _Level:
    """What is selected of an object.

    Attributes:
        fixed: The points of what every such object has, whatever the answer.
        entries: What may be missing or repeat, by its key in the answer.
    """

    fixed: int = 0
    entries: list["_Entry"] = field(default_factory=list)

    def points(self, found: Mapping[str, Any]) -> int:
        """Return the points of an object of the answer."""
        points = self.fixed
        for entry in self.entries:
            if entry.key in found:
                points += entry.points(found[entry.key])
        return points


@dataclass(frozen=True, slots=True)
class _Entry:
    """A field that may be left out, or below which something repeats."""

    key: str
    cost: int
    each_costs: bool
    below: _Level | None

    def points(self, found: Any) -> int:
        """Return the points of what the answer has of the field."""
        if self.below is None or found is None:
            return self.cost
        if not isinstance(found, list):
            return self.cost + self.below.points(found)
        rows = [row for row in found if row is not None]
        below = sum(map(self.below.points, rows)) if self.below.entries else len(rows) * self.below.fixed
        return (self.cost * len(found) if self.each_costs else self.cost) + below


class Charges:
    """Tells what operations cost by their answers, by the weights that prices are told by."""

    def __init__(self, schema: GraphQLSchema, weights: Mapping[tuple[str, str], Weight]) -> None:
        self._schema, self._weights = schema, weights

    def charge(self, document: Document, operation: OperationDefinitionNode, data: Mapping[str, Any], most: int) -> int:
        """Return the points of an operation that gave some data: at most its price."""
        levels = document.once(self._no_levels)
        name = operation.name.value if operation.name else None
        level = levels.get(name)
        if level is None:
            root = self._schema.get_root_type(operation.operation)
            level = levels[name] = self._level(document, operation.selection_set, root, is_certain=True)
        return min(most, level.points(data)) if level.entries else most

    def _no_levels(self, _document: Document) -> dict[str | None, _Level]:
        return {}

    def _level(
        self, document: Document, selections: SelectionSetNode, parent: GraphQLNamedType | None, *, is_certain: bool
    ) -> _Level:
        level = _Level()
        self._add(level, document, selections, parent, is_certain=is_certain)
        return level

    def _add(
        self,
        level: _Level,
        document: Document,
        selections: SelectionSetNode,
        parent: GraphQLNamedType | None,
        *,
        is_certain: bool,
    ) -> None:
        """Add what is selected; it ``is_certain`` where no directive can leave it out."""
        spread = set[str]()
        for selection in selections.selections:
            stays = is_certain and not selection.directives
            match selection:
                case FieldNode():
                    self._add_field(level, document, selection, parent, is_certain=stays)
                case InlineFragmentNode(type_condition=condition):
                    kind = self._schema.get_type(condition.name.value) if condition else parent
                    self._add(level, document, selection.selection_set, kind, is_certain=stays)
                case FragmentSpreadNode(name=NameNode(value=name)) if name not in spread:  # again, it costs no more
                    spread.add(name)
                    fragment = document.fragments[name]
                    kind = self._schema.get_type(fragment.type_condition.name.value)
                    self._add(level, document, fragment.selection_set, kind, is_certain=stays)

    def _add_field(
        self, level: _Level, document: Document, node: FieldNode, parent: GraphQLNamedType | None, *, is_certain: bool
    ) -> None:
        name = node.name.value
        definition = self._schema.get_field(parent, name) if is_composite_type(parent) else None
        weight = self._weights.get((parent.name, name), _UNKNOWN) if parent else _UNKNOWN
        below = None
        if node.selection_set is not None and definition is not None:
            kind = get_named_type(definition.type)
            below = self._level(document, node.selection_set, kind, is_certain=True)
        each_costs = weight.is_row or bool(weight.sliced_by and not weight.is_page)
        if is_certain and not (below and (below.entries or each_costs or weight.size > 1)):
            level.fixed += weight.cost + (below.fixed if below else 0)
        else:
            key = node.alias.value if node.alias else name
            level.entries.append(_Entry(key, weight.cost, each_costs, below))
