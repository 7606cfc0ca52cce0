"""Plans: the fields that an operation selects, level by level, as far as its runs have reached.

A plan is built from the fields that graphql-core collects for each type, so that fragments, aliases, merged fields and
conditions behave as they do there. It holds no value of a request but those of the variables in @skip and @include.
"""

from collections.abc import Mapping
from typing import Any, cast

import strawberry
from graphql import (
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from strawberry.types.field import StrawberryField

from graph.execution.code import ShapeCompiler
from graph.execution.declared import ANSWERED, InstanceOf
from graph.execution.graphql_internals import CollectedFields, Executor, FieldDetails
from graph.execution.inputs import Arguments
from graph.execution.shapes import (
    AbstractShape,
    Attribute,
    Leaf,
    ListShape,
    Member,
    ObjectShape,
    Shape,
    TypeName,
    UnresolvedField,
    Value,
)
from graph.execution.slots import AbstractSlot, FieldResolver, Level, ObjectFields, PlannedField, Slot, Steps
from graph.execution.strawberry_internals import (
    GraphQLCoreConverter,
    core_schema,
    has_default_resolver,
    python_arguments,
)

_MOST_FIELDS = 2_000  # of one plan; compiling them takes some 40 ms in one turn of the event loop


class Unplannable(Exception):
    """The selection is larger than a plan may be, or uses a feature that plans lack."""


class Planner:
    """Makes plans for one schema."""

    def __init__(self, schema: strawberry.Schema) -> None:
        self.core = core_schema(schema)
        self.compiler = ShapeCompiler(self.core)
        self._schema = schema

    def converted(self, definition: GraphQLField, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as a field's resolver takes them."""
        if not given:
            return {}
        return python_arguments(self._schema, declaration(definition), given)


class Plan:
    """The plan of one operation under one outcome of its conditions. It grows when values are of types not seen yet."""

    def __init__(self, planner: Planner) -> None:
        self.fields = 0
        self.converted = planner.converted
        self._compiler, self._core = planner.compiler, planner.core
        self.top: Level | None = None
        """The level of the root, once it was built."""

    def root(self, executor: Executor[Any], kind: GraphQLObjectType, collected: CollectedFields) -> Level:
        """Return the level of the root.

        Raises:
            Unplannable: for a feature that plans lack, or a plan that is too large.
        """
        if self.top is None:
            builder = _LevelBuilder(self, executor, self._core)
            self.top = self._level(
                ObjectShape(builder.shape(kind, collected, (), is_root=True), is_nullable=False), builder
            )
        return self.top

    def level(self, executor: Executor[Any], slot: Slot, kind: GraphQLOutputType) -> Level:
        """Return the level of the values of a type at a slot.

        Raises:
            Unplannable: for a feature that plans lack, or a plan that is too large.
        """
        builder = _LevelBuilder(self, executor, self._core)
        return self._level(builder.value(slot, kind, slot.steps), builder)

    def _level(self, value: Value, builder: "_LevelBuilder") -> Level:
        return Level(self._compiler.complete(value), tuple(builder.slots))


class _LevelBuilder:
    """Builds the shape of one level, and its slots."""

    def __init__(self, plan: Plan, executor: Executor[Any], core: GraphQLSchema) -> None:
        self.slots: list[Any] = []
        self._plan, self._executor, self._core = plan, executor, core

    def shape(
        self, kind: GraphQLObjectType, collected: CollectedFields, steps: Steps, *, is_root: bool = False
    ) -> Shape:
        """Return the shape of an object."""
        if collected.new_defer_usages:
            raise Unplannable
        self._plan.fields += len(collected.grouped_field_set)
        if self._plan.fields > _MOST_FIELDS:
            raise Unplannable
        resolvers: list[FieldResolver] = []
        members = [
            (key, member)
            for key, details in collected.grouped_field_set.items()
            if (member := self._member(kind, key, details, steps, resolvers)) is not None
        ]
        slot = self._slot(ObjectFields(resolvers)) if resolvers else None
        return Shape(kind.name, _classes(kind), tuple(members), slot, is_root)

    def value(self, at: Slot, kind: GraphQLOutputType, steps: Steps) -> Value:
        """Return the shape of the values of a type at a slot."""
        is_nullable = not is_non_null_type(kind)
        inner = kind.of_type if is_non_null_type(kind) else kind
        if is_list_type(inner):
            item, item_steps = inner.of_type, (*steps, (None, not is_non_null_type(inner.of_type)))
            slot = None
            if not is_leaf_type(get_named_type(item)):
                slot = self._slot(Slot(at.parent, at.definition, at.details, item, item_steps))
            return ListShape(self.value(at, item, item_steps), is_nullable, slot)
        if is_leaf_type(inner):
            return Leaf(inner.name, is_nullable)
        if is_object_type(inner):
            collected = self._executor.collect_subfields(inner, at.details)
            return ObjectShape(self.shape(inner, collected, steps), is_nullable)
        return AbstractShape(self._slot(AbstractSlot(at.parent, at.definition, at.details, inner, steps)), is_nullable)

    def _member(
        self,
        kind: GraphQLObjectType,
        key: str,
        details: list[FieldDetails],
        steps: Steps,
        resolvers: list[FieldResolver],
    ) -> Member | None:
        first = details[0]
        if first.fragment_variable_values is not None:
            raise Unplannable
        name = first.node.name.value
        definition = self._core.get_field(kind, name)
        if definition is None:
            return None
        if name == "__typename":
            return TypeName()
        slot = Slot(
            kind, definition, details, definition.type, (*steps, (kind.name, not is_non_null_type(definition.type)))
        )
        attribute = _attribute(definition)
        if attribute is not None:
            return Attribute(attribute, self.value(slot, slot.type, slot.steps))
        declared = declaration(definition)
        answered = declared.metadata.get(ANSWERED) if declared is not None else None
        about = (kind, definition, details, slot.type, slot.steps, key)
        if answered is None:
            resolvers.append(FieldResolver(*about))
        else:
            resolvers.append(PlannedField(*about, answered, Arguments(definition, first.node, self._plan.converted)))
        return UnresolvedField()

    def _slot(self, slot: object) -> int:
        self.slots.append(slot)
        return len(self.slots) - 1


def declaration(definition: GraphQLField) -> StrawberryField | None:
    """Return the strawberry field of a field; None for fields of introspection."""
    return cast("StrawberryField | None", definition.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF))


def _attribute(definition: GraphQLField) -> str | None:
    """Return the attribute that a field reads; None for one with a resolver."""
    declared = declaration(definition)
    if declared is None or not has_default_resolver(definition):
        return None
    is_read = declared.is_basic_field and declared.default_resolver is getattr
    return declared.python_name if is_read and not declared.python_name.startswith("__") else None


def _classes(kind: GraphQLObjectType) -> frozenset[type] | None:
    """Return the record classes of a type; None for a type without ``is_type_of``.

    Raises:
        Unplannable: when ``is_type_of`` checks more than the class.
    """
    if kind.is_type_of is None:
        return None
    if isinstance(kind.is_type_of, InstanceOf):
        return kind.is_type_of.classes
    raise Unplannable
