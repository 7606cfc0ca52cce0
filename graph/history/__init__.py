"""Execution histories, pure: events become visits and stages, definitions become frames.

events = parse_events(json.load(file))             # what GetExecutionHistory returned
definition = parse_definition(text)                # Amazon States Language
attribution = attribute(events, definition)        # every event, every visit
stages = roll_up(frame(definition), attribution)   # every state, in order
"""

from graph.history.attribution import AttributedEvent, Attribution, UnreadRange, attribute
from graph.history.batch import StartedJob, batch_job
from graph.history.definition import (
    Definition,
    DefinitionError,
    StageTransitionKind,
    State,
    Transition,
    item_definition,
    parse_definition,
)
from graph.history.event import Event, EventKind, StageStatus
from graph.history.failure import RunFailure, find_failure
from graph.history.frames import Frame, frame
from graph.history.iterations import Iteration, iterations_of
from graph.history.rollup import StageSummary, roll_up
from graph.history.stepfunctions import MalformedHistoryError, parse_event, parse_events
from graph.history.visit import IterationCounts, MapRunState, StageScope, Try, Visit

__all__ = [
    "AttributedEvent",
    "Attribution",
    "Definition",
    "DefinitionError",
    "Event",
    "EventKind",
    "Frame",
    "Iteration",
    "IterationCounts",
    "MalformedHistoryError",
    "MapRunState",
    "RunFailure",
    "StageScope",
    "StageStatus",
    "StageSummary",
    "StageTransitionKind",
    "StartedJob",
    "State",
    "Transition",
    "Try",
    "UnreadRange",
    "Visit",
    "attribute",
    "batch_job",
    "find_failure",
    "frame",
    "item_definition",
    "iterations_of",
    "parse_definition",
    "parse_event",
    "parse_events",
    "roll_up",
]
