import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.auth.constraints import (
    Constraint,
    Criterion,
    MalformedConstraint,
    Permission,
    base_id,
    is_one_policy_field,
    read_constraint,
)
from tests.auth.rows import constraint, criterion

ROW = constraint("c", "database", all_of=[criterion("databaseId", "equals", "db1")], allow=["GET"])


def test_json_texts_and_lists_read_the_same() -> None:
    as_lists = {key: json.loads(value) if value[:1] == "[" else value for key, value in ROW.items()}
    assert read_constraint(ROW) == read_constraint(as_lists)
    assert read_constraint(ROW) == Constraint(
        "c",
        "database",
        (Criterion("databaseId", "equals", ("db1",)),),
        (),
        (Permission("role::plant-user", "GET", "allow"),),
    )


@pytest.mark.parametrize("constraint_id", ["c", "c#group#plant-user", "c#user#bob@example.com"])
def test_copies_share_a_base_id(constraint_id: str) -> None:
    assert base_id({"constraintId": constraint_id}) == "c"


def test_legacy_criteria_join_those_that_must_all_hold() -> None:
    legacy = ROW | {"criteriaAnd": "", "criteria": [criterion("databaseId", "contains", "x")]}
    read = read_constraint(legacy)
    assert read is not None
    assert read.all_of == (Criterion("databaseId", "contains", ("x",)),)


LISTS = ["criteriaAnd", "criteriaOr", "criteria", "groupPermissions", "userPermissions"]
NO_TEXTS: list[Any] = [None, 7, True, b"", {"a": 1}, frozenset("a"), ["a"]]


@pytest.mark.parametrize("name", LISTS)
def test_an_absent_list_and_the_empty_text_are_empty(name: str) -> None:
    without = {key: value for key, value in ROW.items() if key != name}
    assert read_constraint(without) == read_constraint(ROW | {name: ""}) == read_constraint(ROW | {name: []})


@pytest.mark.parametrize("value", [None, 7, False, b"", "no JSON", "null", {}, {"a": 1}, frozenset("a"), ["a"], [None]])
@pytest.mark.parametrize("name", LISTS)
def test_what_is_no_list_of_maps_is_malformed_and_never_empty(name: str, value: object) -> None:
    with pytest.raises(MalformedConstraint):
        read_constraint(ROW | {name: value})


@pytest.mark.parametrize("value", NO_TEXTS)
@pytest.mark.parametrize("name", ["groupId", "permission", "permissionType"])
def test_a_part_of_a_permission_that_is_no_text_is_malformed(name: str, value: object) -> None:
    permission = {"groupId": "plant-user", "permission": "GET", "permissionType": "deny"}
    assert read_constraint(ROW | {"groupPermissions": [permission]})
    with pytest.raises(MalformedConstraint):
        read_constraint(ROW | {"groupPermissions": [permission | {name: value}]})


@pytest.mark.parametrize("value", [each for each in NO_TEXTS if each != ["a"]])
@pytest.mark.parametrize("name", ["field", "operator", "value"])
def test_a_part_of_a_criterion_that_is_no_text_is_malformed(name: str, value: object) -> None:
    usual = criterion("databaseId", "equals", "db1")
    for held in (value, [value]):
        with pytest.raises(MalformedConstraint):
            read_constraint(ROW | {"criteriaAnd": [usual, usual | {name: held}]})


@pytest.mark.parametrize("value", NO_TEXTS)
def test_a_type_of_object_that_is_no_text_is_malformed(value: object) -> None:
    with pytest.raises(MalformedConstraint):
        read_constraint(ROW | {"objectType": value})


@pytest.mark.parametrize(
    "change",
    [
        {"criteriaAnd": "{}"},
        {"criteriaAnd": "[" * 100_000},
        {"criteriaAnd": ["text"]},
        {"criteriaAnd": [{"operator": "equals", "value": "x"}]},
        {"criteriaAnd": [{"field": "databaseId", "value": "x"}]},
        {"criteriaAnd": [{"field": "databaseId", "operator": "equals"}]},
        {"criteriaAnd": '[{"field": "databaseId", "operator": "equals", "value": "\\ud800"}]'},
        {"criteria": None},
        {"groupPermissions": [{"permission": "GET", "permissionType": "allow"}]},
        {"groupPermissions": [{"groupId": "a", "permission": "GET"}]},
        {"groupPermissions": [{"groupId": "a,b", "permission": "GET", "permissionType": "allow"}]},
    ],
)
def test_rows_of_another_shape_are_malformed(change: dict[str, Any]) -> None:
    with pytest.raises(MalformedConstraint):
        read_constraint(ROW | change)


def test_a_row_without_an_object_type_or_an_id_is_malformed() -> None:
    for name in ("objectType", "constraintId"):
        with pytest.raises(MalformedConstraint):
            read_constraint({key: value for key, value in ROW.items() if key != name})


def test_a_permission_without_a_type_allows() -> None:
    read = read_constraint(ROW | {"groupPermissions": [{"groupId": "a", "permission": " GET ", "permissionType": ""}]})
    assert read is not None
    assert read.permissions == (Permission("role::a", "GET", "allow"),)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("a!b", "anot b"),
        ("a!=b", "a!=b"),
        ("a&&b||c", "aandborc"),
        ("r.x", "r_x"),
        ("(r.x", "(r.x"),
        ("p1.x p2.y", "p1_x p2.y"),
    ],
)
def test_values_change_as_casbin_changes_the_text_of_rules(value: str, read: str) -> None:
    constraint = read_constraint(ROW | {"criteriaAnd": [criterion("databaseId", "equals", value)]})
    assert constraint is not None
    assert constraint.all_of[0].values == (read,)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("a(b,c)", True), ("a[b)", True), ("a,b", False), ("(a", False), ("a)", False), ("a\nb", False)],
)
def test_a_policy_field_ends_at_commas_outside_of_brackets(text: str, is_one: bool) -> None:
    assert is_one_policy_field(text) is is_one


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["field", "operator", "value", "groupId", "permission"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([*ROW, "criteria", "userPermissions"]), json_values | json_values.map(json.dumps))
)
def test_no_row_is_a_crash(changes: dict[str, Any]) -> None:
    try:
        read = read_constraint(ROW | changes)
    except MalformedConstraint:
        return
    assert read is None or isinstance(read, Constraint)
