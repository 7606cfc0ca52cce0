"""A state machine's definition (Amazon States Language) as an ordered table of its states.

Nothing is evaluated: names, types and transitions are all that is read, so JSONPath and JSONata machines walk the same.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from graph.history.ordering import in_running_order, on_cycles

MAX_BYTES = 256 * 1024
LONGEST_LABEL = 4096
_NOT_IN_LABELS = re.compile(r"""[\s?*<>{}\[\]:;,\\|^~$#%&`"/]""")


class DefinitionError(ValueError):
    """The text is not a definition, or is larger than the bound."""


class StageTransitionKind(StrEnum):
    """Why one state follows another."""

    NEXT = "NEXT"
    CHOICE = "CHOICE"
    DEFAULT = "DEFAULT"
    CATCH = "CATCH"


class Transition(NamedTuple):
    """A transition to the state ``to``, which may be missing from the definition.

    ``label`` is the rule of a CHOICE, as JSON or as its JSONata expression, or the errors of a CATCH, and holds
    whatever the definition does; at most :data:`LONGEST_LABEL` characters.
    """

    to: str
    kind: StageTransitionKind
    label: str | None = None


class BranchPlace(NamedTuple):
    """A sub-machine: ``branch`` is its index in Branches (None in a Map), ``first`` its StartAt."""

    container: str
    branch: int | None
    first: str | None


@dataclass(frozen=True, slots=True)
class State:
    """One state of the definition.

    Attributes:
        name: Unique in the whole machine.
        state_type: ``Task``, ``Map`` ...; ``Unknown`` where the definition does not say.
        path: Names of the containers around it, outermost first, then its own.
        place: The branch or processor that holds it; None at the top.
        resource: Of a Task.
        transitions: In the order of Next, Choices, Default, Catch.
        is_start: Its machine, branch or processor begins with it.
        is_reachable: False where no transition leads to it.
        is_distributed: It is a Map whose items are executions of their own.
        is_in_map: A Map is around it, so several visits to it may be open at once.
        is_elsewhere: It runs inside a distributed Map, so this execution's history has no event of it.
        can_repeat: One run may visit it more than once: by a loop, an iteration or a retry of a container.
        is_retried: It has a Retry.
    """

    name: str
    state_type: str
    path: tuple[str, ...]
    place: BranchPlace | None
    resource: str | None
    transitions: tuple[Transition, ...]
    is_start: bool
    is_reachable: bool
    is_distributed: bool
    is_in_map: bool
    is_elsewhere: bool
    can_repeat: bool
    is_retried: bool

    @property
    def depth(self) -> int:
        """Containers around it."""
        return len(self.path) - 1

    @property
    def parent(self) -> str | None:
        """The container around it."""
        return self.place.container if self.place else None


@dataclass(frozen=True, slots=True)
class Definition:
    """All states by name, in the order of a frame, and what was odd about them, in words."""

    states: Mapping[str, State]
    warnings: tuple[str, ...]


def parse_definition(source: str | bytes | Mapping[str, Any], *, max_bytes: int = MAX_BYTES) -> Definition:
    """Read a definition from its JSON text (of at most ``max_bytes``) or from what that parses to.

    Raises:
        DefinitionError: It is too large, not JSON, nested too deeply, or has no States.
    """
    machine = source if isinstance(source, Mapping) else _load(source, max_bytes)
    if not isinstance(machine, Mapping) or not isinstance(machine.get("States"), Mapping):
        raise DefinitionError("the definition has no object 'States'")
    return _read(machine)


def item_definition(source: str, label: str) -> str | None:
    """Return the text of the definition that each item of a distributed Map runs by, found by the label of the Map.

    A Map without a Label has one that the engine makes of its name, without the characters that a label may not hold.
    None where no Map has the label, or the text is no definition.
    """
    try:
        unread = [json.loads(source)]
    except (ValueError, RecursionError):
        return None
    while unread:
        for name, body in _mapping(_mapping(unread.pop()).get("States")).items():
            if not isinstance(body, Mapping):
                continue
            inner = [machine for _, machine in _inner_machines(body)]
            named = body.get("Label", _NOT_IN_LABELS.sub("", name))
            if _is_distributed(body) and named == label and inner:
                return json.dumps(inner[0])
            unread += inner
    return None


def _load(text: str | bytes, max_bytes: int) -> Any:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DefinitionError(f"the definition has {size} bytes; at most {max_bytes} are read")
    try:
        return json.loads(text)
    except RecursionError:
        raise DefinitionError("the definition is nested too deeply") from None
    except ValueError as error:
        raise DefinitionError(f"the definition is not JSON: {error}") from None


class _Around(NamedTuple):
    """What a sub-machine inherits from the containers around it."""

    path: tuple[str, ...]
    place: BranchPlace | None
    is_reachable: bool
    is_in_map: bool
    is_elsewhere: bool
    can_repeat: bool


_AT_THE_TOP = _Around((), None, is_reachable=True, is_in_map=False, is_elsewhere=False, can_repeat=False)


def _read(machine: Mapping[str, Any]) -> Definition:
    states: dict[str, State] = {}
    warnings: list[str] = []
    # A stack of half-read machines instead of recursion: no nesting that JSON can carry overflows it.
    unfinished = [_states(machine, _AT_THE_TOP, states, warnings)]
    while unfinished:
        inner = next(unfinished[-1], None)
        if inner is None:
            unfinished.pop()
        else:
            unfinished.append(_states(*inner, states, warnings))
    return Definition(states, tuple(warnings))


def _states(
    machine: Mapping[str, Any], around: _Around, states: dict[str, State], warnings: list[str]
) -> Iterator[tuple[Mapping[str, Any], _Around]]:
    """Add a machine's states in order; after each container, yield its sub-machines to be read before going on."""
    bodies = {name: body for name, body in _mapping(machine.get("States")).items() if isinstance(body, Mapping)}
    transitions = {name: tuple(_transitions(body)) for name, body in bodies.items()}
    successors = {name: [to for to, *_ in found if to in bodies] for name, found in transitions.items()}
    for name, found in transitions.items():
        warnings.extend(f"{name} leads to {to}, which is not defined" for to, *_ in found if to not in bodies)
    start = _text(machine.get("StartAt"))
    if start not in bodies:
        warnings.append(f"StartAt of {_where(around)} is not defined")
    order = in_running_order(start, successors) if start in bodies else []
    reached = set(order)
    cyclic = on_cycles(order, successors)
    for name in [*order, *(name for name in bodies if name not in reached)]:
        if name in states:
            warnings.append(f"{name} is defined twice; the first is kept")
            continue
        body = bodies[name]
        state = State(
            name=name,
            state_type=_text(body.get("Type")) or "Unknown",
            path=(*around.path, name),
            place=around.place,
            resource=_text(body.get("Resource")),
            transitions=transitions[name],
            is_start=name == start,
            is_reachable=around.is_reachable and name in reached,
            is_distributed=_is_distributed(body),
            is_in_map=around.is_in_map,
            is_elsewhere=around.is_elsewhere,
            can_repeat=around.can_repeat or name in cyclic,
            is_retried=bool(body.get("Retry")),
        )
        states[name] = state
        for branch, inner in _inner_machines(body):
            yield inner, _inside(state, branch, _text(inner.get("StartAt")))


def _inside(container: State, branch: int | None, first: str | None) -> _Around:
    is_in_map = container.is_in_map or container.state_type == "Map"
    return _Around(
        path=container.path,
        place=BranchPlace(container.name, branch, first),
        is_reachable=container.is_reachable,
        is_in_map=is_in_map,
        is_elsewhere=container.is_elsewhere or container.is_distributed,
        can_repeat=container.can_repeat or container.is_retried or is_in_map,
    )


def _transitions(body: Mapping[str, Any]) -> Iterator[Transition]:
    if to := _text(body.get("Next")):
        yield Transition(to, StageTransitionKind.NEXT)
    for rule in _mappings(body.get("Choices")):
        if to := _text(rule.get("Next")):
            yield Transition(to, StageTransitionKind.CHOICE, _rule(rule))
    if to := _text(body.get("Default")):
        yield Transition(to, StageTransitionKind.DEFAULT)
    for catcher in _mappings(body.get("Catch")):
        if to := _text(catcher.get("Next")):
            yield Transition(to, StageTransitionKind.CATCH, _errors(catcher))


def _rule(choice: Mapping[str, Any]) -> str:
    """Write a rule of a Choice: a JSONata expression as it stands, comparisons as JSON."""
    if (condition := _text(choice.get("Condition"))) is not None:
        return condition[:LONGEST_LABEL]
    compared = {key: value for key, value in choice.items() if key not in ("Next", "Assign", "Output", "Comment")}
    return json.dumps(compared, ensure_ascii=False, separators=(", ", ": "))[:LONGEST_LABEL]


def _errors(catcher: Mapping[str, Any]) -> str | None:
    errors = catcher.get("ErrorEquals")
    names = [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
    return ", ".join(names)[:LONGEST_LABEL] or None


def _inner_machines(body: Mapping[str, Any]) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if body.get("Type") == "Parallel":
        branches = body.get("Branches")
        for index, branch in enumerate(branches if isinstance(branches, list) else []):
            if isinstance(branch, Mapping):
                yield index, branch
    elif body.get("Type") == "Map":
        processor = body.get("ItemProcessor", body.get("Iterator"))  # Iterator is its older name
        if isinstance(processor, Mapping):
            yield None, processor


def _is_distributed(body: Mapping[str, Any]) -> bool:
    configuration = _mapping(_mapping(body.get("ItemProcessor")).get("ProcessorConfig"))
    return body.get("Type") == "Map" and configuration.get("Mode") == "DISTRIBUTED"


def _where(around: _Around) -> str:
    if around.place is None:
        return "the machine"
    return around.place.container if around.place.branch is None else f"{around.place.container}[{around.place.branch}]"


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
