"""Histories written as tables, and visits shown as lines, so that a test reads like the case it is about."""

import re
from collections.abc import Iterable
from typing import Any

from graph.history import (
    Attribution,
    Event,
    StageScope,
    StageSummary,
    Visit,
    attribute,
    frame,
    parse_definition,
    parse_events,
    roll_up,
)

_LINE = re.compile(r"(?P<id>\d+) (?P<type>\w+) (?:<- )?(?P<link>\d+)(?P<at> \d\d:\d\d:\d\d)?(?: (?P<details>.+))?")


def raw_events(table: str) -> list[dict[str, Any]]:
    """Read lines of ``id type previousEventId [hh:mm:ss] [key: value, ...]`` as the CLI would print the events."""
    return [_raw_event(line.strip()) for line in table.splitlines() if line.strip()]


def _raw_event(line: str) -> dict[str, Any]:
    match = _LINE.fullmatch(line)
    assert match is not None, line
    at = (match["at"] or f"09:00:{int(match['id']) % 60:02}").strip()
    event: dict[str, Any] = {
        "timestamp": f"2026-07-14T{at}.000000+00:00",
        "type": match["type"],
        "id": int(match["id"]),
        "previousEventId": int(match["link"]),
    }
    if match["details"]:
        pairs = (pair.split(": ", 1) for pair in match["details"].split(", "))
        event[_details_key(match["type"])] = {key: int(text) if text.isdecimal() else text for key, text in pairs}
    return event


def _details_key(kind: str) -> str:
    for ending in ("Entered", "Exited"):
        if kind.endswith(f"State{ending}"):
            return f"state{ending}EventDetails"
    return f"{kind[0].lower()}{kind[1:]}EventDetails"


def events(table: str) -> list[Event]:
    return parse_events(raw_events(table))


def read(table: str, machine: dict[str, Any] | None = None, *, read_to_end: bool = True) -> Attribution:
    definition = parse_definition(machine) if machine is not None else None
    return attribute(events(table), definition, read_to_end=read_to_end)


def visits(table: str, machine: dict[str, Any] | None = None, *, read_to_end: bool = True) -> list[str]:
    """Attribute a table and show its visits."""
    return shown(read(table, machine, read_to_end=read_to_end).visits)


def shown(found: Iterable[Visit]) -> list[str]:
    """Show visits as ``Map#0/Parallel[1]/Name STATUS entered-exited xAttempts``.

    A branch without an index is shown by its first state, a later attempt of a container as ``~1``, what was not read
    as ``?``, no attempts as nothing.
    """
    return [_shown(visit) for visit in found]


def _shown(visit: Visit) -> str:
    events = f"{visit.entered_event_id or '?'}-{visit.exited_event_id or ''}"
    attempts = f" x{visit.attempts}" if visit.attempts else ""
    return f"{place(visit.scope.path())}{visit.name} {visit.status} {events}{attempts}"


def place(path: tuple[StageScope, ...] | None) -> str:
    if path is None:
        return "?/"
    return "".join(
        f"{around.stage_name}{_which(around)}{f'~{around.attempt}' if around.attempt else ''}/" for around in path
    )


def _which(around: StageScope) -> str:
    if around.branch_name is not None:
        return f"[{around.branch_name if around.branch is None else around.branch}]"
    return f"#{'?' if around.iteration is None else around.iteration}"


def stages(table: str, machine: dict[str, Any], *, read_to_end: bool = True) -> dict[str, StageSummary]:
    """Roll a table up along its machine."""
    definition = parse_definition(machine)
    attribution = attribute(events(table), definition, read_to_end=read_to_end)
    return {stage.name: stage for stage in roll_up(frame(definition), attribution)}
