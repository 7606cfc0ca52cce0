"""What an operation costs before it runs, and what is refused."""

import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLObjectType, get_introspection_query, get_named_type
from hypothesis import given, settings
from hypothesis import strategies as st

from graph import explorer
from graph.demo import welcome
from graph.documents import Documents
from graph.errors import CostLimitExceeded
from graph.http.limits import Limits
from graph.schema import Schema
from graph.schema.costs import ANSWER_COST, LIST_COST, PAGE_COST
from graph.settings import Settings
from tests.harness import SCHEMA, SUBGRAPH

UNLIMITED = (
    "max_price",
    "max_fields",
    "max_depth",
    "max_aliases",
    "max_directives",
    "max_root_fields",
)
GENEROUS = Settings.model_construct(**{**Settings().model_dump(), **dict.fromkeys(UNLIMITED, 10**300)})


def price(
    query: str, variables: dict[str, Any] | None = None, limits: Settings = GENEROUS, schema: Schema = SCHEMA
) -> int:
    document = Documents(schema.core, limits).parse(query)
    return Limits(schema.core, limits).price(document, document.operations[0], variables)


def refusal(query: str, **settings: Any) -> CostLimitExceeded:
    with pytest.raises(CostLimitExceeded) as refused:
        price(query, limits=Settings(**settings))
    return refused.value


def test_a_plain_field_is_a_point_and_an_answer_more() -> None:
    assert price("{ __typename }") == 1
    assert price('{ node(id: "a") { id } }') == ANSWER_COST + 1


def test_a_page_costs_itself_and_its_rows() -> None:
    assert price("{ executions(first: 3) { nodes { id } } }") == LIST_COST + 3 * (1 + 1)
    assert price("{ executions(last: 3) { edges { cursor node { id } } } }") == LIST_COST + 3 * (1 + 1 + 1 + 1)


def test_what_a_page_says_of_itself_is_said_once() -> None:
    assert price("{ executions(first: 100) { pageInfo { hasNextPage } shortPageReason } }") == LIST_COST + 2 + 1


def test_pages_multiply_down_the_tree() -> None:
    inner = PAGE_COST + 4 * (1 + 1)
    assert price("{ executions(first: 3) { nodes { inputFiles(first: 4) { nodes { id } } } } }") == LIST_COST + 3 * (
        1 + inner
    )


# Rows of histories

VISITS = "visits { nodes { enteredEventId status startedAt stoppedAt } }"
TREE = (
    '{ execution(executionId: "x") { pipelineExecutions { nodes { subExecutions { nodes { label engineExecution {'
    " stages { nodes { name type status startedAt durationMs error %s } } } } } } } } }"
)
RUNS = Settings().history_pages_per_operation
VISITS_READ = RUNS * 500


def test_all_stages_and_visits_of_a_run_can_be_asked_for_at_default_sizes() -> None:
    assert price(TREE % VISITS) <= Settings().max_price


@pytest.mark.parametrize("size", ["(first: 1000)", "(first: 100)", ""])
def test_more_visits_than_its_histories_hold_cost_an_operation_nothing(size: str) -> None:
    stages = RUNS * 50 * (1 + 6 + PAGE_COST)
    assert price(TREE % VISITS.replace("visits", "visits" + size)) == (
        price(TREE.replace("%s", "")) - RUNS * 50 * (1 + 6) + stages + VISITS_READ * (1 + 4)
    )


def test_few_visits_cost_what_they_would() -> None:
    one = '{ execution(executionId: "x") { engineExecution { stages(first: 3) { nodes { %s } } } } }'
    assert price(one % "name") == ANSWER_COST + ANSWER_COST + PAGE_COST + 3 * (1 + 1)
    assert price(one % VISITS.replace("visits", "visits(first: 4)")) == (
        2 * ANSWER_COST + PAGE_COST + 3 * (1 + PAGE_COST + 4 * (1 + 4))
    )


def test_the_same_visits_cost_again_under_another_name() -> None:
    once = price(TREE % VISITS)
    assert price(TREE % f"{VISITS} again: {VISITS}") - once == VISITS_READ * (1 + 4) + RUNS * 50 * PAGE_COST
    fragment = f"fragment V on Stage {{ {VISITS} }}"
    assert price(TREE % "...V" + fragment) == once
    assert price(TREE % "...V ...V" + fragment) == once


@pytest.mark.parametrize(
    ("argument", "variables", "size"),
    [
        ("", {}, 20),
        ("(first: null)", {}, 20),
        ("(first: $n)", {"n": 7}, 7),
        ("(first: $n)", {}, 5),
        ("(first: $n)", {"n": None}, 20),
        ("(first: $n)", {"n": "many"}, 100),
        ("(first: $unknown)", {}, 20),
        ("(first: 1000000)", {}, 1_000_000),
        (f"(first: 1{'0' * 5000})", {}, 10**11),
        ("(first: -5)", {}, 0),
        ("(first: 3, last: 8)", {}, 8),
        ("(first: [1, 2])", {}, 2),
        ('(first: "x")', {}, 100),
    ],
)
def test_the_size_of_a_page_is_what_its_arguments_come_to(argument: str, variables: dict[str, Any], size: int) -> None:
    query = f"query ($n: Int = 5) {{ executions{argument} {{ nodes {{ id }} }} }}"
    assert price(query, variables) == LIST_COST + 2 * size


def test_many_ids_cost_what_each_of_them_would() -> None:
    each = ANSWER_COST + 1
    assert price("{ nodes(ids: []) { id } }") == price('{ node(id: "a") { id } }') == each
    assert price('{ nodes(ids: ["a", "b", "c"]) { id } }') == 3 * each
    assert price("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", {"ids": ["a"] * 50}) == 50 * each
    assert price("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", {"ids": ["a"] * 5_000}) == 5_000 * each


def test_many_representations_cost_what_each_of_their_objects_would() -> None:
    one = '{__typename: "Execution", executionId: "a"}'
    asked = "... on Execution { status inputFiles(first: 4) { nodes { id } } }"
    each = 2 * ANSWER_COST + (PAGE_COST + 4 * (1 + 1))
    several = f"{{ _entities(representations: [{one} {one} {one}]) {{ {asked} }} }}"
    assert price(several, schema=SUBGRAPH) == 3 * each
    aliased = "query ($r: [_Any!]!) { " + "".join(
        f"{alias}: _entities(representations: $r) {{ {asked} }} " for alias in "ab"
    )
    assert price(aliased + "}", {"r": [{}] * 1_000}, schema=SUBGRAPH) == 2 * 1_000 * each


def test_a_fragment_costs_what_it_says_wherever_it_is_spread() -> None:
    fragment = "fragment f on ExecutionConnection { nodes { id } }"
    twice = "...f ... on ExecutionConnection { nodes { id } }"
    query = f"{{ a: executions(first: 2) {{ ...f }} b: executions(first: 5) {{ {twice} }} }}"
    assert price(query + fragment) == (LIST_COST + 2 * 2) + (LIST_COST + 5 * 2 * 2)


REST = "viewer { userId }"
LEFT_OUT = [
    ("@skip(if: true)", {}),
    ("@include(if: false)", {}),
    ("@skip(if: false) @include(if: false)", {}),
    ("@skip(if: $yes)", {"yes": True}),
    ("@include(if: $no)", {"no": False}),
    ("@include(if: $yes)", {"yes": False}),
    ("@skip(if: $yes)", {}),
    ("@include(if: $no)", {}),
    ("@include(if: $yes) @skip(if: $yes)", {"yes": True}),
]
KEPT = [
    ("@skip(if: false)", {}),
    ("@include(if: true)", {}),
    ("@skip(if: $no)", {}),
    ("@include(if: $yes)", {}),
    ("@skip(if: $yes)", {"yes": False}),
    ("@skip(if: $yes)", {"yes": None}),
    ("@skip(if: $yes)", {"yes": 1}),
    ("@include(if: $no)", {"no": 0}),
    ("@include(if: $no)", {"no": "false"}),
    ("@skip(if: $unknown)", {}),
    ("@include(if: $unknown)", {}),
    ("@include", {}),
    ("@deprecated(if: true)", {}),
]
SELECTIONS = [
    "executions(first: 50) DIRECTIVES { nodes { id } }",
    "... on Query DIRECTIVES { executions { nodes { inputFiles { nodes { id } } } } }",
    "... DIRECTIVES { a: executions { nodes { id } } b: __typename }",
    "...f DIRECTIVES",
    "...f DIRECTIVES ...f DIRECTIVES",
]
FRAGMENT = " fragment f on Query { executions { nodes { id } } }"


def _with(selection: str, directives: str) -> str:
    return selection.replace("DIRECTIVES", directives)


def _query(selected: str) -> str:
    return f"query ($yes: Boolean! = true, $no: Boolean! = false) {{ {selected} {REST} }}{FRAGMENT}"


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize(("condition", "variables"), LEFT_OUT)
def test_what_a_directive_leaves_out_costs_nothing(selection: str, condition: str, variables: dict[str, Any]) -> None:
    assert price(_query(_with(selection, condition)), variables) == price(f"{{ {REST} }}")


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize(("condition", "variables"), KEPT)
def test_what_a_directive_keeps_costs_what_it_would_without(
    selection: str, condition: str, variables: dict[str, Any]
) -> None:
    without = price(_query(_with(selection, "")))
    assert price(_query(_with(selection, condition)), variables) == without


def test_an_operation_of_which_nothing_is_left_costs_nothing() -> None:
    assert price("{ executions(first: 100) @skip(if: true) { nodes { id } } }") == 0


def test_below_a_page_only_what_is_left_counts_for_each_row() -> None:
    query = "query ($log: Boolean!) {{ executions(first: 50) {{ nodes {{ id {} }} }} }}"
    step = "pipelineExecutions(first: 10) @include(if: $log) { nodes { id } }"
    with_it, without = price(query.format(step.replace("@include(if: $log)", ""))), price(query.format(""))
    assert price(query.format(step), {"log": True}) == with_it
    assert price(query.format(step), {"log": False}) == without


@pytest.mark.parametrize("first", ["...f @skip(if: true)", "...f @include(if: $no)"])
def test_a_fragment_that_is_spread_again_is_paid_where_it_is_kept(first: str) -> None:
    once = price(_query("...f"))
    for selected in (f"{first} ...f", f"...f {first}", f"{first} ...f {first} ...f", f"{first} ... {{ ...f }}"):
        assert price(_query(selected)) == once


def test_a_price_is_known_by_what_is_left_out() -> None:
    document = Documents(SCHEMA.core, GENEROUS).parse(
        "query ($a: Boolean = false, $b: Boolean = false, $n: Int) { viewer { userId }"
        " x: executions(first: $n) @skip(if: $a) { nodes { id } }"
        " y: executions @skip(if: $a) @skip(if: $b) { nodes { id } } }"
    )
    limits = Limits(SCHEMA.core, GENEROUS)
    combinations = itertools.product((True, False, 1, None), (True, False, 0), (1, 2, None))
    given = [{}, *({"a": a, "b": b, "n": n} for a, b, n in combinations)]
    for variables in (*given, *reversed(given)):
        fresh = Limits(SCHEMA.core, GENEROUS).price(
            Documents(SCHEMA.core, GENEROUS).parse(document.source), document.operations[0], variables
        )
        assert limits.price(document, document.operations[0], variables) == fresh


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        ("{ " + "a: __typename " * 3 + "... @skip(if: true) { " + "b: __typename " * 3 + "} }", "max_root_fields"),
        ("{ ... @include(if: false) { " + "viewer { " * 30 + "userId" + " }" * 31 + " }", "max_depth"),
        ("{ ... @skip(if: true) { " + " ".join(f"a{n}: __typename" for n in range(200)) + " } }", "max_aliases"),
        ("{ ... @skip(if: true) { " + "__typename @skip(if: true) " * 200 + " } }", "max_directives"),
        ("{ viewer @skip(if: true) { " + "userId " * 2_100 + " } }", "max_fields"),
    ],
)
def test_what_is_left_out_counts_for_every_limit_on_the_document(query: str, limit: str) -> None:
    generous = {name: 10**6 for name in UNLIMITED if name != limit}
    lowest = {"max_root_fields": 5}.get(limit, getattr(Settings(), limit))
    refused = refusal(query, **generous, rate_points=10**6, **{limit: lowest})
    assert refused.requested > refused.maximum == lowest


def test_fields_are_counted_each_time_that_a_fragment_is_spread() -> None:
    again = "".join(f'a{number}: execution(executionId: "x") {{ ...f }} ' for number in range(11))
    query = f"{{ {again} }} fragment f on Execution {{ id pipelineExecutions(first: 0) {{ nodes {{ id name }} }} }}"
    assert price(query, limits=Settings(max_fields=100)) > 0
    refused = refusal(query.replace("id name", "id name status executionType isEndState position"), max_fields=100)
    assert (refused.requested, refused.maximum) == (11 * 10, 100)


def test_a_fragment_that_is_spread_again_in_the_same_place_adds_nothing() -> None:
    assert price("{ ...f ...f } fragment f on Query { __typename }") == 1


def test_sixty_doubling_fragments_are_measured_at_once_and_refused() -> None:
    body = "a: node(id: 1) {{ ...f{0} }} b: node(id: 1) {{ ...f{0} }}"
    fragments = " ".join(f"fragment f{i} on Node {{ x: {body.format(i + 1)[3:]} }}" for i in range(60))
    query = f"{{ {body.format(0)} }} {fragments} fragment f60 on Node {{ id }}"
    begun = time.process_time()
    assert price(query) > 2**60
    assert time.process_time() - begun < 1
    assert refusal(query).code == "COST_LIMIT_EXCEEDED"


@pytest.mark.parametrize(
    "query",
    [
        "{ ...f } fragment f on Query { ...f }",
        "{ ...f } fragment f on Query { ...g } fragment g on Query { ...f __typename }",
        "{ ...nowhere }",
        "{ ...__schema } fragment __schema on Query { __typename }",
        "{ nothing { nothing(first: 3) { nodes } } }",
        "{ ... on Nothing { nothing { x } } }",
        "{ __typename { x { y } } }",
        "subscription { nothing }",
    ],
)
def test_what_is_not_valid_has_a_price_too(query: str) -> None:
    assert 0 <= price(query) < 50


def test_the_introspection_query_is_admitted_by_default_but_not_four_times() -> None:
    query = get_introspection_query(
        directive_is_repeatable=True, schema_description=True, specified_by_url=True, input_value_deprecation=True
    )
    assert price(query, limits=Settings()) > 10_000
    again = " ".join(f"{name}: __schema {{ ...s }}" for name in "abcd")
    _, fields = query.split("__schema {", 1)
    inner, fragments = fields.split("\n    }\n", 1)[0], fields[fields.index("fragment FullType") :]
    assert refusal(f"{{ {again} }} fragment s on __Schema {{ {inner} }} }} {fragments}").maximum == 150_000


def examples() -> dict[str, tuple[str, dict[str, Any]]]:
    """The documents of front ends, of the pages, of the demo's greeting and of the explorer."""
    root = Path(__file__).parent.parent.parent
    found = {
        path.stem: (path.read_text(), json.loads(path.with_suffix(".variables.json").read_text()))
        for path in (root / "tests" / "documents").glob("*.graphql")
    }
    for page in [root / "README.md", *(root / "docs").glob("*.md")]:
        for number, text in enumerate(
            re.findall(r"^```graphql\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        ):
            found[f"{page.stem} {number}"] = text, {}
    for example in (*welcome.EXAMPLES, *explorer.EXAMPLES):
        found[example.leads_to] = example.query, {}
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_admitted_by_default(name: str) -> None:
    text, variables = EXAMPLES[name]
    assert 0 < price(text, variables, Settings()) <= Settings().max_price


def test_the_page_on_prices_is_right() -> None:
    text, _ = EXAMPLES["http 0"]
    assert f"= {price(text)}:" in (Path(__file__).parent.parent.parent / "docs" / "http.md").read_text()


def test_depth_counts_through_fragments() -> None:
    deep = "{ node(id: 1) { ...f0 } }" + "".join(
        f" fragment f{i} on Execution {{ group {{ executions {{ nodes {{ ...f{i + 1} }} }} }} }}" for i in range(8)
    )
    refused = refusal(deep + " fragment f8 on Execution { id }")
    assert str(refused) == "The operation's depth is 26; at most 20 is allowed."
    assert (refused.requested, refused.maximum) == (26, 20)


def test_fragments_in_fragments_without_end_are_refused() -> None:
    chain = "".join(f" fragment f{i} on Query {{ ...f{i + 1} }}" for i in range(300))
    assert "nesting" in str(refusal("{ ...f0 }" + chain + " fragment f300 on Query { __typename }"))


def test_aliases_are_counted() -> None:
    assert "aliases" in str(refusal("{" + " ".join(f"a{i}: __typename" for i in range(5)) + "}", max_aliases=4))
    assert price("{ __typename: __typename a: __typename }", limits=Settings(max_aliases=1)) == 2


def test_root_fields_are_counted_through_fragments() -> None:
    query = "{ ...f a: __typename } fragment f on Query { __typename ... { b: __typename } }"
    assert "root fields" in str(refusal(query, max_root_fields=2))
    assert price(query, limits=Settings(max_root_fields=3)) == 3


@pytest.mark.parametrize(
    "query",
    [
        "query q @a @a @a { __typename }",
        "query q($v: Int @a @a @a) { __typename }",
        "{ __typename @a @a @a }",
        "{ ... @a @a @a { __typename } }",
        "{ ...f @a @a @a } fragment f on Query { __typename }",
        "{ ...f } fragment f on Query @a @a @a { __typename }",
        "{ __typename } fragment unused on Query { __typename @a @a @a }",
        "{ __typename } query other { __typename @a @a @a }",
    ],
)
def test_directives_are_counted_in_each_place_and_in_all(query: str) -> None:
    assert "directives is 3" in str(refusal(query, max_directives=2))
    assert "directives in one place is 6; at most 5 is allowed" in str(refusal(query.replace("@a", "@a @a")))


SAID = st.none() | st.booleans() | st.integers(-5, 200) | st.just("many") | st.lists(st.just("id"), max_size=5)


@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "b", "ids", "other"]), SAID), max_size=60),
    st.sampled_from([None, "q", "r"]),
)
def test_a_price_that_is_known_is_the_price(asked: list[dict[str, Any]], name: str | None) -> None:
    query = (
        "query q($a: Int = 3, $b: Int, $ids: [ID!]!) {"
        " executions(first: $a, last: $b) { nodes { inputFiles(first: $b) { nodes { id } } } }"
        " nodes(ids: $ids) { id } }"
    )
    query += " query r($a: Int) { executions(first: $a) { nodes { id } } }" if name else ""
    document = Documents(SCHEMA.core, GENEROUS).parse(query)
    limits, operation = Limits(SCHEMA.core, GENEROUS), document.operation(name)
    for variables in asked:
        anew = Limits(SCHEMA.core, GENEROUS).price(document, operation, variables)
        assert limits.price(document, operation, variables) == anew


def test_a_known_price_is_refused_too() -> None:
    limits = Limits(SCHEMA.core, Settings())
    document = Documents(SCHEMA.core, Settings()).parse(
        "query ($n: Int) { executions(first: $n) { nodes { inputFiles(first: $n) { nodes { id } } } } }"
    )
    assert limits.price(document, document.operations[0], {"n": 1})
    for _ in range(2):
        with pytest.raises(CostLimitExceeded):
            limits.price(document, document.operations[0], {"n": 1000})


@settings(deadline=None)
@given(st.integers(0, 100), st.integers(0, 100))
def test_a_longer_page_is_never_cheaper(shorter: int, longer: int) -> None:
    shorter, longer = sorted((shorter, longer))
    query = "query ($n: Int) { executions(first: $n) { nodes { inputFiles { nodes { id } } } } }"
    assert price(query, {"n": shorter}) <= price(query, {"n": longer})


def test_json_and_texts_are_known_to_be_long() -> None:
    limits = Limits(SCHEMA.core, GENEROUS)
    for kind in SCHEMA.core.type_map.values():
        if isinstance(kind, GraphQLObjectType) and not kind.name.startswith("__"):
            for name, field in kind.fields.items():
                if get_named_type(field.type).name == "JSON":
                    assert limits.has_long_texts({kind.name: [name]}), f"{kind.name}.{name}"
    assert limits.has_long_texts({"Execution": ["id"], "StoredText": ["byteLength", "content"]})
    assert not limits.has_long_texts({"Execution": ["id", "status", "log"], "Query": ["executions"], "Nothing": ["x"]})
