"""Criteria of a constraint, compiled into one predicate over the fields of an object."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import cast

from graph.auth.constraints import FIELDS, LIST_FIELD, Constraint, Criterion
from graph.auth.patterns import Comparison, Undecidable, matcher

Values = Sequence[object]
"""The fields of one object, in the order of `FIELDS`."""
Predicate = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether a constraint matches an object."""

    holds: Predicate
    """Raises Undecidable or TypeError when it cannot tell, which Casbin answers by denying the request."""
    is_certain: bool
    """It never raises, given fields of the types that VAMS stores: texts, and a list of tags."""
    is_always_true: bool = False


def compile_condition(constraint: Constraint) -> Condition:
    """Compile every criterion of `all_of` and any of `any_of`, evaluated in that order and no further than needed."""
    fields = FIELDS[constraint.object_type]
    conditions = [_criterion(fields, criterion) for criterion in constraint.all_of]
    if constraint.any_of:
        conditions.append(_any_of([_criterion(fields, criterion) for criterion in _joined(constraint.any_of)]))
    return _all_of(conditions)


def _criterion(fields: Sequence[str], criterion: Criterion) -> Condition:
    match criterion.operator:
        case "is_one_of":
            return _membership(fields, criterion)
        case "is_not_one_of":
            return _not(_membership(fields, criterion))
        case "does_not_contain":
            return _not(_comparison(fields, criterion, "contains"))
        case comparison:
            return _comparison(fields, criterion, cast("Comparison", comparison))


def _membership(fields: Sequence[str], criterion: Criterion) -> Condition:
    """Return a condition that compares literally: with an element of a list, or with any part of a text."""
    index, values = fields.index(criterion.field), criterion.values
    is_always_true = "" in values and criterion.field != LIST_FIELD
    kind = list if criterion.field == LIST_FIELD else str

    def holds(of: Values) -> bool:
        held = of[index]
        if not isinstance(held, kind) and held != "":  # as which null counts, of a list too
            raise Undecidable
        for value in values:  # noqa: SIM110 - a generator would double the time of a decision
            if value in held:
                return True
        return False

    return Condition(holds, True, is_always_true)


def _comparison(fields: Sequence[str], criterion: Criterion, comparison: Comparison) -> Condition:
    if not criterion.values:
        return Condition(lambda _: False, is_certain=True)
    index = fields.index(criterion.field)
    compiled = matcher(comparison, criterion.values)
    matches = compiled.matches

    def holds(of: Values) -> bool:
        text = of[index]
        if isinstance(text, str):
            return matches(text)
        raise Undecidable

    is_text = criterion.field != LIST_FIELD
    return Condition(holds, is_text and compiled.is_certain, is_text and compiled.is_always_true)


def _joined(criteria: Iterable[Criterion]) -> list[Criterion]:
    """Make one criterion of neighbours that ask the same of the same field, so that their values are one lookup."""
    joined: list[Criterion] = []
    for (field, operator), group in groupby(criteria, key=lambda each: (each.field, each.operator)):
        if operator in (
            "does_not_contain",
            "is_not_one_of",
        ):  # any of several values missing is not all of them missing
            joined.extend(group)
        else:
            joined.append(Criterion(field, operator, tuple(chain.from_iterable(each.values for each in group))))
    return joined


def _not(condition: Condition) -> Condition:
    holds = condition.holds
    return Condition(lambda of: not holds(of), condition.is_certain)


def _all_of(conditions: Sequence[Condition]) -> Condition:
    if len(conditions) == 1:
        return conditions[0]
    predicates = [condition.holds for condition in conditions]

    def holds(of: Values) -> bool:
        for predicate in predicates:  # noqa: SIM110 - a generator would double the time of a decision
            if not predicate(of):
                return False
        return True

    return Condition(
        holds,
        all(condition.is_certain for condition in conditions),
        all(condition.is_always_true for condition in conditions),
    )


def _any_of(conditions: Sequence[Condition]) -> Condition:
    if len(conditions) == 1:
        return conditions[0]
    predicates = [condition.holds for condition in conditions]
    return Condition(
        lambda of: any(predicate(of) for predicate in predicates),
        all(condition.is_certain for condition in conditions),
        any(condition.is_always_true for condition in conditions),
    )
