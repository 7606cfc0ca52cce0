"""Compile shapes to functions that complete values, one function for each shape.

The source consists of text from this module and numbers. Everything from a schema or a document is bound to a name, and
never becomes part of the source.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, cast

from graphql import GraphQLLeafType, GraphQLSchema

from graph.execution import leaves
from graph.execution.leaves import FallbackRequired, PlainTypes
from graph.execution.shapes import (
    AbstractShape,
    Attribute,
    Leaf,
    ListShape,
    ObjectShape,
    Shape,
    TypeName,
    Value,
    is_pure,
)

Place: TypeAlias = tuple[Any, str | int] | None
"""A place in the response data: the place around it, and the key or index there; None for the data itself."""

Complete: TypeAlias = Callable[[Any, Place, Sequence[Any], Any], Any]
"""Completes a value at a place, given the slots of its level and the run, and adds to the run's pending work.

It raises for an unexpected value.
"""

_MOST_LINES = 50_000  # of cached code; with the objects it refers to, a line takes some 400 bytes
_LISTS = frozenset({list, tuple})


class ShapeCompiler:
    """Compiles shapes of one schema, and caches the least recently used, up to some lines.

    Attributes:
        lines: How many lines are cached.
    """

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._plain = PlainTypes()
        self._kept: OrderedDict[Value, tuple[Complete, int]] = OrderedDict()
        self.lines = 0

    def complete(self, value: Value) -> Complete:
        """Return the function that completes values of a shape."""
        if value in self._kept:
            self._kept.move_to_end(value)
            return self._kept[value][0]
        complete, lines = self._kept[value] = self._made(value)
        self.lines += lines
        while self.lines > _MOST_LINES:
            _, (_, lines) = self._kept.popitem(last=False)
            self.lines -= lines
        return complete

    def source(self, value: Value) -> str:
        """Return the source for a value, and what its names are bound to, for reading."""
        writer = _Writer(self._schema, self._plain)
        writer.main(value)
        names = (f"# {name} = {bound!r}" for name, bound in writer.names.items() if name[-1].isdigit())
        return "\n".join([*names, *writer.lines])

    def _made(self, value: Value) -> tuple[Complete, int]:
        writer = _Writer(self._schema, self._plain)
        writer.main(value)
        exec(compile("\n".join(writer.lines), "<shape>", "exec"), writer.names)  # noqa: S102 - our own text, see above
        return cast("Complete", writer.names["main"]), len(writer.lines)


class _Writer:
    """Writes the source: one function for each object in a shape, inner ones first."""

    def __init__(self, schema: GraphQLSchema, plain: PlainTypes) -> None:
        self._schema, self._plain = schema, plain
        self._known: dict[object, str] = {}
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            **leaves.NAMES,
            "plain": plain,
            "admit": plain.admit,
            "lists": _LISTS,
            "complete_items": complete_items,
            "reject": reject,
            "enumerate": enumerate,
            "len": len,
            "Exception": Exception,
        }

    def main(self, value: Value) -> None:
        """Write the function that completes one value."""
        before: list[str] = []
        result = self._value(value, "value", "at", before)
        self._function("main", "value, at, slots, run", [*before, f"return {result}"])

    def _function(self, name: str, parameters: str, body: list[str]) -> None:
        self.lines += [f"def {name}({parameters}):", *(f"    {line}" for line in body)]

    def _name(self, kind: str, bound: Any, key: object) -> str:
        """Return the name that an object is bound to, the same for the same key."""
        name = self._known.get((kind, key))
        if name is None:
            name = self._known[kind, key] = f"{kind}{len(self._known)}"
            self.names[name] = bound
        return name

    def _object(self, shape: Shape) -> str:
        """Return the name of the function that completes an object."""
        name = f"object{len(self._known)}"
        self._known["object", name] = name
        body = list(self._admission(shape))
        parts = []
        for key, member in shape.members:
            match member:
                case TypeName():
                    code = self._name("text", shape.type_name, shape.type_name)
                case Attribute():
                    place = f"(at, {self._name('text', key, key)})"
                    code = self._value(member.value, f"record.{member.name}", place, body)
                case _:
                    code = "None"
            parts.append(f"{self._name('text', key, key)}: {code},")
        if shape.slot is None:
            body += ["return {", *(f"    {part}" for part in parts), "}"]
        else:
            body += ["done = {", *(f"    {part}" for part in parts), "}"]
            body += [f"run.pending.append((slots[{shape.slot}], record, done, at))", "return done"]
        self._function(name, "record" if shape.is_pure else "record, at, slots, run", body)
        return name

    def _admission(self, shape: Shape) -> Iterator[str]:
        if shape.is_root:
            return
        if shape.classes is None:
            yield "if record.__class__ not in plain: admit(record)"
        else:
            classes = self._name("classes", shape.classes, shape.classes)
            yield f"if record.__class__ not in {classes}: reject()"

    def _value(self, value: Value, given: str, place: str, before: list[str]) -> str:
        """Return an expression for a completed value; append the statements that it needs to ``before``."""
        match value:
            case Leaf():
                return self._leaf(value, given)
            case ObjectShape():
                function = self._object(value.shape)
                rest = "" if value.shape.is_pure else f", {place}, slots, run"
                if not value.is_nullable:
                    return f"{function}({given}{rest})"
                return f"None if (value := {given}) is None else {function}(value{rest})"
            case AbstractShape():
                chosen = f"slots[{value.slot}].complete(value, {place}, run)"
                return (
                    f"None if (value := {given}) is None else {chosen}"
                    if value.is_nullable
                    else (f"slots[{value.slot}].complete({given}, {place}, run)")
                )
            case ListShape():
                return self._list(value, given, place, before)

    def _leaf(self, value: Leaf, given: str) -> str:
        leaf = cast("GraphQLLeafType", self._schema.get_type(value.type_name))
        convert = leaves.converter(leaf, self._plain, is_nullable=value.is_nullable)
        converted = self._name("convert", convert, value)
        if enum := leaves.members(leaf):
            kind, names = (
                self._name(name, bound, leaf.name) for name, bound in zip(("enum", "names"), enum, strict=True)
            )
            return f"{names}[value._value_] if (value := {given}).__class__ is {kind} else {converted}(value)"
        test = leaves.test(leaf, "value")
        if test is None:
            return f"{converted}({given})"
        first, _, rest = test.partition("value")
        return f"value if {first}(value := {given}){rest} else {converted}(value)"

    def _list(self, value: ListShape, given: str, place: str, before: list[str]) -> str:
        items = f"items{len(self._known)}"
        self._known["items", items] = items
        before.append(f"{items} = {given}")
        lines = [f"if {items}.__class__ not in lists: reject()", *self._items(value, items, place)]
        if value.is_nullable:
            lines = [f"if {items} is not None:", *(f"    {line}" for line in lines)]
        before += lines
        return items

    def _items(self, value: ListShape, items: str, place: str) -> list[str]:
        """Return the statements that replace the items of a list by completed ones."""
        inner: list[str] = []
        if value.slot is None:
            item = self._value(value.item, "item", place, inner)
            if inner:  # a list of lists
                name = f"list{len(self._known)}"
                self._known["list", name] = name
                self._function(name, "item", [*inner, f"return {item}"])
                item = f"{name}(item)"
            return [f"{items} = [{item} for item in {items}]"]
        function = f"item{len(self._known)}"
        self._known["item", function] = function
        pure = is_pure(value.item)
        item = self._value(value.item, "item", "at", inner)
        self._function(function, "item, at, slots, run", [*inner, f"return {item}"])
        if pure and isinstance(value.item, ObjectShape) and not value.item.is_nullable:
            call = f"[{item} for item in {items}]"
        else:
            call = f"[{function}(item, (around, place), slots, run) for place, item in enumerate({items})]"
        return [
            f"around, mark = {place}, len(run.pending)",
            "try:",
            f"    {items} = {call}",
            "except Exception:",
            "    del run.pending[mark:]",
            f"    {items} = complete_items({function}, {items}, around, slots, run, slots[{value.slot}])",
        ]


def complete_items(
    complete: Complete, items: Sequence[Any], around: Place, slots: Sequence[Any], run: Any, slot: Any
) -> list[Any]:
    """Complete items one by one. An unexpected one is null until graphql-core completes it."""
    done: list[Any] = []
    for index, item in enumerate(items):
        place, mark = (around, index), len(run.pending)
        try:
            done.append(complete(item, place, slots, run))
        except Exception:  # of any kind: graphql-core reports what is wrong
            del run.pending[mark:]
            run.pending.append((slot, item, done, place))
            done.append(None)
    return done


def reject() -> None:
    """Raise for a value of another class.

    Raises:
        FallbackRequired: always.
    """
    raise FallbackRequired
