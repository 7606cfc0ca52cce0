"""What Casbin itself answers: constraints spelled as VAMS spells them, decided by a real enforcer."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import casbin  # type: ignore[import-untyped]
from casbin.persist.adapters.string_adapter import StringAdapter  # type: ignore[import-untyped]

from graph.auth.constraints import FIELDS, LIST_FIELD

logging.getLogger("casbin").setLevel(logging.CRITICAL)

MODEL = """
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, rule, act, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = g(r.sub, p.sub) && eval(p.rule) && r.act == p.act
"""

ALL_FIELDS = {"object__type", *(field for fields in FIELDS.values() for field in fields)}
TEMPLATES = {
    "equals": r"regexMatch(r.obj.{}, '^{}\\Z')",
    "contains": "regexMatch(r.obj.{}, '(?s:.*){}(?s:.*)')",
    "starts_with": "regexMatch(r.obj.{}, '^{}.*')",
    "ends_with": r"regexMatch(r.obj.{}, '(?s:.*){}\\Z')",
}


class Reference:
    """The policy of one user as Casbin text; any failure to build or to evaluate it denies."""

    def __init__(self, user_id: str, roles: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
        self._subject = f"user::{user_id}"
        try:
            lines = [f"g, user::{user_id}, 'role::{role}'" for role in roles]
            for row in rows:
                lines.extend(_lines(row))
            model = casbin.Model()
            model.load_model_from_text(MODEL)
            self._enforcer = casbin.Enforcer(model, StringAdapter("\n".join(lines)))
        except Exception:
            self._enforcer = None

    def allows(self, object_type: str, fields: Mapping[str, Any], action: str) -> bool:
        subject = {field: [] if field == LIST_FIELD else "" for field in ALL_FIELDS} | {"object__type": object_type}
        subject |= {
            name: "" if value is None else value for name, value in fields.items() if name in FIELDS[object_type]
        }
        try:
            return bool(self._enforcer and self._enforcer.enforce(self._subject, subject, action))
        except Exception:
            return False


def _lines(row: Mapping[str, Any]) -> Iterable[str]:
    all_of = list(filter(None, (_clause(criterion, row["objectType"]) for criterion in row["criteriaAnd"])))
    any_of = list(filter(None, (_clause(criterion, row["objectType"]) for criterion in row["criteriaOr"])))
    if not all_of and not any_of:
        return
    parts = [_clause({"field": "object__type", "operator": "equals", "value": row["objectType"]}, None), *all_of]
    if any_of:
        parts.append("(" + " || ".join(any_of) + ")")
    rule = " && ".join(parts)
    for each in row["groupPermissions"]:
        yield f"p, 'role::{each['groupId']}', {rule}, {each['permission']}, {each['permissionType'] or 'allow'}"
    for each in row["userPermissions"]:
        yield f"p, user::{each['userId']}, {rule}, {each['permission']}, {each['permissionType'] or 'allow'}"


def _clause(criterion: Mapping[str, Any], object_type: str | None) -> str:
    field, operator, value = criterion["field"], criterion["operator"], criterion["value"]
    if field not in (ALL_FIELDS if object_type is None else FIELDS.get(object_type, ())):
        return ""
    values = [_escaped(each) for each in (value if isinstance(value, list) else [value])]
    positive = {"does_not_contain": "contains", "is_not_one_of": "is_one_of"}.get(operator, operator)
    if positive == "is_one_of":
        clauses = [f"'{each}' in r.obj.{field}" for each in values]
    elif positive in TEMPLATES:
        clauses = [TEMPLATES[positive].format(field, each) for each in values]
    else:
        return ""
    return ("!" if positive != operator else "") + "(" + (" || ".join(clauses) or "False") + ")"


def _escaped(value: object) -> str:
    """As the inside of a Python literal in which Casbin's reader finds no comma, bracket or line break."""
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return "".join(f"\\x{ord(each):02x}" if each < " " or each in ",()[]" else each for each in text)
