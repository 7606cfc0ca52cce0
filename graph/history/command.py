"""``vams-graph history``: the visits of a saved history, one JSON object a line."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.history.attribution import attribute
from graph.history.definition import Definition, DefinitionError, parse_definition
from graph.history.event import Event
from graph.history.stepfunctions import MalformedHistoryError, parse_events
from graph.history.visit import StageScope, Visit

# What AWS accepts; the narrower bound of `parse_definition` is for definitions that come with a request.
_MAX_DEFINITION_BYTES = 1024 * 1024


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its arguments."""
    parser = subparsers.add_parser(
        "history",
        help="print the visits of a saved Step Functions history as JSON lines",
        description="Print each visit to a state, in the order of entry, as one JSON object a line.",
    )
    parser.add_argument(
        "events",
        metavar="EVENTS.json",
        type=Path,
        nargs="+",
        help="what 'aws stepfunctions get-execution-history' prints, or its list of events; several are pages of one "
        "history, in any order, oldest or newest events first. Taken as read to its end unless the page with the "
        "newest event has a NextToken to newer ones",
    )
    parser.add_argument(
        "--definition", metavar="ASL.json", type=Path, help="the state machine's definition; it numbers the branches"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the visits; return 0, or 2 with one line on standard error for input that cannot be read."""
    try:
        pages = [_read_page(path) for path in arguments.events]
        definition = _read_definition(arguments.definition) if arguments.definition is not None else None
    except _UnreadableError as error:
        print(f"vams-graph history: {error}", file=sys.stderr)
        return 2
    events = [event for page in pages for event in page.events]
    last = max(pages, key=lambda page: max((event.id for event in page.events), default=0))
    if last.goes_on:
        print("vams-graph history: the last page has a NextToken, so the history goes on after it", file=sys.stderr)
    found = attribute(events, definition, read_to_end=not last.goes_on)
    for first_missing, last_missing in found.gaps:
        print(f"vams-graph history: events {first_missing} to {last_missing} are missing", file=sys.stderr)
    sys.stdout.writelines(f"{json.dumps(_line(visit))}\n" for visit in found.visits)
    return 0


@dataclass(frozen=True, slots=True)
class _Page:
    """Events of a file; ``goes_on`` tells that newer ones follow them."""

    events: list[Event]
    goes_on: bool


class _UnreadableError(Exception):
    """A file that is not what the command was told; the message is one line."""


def _read_page(path: Path) -> _Page:
    try:
        document = json.loads(_read(path))
        events = parse_events(document)
        has_more = isinstance(document, dict) and bool(document.get("NextToken") or document.get("nextToken"))
        # What follows a page of --reverse-order is older, so that its first event is still the newest.
        return _Page(events, has_more and not _is_newest_first(events))
    except RecursionError:
        raise _UnreadableError(f"{path}: nested too deeply") from None
    except MalformedHistoryError as error:
        raise _UnreadableError(f"{path}: {error}") from None
    except ValueError as error:
        raise _UnreadableError(f"{path}: not JSON: {error}") from None


def _is_newest_first(events: Sequence[Event]) -> bool:
    return len(events) > 1 and events[0].id > events[-1].id


def _read_definition(path: Path) -> Definition:
    try:
        return parse_definition(_read(path), max_bytes=_MAX_DEFINITION_BYTES)
    except DefinitionError as error:
        raise _UnreadableError(f"{path}: {error}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise _UnreadableError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _line(visit: Visit) -> dict[str, object]:
    path = visit.scope.path()
    return {
        "name": visit.name,
        "scope": [_around(scope) for scope in path] if path is not None else None,
        "status": visit.status.value,
        "attempts": visit.attempts,
        "enteredEventId": visit.entered_event_id,
        "exitedEventId": visit.exited_event_id,
        "error": visit.error,
    }


def _around(scope: StageScope) -> dict[str, object]:
    return {
        "stageName": scope.stage_name,
        "branch": scope.branch,
        "branchName": scope.branch_name,
        "iteration": scope.iteration,
    }
