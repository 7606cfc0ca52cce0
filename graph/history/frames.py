"""The frame of a definition: its states in order, as many as a page can show."""

from dataclasses import dataclass

from graph.history.definition import Definition, State

MAX_STAGES = 50
MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """States in order, a container before what is inside it, and in words what the bounds left out."""

    states: tuple[State, ...]
    cuts: tuple[str, ...]


def frame(definition: Definition, *, max_stages: int = MAX_STAGES, max_depth: int = MAX_DEPTH) -> Frame:
    """Take at most ``max_stages`` states that have at most ``max_depth`` containers around them.

    The order is the definition's: StartAt first, the main path before handlers, a join after all that leads to it, the
    inside of a container before what follows it, unreachable states last.
    """
    near = [state for state in definition.states.values() if state.depth <= max_depth]
    cuts = []
    if len(near) < len(definition.states):
        cuts.append(f"{len(definition.states) - len(near)} states with more than {max_depth} containers around them")
    if len(near) > max_stages:
        cuts.append(f"{len(near) - max_stages} states after the first {max_stages}")
    return Frame(tuple(near[:max_stages]), tuple(cuts))
