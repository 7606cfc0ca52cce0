"""The order of states in one machine, and which of them a loop can come back to."""

from collections.abc import Iterable, Mapping, Sequence


def in_running_order(start: str, successors: Mapping[str, Sequence[str]]) -> list[str]:
    """List what can be reached from ``start``: it first, a join after what leads to it, first successors first.

    This is the reverse post-order of a depth-first search that takes successors from last to first. A loop's way back
    does not count. O(states + transitions), without recursion.
    """
    finished: list[str] = []
    seen = {start}
    open_states = [(start, iter(reversed(successors[start])))]
    while open_states:
        name, rest = open_states[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                open_states.append((successor, iter(reversed(successors[successor]))))
                break
        else:
            finished.append(name)
            open_states.pop()
    finished.reverse()
    return finished


def on_cycles(order: Iterable[str], successors: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the states that can follow themselves; ``order`` is a running order.

    Kosaraju's algorithm: a search against the transitions, in running order, meets one strong component after another.
    """
    predecessors: dict[str, list[str]] = {name: [] for name in order}
    for name in predecessors:
        for successor in successors[name]:
            predecessors[successor].append(name)
    cyclic = {name for name in predecessors if name in successors[name]}
    seen: set[str] = set()
    for root in predecessors:
        if root in seen:
            continue
        seen.add(root)
        component = [root]
        for name in component:  # grows while it is walked
            for predecessor in predecessors[name]:
                if predecessor not in seen:
                    seen.add(predecessor)
                    component.append(predecessor)
        if len(component) > 1:
            cyclic.update(component)
    return cyclic
