import json
import re
import time
import warnings
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.auth.constraints import FIELDS, OPERATORS
from graph.auth.policy import Decision, DecisionReason, Policy, deny_everything
from graph.errors import MalformedValue
from tests.auth.casbin_reference import Reference
from tests.auth.rows import ALL_ACTIONS, constraint, criterion
from tests.policies import compile_policy

USER, ROLE = "bob@example.com", "plant-user"
ASSET = {"databaseId": "plant-models", "assetName": "pump", "assetType": ".step", "tags": ["locked"]}


def policy(*rows: dict[str, Any], roles: tuple[str, ...] = (ROLE,)) -> Policy:
    return compile_policy(USER, roles, rows)


def in_database(value: Any, operator: str = "equals") -> list[dict[str, Any]]:
    return [criterion("databaseId", operator, value)]


def test_a_decision_names_the_constraint_that_decided() -> None:
    assets = constraint("assets", "asset", all_of=in_database("plant-models"), allow=["GET", "PUT"])
    locked = constraint("locked", "asset", all_of=[criterion("tags", "is_one_of", "locked")], deny=["PUT"])
    of_bob = policy(assets, locked)

    assert of_bob.allows("asset", ASSET, "GET") == Decision(True, DecisionReason.ALLOWED, "assets")
    assert of_bob.allows("asset", ASSET, "PUT") == Decision(False, DecisionReason.DENIED, "locked")
    assert of_bob.allows("asset", ASSET, "DELETE") == Decision(False, DecisionReason.NOT_ALLOWED)
    assert of_bob.allows("asset", ASSET | {"databaseId": "other"}, "GET") == Decision(False, DecisionReason.NOT_ALLOWED)


def test_a_decision_is_true_when_it_allows() -> None:
    assert Decision(True, DecisionReason.ALLOWED)
    assert not Decision(False, DecisionReason.DENIED)


def test_without_constraints_everything_is_denied() -> None:
    assert not any(policy().allows(object_type, {}, "GET") for object_type in [*FIELDS, "unheard-of"])


def test_both_all_of_the_and_criteria_and_any_of_the_or_criteria_must_hold() -> None:
    row = constraint(
        "c",
        "asset",
        all_of=[*in_database("plant-models"), criterion("assetType", "equals", r"\.step")],
        any_of=[criterion("assetName", "starts_with", "pump"), criterion("tags", "is_one_of", "shared")],
        allow=["GET"],
    )
    assert policy(row).allows("asset", ASSET, "GET")
    assert policy(row).allows("asset", ASSET | {"assetName": "valve", "tags": ["shared"]}, "GET")
    assert not policy(row).allows("asset", ASSET | {"assetName": "valve"}, "GET")
    assert not policy(row).allows("asset", ASSET | {"assetType": ".stl"}, "GET")


def test_values_are_regular_expressions() -> None:
    assert policy(constraint("c", "database", all_of=in_database("db."), allow=["GET"])).allows(
        "database", {"databaseId": "db7"}, "GET"
    )


def test_of_alternative_negations_one_is_enough() -> None:
    negations = [*in_database("a", "does_not_contain"), *in_database("b", "does_not_contain")]
    either = policy(constraint("c", "database", any_of=negations, allow=["GET"]))
    neither = policy(constraint("c", "database", all_of=in_database(["a", "b"], "does_not_contain"), allow=["GET"]))
    assert [bool(each.allows("database", {"databaseId": "a"}, "GET")) for each in (either, neither)] == [True, False]


def test_is_one_of_finds_elements_of_lists_but_parts_of_texts() -> None:
    of_text = policy(constraint("c", "database", all_of=in_database(["db"], "is_one_of"), allow=["GET"]))
    assert of_text.allows("database", {"databaseId": "mydb1"}, "GET")
    of_list = policy(constraint("c", "asset", all_of=[criterion("tags", "is_one_of", "lock")], allow=["GET"]))
    assert not of_list.allows("asset", ASSET, "GET")


@pytest.mark.parametrize("operator", ["equals", "contains", "does_not_contain", "starts_with", "ends_with"])
def test_comparing_a_list_as_text_denies_every_action_wherever_the_rule_gets_that_far(operator: str) -> None:
    everything = constraint("everything", "asset", all_of=in_database(".*", "contains"), allow=ALL_ACTIONS)
    tags = criterion("tags", operator, "x")
    broken = constraint("broken", "asset", all_of=[*in_database("plant-models"), tags], deny=["DELETE"])
    of_bob = policy(everything, broken)

    assert of_bob.allows("asset", ASSET, "GET") == Decision(False, DecisionReason.UNDECIDABLE, "broken")
    assert of_bob.allows("asset", ASSET | {"databaseId": "other"}, "GET")
    assert of_bob.allows("asset", ASSET | {"tags": None}, "GET")


def test_comparing_a_list_with_no_value_compares_nothing() -> None:
    everything = constraint("everything", "asset", all_of=in_database(".*", "contains"), allow=["GET"])
    nothing = constraint("nothing", "asset", all_of=[criterion("tags", "equals", [])], deny=["GET"])
    anything = constraint("anything", "asset", all_of=[criterion("tags", "does_not_contain", [])], allow=["PUT"])
    of_bob = policy(everything, nothing, anything)
    assert of_bob.allows("asset", ASSET, "GET")
    assert of_bob.allows("asset", ASSET, "PUT")


def test_a_pattern_that_cannot_be_evaluated_denies_in_allow_rules_and_in_deny_rules() -> None:
    everything = constraint("everything", "database", all_of=in_database(".*", "contains"), allow=["GET"])
    broken = in_database("(", "contains")
    for row in (
        constraint("broken", "database", all_of=broken, allow=["PUT"]),
        constraint("broken", "database", all_of=broken, deny=["PUT"]),
    ):
        assert not policy(everything, row).allows("database", {"databaseId": "x"}, "GET")


def test_a_constraint_without_a_usable_criterion_is_skipped_even_if_it_denies() -> None:
    everything = constraint("everything", "database", all_of=in_database(".*", "contains"), allow=["GET"])
    unknown = [criterion("assetId", "equals", "x"), criterion("route__path", "contains", ".*")]
    unknown += in_database("x", "resembles")
    assert policy(everything, constraint("skipped", "database", all_of=unknown, deny=["GET"])).allows(
        "database", {}, "GET"
    )


def test_permissions_of_other_roles_and_users_do_not_count() -> None:
    others = [
        constraint("role", "database", all_of=in_database(".*", "contains"), allow=["GET"], role="other"),
        constraint("user", "database", all_of=in_database(".*", "contains"), allow=["GET"], user="ana@example.com"),
    ]
    assert not policy(*others).allows("database", {}, "GET")
    own = constraint("user", "database", all_of=in_database(".*", "contains"), allow=["GET"], user=USER)
    assert policy(own, roles=()).allows("database", {}, "GET")


def test_of_copies_of_a_constraint_the_last_counts() -> None:
    stale = constraint("c", "database", all_of=in_database("a"), allow=["GET"])
    fresh = constraint("c", "database", all_of=in_database("b"), allow=["GET"], user=USER)
    assert not policy(stale, fresh).allows("database", {"databaseId": "a"}, "GET")
    assert policy(stale, fresh).allows("database", {"databaseId": "b"}, "GET")


def test_one_malformed_constraint_denies_everything() -> None:
    everything = constraint("everything", "database", all_of=in_database(".*", "contains"), allow=["GET"])
    malformed = everything | {"constraintId": "bad", "criteriaAnd": [{"field": "databaseId", "operator": "equals"}]}
    assert policy(everything, malformed).allows("database", {}, "GET") == Decision(
        False, DecisionReason.MALFORMED, "bad"
    )


@pytest.mark.parametrize("user_id", ["bob ", "bob,g", "bob(", "bob)", "bob\np"])
def test_a_user_whom_casbin_cannot_read_is_denied_everything(user_id: str) -> None:
    row = constraint("c", "database", all_of=in_database(".*", "contains"), allow=["GET"])
    assert compile_policy(user_id, [ROLE], [row]).allows("database", {}, "GET").reason == DecisionReason.MALFORMED
    assert not Reference(user_id, [ROLE], [plain(row)]).allows("database", {}, "GET")


@pytest.mark.parametrize(
    ("rows", "everything"),
    [
        ([constraint("c", "asset", all_of=in_database(".*", "contains"), allow=["GET"])], True),
        ([constraint("c", "asset", any_of=[*in_database("x"), *in_database(".*", "contains")], allow=["GET"])], True),
        ([constraint("c", "asset", all_of=in_database("", "is_one_of"), allow=["GET"])], True),
        ([constraint("c", "asset", all_of=in_database(".*", "contains"), allow=["PUT"])], False),
        ([constraint("c", "asset", all_of=in_database(".*"), allow=["GET"])], False),  # not of a name with a line break
        ([constraint("c", "asset", all_of=[criterion("tags", "is_one_of", "")], allow=["GET"])], False),
        ([], False),
    ],
)
def test_everything_is_allowed_by_a_rule_without_a_condition(rows: list[dict[str, Any]], everything: bool) -> None:
    assert policy(*rows).allows_everything("asset", "GET") is everything


@pytest.mark.parametrize(
    ("narrowing", "everything"),
    [
        (constraint("d", "asset", all_of=in_database("secret"), deny=["GET"]), False),
        (constraint("d", "asset", all_of=[criterion("tags", "equals", "x")], deny=["PUT"]), False),
        (constraint("d", "asset", all_of=in_database("secret"), deny=["PUT"]), True),
        (constraint("d", "database", all_of=in_database("secret"), deny=["GET"]), True),
    ],
)
def test_everything_is_not_allowed_where_a_rule_could_deny(narrowing: dict[str, Any], everything: bool) -> None:
    rows = [constraint("c", "asset", all_of=in_database(".*", "contains"), allow=["GET"]), narrowing]
    assert policy(*rows).allows_everything("asset", "GET") is everything


OPEN = {
    kind: constraint(kind, kind, all_of=[criterion(fields[0], "contains", ".*")], allow=["GET"])
    for kind, fields in FIELDS.items()
    if kind in ("api", "asset", "database", "pipeline", "workflow")
}


def test_nothing_is_hidden_where_all_that_is_shown_is_open() -> None:
    assert policy(*OPEN.values()).hides_nothing
    assert policy(*OPEN.values(), constraint("d", "asset", all_of=in_database("secret"), deny=["PUT"])).hides_nothing
    assert not policy().hides_nothing
    assert not deny_everything(DecisionReason.MALFORMED).hides_nothing


@pytest.mark.parametrize("kind", OPEN)
def test_something_can_be_hidden_where_any_kind_is_not_open(kind: str) -> None:
    narrow = [criterion(FIELDS[kind][0], "starts_with", "x")]
    assert not policy(*(row for name, row in OPEN.items() if name != kind)).hides_nothing
    assert not policy(*(OPEN | {kind: constraint(kind, kind, all_of=narrow, allow=["GET"])}).values()).hides_nothing
    assert not policy(*OPEN.values(), constraint("d", kind, all_of=narrow, deny=["GET"])).hides_nothing


def test_fields_of_unexpected_types_deny_only_where_they_are_compared() -> None:
    by_name = constraint("name", "asset", all_of=[criterion("assetName", "equals", "x")], allow=["DELETE"])
    by_database = constraint("database", "asset", all_of=in_database("plant-models"), allow=["GET"])
    assert policy(by_database).allows("asset", ASSET | {"assetName": 7}, "GET")
    assert not policy(by_database, by_name).allows("asset", ASSET | {"assetName": 7}, "GET")


@pytest.mark.parametrize("operator", ["is_one_of", "is_not_one_of", "equals", "does_not_contain"])
@pytest.mark.parametrize(
    "value", [7, True, b"x", ["x"], {"x": "x"}, {"y": "y"}, {"y"}, MalformedValue("assetName")], ids=repr
)
def test_a_comparison_with_what_is_no_text_denies_and_never_counts_as_no_match(operator: str, value: object) -> None:
    everything = constraint("all", "asset", all_of=in_database(".*", "contains"), allow=["GET"])
    by_name = constraint("name", "asset", all_of=[criterion("assetName", operator, "x")], deny=["GET"])
    assert policy(everything).allows("asset", ASSET | {"assetName": value}, "GET")
    assert (
        policy(everything, by_name).allows("asset", ASSET | {"assetName": value}, "GET").reason
        is DecisionReason.UNDECIDABLE
    )


@pytest.mark.parametrize("operator", ["is_one_of", "is_not_one_of"])
@pytest.mark.parametrize("value", [7, "locked", b"locked", {"locked": 1}, {"y"}, MalformedValue("tags")], ids=repr)
def test_a_comparison_with_what_is_no_list_of_tags_denies(operator: str, value: object) -> None:
    everything = constraint("all", "asset", all_of=in_database(".*", "contains"), allow=["GET"])
    by_tag = constraint("tag", "asset", all_of=[criterion("tags", operator, "locked")], deny=["GET"])
    assert (
        policy(everything, by_tag).allows("asset", ASSET | {"tags": value}, "GET").reason is DecisionReason.UNDECIDABLE
    )


def test_text_that_cannot_be_encoded_is_no_error() -> None:
    row = constraint("c", "database", all_of=in_database("[a-z]+"), allow=["GET"])
    assert not policy(row).allows("database", {"databaseId": "\ud800"}, "GET")


def test_a_decision_about_50_constraints_takes_microseconds() -> None:
    rows = [constraint(f"c{n}", "asset", all_of=in_database(f"db-{n}"), deny=["GET"]) for n in range(49)]
    of_bob = policy(*rows, constraint("all", "asset", all_of=in_database(".*", "contains"), allow=["GET"]))
    assert of_bob.allows("asset", ASSET, "GET")

    def decide_1000_times() -> float:
        started = time.thread_time()
        for _ in range(1_000):
            of_bob.allows("asset", ASSET, "GET")
        return time.thread_time() - started

    assert min(decide_1000_times() for _ in range(20)) / 1_000 < 10e-6


def plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: json.loads(value) if isinstance(value, str) and value[:1] == "[" else value for key, value in row.items()
    }


TEXTS = "a ab db1 db10 mydb1 plant-models plant-models#deleted GLOBAL /workflows/executions/a1/logs é K k"
WORDS = r"a b db db1 plant-models GLOBAL /logs /work p.x r.y p1.z r. a!b a&&b a||b it's x,(y) (r.y) a\b [p.x]"
PIECES = r"""
    a b db . .* .+ | ( ) (a|b) [ab] [^a] [a- ] + * ? { {1,2} ^ \. \- \Z \ (?: (?i) ! && || , ' r. p. p1. é #
"""
words = st.sampled_from([*WORDS.split(), *map(re.escape, WORDS.split()), ""])
patterns = st.lists(st.sampled_from([*PIECES.split(), "\n"]), max_size=4).map("".join)
values = words | words | patterns | st.lists(words | patterns, max_size=3)


@st.composite
def criteria(draw: st.DrawFn, object_type: str) -> dict[str, Any]:
    field = draw(st.sampled_from([*FIELDS[object_type], "databaseId", "assetId"]))
    return criterion(field, draw(st.sampled_from(sorted(OPERATORS))), draw(values))


@st.composite
def constraints(draw: st.DrawFn, object_type: str, name: str) -> dict[str, Any]:
    actions = st.lists(st.sampled_from(["GET", "POST"]), min_size=1, max_size=2)
    is_deny = draw(st.integers(0, 2)) == 0
    return constraint(
        name,
        object_type,
        all_of=draw(st.lists(criteria(object_type), max_size=2)),
        any_of=draw(st.lists(criteria(object_type), max_size=3)),
        allow=[] if is_deny else draw(actions),
        deny=draw(actions) if is_deny else [],
        role=draw(st.sampled_from([ROLE, ROLE, ROLE, "other"])),
        user=draw(st.sampled_from([None, None, USER])),
    )


def near(value: str) -> list[str]:
    """Texts that a value matches under one reading of it or another."""
    plain_value = re.sub(r"\\(.)", r"\1", value)
    rewritten = plain_value.replace("r.", "r_").replace("p.", "p_").replace("p1.", "p1_")
    rewritten = rewritten.replace("!", "not ").replace("&&", "and").replace("||", "or")
    return [each + end for each in (value, plain_value, rewritten) for end in ("", "x", "\n")]


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
    """A type of objects, constraints on it, and objects that are likely to match them."""
    object_type = draw(st.sampled_from(["asset", "database", "api", "workflow", "pipeline"]))
    rows = [draw(constraints(object_type, f"c{n}")) for n in range(draw(st.integers(1, 3)))]
    if draw(st.booleans()):
        everything = criterion(FIELDS[object_type][0], "contains", ".*")
        rows.append(constraint("everything", object_type, all_of=[everything], allow=["GET"]))
    used = [each["value"] for row in rows for each in criteria_of(row)]
    near_texts = [
        text for value in used for each in (value if isinstance(value, list) else [value]) for text in near(each)
    ]
    texts = st.sampled_from(["", *TEXTS.split()]) | st.sampled_from(near_texts or [""])
    field_values = {"tags": st.none() | st.lists(texts, max_size=2)}
    fields = {name: field_values.get(name, st.none() | texts | texts | texts) for name in FIELDS[object_type]}
    objects = st.fixed_dictionaries({}, optional=fields) | st.fixed_dictionaries(fields)
    return object_type, rows, draw(st.lists(objects, min_size=10, max_size=12))


def criteria_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for key in ("criteriaAnd", "criteriaOr") for each in json.loads(row[key])]


def test_it_answers_as_casbin_does() -> None:
    compared: Counter[str] = Counter()

    @settings(max_examples=330, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(cases())
    def compare(case: tuple[str, list[dict[str, Any]], list[dict[str, Any]]]) -> None:
        object_type, rows, subjects = case
        ours, theirs = policy(*rows), Reference(USER, [ROLE], map(plain, rows))
        for fields in subjects:
            for action in ("GET", "POST"):
                decision = ours.allows(object_type, fields, action)
                expected = theirs.allows(object_type, fields, action)
                assert decision.allowed == expected, (decision, rows, fields, action)
                compared["pairs"] += 1
                compared["allowed"] += expected
        compared.update(each["operator"] for row in rows for each in criteria_of(row))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's opinion of some patterns
        compare()
    assert compared["pairs"] >= 5_000
    assert compared["allowed"] >= 500
    assert min(compared[operator] for operator in OPERATORS) >= 50
