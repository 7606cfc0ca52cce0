"""Price an operation by its document and variables, before it runs.

One pass: each fragment is measured once however often it is spread, so the time grows with the document alone. A price
is in the points of :mod:`graph.schema.costs`: each field has its own, and fields below a list count once for each row,
so that pages multiply down the tree. Pages are assumed to be full, and the longest when their size is unknown. Rows
made from histories of engines are at most those in the pages of history that one operation may read. A selection that
``@skip`` or ``@include`` excludes has no price, and counts for every other limit. Documents need not be valid.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from graphql import (
    BooleanValueNode,
    DirectiveNode,
    FieldNode,
    FragmentSpreadNode,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    NameNode,
    NullValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    is_composite_type,
)

from graph.documents import Document
from graph.engines.engine import EVENTS_OF_A_PAGE
from graph.errors import CostLimitExceeded
from graph.http.charges import Charges
from graph.resolvers.paging import LONGEST_PAGE
from graph.schema.costs import HistoryRows, Weight, weights
from graph.settings import Settings

# Selections and fragments within each other: far more than any depth allowed, and far less than the stack holds.
_MOST_NESTED = 200
_DIGITS = 12  # of a page's size; more make no difference
_MOST_PRICES = 50  # of one operation, for as many combinations of sizes
MOST_DIRECTIVES_IN_PLACE = 5  # on one field, fragment or operation
_MISSING = -1
_EXCLUDES = {"skip": True, "include": False}


class Limits:
    """Prices operations of one schema, and rejects those that exceed a limit."""

    def __init__(self, schema: GraphQLSchema, settings: Settings) -> None:
        self._schema = schema
        self._weights = weights(schema)
        self.charges = Charges(schema, self._weights)
        self._settings = settings

    def has_long_texts(self, selected: Mapping[str, Iterable[str]]) -> bool:
        """Return whether a selected field is a text, or JSON, that can fill a whole row."""
        return any(
            self._weights.get((kind, name), _UNKNOWN).is_text for kind, names in selected.items() for name in names
        )

    def price(
        self, document: Document, operation: OperationDefinitionNode, variables: Mapping[str, Any] | None = None
    ) -> int:
        """Return the price of an operation, in points.

        Raises:
            CostLimitExceeded: for what exceeds a limit, with the numbers.
        """
        name, variables = operation.name.value if operation.name else None, variables or {}
        prices = document.once(self._no_prices).setdefault(name, _Prices())
        price = prices.known(variables)
        if price is None:
            measuring = _Pass(self._schema, self._weights, self._settings, document, variables)
            price = measuring.price(operation)
            prices.keep(price, measuring.slicing, measuring.deciding, variables)
        _check("price", price, self._settings.max_price)
        return price

    def _no_prices(self, _document: Document) -> dict[str | None, "_Prices"]:
        return {}


class _Prices:
    """The prices of one operation that are known, by what the variables say that its price depends on."""

    def __init__(self) -> None:
        self._slicing: frozenset[str] = frozenset()
        self._deciding: frozenset[str] = frozenset()
        self._prices: dict[tuple[int | None, ...], int] = {}

    def known(self, variables: Mapping[str, Any]) -> int | None:
        """Return the price with some variables, if it is known."""
        return self._prices.get(self._key(variables))

    def keep(self, price: int, slicing: Set[str], deciding: Set[str], variables: Mapping[str, Any]) -> None:
        """Remember a price, and which variables slice and which decide what is left out: the same ones each time."""
        self._slicing, self._deciding = frozenset(slicing), frozenset(deciding)
        if len(self._prices) == _MOST_PRICES:
            self._prices.clear()
        self._prices[self._key(variables)] = price

    def _key(self, variables: Mapping[str, Any]) -> tuple[int | None, ...]:
        sizes = (_size_of(variables[name]) if name in variables else _MISSING for name in self._slicing)
        truths = (_truth_of(variables[name]) if name in variables else _MISSING for name in self._deciding)
        return (*sizes, *truths)


@dataclass(frozen=True, slots=True)
class _Totals:
    """The totals of a selection set; its price is ``fixed + rows * page size``.

    The page size comes from the field above, and a fragment is measured before it is known where it is spread. Rows
    made from histories have totals of their own, by the same rule.

    Attributes:
        fields: The fields of the set itself.
        selected: Those, and all fields below.
        depth: The most fields one within another.
        fixed: Points that count once.
        rows: Points that count for each row of the page above.
        history_fixed, history_rows: The same points of rows made from histories.
        history_most: The most points that all rows made from histories cost in one operation.
    """

    fields: int = 0
    selected: int = 0
    depth: int = 0
    fixed: int = 0
    rows: int = 0
    history_fixed: int = 0
    history_rows: int = 0
    history_most: int = 0

    @property
    def price(self) -> int:
        """Of a whole operation."""
        return self.fixed + self.rows + min(self.history_fixed + self.history_rows, self.history_most)

    def beside(self, other: "_Totals") -> "_Totals":
        return _Totals(
            self.fields + other.fields,
            self.selected + other.selected,
            max(self.depth, other.depth),
            self.fixed + other.fixed,
            self.rows + other.rows,
            self.history_fixed + other.history_fixed,
            self.history_rows + other.history_rows,
            self.history_most + other.history_most,
        )

    def without_price(self) -> "_Totals":
        return _Totals(self.fields, self.selected, self.depth)

    def price_alone(self) -> "_Totals":
        return replace(self, fields=0, selected=0, depth=0)


_NOTHING = _Totals()
_UNKNOWN = Weight()


@dataclass(slots=True)
class _Pass:
    """One pass over one document. Aliases and directives are counted as they are written.

    ``slicing`` and ``deciding`` collect the variables that the price depends on: sizes of pages, and conditions.
    """

    schema: GraphQLSchema
    weights: Mapping[tuple[str, str], Weight]
    settings: Settings
    document: Document
    variables: Mapping[str, Any]
    aliases: int = 0
    directives: int = 0
    slicing: set[str] = field(default_factory=set)
    deciding: set[str] = field(default_factory=set)
    defaults: dict[str, ValueNode | None] = field(default_factory=dict)
    measured: dict[str, _Totals] = field(default_factory=dict)

    def price(self, operation: OperationDefinitionNode) -> int:
        settings = self.settings
        self.defaults = {one.variable.name.value: one.default_value for one in operation.variable_definitions or ()}
        totals = self._operation(operation)
        self._measure_unused(operation)
        _check("number of root fields", totals.fields, settings.max_root_fields)
        _check("number of fields", totals.selected, settings.max_fields)
        _check("depth", totals.depth, settings.max_depth)
        _check("number of aliases", self.aliases, settings.max_aliases)
        _check("number of directives", self.directives, settings.max_directives)
        return totals.price

    def _measure_unused(self, operation: OperationDefinitionNode) -> None:
        """Measure operations and fragments that do not run, since they are validated nevertheless."""
        for other in self.document.operations:
            if other is not operation:
                self._operation(other)
        for name in self.document.fragments:
            self._fragment(name, 0)

    def _operation(self, operation: OperationDefinitionNode) -> _Totals:
        self._count(operation.directives)
        for variable in operation.variable_definitions or ():
            self._count(variable.directives)
        return self._selections(operation.selection_set, self.schema.get_root_type(operation.operation), 0)

    def _count(self, directives: Sequence[DirectiveNode] | None) -> None:
        directives = directives or ()
        _check("number of directives in one place", len(directives), MOST_DIRECTIVES_IN_PLACE)
        self.directives += len(directives)

    def _selections(self, selections: SelectionSetNode, parent: GraphQLNamedType | None, nested: int) -> _Totals:
        _check("nesting", nested, _MOST_NESTED)
        totals = _NOTHING
        spread, priced = set[str](), set[str]()
        for selection in selections.selections:
            self._count(selection.directives)
            is_excluded = self._is_excluded(selection.directives)
            match selection:
                case FieldNode():
                    added = self._field(selection, parent, nested + 1)
                case InlineFragmentNode():
                    condition = selection.type_condition
                    kind = self.schema.get_type(condition.name.value) if condition else parent
                    added = self._selections(selection.selection_set, kind, nested + 1)
                case FragmentSpreadNode(name=NameNode(value=name)):
                    added = self._fragment(name, nested + 1)
                    if name in spread:  # again, it adds at most the price that it was spared before
                        added = _NOTHING if name in priced else added.price_alone()
                    spread.add(name)
                    if not is_excluded:
                        priced.add(name)
            totals = totals.beside(added.without_price() if is_excluded else added)
        return totals

    def _is_excluded(self, directives: Sequence[DirectiveNode] | None) -> bool:
        """Return whether @skip or @include excludes a selection. A condition that is no boolean never runs."""
        truths = [  # all of them, since each tells of a variable that the price depends on
            self._truth(argument.value) is _EXCLUDES[directive.name.value]
            for directive in directives or ()
            if directive.name.value in _EXCLUDES
            for argument in directive.arguments or ()
        ]
        return any(truths)

    def _truth(self, value: ValueNode | None) -> bool | None:
        match value:
            case BooleanValueNode():
                return value.value
            case VariableNode():
                name = value.name.value
                self.deciding.add(name)
                return (
                    _truth_of(self.variables[name]) if name in self.variables else self._truth(self.defaults.get(name))
                )
        return None

    def _fragment(self, name: str, nested: int) -> _Totals:
        if name not in self.measured:
            self.measured[name] = _NOTHING  # which is what a fragment adds within itself
            if fragment := self.document.fragments.get(name):
                self._count(fragment.directives)
                kind = self.schema.get_type(fragment.type_condition.name.value)
                self.measured[name] = self._selections(fragment.selection_set, kind, nested)
        return self.measured[name]

    def _field(self, node: FieldNode, parent: GraphQLNamedType | None, nested: int) -> _Totals:
        name = node.name.value
        if node.alias is not None and node.alias.value != name:
            self.aliases += 1
        definition = self.schema.get_field(parent, name) if is_composite_type(parent) else None
        weight = self.weights.get((parent.name, name), _UNKNOWN) if parent else _UNKNOWN
        price, history, most, depth, selected = weight.cost, 0, 0, 1, 1
        if node.selection_set is not None:
            kind = get_named_type(definition.type) if definition else None
            below = self._selections(node.selection_set, kind, nested)
            size = self._size(node, weight)
            depth += below.depth
            selected += below.selected
            most = below.history_most
            if weight.is_page:
                price += below.fixed
                history = below.history_fixed + size * below.history_rows
                if weight.history_rows is None:
                    price += size * below.rows
                else:
                    history += size * below.rows
                    most += self._most_rows(weight.history_rows, size) * below.rows
            elif weight.sliced_by:  # by a list of keys, each of which is looked up
                price = max(size, 1) * (price + below.fixed + below.rows)
                history = max(size, 1) * (below.history_fixed + below.history_rows)
            else:
                price += size * (below.fixed + below.rows)
                history = size * (below.history_fixed + below.history_rows)
        if weight.is_row:
            return _Totals(1, selected, depth, rows=price, history_rows=history, history_most=most)
        return _Totals(1, selected, depth, fixed=price, history_fixed=history, history_most=most)

    def _most_rows(self, rows: HistoryRows, size: int) -> int:
        """Return how many rows pages of a size have in one operation, however often they are selected."""
        pages = self.settings.history_pages_per_operation
        return pages * (size if rows is HistoryRows.RUN else EVENTS_OF_A_PAGE // 2)

    def _size(self, node: FieldNode, weight: Weight) -> int:
        """Return how many rows a field may give, by its slicing arguments."""
        sizes = [
            size
            for argument in node.arguments or ()
            if argument.name.value in weight.sliced_by and (size := self._argument_size(argument.value)) is not None
        ]
        return max(sizes, default=weight.size)

    def _argument_size(self, value: ValueNode | None) -> int | None:
        """Return the size in an argument; None for null or none, the longest page for what cannot be a size."""
        match value:
            case VariableNode():
                name = value.name.value
                self.slicing.add(name)
                return (
                    _size_of(self.variables[name])
                    if name in self.variables
                    else self._argument_size(self.defaults.get(name))
                )
            case None | NullValueNode():
                return None
            case IntValueNode():
                return _size_of(int(value.value[:_DIGITS]))
            case ListValueNode():
                return _size_of(value.values)
        return LONGEST_PAGE


def _check(what: str, requested: int, maximum: int) -> None:
    if requested > maximum:
        raise CostLimitExceeded(what, requested, maximum)


def _truth_of(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _size_of(value: Any) -> int | None:
    match value:
        case None:
            return None
        case list() | tuple():
            return len(value)
        case int():
            return max(value, 0)
    return LONGEST_PAGE
