"""``vams-graph history``: the visits of a saved history, one JSON object a line."""

import argparse
import json
import sys
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
        help="what 'aws stepfunctions get-execution-history' prints, or its list of events; taken as read whole",
    )
    parser.add_argument(
        "--definition", metavar="ASL.json", type=Path, help="the state machine's definition; it numbers the branches"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the visits; return 0, or 2 with one line on standard error for input that cannot be read."""
    try:
        events = _read_events(arguments.events)
        definition = _read_definition(arguments.definition) if arguments.definition is not None else None
    except _UnreadableError as error:
        print(f"vams-graph history: {error}", file=sys.stderr)
        return 2
    sys.stdout.writelines(f"{json.dumps(_line(visit))}\n" for visit in attribute(events, definition).visits)
    return 0


class _UnreadableError(Exception):
    """A file that is not what the command was told; the message is one line."""


def _read_events(path: Path) -> list[Event]:
    try:
        return parse_events(json.loads(_read(path)))
    except RecursionError:
        raise _UnreadableError(f"{path}: nested too deeply") from None
    except MalformedHistoryError as error:
        raise _UnreadableError(f"{path}: {error}") from None
    except ValueError as error:
        raise _UnreadableError(f"{path}: not JSON: {error}") from None


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
