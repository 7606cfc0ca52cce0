"""Random state machines, as Amazon States Language."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Machine = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

_LEAVES = ["Pass", "Task", "Task", "Wait", "Choice", "DistributedMap"]
_CONTAINERS = ["Parallel", "Map"]


class _Builder:
    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._count = 0

    def machine(self, depth: int) -> Machine:
        """A few states in a row; a Choice may lead back; failures may be caught by a state that leads on."""
        size = self._draw(st.integers(1, 3))
        kinds = st.sampled_from(_LEAVES + (_CONTAINERS * 2 if depth < 3 else []))
        names = [self._name() for _ in range(size)]
        states: dict[str, Any] = {}
        for position, name in enumerate(names):
            following = names[position + 1] if position + 1 < size else None
            states[name] = self._state(self._draw(kinds), following, names, depth)
            if states[name].get("Catch"):
                handler = self._name()
                states[name]["Catch"] = [{"ErrorEquals": ["States.ALL"], "Next": handler}]
                states[handler] = {"Type": "Pass"} | self._way_on(following)
        if self._draw(st.integers(0, 9)) == 0:
            states[names[-1]] = {"Type": "Fail", "Error": "Broken"}
        return {"StartAt": names[0], "States": states}

    def _state(self, kind: str, following: str | None, names: list[str], depth: int) -> Machine:
        if kind == "Choice" and following is None:
            kind = "Pass"
        if kind == "Choice":
            target = self._draw(st.sampled_from(names))
            return {"Type": "Choice", "Choices": [{"Condition": "{% $again %}", "Next": target}], "Default": following}
        state: Machine = {"Type": kind} | self._way_on(following)
        if kind == "Parallel":
            state["Branches"] = [self.machine(depth + 1) for _ in range(self._draw(st.integers(1, 3)))]
        elif kind == "Map":
            state |= {"ItemProcessor": self.machine(depth + 1), "MaxConcurrency": self._draw(st.integers(0, 2))}
        elif kind == "DistributedMap":
            state["Type"] = "Map"
            state["ItemProcessor"] = {
                "ProcessorConfig": {"Mode": "DISTRIBUTED"},
                "StartAt": (child := self._name()),
                "States": {child: {"Type": "Pass", "End": True}},
            }
        if state["Type"] in ("Task", "Parallel", "Map"):
            if self._draw(st.booleans()):
                state["Retry"] = [{"ErrorEquals": ["States.ALL"], "MaxAttempts": self._draw(st.integers(1, 2))}]
            state["Catch"] = self._draw(st.booleans())
        return state

    def _name(self) -> str:
        self._count += 1
        return f"S{self._count}"

    @staticmethod
    def _way_on(following: str | None) -> Machine:
        return {"Next": following} if following is not None else {"End": True}


@st.composite
def machines(draw: Draw) -> Machine:
    return _Builder(draw).machine(0)
