"""Slots: the places of a plan where values arrive, each with what graphql-core needs to complete them.

A slot belongs to a plan and serves all requests that run by it; the state of one request is in its run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLAbstractType,
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    is_non_null_type,
)

from graph.execution.code import Complete, Place
from graph.execution.declared import Answered, Bound
from graph.execution.graphql_internals import Executor, FieldDetails, Path
from graph.execution.inputs import Arguments

Steps: TypeAlias = tuple[tuple[str | None, bool], ...]
"""The steps to a slot: for each, the type whose field it is (None for a list item), and whether it is nullable."""


class Level(NamedTuple):
    """How the values of one place are completed, and the slots within it."""

    complete: Complete
    slots: Sequence[Any]


class PlannedRequest(NamedTuple):
    """The selection of a field, as a plan gives it to the field's declaration."""

    field_name: str
    field_nodes: Sequence[FieldNode]
    parent_type: GraphQLObjectType
    fragments: Mapping[str, FragmentDefinitionNode]


class GrowingPlan(Protocol):
    """A plan, as slots see it."""

    def level(self, executor: Executor[Any], slot: Slot, kind: GraphQLOutputType) -> Level:
        """Return the level of the values of a type that come to a slot."""


class SlotRun(Protocol):
    """A run, as slots see it."""

    pending: list[tuple[Any, Any, Any, Place]]
    bound_fields: dict[PlannedField, Bound]

    @property
    def plan(self) -> GrowingPlan:
        """The plan."""

    @property
    def executor(self) -> Executor[Any]:
        """graphql-core's executor."""

    @property
    def context(self) -> Any:
        """The context of the operation."""

    @property
    def variables(self) -> Mapping[str, Any]:
        """The values of the operation's variables."""

    def wait(
        self,
        slot: Slot,
        then: Callable[[Any, Any, Any, Place], None],
        answer: Awaitable[Any],
        holder: Any,
        place: Place,
    ) -> None:
        """Await an answer, then call ``then`` with it."""

    def fail(self, slot: Slot, error: Exception, place: Place) -> None:
        """Report an error, with null in its place."""


@dataclass(slots=True, eq=False)
class Slot:
    """A place for values of one type, which graphql-core completes."""

    parent: GraphQLObjectType
    definition: GraphQLField
    details: list[FieldDetails]
    type: GraphQLOutputType
    steps: Steps

    @property
    def nodes(self) -> list[FieldNode]:
        """The nodes that select the field."""
        return [details.node for details in self.details]

    def path(self, place: Place) -> Path:
        """Return the path of a place, as graphql-core has paths."""
        keys: list[str | int] = []
        while place is not None:
            place, key = place
            keys.append(key)
        path: Path | None = None
        for key, (type_name, _) in zip(reversed(keys), self.steps, strict=True):
            path = Path(path, key, type_name)
        return cast("Path", path)

    def begin(self, run: SlotRun, value: Any, holder: Any, place: Place) -> None:
        """Let graphql-core complete a value."""
        path = self.path(place)
        info = run.executor.build_resolve_info(self.definition, self.nodes, self.parent, path)
        try:
            completed = run.executor.complete_value(self.type, self.details, info, path, value, None)
        except Exception as error:
            run.fail(self, error, place)
            return
        self.settle(run, completed, holder, place)

    def settle(self, run: SlotRun, completed: Any, holder: Any, place: Place) -> None:
        """Put what graphql-core completed into its place, now or when it is done."""
        if run.executor.is_awaitable(completed):
            run.wait(self, self.put, completed, holder, place)
        else:
            self.put(run, completed, holder, place)

    def put(self, _run: SlotRun, completed: Any, holder: Any, place: Place) -> None:
        """Put a completed value into its place."""
        holder[place[1]] = completed  # type: ignore[index]  # only the answer itself has no place


@dataclass(slots=True, eq=False)
class AbstractSlot(Slot):
    """A place for objects of an abstract type."""

    levels: dict[GraphQLObjectType, Level] = field(default_factory=dict)

    def complete(self, value: Any, place: Place, run: SlotRun) -> Any:
        """Complete an object by its own type."""
        executor, abstract = run.executor, cast("GraphQLAbstractType", self.type)
        info = executor.build_resolve_info(self.definition, self.nodes, self.parent, self.path(place))
        name = (abstract.resolve_type or executor.type_resolver)(value, info, abstract)
        kind = executor.ensure_valid_runtime_type(name, abstract, self.details, info, value)
        level = self.levels.get(kind)
        if level is None:
            level = self.levels[kind] = run.plan.level(run.executor, self, kind)
        return level.complete(value, place, level.slots, run)


@dataclass(slots=True, eq=False)
class FieldResolver(Slot):
    """A field resolved by graphql-core."""

    key: str

    def resolve(self, run: SlotRun, record: Any, holder: Any, around: Place) -> None:
        """Resolve the field for a record."""
        place = (around, self.key)
        try:
            completed = run.executor.execute_field(self.parent, record, self.details, self.path(place), None)
        except Exception as error:
            run.fail(self, error, place)
            return
        self.settle(run, completed, holder, place)


@dataclass(slots=True, eq=False)
class PlannedField(FieldResolver):
    """A field resolved by a declared function."""

    answered: Answered
    arguments: Arguments
    bind: Callable[[Mapping[str, Any]], Bound] | None = None
    """Binds arguments to the resolver."""
    bound: Bound | None = None
    """The bound resolver, when the arguments are constant."""
    level: Level | None = None

    def resolve(self, run: SlotRun, record: Any, holder: Any, around: Place) -> None:
        """Resolve the field for a record."""
        place = (around, self.key)
        try:
            bound = self.bound or run.bound_fields.get(self) or self._bound(run)
            answer = bound(record, run.context)
        except Exception as error:
            run.fail(self, error, place)
            return
        run.wait(self, self.complete_answer, answer, holder, place)

    def complete_answer(self, run: SlotRun, value: Any, holder: Any, place: Place) -> None:
        """Complete an answer and put it into its place."""
        if value is None and not is_non_null_type(self.type):
            return
        mark = len(run.pending)
        try:
            level = self.level
            if level is None:
                level = self.level = run.plan.level(run.executor, self, self.type)
            holder[self.key] = level.complete(value, place, level.slots, run)
        except Exception:  # of any kind: graphql-core reports what is wrong
            del run.pending[mark:]
            Slot.begin(self, run, value, holder, place)

    def _bound(self, run: SlotRun) -> Bound:
        """Return the resolver with its arguments, cached for all requests when the arguments are constant."""
        if self.bind is None:
            name, fragments = self.details[0].node.name.value, run.executor.fragment_definitions
            self.bind = self.answered.bind(PlannedRequest(name, self.nodes, self.parent, fragments))
        bound = self.bind(self.arguments.given(run.variables, lambda: run.executor))
        if self.arguments.are_constant:
            self.bound = bound
        else:
            run.bound_fields[self] = bound
        return bound


@dataclass(frozen=True, slots=True)
class ObjectFields:
    """The fields of one object that have resolvers, in their order."""

    fields: Sequence[FieldResolver]

    def begin(self, run: SlotRun, record: Any, holder: Any, around: Place) -> None:
        """Resolve the fields for a record."""
        for resolver in self.fields:
            resolver.resolve(run, record, holder, around)
