"""Frames: as much of a definition as a page can show."""

from typing import Any

from graph.history import frame, parse_definition


def nested(depth: int) -> dict[str, Any]:
    states: dict[str, Any] = {"Type": "Pass"}
    if depth > 0:
        states = {"Type": "Map", "ItemProcessor": nested(depth - 1)}
    return {"StartAt": f"S{depth}", "States": {f"S{depth}": states}}


def test_a_small_definition_is_shown_whole() -> None:
    found = frame(parse_definition(nested(3)))
    assert [state.name for state in found.states] == ["S3", "S2", "S1", "S0"]
    assert found.cuts == ()


def test_what_lies_too_deep_is_cut_and_counted() -> None:
    found = frame(parse_definition(nested(6)))
    assert [state.depth for state in found.states] == [0, 1, 2, 3]
    assert found.cuts == ("3 states with more than 3 containers around them",)


def test_what_comes_too_late_is_cut_and_counted() -> None:
    states = {f"S{number}": {"Type": "Pass", "Next": f"S{number + 1}"} for number in range(52)}
    definition = parse_definition({"StartAt": "S0", "States": states})
    found = frame(definition)
    assert (len(found.states), found.states[-1].name) == (50, "S49")
    assert found.cuts == ("2 states after the first 50",)
    assert len(frame(definition, max_stages=100).states) == 52


def test_bounds_may_be_given() -> None:
    found = frame(parse_definition(nested(2)), max_stages=1, max_depth=0)
    assert [state.name for state in found.states] == ["S2"]
    assert found.cuts == ("2 states with more than 0 containers around them",)
