"""Rows of the VAMS constraints table, read more strictly than VAMS reads them.

VAMS spells a user's constraints as Casbin policy text. Casbin then changes that text in places and reads it line by
line, and one line that it cannot read denies every request of the user; both show in what a constraint means.

VAMS takes a value of another kind than it writes for an empty list, or spells it out. A rule that denies could so lose
its criteria or its holder and go, and a rule that allows could be widened. Here such a row is malformed.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
"""One item of a table as plain Python values."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "database": ("databaseId",),
    "asset": ("databaseId", "assetName", "assetType", "tags"),
    "api": ("route__path",),
    "web": ("route__path",),
    "pipeline": ("databaseId", "pipelineId", "pipelineExecutionType", "category", "name"),
    "workflow": ("databaseId", "workflowId", "category", "name"),
    "metadataSchema": ("databaseId", "metadataSchemaName", "metadataSchemaEntityType"),
    "tag": ("tagName", "databaseId"),
    "tagType": ("tagTypeName", "databaseId"),
    "role": ("roleName",),
    "userRole": ("roleName", "userId"),
}
"""The fields that criteria may name, per type of object; VAMS drops every other criterion and every other field."""

LIST_FIELD = "tags"
"""The only field that is no text but a list."""

OPERATORS = frozenset(
    {"equals", "contains", "does_not_contain", "starts_with", "ends_with", "is_one_of", "is_not_one_of"}
)


class MalformedConstraint(ValueError):
    """A row whose meaning is not certain, or that Casbin cannot read; the user is denied everything."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One comparison of a field with any of some values."""

    field: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Permission:
    """What the holder (``user::<id>`` or ``role::<name>``) may or may not do with a matching object."""

    holder: str
    action: str
    effect: str
    """``allow`` or ``deny``; Casbin ignores a line with anything else."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """Every criterion of `all_of` and, if there is one, any of `any_of` must hold."""

    id: str
    object_type: str
    all_of: tuple[Criterion, ...]
    any_of: tuple[Criterion, ...]
    permissions: tuple[Permission, ...]


def base_id(row: Row) -> str:
    """Return the id that the copies of one constraint share: VAMS stores a copy per group and per user."""
    constraint_id = row.get("constraintId")
    if not isinstance(constraint_id, str):
        raise MalformedConstraint("constraintId")
    return constraint_id.split("#group#")[0].split("#user#")[0]


def read_constraint(row: Row) -> Constraint | None:
    """Read a row; None when no criterion of it is usable, which VAMS skips whatever it allows or denies.

    Raises:
        MalformedConstraint: the row is not of the shape that VAMS needs.
    """
    try:
        object_type = _text(row["objectType"])
        all_of = _criteria([*_list(row, "criteriaAnd"), *_list(row, "criteria")], object_type)
        any_of = _criteria(_list(row, "criteriaOr"), object_type)
        if not all_of and not any_of:
            return None
        all_of, any_of = _as_casbin_reads(all_of, any_of)
        permissions = (
            *(_permission("role", _text(each["groupId"]), each) for each in _list(row, "groupPermissions")),
            *(_permission("user", _text(each["userId"]), each) for each in _list(row, "userPermissions")),
        )
    except (KeyError, TypeError, AttributeError, RecursionError, ValueError) as error:
        raise MalformedConstraint(base_id(row)) from error
    return Constraint(base_id(row), object_type, all_of, any_of, permissions)


def is_one_policy_field(text: str) -> bool:
    """Return whether Casbin reads the text as one field of a policy line.

    It splits at commas outside of brackets, does not tell the kinds of brackets apart and knows no quotes.
    """
    depth = 0
    for character in text:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if depth < 0 or character == "\n" or (character == "," and depth == 0):
            return False
    return depth == 0


def _list(row: Row, name: str) -> list[Any]:
    """Return a list, or JSON text of one; absent and the empty text are the empty list."""
    value = row.get(name, "")
    if isinstance(value, str):
        value = json.loads(value or "[]")
    if not isinstance(value, list):
        raise MalformedConstraint(base_id(row))
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _criteria(raw_criteria: Iterable[Any], object_type: str) -> tuple[Criterion, ...]:
    fields = FIELDS.get(object_type, ())
    usable = []
    for raw in raw_criteria:
        field, operator, value = _text(raw["field"]), _text(raw["operator"]), raw["value"]
        if field in fields and operator in OPERATORS:
            values = map(_text, value if isinstance(value, list) else [value])
            usable.append(Criterion(field, operator, tuple(values)))
    return tuple(usable)


def _permission(kind: str, name: str, raw: Mapping[str, Any]) -> Permission:
    action, effect = _text(raw["permission"]), _text(raw["permissionType"]) or "allow"
    if not all(map(is_one_policy_field, (name, action, effect))):
        raise MalformedConstraint(name)
    return Permission(f"{kind}::{name}", action.strip(), effect.strip())


# Casbin rewrites the text of a rule before it evaluates it: ``!``, ``&&`` and ``||`` become Python's words, and the
# dot after the variables ``r`` and ``p`` becomes an underscore. It does so inside of values as well. VAMS spells
# brackets, commas and control characters in values as hexadecimal escapes, whose digits end no word.
_AFTER_WORD = r"(?<![\w,()\[\]\x00-\x1f])"
_REQUEST_DOT = re.compile(_AFTER_WORD + r"r\.")
_POLICY_DOT = re.compile(_AFTER_WORD + r"p(\d*)\.")
_NOT = re.compile("!(?!=)")


def _as_casbin_reads(*groups: tuple[Criterion, ...]) -> tuple[tuple[Criterion, ...], ...]:
    first_policy_dot = None
    for criterion in (criterion for group in groups for criterion in group):
        for value in criterion.values:
            value.encode()  # Casbin fails on a lone surrogate
            text = value + "." if criterion.operator == "starts_with" else value
            first_policy_dot = first_policy_dot or _POLICY_DOT.search(text)
    policy_dot = f"p{first_policy_dot.group(1)}." if first_policy_dot else None  # others stay as they are

    def rewritten(value: str) -> str:
        if policy_dot:
            value = re.sub(_AFTER_WORD + re.escape(policy_dot), policy_dot[:-1] + "_", value)
        value = _REQUEST_DOT.sub("r_", value)
        return _NOT.sub("not ", value.replace("&&", "and").replace("||", "or"))

    return tuple(
        tuple(Criterion(each.field, each.operator, tuple(map(rewritten, each.values))) for each in group)
        for group in groups
    )
