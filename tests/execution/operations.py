"""Random operations: valid ones, with fragments, aliases, fields that are merged, conditions and arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import GraphQLSchema, get_named_type, is_abstract_type, is_composite_type, is_object_type
from hypothesis import strategies as st

Given = Callable[[str, str], Sequence[str]]
"""The ways to give arguments to a field of a type."""

VARIABLES = {
    "yes": "Boolean = true",
    "no": "Boolean!",
    "number": "Int! = 5",
    "text": "String",
    "given": 'String! = "g"',
    "color": "Color = GREEN",
    "wish": "Wish",
}
_MOST_SELECTIONS = 60
_CONDITIONS = ["@include(if: true)", "@skip(if: true)", "@include(if: $yes)", "@skip(if: $yes)", "@include(if: $no)"]
_CONDITIONS += ["@skip(if: $no) @include(if: $yes)"]


@st.composite
def operations(draw: st.DrawFn, schema: GraphQLSchema, arguments: Given, depth: int = 4) -> str:
    """A valid query. Whatever has one key is one field with the same arguments, so that all of it can be merged."""
    writer = _Writer(draw, schema, arguments)
    body = writer.selections(schema.type_map["Query"], depth, is_mixed=False)
    text = " ".join([body, *writer.fragments])
    defined = ", ".join(f"${name}: {kind}" for name, kind in VARIABLES.items() if f"${name}" in text)
    return f"query ({defined}) {text}" if defined else f"query {text}"


class _Writer:
    def __init__(self, draw: st.DrawFn, schema: GraphQLSchema, arguments: Given) -> None:
        self.fragments: list[str] = []
        self._draw, self._schema, self._arguments = draw, schema, arguments
        self._left = _MOST_SELECTIONS

    def selections(self, kind: Any, depth: int, *, is_mixed: bool) -> str:
        """Some selections of a type; they are mixed where fields of different types come together."""
        count = self._draw(st.integers(1, 5))
        self._left -= count
        depth = depth if self._left > 0 else 0
        return "{ " + " ".join(self._selection(kind, depth, is_mixed=is_mixed) for _ in range(count)) + " }"

    def _selection(self, kind: Any, depth: int, *, is_mixed: bool) -> str:
        condition = self._draw(st.sampled_from(["", "", "", "", "", *_CONDITIONS]))
        how = self._draw(st.integers(0, 11))
        if how < 2 and depth > 0:
            return self._fragment(kind, condition, depth - 1, is_named=how == 0)
        if how == 2:
            return f"__typename {condition}"
        name = self._draw(st.sampled_from(self._names(kind, depth)))
        given = self._arguments(kind.name, name) or [""]
        number = self._draw(st.integers(0, len(given) - 1))
        alias = f"{kind.name}_{name}_{number}: "
        if number == 0 and is_object_type(kind) and not is_mixed and self._draw(st.booleans()):
            alias = ""
        inner = get_named_type(kind.fields[name].type)
        below = ""
        if is_composite_type(inner):
            below = self.selections(inner, depth - 1, is_mixed=is_abstract_type(inner))
        return f"{alias}{name}{given[number]} {condition} {below}"

    def _names(self, kind: Any, depth: int) -> list[str]:
        """The fields that may be selected: near the end, those that lead nowhere, where there are any."""
        names = list(kind.fields)
        leaves = [name for name in names if not is_composite_type(get_named_type(kind.fields[name].type))]
        return names if depth > 0 or not leaves else leaves

    def _fragment(self, kind: Any, condition: str, depth: int, *, is_named: bool) -> str:
        others = self._schema.get_possible_types(kind) if is_abstract_type(kind) else kind.interfaces
        on = self._draw(st.sampled_from([kind, *others]))
        body = self.selections(on, depth, is_mixed=is_abstract_type(kind) or is_abstract_type(on))
        if not is_named:
            return f"... on {on.name} {condition} {body}"
        self.fragments.append(f"fragment F{len(self.fragments)} on {on.name} {body}")
        return f"...F{len(self.fragments) - 1} {condition}"


def variables(**of_kinds: Sequence[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Values of the variables that are given; any but the one that must be may be left out."""
    optional: Mapping[str, Any] = {name: st.sampled_from(values) for name, values in of_kinds.items()}
    return st.fixed_dictionaries({"no": st.booleans()}, optional={"yes": st.booleans(), **optional})
