"""What one user may do: constraints compiled once into predicates, decided in microseconds.

The answers are those that VAMS gets from Casbin: allowed when a matching constraint allows the action and no matching
constraint denies it. An error while any constraint is evaluated, whatever actions it speaks of, denies the request:
comparing a list (``tags``) as text is such an error, and so is a pattern that cannot be evaluated.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from graph.auth.conditions import Condition, Predicate, compile_condition
from graph.auth.constraints import (
    FIELDS,
    LIST_FIELD,
    Constraint,
    MalformedConstraint,
    Row,
    base_id,
    is_one_policy_field,
    read_constraint,
)
from graph.auth.patterns import USUAL_LENGTH, Undecidable

_SHOWN = ("api", "asset", "database", "pipeline", "workflow")
"""The types of objects of which the graph shows any, the routes among them."""


class DecisionReason(StrEnum):
    """Why a decision is what it is."""

    ALLOWED = "allowed"
    DENIED = "denied"
    NOT_ALLOWED = "not allowed by any constraint"
    UNDECIDABLE = "undecidable whether the constraint matches"
    MALFORMED = "malformed constraint"


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer that is true when it allows, with the constraint that decided, for the audit."""

    allowed: bool
    reason: DecisionReason
    constraint_id: str | None = None

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True, slots=True)
class Rule:
    """One constraint, compiled for one user."""

    object_type: str
    condition: Condition
    decisions: Mapping[str, Decision]
    """What it says of each action when its condition holds."""
    undecidable: Decision
    """What it says when whether its condition holds cannot be told."""


class Policy:
    """The rules of one user in one kind of session."""

    def __init__(
        self,
        rules: Iterable[Rule],
        otherwise: Decision = Decision(False, DecisionReason.NOT_ALLOWED),
        roles: Iterable[str] = (),
    ) -> None:
        by_type: dict[str, list[Rule]] = {}
        for rule in rules:
            by_type.setdefault(rule.object_type, []).append(rule)
        self._rules = {object_type: _RulesOfType(object_type, each) for object_type, each in by_type.items()}
        self._otherwise = otherwise
        self.roles = tuple(roles)

    def allows(self, object_type: str, fields: Mapping[str, object], action: str) -> Decision:
        """Decide about one object.

        Args:
            object_type: one of `FIELDS`; everything is denied of others.
            fields: attributes of the object as stored. Those that VAMS does not look at are ignored, missing ones and
                nulls count as empty.
            action: GET, PUT, POST or DELETE.
        """
        rules = self._rules.get(object_type)
        decision = rules.decide(fields, action) if rules else None
        return self._otherwise if decision is None else decision

    def allows_everything(self, object_type: str, action: str) -> bool:
        """Return whether every object of the type is allowed: a rule allows all and none could deny any.

        For deciding about objects that are not fully known.
        """
        rules = self._rules.get(object_type)
        return rules is not None and rules.allow_everything(action)

    @cached_property
    def hides_nothing(self) -> bool:
        """Whether every route and every object that the graph shows may be read, whatever there is and will be."""
        return all(self.allows_everything(object_type, "GET") for object_type in _SHOWN)


def deny_everything(reason: DecisionReason, constraint_id: str | None = None) -> Policy:
    """Build the policy of a user of whom no more is known than that something is wrong."""
    return Policy((), otherwise=Decision(False, reason, constraint_id))


class Compiler:
    """Compiles the constraints of one user one at a time, so that a long list of them can be compiled with pauses.

    Args:
        user_id: whose policy it is.
        roles: those of the user that count in the session.
    """

    def __init__(self, user_id: str, roles: Iterable[str]) -> None:
        self._roles = roles = list(roles)
        self._holders = frozenset([f"user::{user_id}", *(f"role::{role}" for role in roles)])
        self._rules: dict[str, Rule | None] = {}
        self._malformed: Policy | None = None
        # Casbin strips the fields of policy lines but not those of requests, and so finds no user of such a name.
        if user_id != user_id.rstrip() or not all(map(is_one_policy_field, [user_id, *roles])):
            self._malformed = deny_everything(DecisionReason.MALFORMED)

    def add(self, row: Row) -> None:
        """Compile one row; of several copies of one constraint the last counts."""
        constraint_id = None
        try:
            constraint_id = base_id(row)
            constraint = read_constraint(row)
        except MalformedConstraint:
            self._malformed = deny_everything(DecisionReason.MALFORMED, constraint_id)
        else:
            self._rules[constraint_id] = _rule(constraint, self._holders) if constraint else None

    def policy(self) -> Policy:
        """Return the policy of all rows added; it denies everything if one was malformed, as in VAMS."""
        return self._malformed or Policy((rule for rule in self._rules.values() if rule), roles=self._roles)


def _rule(constraint: Constraint, holders: frozenset[str]) -> Rule | None:
    held = [permission for permission in constraint.permissions if permission.holder in holders]
    if not held:
        return None
    decisions = {
        permission.action: Decision(True, DecisionReason.ALLOWED, constraint.id)
        for permission in held
        if permission.effect == "allow"
    } | {
        permission.action: Decision(False, DecisionReason.DENIED, constraint.id)
        for permission in held
        if permission.effect == "deny"
    }
    undecidable = Decision(False, DecisionReason.UNDECIDABLE, constraint.id)
    return Rule(constraint.object_type, compile_condition(constraint), decisions, undecidable)


def _is_encodable(text: str) -> bool:
    """Return whether it has no lone surrogates, which no table holds but a request may."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Plan:
    """The rules that matter for one action."""

    must_see: Sequence[tuple[Rule, Decision | None]]
    """Those that may deny, be it by an error: each is heard."""
    may_allow: Sequence[tuple[Predicate, Decision]]
    """Of the others, one that holds is enough."""


class _RulesOfType:
    def __init__(self, object_type: str, rules: Sequence[Rule]) -> None:
        self._fields = [(name, [] if name == LIST_FIELD else "") for name in FIELDS[object_type]]
        self._rules = rules
        self._plans: dict[str, _Plan] = {}

    def decide(self, fields: Mapping[str, object], action: str) -> Decision | None:
        """Return None when no rule says anything."""
        values = ["" if (value := fields.get(name, empty)) is None else value for name, empty in self._fields]
        if not self._are_as_stored(values):
            plan = self._plan(action, trust_conditions=False)
        elif action in self._plans:
            plan = self._plans[action]
        else:
            plan = self._plans[action] = self._plan(action)
        allowed = None
        for rule, decision in plan.must_see:
            try:
                holds = rule.condition.holds(values)
            except (Undecidable, TypeError):
                return rule.undecidable
            if holds and decision is not None:
                if not decision.allowed:
                    return decision
                allowed = decision
        return allowed or next((decision for holds, decision in plan.may_allow if holds(values)), None)

    def allow_everything(self, action: str) -> bool:
        return (
            all(rule.condition.is_certain for rule in self._rules)
            and all(rule.decisions[action].allowed for rule in self._rules if action in rule.decisions)
            and any(rule.condition.is_always_true for rule in self._rules if action in rule.decisions)
        )

    def _are_as_stored(self, values: Sequence[object]) -> bool:
        for value, (name, _) in zip(values, self._fields, strict=True):
            if isinstance(value, str):
                if len(value) > USUAL_LENGTH or not (value.isascii() or _is_encodable(value)):
                    return False
            elif name != LIST_FIELD or not isinstance(value, list):
                return False
        return True

    def _plan(self, action: str, *, trust_conditions: bool = True) -> _Plan:
        must_see: list[tuple[Rule, Decision | None]] = []
        may_allow: list[tuple[Predicate, Decision]] = []
        for rule in self._rules:
            decision = rule.decisions.get(action)
            is_certain = trust_conditions and rule.condition.is_certain
            if not is_certain or (decision is not None and not decision.allowed):
                must_see.append((rule, decision))
            elif decision is not None:
                may_allow.append((rule.condition.holds, decision))
        return _Plan(must_see, may_allow)
