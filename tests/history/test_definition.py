"""Definitions: what is read out of a state machine, and what is refused."""

import json
from typing import Any

import pytest

from graph.history import DefinitionError, StageTransitionKind, Transition, item_definition, parse_definition

INNER = {"StartAt": "In", "States": {"In": {"Type": "Pass", "End": True}}}


def machine(**states: dict[str, Any]) -> dict[str, Any]:
    return {"StartAt": next(iter(states)), "States": states}


def test_a_container_comes_before_its_inside_and_that_before_what_follows() -> None:
    definition = parse_definition(
        machine(
            Fan={
                "Type": "Parallel",
                "Branches": [
                    machine(A={"Type": "Pass", "Next": "A2"}, A2={"Type": "Pass"}),
                    machine(B={"Type": "Task"}),
                ],
                "Next": "Each",
            },
            Last={"Type": "Succeed"},
            Each={"Type": "Map", "ItemProcessor": INNER, "Next": "Last"},
        )
    )
    assert [(state.path, state.depth, state.parent) for state in definition.states.values()] == [
        (("Fan",), 0, None),
        (("Fan", "A"), 1, "Fan"),
        (("Fan", "A2"), 1, "Fan"),
        (("Fan", "B"), 1, "Fan"),
        (("Each",), 0, None),
        (("Each", "In"), 1, "Each"),
        (("Last",), 0, None),
    ]
    assert definition.warnings == ()


def test_a_branch_is_its_index_and_its_first_state() -> None:
    states = parse_definition(
        machine(Fan={"Type": "Parallel", "Branches": [INNER, machine(B={"Type": "Pass"})]})
    ).states
    assert states["B"].place == ("Fan", 1, "B")
    assert states["Fan"].place is None


@pytest.mark.parametrize("key", ["ItemProcessor", "Iterator"])
def test_a_processor_goes_by_either_name(key: str) -> None:
    states = parse_definition(machine(Each={"Type": "Map", key: INNER})).states
    assert states["In"].place == ("Each", None, "In")
    assert states["In"].is_in_map
    assert not states["Each"].is_distributed


def test_the_inside_of_a_distributed_map_is_elsewhere() -> None:
    processor = {**INNER, "ProcessorConfig": {"Mode": "DISTRIBUTED"}}
    states = parse_definition(machine(Each={"Type": "Map", "ItemProcessor": processor})).states
    assert (states["Each"].is_distributed, states["Each"].is_elsewhere) == (True, False)
    assert (states["In"].is_distributed, states["In"].is_elsewhere) == (False, True)


def test_transitions_are_listed_by_kind() -> None:
    states = parse_definition(
        machine(
            Pick={
                "Type": "Choice",
                "Choices": [{"And": [{"Next": "Nowhere"}], "Next": "Do"}, {"Condition": "{% true %}", "Next": "End"}],
                "Default": "End",
            },
            Do={
                "Type": "Task",
                "Resource": "arn",
                "Next": "End",
                "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Pick"}],
            },
            End={"Type": "Succeed"},
        )
    ).states
    assert states["Pick"].transitions == (
        Transition("Do", StageTransitionKind.CHOICE, '{"And": [{"Next": "Nowhere"}]}'),
        Transition("End", StageTransitionKind.CHOICE, "{% true %}"),
        Transition("End", StageTransitionKind.DEFAULT),
    )
    assert states["Do"].transitions == (
        Transition("End", StageTransitionKind.NEXT),
        Transition("Pick", StageTransitionKind.CATCH, "States.ALL"),
    )
    assert (states["Do"].resource, states["End"].resource) == ("arn", None)


def test_a_jsonata_machine_walks_like_a_jsonpath_one() -> None:
    query = {"Type": "Map", "Items": "{% $states.input %}", "Output": "{% $x %}", "ItemProcessor": INNER}
    path = {"Type": "Map", "ItemsPath": "$.items", "ResultPath": "$.x", "ItemProcessor": INNER}
    one = parse_definition({"QueryLanguage": "JSONata", **machine(Each=query)})
    assert one == parse_definition(machine(Each=path))


def test_unreachable_states_come_last_and_are_marked() -> None:
    states = parse_definition(
        machine(
            First={"Type": "Pass", "Next": "Last"}, Island={"Type": "Map", "Iterator": INNER}, Last={"Type": "Succeed"}
        )
    ).states
    assert [(name, state.is_reachable) for name, state in states.items()] == [
        ("First", True),
        ("Last", True),
        ("Island", False),
        ("In", False),
    ]


def test_what_is_odd_is_said_and_passed_over() -> None:
    definition = parse_definition(
        {
            "StartAt": "Gone",
            "States": {
                "A": {
                    "Type": "Parallel",
                    "Next": "Nowhere",
                    "Branches": [INNER, INNER, 7],
                    "Catch": "x",
                    "Choices": [3],
                },
                "B": 5,
                "C": {"Type": ["Pass"], "Next": 7},
            },
        }
    )
    assert list(definition.states) == ["A", "In", "C"]
    assert definition.states["C"].state_type == "Unknown"
    assert definition.warnings == (
        "A leads to Nowhere, which is not defined",
        "StartAt of the machine is not defined",
        "In is defined twice; the first is kept",
    )


@pytest.mark.parametrize(
    ("name", "can_repeat"),
    [("Once", False), ("Poll", True), ("Again", True), ("Fan", False), ("InFan", True), ("Each", False), ("In", True)],
)
def test_what_may_be_visited_again_is_in_a_loop_a_map_or_a_retry(name: str, can_repeat: bool) -> None:
    states = parse_definition(
        machine(
            Once={"Type": "Task", "Retry": [{}], "Next": "Poll"},
            Poll={"Type": "Task", "Next": "Again"},
            Again={"Type": "Choice", "Choices": [{"Next": "Poll"}], "Default": "Fan"},
            Fan={"Type": "Parallel", "Branches": [machine(InFan={"Type": "Pass"})], "Retry": [{}], "Next": "Each"},
            Each={"Type": "Map", "ItemProcessor": INNER},
        )
    ).states
    assert states[name].can_repeat is can_repeat


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        (b"\xff{}", "not JSON"),
        ("[]", "no object 'States'"),
        ("{}", "no object 'States'"),
        ('{"States": []}', "no object 'States'"),
        ("1" * 5000, "not JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_definition_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        parse_definition(text, max_bytes=1_000_000)


def test_a_text_beyond_the_bound_is_refused_before_it_is_parsed() -> None:
    text = json.dumps(machine(A={"Type": "Pass", "Comment": "é" * 200_000}), ensure_ascii=False)
    with pytest.raises(DefinitionError, match=r"has 4000\d\d bytes; at most 262144 are read"):
        parse_definition(text)
    assert list(parse_definition(text, max_bytes=500_000).states) == ["A"]


def test_nesting_that_json_can_carry_can_be_read() -> None:
    nested: dict[str, Any] = machine(S0={"Type": "Pass"})
    for depth in range(1, 1000):
        nested = machine(**{f"S{depth}": {"Type": "Map", "ItemProcessor": nested}})
    assert parse_definition(nested).states["S0"].depth == 999


def test_names_may_be_anything() -> None:
    names = ["a/b", "[0]", "*", " ", "Fan[0]/A", "\ud800"]
    states = parse_definition({"StartAt": "*", "States": {name: {"Type": "Pass"} for name in names}}).states
    assert {state.path for state in states.values()} == {(name,) for name in names}


def _distributed(label: str | None, item: dict[str, Any]) -> dict[str, Any]:
    labelled = {"Label": label} if label is not None else {}
    return {"Type": "Map", "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED"}, **item}, **labelled}


ITEM = {"StartAt": "A", "States": {"A": {"Type": "Pass"}}}
INLINE = {"Type": "Map", "Label": "x", "ItemProcessor": ITEM}


@pytest.mark.parametrize(
    ("states", "label", "start"),
    [
        ({"M": _distributed("tiles", ITEM)}, "tiles", "A"),
        ({"M": _distributed("tiles", ITEM)}, "M", None),
        ({"All tiles (new)": _distributed(None, ITEM)}, "Alltiles(new)", "A"),
        ({"P": {"Type": "Parallel", "Branches": [{"States": {"M": _distributed("tiles", ITEM)}}]}}, "tiles", "A"),
        ({"I": {"Type": "Map", "Iterator": {"States": {"M": _distributed("tiles", ITEM)}}}}, "tiles", "A"),
        (
            {"O": _distributed("outer", {"StartAt": "B", "States": {"M": _distributed("inner", ITEM)}})},
            "inner",
            "A",
        ),
        ({"I": INLINE}, "x", None),
        ({"M": "text", "N": {"Type": "Map", "ItemProcessor": []}}, "M", None),
    ],
)
def test_what_a_distributed_map_holds_is_found_by_its_label(
    states: dict[str, Any], label: str, start: str | None
) -> None:
    found = item_definition(json.dumps({"StartAt": "x", "States": states}), label)
    assert (found and json.loads(found)["StartAt"]) == start


@pytest.mark.parametrize("text", ["", "[]", "{", '{"States": []}', "[" * 100_000])
def test_what_is_no_definition_holds_none(text: str) -> None:
    assert item_definition(text, "x") is None
